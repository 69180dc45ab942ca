package launch

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"

	"auspex/internal/lazyregexp"
	"auspex/source"
)

// preprocess gives a source of a command line as the compiler's preprocessor
// writes it, with its line markers.
func (c *Compiler) preprocess(ctx context.Context, line *commandLine, in input) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c.Real[0], append(preprocessing(line, in), "-E")...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	text, err := cmd.Output()
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimSpace(complaints.String()), "\n")
		return nil, fmt.Errorf("%s -E: %w: %s", c.Real[0], err, said)
	}
	if !bytes.HasPrefix(text, []byte("#")) {
		return nil, fmt.Errorf("%s -E wrote no line markers", c.Real[0])
	}
	return text, nil
}

// preprocessing are the arguments that concern one source before it is compiled.
func preprocessing(line *commandLine, in input) []string {
	return without(line, func(k input) bool { return k.isSource && k.at != in.at })
}

// without are the arguments of a command line but for those that say what is made of its
// sources and where it goes, and inputs that are not wanted.
func without(line *commandLine, unwanted func(input) bool) []string {
	others := map[int]bool{}
	for _, k := range line.inputs {
		others[k.at] = unwanted(k)
	}
	var args []string
	for i := 0; i < len(line.args); i++ {
		arg := line.args[i]
		switch {
		case arg == "-o" || arg == "-MF" || arg == "-MT" || arg == "-MQ":
			i++
		case others[i], arg == "-c", arg == "-S", strings.HasPrefix(arg, "-o") && arg != "-openmp", ofDependencies.MatchString(arg), strings.HasPrefix(arg, "-save-temps"):
		default:
			args = append(args, arg)
		}
	}
	return args
}

// ofDependencies are options that have dependencies written; nvfortran has others that
// begin alike.
var ofDependencies = lazyregexp.New(`^-M(M?D?|[GP]|[FTQ].*)$|^-Wp,-M`)

// keepPreprocessed writes the C and C++ sources of a command line where the plan
// wants them. One that cannot be preprocessed is read as it is.
func (c *Compiler) keepPreprocessed(ctx context.Context, line *commandLine) {
	for _, in := range line.inputs {
		name := c.Plan.name(line.args[in.at])
		if !in.isSource || in.language == source.Fortran || name == "" {
			continue
		}
		text, err := c.preprocess(ctx, line, in)
		if err == nil {
			err = c.Plan.keep(name, line.args[in.at], text)
		}
		if err != nil {
			fmt.Fprintf(c.Err, "auspex: %s: read without its macros: %v\n", line.args[in.at], err)
		}
	}
}
