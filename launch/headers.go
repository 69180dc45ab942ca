package launch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"auspex/instrument"
	"auspex/internal/lazyregexp"
	"auspex/source"
)

// An overlay holds a project's headers with probes in them: a directory in which
// each has the path that it has in the file system. A source compiled from there
// finds them instead of the originals, in whatever way it names them, since every
// directory that the compiler searches is searched in the overlay first and the
// overlay holds all that the source includes, with probes or not.
type overlay struct {
	root   string
	files  map[string]string // what the compiler calls those that are in it, by their paths
	probes int               // regions in all headers
}

var (
	// Headers that ask what else is there, or which of two files comes first, would
	// see the overlay.
	asksForFiles = lazyregexp.New(`__has_include|#\s*include_next|#\s*embed`)
	// What has neither is too small to be measured by default.
	mayWork = lazyregexp.New(`\b(for|while|do|MPI_\w+)\b`)
)

// headers adds the headers of a C++ source to the overlay. Headers of the system
// and of what is installed beside it are not the project's.
func (j *compileJob) headers(ctx context.Context, in input, text []byte) {
	if !j.Headers || j.plainHeaders || j.Plan != nil || in.language != source.CXX || asksForFiles.Match(text) || !j.mayIncludeOwn(text) {
		return
	}
	if j.overlay == nil {
		j.overlay = &overlay{root: filepath.Join(j.dir, "headers"), files: map[string]string{}}
	}
	list, err := j.included(ctx, in)
	if err != nil {
		return
	}
	texts := map[string][]byte{}
	for _, name := range list {
		path, err := filepath.Abs(name)
		if err != nil || j.overlay.files[path] != "" || ofSystem(path) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil || asksForFiles.Match(text) {
			return
		}
		texts[name] = text
	}
	for _, name := range list {
		if text, ok := texts[name]; ok && j.overlay.add(ctx, name, text, j.Options) != nil {
			return
		}
	}
}

// mayIncludeOwn looks whether a source could include headers of its project.
func (j *compileJob) mayIncludeOwn(text []byte) bool {
	if ownInclude.Match(text) {
		return true
	}
	for i, arg := range j.line.args {
		if dir, _ := searched(j.line.args, i); dir != "" && !ofSystem(dir) && anyInclude.Match(text) {
			return true
		}
		if arg == "-include" {
			return true
		}
	}
	return false
}

var (
	ownInclude = lazyregexp.New(`(?m)^[ \t]*#[ \t]*include[ \t]*"`)
	anyInclude = lazyregexp.New(`(?m)^[ \t]*#[ \t]*include\b`)
)

// ofSystem tells headers that came with the system from a project's own.
func ofSystem(path string) bool {
	for _, place := range []string{"/usr/", "/opt/", "/nix/", "/lib/"} {
		if strings.HasPrefix(path, place) && !strings.HasPrefix(path, "/usr/src/") {
			return true
		}
	}
	return false
}

// included are the headers that the compiler finds for a source, those of the
// system left out, as it names them.
func (j *compileJob) included(ctx context.Context, in input) ([]string, error) {
	cmd := exec.CommandContext(ctx, j.Real[0], append(preprocessing(j.line, in), "-MM")...)
	rule, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	list := prerequisites(string(rule))
	if len(list) == 0 {
		return nil, fmt.Errorf("%s -MM names no file", j.Real[0])
	}
	return list[1:], nil // the first is the source
}

// prerequisites are the files after the colon of a rule for make.
func prerequisites(rule string) []string {
	_, rule, _ = strings.Cut(strings.ReplaceAll(rule, "\\\n", " "), ": ")
	var list []string
	var name strings.Builder
	end := func() {
		if name.Len() > 0 {
			list = append(list, name.String())
			name.Reset()
		}
	}
	for i := 0; i < len(rule); i++ {
		switch c := rule[i]; {
		case c == '\\' && i+1 < len(rule) && strings.IndexByte(" #\\", rule[i+1]) >= 0, c == '$' && i+1 < len(rule) && rule[i+1] == '$':
			i++
			name.WriteByte(rule[i])
		case c == ' ' || c == '\t':
			end()
		case c == '\n':
			end()
			return list
		default:
			name.WriteByte(c)
		}
	}
	end()
	return list
}

// add writes a header into the overlay. Equal texts at one place come out equal
// whoever includes them.
func (o *overlay) add(ctx context.Context, name string, text []byte, options instrument.Options) error {
	path, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	file := &source.File{Name: path, Language: source.CXX, Text: text}
	if options.MinLines > 0 || mayWork.Match(text) {
		if parsed, err := source.Parse(ctx, path, text, source.Options{Language: source.CXX}); err == nil {
			file = parsed
		}
	}
	options.File, options.Path, options.Count = path, path, false
	result := instrument.RewriteHeader(file, options, name)
	o.probes += len(result.Regions)
	copied := filepath.Join(o.root, path)
	if err := os.MkdirAll(filepath.Dir(copied), 0o777); err != nil {
		return err
	}
	o.files[path] = name
	return os.WriteFile(copied, result.Text, 0o666)
}

// worth tells whether a source gains by the overlay.
func (o *overlay) worth() bool { return o != nil && o.probes > 0 }

// place is the directory in the overlay where a source belongs.
func (o *overlay) place(file string) string {
	path, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return filepath.Join(o.root, "lost")
	}
	return filepath.Join(o.root, path)
}

// asNamed puts the user's names of headers where those of the overlay stand.
func (o *overlay) asNamed(text []byte) []byte {
	if !o.worth() {
		return text
	}
	ours := regexp.MustCompile(regexp.QuoteMeta(o.root) + `(?:\\ |[^\s\\:'"])+`)
	return ours.ReplaceAllFunc(text, func(found []byte) []byte {
		path := filepath.Clean(strings.TrimPrefix(strings.ReplaceAll(string(found), `\ `, " "), o.root))
		name, ok := o.files[path]
		if !ok {
			name = path
		}
		return []byte(strings.ReplaceAll(name, " ", `\ `))
	})
}

// search puts the overlay's directories before those that they stand for.
func (o *overlay) search(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if dir, flag := searched(args, i); dir != "" {
			if path, err := filepath.Abs(dir); err == nil && !ofSystem(path) {
				out = append(out, flag, filepath.Join(o.root, path))
			}
			if args[i] == flag {
				out = append(out, args[i])
				i++
			}
		} else if takesValue[args[i]] && i+1 < len(args) {
			out = append(out, args[i])
			i++
		}
		out = append(out, args[i])
	}
	return out
}

// searched is the directory that an argument has searched for headers, and the
// flag by which it does; "" for other arguments.
func searched(args []string, i int) (dir, flag string) {
	for _, flag := range []string{"-iquote", "-I"} {
		rest, ok := strings.CutPrefix(args[i], flag)
		switch {
		case !ok:
		case rest != "" && rest != "-":
			return rest, flag
		case rest == "" && i+1 < len(args):
			return args[i+1], flag
		}
	}
	return "", ""
}
