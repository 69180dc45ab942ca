package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"auspex/instrument"
	"auspex/internal/lazyregexp"
	"auspex/internal/scratch"
	"auspex/probe"
	"auspex/source"
)

// Compiler stands in for a real compiler.
type Compiler struct {
	Real    []string // the compiler and its arguments
	Options instrument.Options
	// Plan, where there is one, says which loops are cut short; then no region
	// is measured.
	Plan *Plan
	// Headers has templates and inline functions in the project's own C++ headers
	// measured by probes too. Samples show them anyway, and at less cost: a probe
	// keeps small ones from being inlined.
	Headers bool
	// Cache keeps compiled parts of the runtime.
	Cache string

	In       io.Reader
	Out, Err io.Writer
}

// Run compiles and returns the exit status. An error is about what kept the
// compiler from being run at all.
func (c *Compiler) Run(ctx context.Context) (int, error) {
	line, err := parseCommand(c.Real[1:])
	if err != nil {
		return 1, err
	}
	if line.fallback || len(line.inputs) == 0 || isProbeOfConfigure(line) || !line.compiles && !line.links {
		return c.plain(ctx)
	}
	if c.Plan != nil && c.Plan.Record != "" && line.compiles {
		if err := c.Plan.record(line); err != nil {
			return 1, err
		}
		if c.Plan.Preprocess {
			c.keepPreprocessed(ctx, line)
		}
	}
	if c.Plan != nil && len(c.Plan.Loops) == 0 {
		return c.plain(ctx)
	}
	dir, err := scratch.Dir("cc")
	if err != nil {
		fmt.Fprintf(c.Err, "auspex: no place for temporary files, so nothing is instrumented: %v\n", err)
		return c.plain(ctx)
	}
	defer os.RemoveAll(dir)
	job := compileJob{Compiler: c, line: line, dir: dir, args: append([]string{}, line.args...)}
	return job.run(ctx)
}

// plain runs the compiler as if we were not there.
func (c *Compiler) plain(ctx context.Context) (int, error) {
	cmd := exec.CommandContext(ctx, c.Real[0], c.Real[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.In, c.Out, c.Err
	return exitStatus(cmd.Run())
}

// exitStatus tells how a program that was run ended, as a shell would.
func exitStatus(err error) (int, error) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if err != nil {
			return 127, err
		}
		return 0, nil
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), nil
	}
	return exit.ExitCode(), nil
}

// isProbeOfConfigure recognises the small programs by which configure scripts,
// CMake and Meson ask what the compiler can do.
func isProbeOfConfigure(c *commandLine) bool {
	wd, _ := os.Getwd()
	places := []string{wd + "/", c.output}
	for _, in := range c.inputs {
		file := c.args[in.at]
		base := filepath.Base(file)
		if strings.HasPrefix(base, "conftest") || strings.HasPrefix(base, "confdefs") {
			return true
		}
		places = append(places, file)
	}
	for _, place := range places {
		for _, mark := range []string{"CMakeFiles/CMakeScratch", "CMakeFiles/CMakeTmp", "/CompilerId", "CMakeFiles/cmTC_", "CMakeFiles/ShowIncludes", "meson-private/"} {
			if strings.Contains(place, mark) {
				return true
			}
		}
	}
	return false
}

type compileJob struct {
	*Compiler
	line    *commandLine
	dir     string
	args    []string
	renamed []string // pairs: a file of ours, and the user's that it stands for
	said    []string
	hides   bool // the compiler may miss a warning for a probe

	overlay      *overlay // of the project's headers, nil without
	plainHeaders bool     // they are left as they are
	noLines      bool     // the compiler knows no lineTables
}

func (j *compileJob) run(ctx context.Context) (int, error) {
	if j.line.compiles {
		if namesRegions(j.line) {
			j.args = append(j.args, "-DAUSPEX_CC")
		}
		j.args = append(j.args, tables(j.line)...)
		if j.wantsLines() {
			j.args = append(j.args, lineTables)
		}
		for i, in := range j.line.inputs {
			if in.isSource && filepath.Base(j.line.args[in.at]) != "auspex.F90" {
				j.instrument(ctx, i, in)
			}
		}
	}
	if j.line.links {
		if stub, err := j.stub(ctx); err == nil {
			if slices.ContainsFunc(j.line.args, func(arg string) bool { return strings.HasPrefix(arg, "-x") }) {
				j.args = append(j.args, "-x", "none") // of the files that follow
			}
			j.args = append(j.args, stub, "-ldl")
		} else {
			j.said = append(j.said, err.Error())
		}
	}
	if len(j.args) == len(j.line.args) && len(j.renamed) == 0 {
		j.speak()
		return j.plain(ctx)
	}
	if len(j.renamed) > 0 && j.refusesWarnings() {
		return j.strictly(ctx)
	}
	var out, errs bytes.Buffer
	status, err := j.try(ctx, j.args, &out, &errs)
	if err != nil {
		return status, err
	}
	if status != 0 {
		j.noLines = j.noLines || bytes.Contains(errs.Bytes(), []byte(lineTables))
		return j.otherwise(ctx)
	}
	if len(j.renamed) > 0 && (out.Len()+errs.Len() > 0 || j.hides && j.asksForWarnings()) {
		if status, err := j.ownWords(ctx, &out, &errs); err != nil || status != 0 {
			return j.original(ctx, unasked)
		}
	}
	return j.done(ctx, &out, &errs)
}

// done tells what the compiler said, after the instrumented form was compiled.
func (j *compileJob) done(ctx context.Context, out, errs *bytes.Buffer) (int, error) {
	j.fixDepends()
	if !j.line.links {
		j.carry(ctx)
	}
	j.Out.Write(j.asNamed(out.Bytes()))
	j.Err.Write(j.asNamed(errs.Bytes()))
	j.speak()
	return 0, nil
}

// otherwise goes on where the instrumented form does not compile.
func (j *compileJob) otherwise(ctx context.Context) (int, error) {
	withoutLines := j.noLines && slices.Contains(j.args, lineTables)
	if withoutLines || j.overlay.worth() {
		again := compileJob{Compiler: j.Compiler, line: j.line, dir: j.dir, args: append([]string{}, j.line.args...),
			plainHeaders: j.plainHeaders || !withoutLines, noLines: j.noLines}
		return again.run(ctx)
	}
	return j.original(ctx, "the instrumented form does not compile")
}

func (j *compileJob) speak() {
	for _, s := range j.said {
		fmt.Fprintln(j.Err, "auspex:", s)
	}
}

func (j *compileJob) try(ctx context.Context, args []string, out, errs io.Writer) (int, error) {
	if j.overlay.worth() {
		args = j.overlay.search(args)
	}
	return j.compile(ctx, args, out, errs)
}

// compile runs the compiler; many arguments go by a file, where the build gave them so.
func (j *compileJob) compile(ctx context.Context, args []string, out, errs io.Writer) (int, error) {
	if j.line.expanded {
		file := filepath.Join(j.dir, "arguments")
		if err := os.WriteFile(file, []byte(joinResponse(args)), 0o666); err != nil {
			return 1, err
		}
		args = []string{"@" + file}
	}
	cmd := exec.CommandContext(ctx, j.Real[0], args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = j.In, out, errs
	return exitStatus(cmd.Run())
}

// original compiles what the user wrote where our form of it will not do. Where
// that fails too, the messages are the compiler's about the user's own text.
func (j *compileJob) original(ctx context.Context, why string) (int, error) {
	status, err := j.plain(ctx)
	if err == nil && status == 0 {
		what := "the program"
		if len(j.renamed) > 0 {
			var names []string
			for i := 1; i < len(j.renamed); i += 2 {
				names = append(names, j.renamed[i])
			}
			what = strings.Join(names, ", ")
		}
		fmt.Fprintf(j.Err, "auspex: %s: %s; the original is compiled and will not be measured\n", what, why)
	}
	return status, err
}

// tables has code compiled with what stacks are walked by where the build leaves it
// out: it lies apart and changes no code. What runs without a C library may be laid out
// by hand, without a place for it.
func tables(c *commandLine) []string {
	without := false
	for _, arg := range c.args {
		switch arg {
		case "-fno-asynchronous-unwind-tables", "-fno-unwind-tables":
			without = true
		case "-ffreestanding", "-nostdlib", "-nolibc":
			return nil
		}
	}
	if !without || !slices.ContainsFunc(c.inputs, func(in input) bool { return in.isSource }) {
		return nil
	}
	return []string{"-fasynchronous-unwind-tables"}
}

// lineTables has the compiler write down which functions and lines code is from.
const lineTables = "-g1"

// wantsLines tells whether code is to be compiled with lineTables: where the build says
// nothing about debug information. They lie apart and change no code, and samples know
// by them what was inlined, of which nothing else is left. A header that was precompiled
// without them would not be taken.
func (j *compileJob) wantsLines() bool {
	if j.Plan != nil || j.noLines || ownOptions.MatchString(filepath.Base(j.Real[0])) {
		return false
	}
	for _, arg := range j.line.args {
		if strings.HasPrefix(arg, "-g") || strings.HasPrefix(arg, "-include") || strings.HasPrefix(arg, "-fmodule") {
			return false
		}
	}
	sources := 0
	for _, in := range j.line.inputs {
		if !in.isSource {
			continue
		}
		sources++
		file := j.line.args[in.at]
		if text, err := os.ReadFile(file); err == nil && in.language != source.Fortran && j.precompiledEnd(file, text) > 0 {
			return false
		}
	}
	return sources > 0
}

// namesRegions tells whether a source on the command line makes use of
// auspex.h, or is the Fortran module of that name.
func namesRegions(c *commandLine) bool {
	for _, in := range c.inputs {
		if !in.isSource {
			continue
		}
		if text, err := os.ReadFile(c.args[in.at]); err == nil && bytes.Contains(text, []byte("auspex")) {
			return true
		}
	}
	return false
}

// instrument puts an instrumented copy of a source in its place.
func (j *compileJob) instrument(ctx context.Context, number int, in input) {
	file := j.line.args[in.at]
	text, err := os.ReadFile(file)
	if err != nil {
		return // the compiler will say so
	}
	options := source.Options{}
	if in.language == source.Fortran {
		options = j.line.fortran
	}
	options.Language = in.language
	options.Marked = in.language == source.Fortran && bytes.HasPrefix(text, []byte("# 1 \"")) // as CMake does for Ninja
	preprocessed := j.Plan != nil && j.Plan.Preprocess && in.language != source.Fortran
	if preprocessed {
		if text, err = j.preprocess(ctx, j.line, in); err != nil {
			j.said = append(j.said, fmt.Sprintf("%s: not instrumented: %v", file, err))
			return
		}
		options.Marked = true
	}
	parsed, err := source.Parse(ctx, file, text, options)
	if err != nil {
		j.said = append(j.said, fmt.Sprintf("%s: not instrumented: %v", file, err))
		return
	}
	choice := j.Options
	if path, err := filepath.Abs(parsed.Origin(0)); err == nil {
		choice.Path = path // make may have gone into the source's directory
	}
	var result *instrument.Result
	if j.Plan != nil {
		result = j.Plan.rewrite(parsed)
	} else {
		if in.language != source.Fortran {
			choice.Begin = j.afterPrecompiled(file, text)
		}
		result = instrument.Rewrite(parsed, choice)
	}
	if n, first := leftAlone(result.Candidates); n > 0 {
		j.said = append(j.said, fmt.Sprintf("%s: no probes in %s%s", file, first, andMore(n-1)))
	}
	j.hides = j.hides || result.Hides
	j.headers(ctx, in, text)
	if len(result.Regions) == 0 && !j.overlay.worth() {
		return
	}
	// Each copy has a directory of its own: two sources may share a name, and
	// the object's name comes from the source's.
	place := filepath.Join(j.dir, fmt.Sprint(number))
	before := stubText(j.Plan)
	if j.overlay.worth() {
		place = j.overlay.place(file)
		before += instrument.HeaderABI
		if len(result.Regions) == 0 {
			before += instrument.FirstLine(file)
		}
	}
	if err := os.MkdirAll(place, 0o777); err != nil {
		j.said = append(j.said, fmt.Sprintf("%s: not instrumented: %v", file, err))
		return
	}
	copied := filepath.Join(place, filepath.Base(file))
	whole := result.Text
	if preprocessed {
		whole = instrument.Apply(text, result.Edits) // with the markers that were blanked
	}
	if in.language != source.Fortran {
		head := choice.Begin
		if head > 0 {
			whole = append([]byte(instrument.FirstLine(file)), whole...)
			head += len(instrument.FirstLine(file))
		} else if bytes.HasPrefix(whole, []byte(byteOrderMark)) {
			head = len(byteOrderMark)
		}
		whole = slices.Concat(whole[:head], []byte(before), whole[head:])
	}
	if err := os.WriteFile(copied, whole, 0o666); err != nil {
		j.said = append(j.said, fmt.Sprintf("%s: not instrumented: %v", file, err))
		return
	}
	j.args[in.at] = copied
	j.renamed = append(j.renamed, copied, file)
	if slices.ContainsFunc(j.args, func(arg string) bool { return strings.HasPrefix(arg, "-g") }) && !ownOptions.MatchString(filepath.Base(j.Real[0])) {
		j.args = append(j.args, "-fdebug-prefix-map="+place+"/="+strings.TrimSuffix(file, filepath.Base(file)))
	}
	// What the source includes from its own directory is still there.
	if in.language == source.Fortran {
		j.args = append(j.args, "-I"+filepath.Dir(file))
	} else {
		j.args = append(j.args, "-iquote", filepath.Dir(file))
	}
}

// byteOrderMark may stand first in a source and nowhere else.
const byteOrderMark = "\xef\xbb\xbf"

// ownOptions are compilers that share few options with gcc.
var ownOptions = lazyregexp.New(`^(nv|pg|icc|icpc|ifort|xl|ft)`)

// stubText is what stands before an instrumented C or C++ source.
func stubText(p *Plan) string {
	if p != nil {
		return "#line 1 \"auspex-stub.h\"\n" + instrument.ThresholdABI + probe.StubThreshold
	}
	return "#line 1 \"auspex-stub.h\"\n" + instrument.ABI + probe.Stub
}

// leftAlone counts the functions that could not be parsed, and says why of the
// first.
func leftAlone(candidates []*instrument.Candidate) (n int, first string) {
	for _, c := range candidates {
		if c.Possible || !strings.Contains(c.Why, "parse") {
			continue
		}
		if n++; n == 1 {
			first = fmt.Sprintf("%s (%s)", c.Name, c.Why)
		}
	}
	return n, first
}

func andMore(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " and 1 more function"
	}
	return fmt.Sprintf(" and %d more functions", n)
}

// asNamed puts the user's file names where ours stand.
func (j *compileJob) asNamed(text []byte) []byte {
	for i := 0; i < len(j.renamed); i += 2 {
		text = bytes.ReplaceAll(text, []byte(j.renamed[i]), []byte(j.renamed[i+1]))
	}
	return j.overlay.asNamed(text)
}

// fixDepends names the user's sources in the dependencies that the compiler
// wrote.
func (j *compileJob) fixDepends() {
	for _, file := range j.line.depends {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if fixed := j.asNamed(text); !bytes.Equal(fixed, text) {
			os.WriteFile(file, fixed, 0o666)
		}
	}
}
