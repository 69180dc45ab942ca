package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"auspex/source"
)

// commandLine is a compiler's command line, understood as far as needed.
type commandLine struct {
	args     []string // response files expanded
	expanded bool     // whether there were any
	inputs   []input
	output   string // after -o
	compiles bool   // makes object code of sources
	links    bool
	// depends is where dependencies may go, none where nothing writes any.
	depends  []string
	fortran  source.Options // how Fortran sources are laid out
	fallback bool           // something here is beyond us: leave all alone
}

// input is a file named on the command line.
type input struct {
	at       int // index in args
	language source.Language
	isSource bool
}

// takesValue are options whose value is the next argument.
var takesValue = map[string]bool{
	"-o": true, "-I": true, "-L": true, "-l": true, "-D": true, "-U": true, "-include": true, "-imacros": true, "-isystem": true,
	"-iquote": true, "-idirafter": true, "-iprefix": true, "-iwithprefix": true, "-isysroot": true, "-MF": true, "-MT": true, "-MQ": true, "-x": true,
	"-Xlinker": true, "-Xpreprocessor": true, "-Xassembler": true, "-Xclang": true, "-T": true, "-u": true, "-z": true, "-e": true,
	"-arch": true, "-target": true, "--param": true, "-aux-info": true, "-wrapper": true, "-J": true, "-B": true, "-A": true, "-framework": true,
	"-module": true, "-soname": true, "-h": true, "-rpath": true, "-R": true, "-G": true, "-specs": true, "-dumpbase": true, "-dumpdir": true, "-V": false,
}

// asks are options with which a compiler only tells something.
func asks(arg string) bool {
	switch arg {
	case "-###", "-show", "--show", "-compile_info", "-compile-info", "-link_info", "-link-info", "--version", "-version", "-dumpversion", "-dumpmachine", "-dumpspecs", "-dumpfullversion", "--help", "-help", "-fsyntax-only":
		return true
	}
	return strings.HasPrefix(arg, "-print-") || strings.HasPrefix(arg, "--print-") || strings.HasPrefix(arg, "--showme") || strings.HasPrefix(arg, "-showme") || strings.HasPrefix(arg, "--help=")
}

// parseCommand reads a compiler's arguments.
func parseCommand(args []string) (*commandLine, error) {
	expanded, any, err := expandResponse(args, 0)
	if err != nil {
		return nil, err
	}
	c := &commandLine{args: expanded, expanded: any, compiles: true, links: true}
	language := "" // after -x
	makesDepends, relocatable := false, false
	headers := 0
	for i := 0; i < len(c.args); i++ {
		arg := c.args[i]
		value := func() string {
			if i+1 < len(c.args) {
				i++
				return c.args[i]
			}
			return ""
		}
		switch {
		case arg == "-" || asks(arg):
			c.fallback = true
		case arg == "-c":
			c.links = false
		case arg == "-E" || arg == "-S" || arg == "-M" || arg == "-MM":
			c.links, c.compiles = false, false
		case arg == "-r" || arg == "-Wl,-r" || arg == "-nostdlib" || arg == "-nolibc" || arg == "-ffreestanding":
			relocatable = true
		case arg == "-o":
			c.output = value()
		case arg == "-MD" || arg == "-MMD":
			makesDepends = true
		case strings.HasPrefix(arg, "-Wp,-MD,") || strings.HasPrefix(arg, "-Wp,-MMD,"):
			c.depends = []string{arg[strings.LastIndex(arg, ",")+1:]}
		case arg == "-MF":
			c.depends = []string{value()}
		case strings.HasPrefix(arg, "-MF"):
			c.depends = []string{arg[3:]}
		case arg == "-x":
			language = value()
		case strings.HasPrefix(arg, "-x") && !strings.HasPrefix(arg, "-xH"):
			language = arg[2:]
		case arg == "-ffree-form" || arg == "-free" || arg == "-Mfree":
			form := source.Free
			c.fortran.Form = &form
		case arg == "-ffixed-form" || arg == "-fixed" || arg == "-Mfixed":
			form := source.Fixed
			c.fortran.Form = &form
		case strings.HasPrefix(arg, "-ffixed-line-length-"):
			c.fortran.LineLength = lineLength(arg[len("-ffixed-line-length-"):])
		case arg == "-Mextend" || arg == "-extend-source" || arg == "-extend_source":
			c.fortran.LineLength = 132
		case arg == "-fopenmp" || arg == "-qopenmp" || arg == "-mp" || arg == "-openmp":
			c.fortran.OpenMP = true
		case takesValue[arg]:
			value()
		case strings.HasPrefix(arg, "-"):
		default:
			if isHeader(arg, language) {
				headers++
			}
			in := input{at: i}
			in.language, in.isSource = languageOf(arg, language)
			c.inputs = append(c.inputs, in)
		}
	}
	if headers == len(c.inputs) {
		c.fallback = true // they are precompiled, if there are any
	}
	c.links = c.links && !relocatable && len(c.inputs) > 0
	if makesDepends && len(c.depends) == 0 {
		c.depends = c.defaultDepends()
	}
	return c, nil
}

// defaultDepends are the files where -MD may put dependencies without -MF: one named
// after the output, or one for each source, where a program is made with the
// program's name before it. Compilers and their versions differ in which.
func (c *commandLine) defaultDepends() []string {
	stem := func(file string) string { return strings.TrimSuffix(file, filepath.Ext(file)) }
	program := "a" // a.out
	var files []string
	if c.output != "" {
		program = stem(c.output)
		files = append(files, program+".d")
	}
	for _, in := range c.inputs {
		if in.isSource {
			of := stem(filepath.Base(c.args[in.at])) + ".d"
			files = append(files, of, program+"-"+of)
		}
	}
	return files
}

// isHeader tells whether a file named as an input is a header.
func isHeader(file, given string) bool {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".h", ".hh", ".hpp", ".hxx":
		return given == "" || given == "none" || strings.HasSuffix(given, "-header")
	}
	return strings.HasSuffix(given, "-header")
}

// languageOf tells a source that can be instrumented from other inputs.
func languageOf(file, given string) (source.Language, bool) {
	switch given {
	case "", "none":
		language, _ := source.Detect(file)
		switch strings.ToLower(filepath.Ext(file)) {
		case ".h", ".hh", ".hpp", ".hxx", ".i", ".ii", ".inc", ".mod":
			return language, false // a header or preprocessed: not for us
		}
		return language, language != source.Unknown
	case "c":
		return source.C, true
	case "c++":
		return source.CXX, true
	case "f77", "f95", "f77-cpp-input", "f95-cpp-input":
		return source.Fortran, true
	}
	return source.Unknown, false
}

func lineLength(s string) int {
	n := 0
	if _, err := fmt.Sscanf(s, "%d", &n); err != nil || n == 0 {
		return -1
	}
	return n
}

// expandResponse puts the contents of @files in their places.
func expandResponse(args []string, depth int) (expanded []string, any bool, err error) {
	if depth > 10 {
		return nil, false, fmt.Errorf("response files (@file) name each other without end")
	}
	for _, arg := range args {
		if !strings.HasPrefix(arg, "@") || len(arg) == 1 {
			expanded = append(expanded, arg)
			continue
		}
		text, err := os.ReadFile(arg[1:])
		if err != nil {
			expanded = append(expanded, arg) // compilers then take it as it is
			continue
		}
		inner, _, err := expandResponse(splitResponse(string(text)), depth+1)
		if err != nil {
			return nil, false, err
		}
		expanded = append(expanded, inner...)
		any = true
	}
	return expanded, any, nil
}

// splitResponse parts a response file into arguments: at white space, but for
// what is quoted; a backslash takes the next character as it is.
func splitResponse(text string) []string {
	var args []string
	var arg strings.Builder
	quote, inside := byte(0), false
	for i := 0; i < len(text); i++ {
		ch := text[i]
		switch {
		case ch == '\\' && i+1 < len(text):
			i++
			arg.WriteByte(text[i])
			inside = true
		case quote != 0 && ch == quote:
			quote = 0
		case quote != 0:
			arg.WriteByte(ch)
		case ch == '\'' || ch == '"':
			quote, inside = ch, true
		case ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r' || ch == '\v' || ch == '\f':
			if inside {
				args = append(args, arg.String())
				arg.Reset()
				inside = false
			}
		default:
			arg.WriteByte(ch)
			inside = true
		}
	}
	if inside {
		args = append(args, arg.String())
	}
	return args
}

// joinResponse is the inverse of splitResponse.
func joinResponse(args []string) string {
	var b strings.Builder
	for _, arg := range args {
		b.WriteByte('"')
		for i := range len(arg) {
			if arg[i] == '"' || arg[i] == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(arg[i])
		}
		b.WriteString("\"\n")
	}
	return b.String()
}
