package launch

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"auspex/instrument"
	"auspex/probe"
	"auspex/source"
)

// buildSection is the part of an executable that tells how it was built.
const buildSection = ".auspex.build"

// stub makes the object that an instrumented program is linked with: it lets
// the program run without the runtime, serves its Fortran parts, and notes the
// compiler and flags for the experiment's factors.
func (j *compileJob) stub(ctx context.Context) (string, error) {
	stubs := instrument.ABI + probe.Stub + probe.StubFortran
	if j.Plan != nil {
		stubs = instrument.ThresholdABI + probe.StubThreshold + probe.StubThresholdFortran
	}
	if !j.line.links {
		return j.object(ctx, stubs) // only a program is noted
	}
	return j.object(ctx, stubs+
		fmt.Sprintf("__attribute__((section(%q), used)) static const char auspex_build[] = %s;\n", buildSection, strconv.QuoteToASCII(buildNote(j.Real, j.line))))
}

// carry puts the stub into the objects made of Fortran sources, as C and C++
// sources have it in their text, so that anybody may link them: not every build
// links by auspex cc. Objects that are compiled once more while linking (-flto)
// cannot hold it.
func (j *compileJob) carry(ctx context.Context) {
	for _, arg := range j.line.args {
		if strings.HasPrefix(arg, "-flto") {
			return
		}
	}
	for _, in := range j.line.inputs {
		if in.language != source.Fortran || j.args[in.at] == j.line.args[in.at] {
			continue
		}
		made := j.line.output
		if made == "" {
			made = strings.TrimSuffix(filepath.Base(j.line.args[in.at]), filepath.Ext(j.line.args[in.at])) + ".o"
		}
		if err := j.join(ctx, made); err != nil {
			j.said = append(j.said, fmt.Sprintf("%s must be linked by auspex cc: %v", made, err))
		}
	}
}

// join replaces an object by one that also holds the stub.
func (j *compileJob) join(ctx context.Context, object string) error {
	stub, err := j.stub(ctx)
	if err != nil {
		return err
	}
	both := filepath.Join(j.dir, "both.o")
	if out, err := exec.CommandContext(ctx, "ld", "-r", "-o", both, object, stub).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	data, err := os.ReadFile(both)
	if err != nil {
		return err
	}
	return os.WriteFile(object, data, 0o666)
}

// object compiles a text of the runtime's, or finds it compiled.
func (j *compileJob) object(ctx context.Context, text string) (string, error) {
	hash := sha256.Sum256([]byte(text))
	object := filepath.Join(j.Cache, fmt.Sprintf("stub-%x.o", hash[:10]))
	if _, err := os.Stat(object); err == nil {
		return object, nil
	}
	if err := os.MkdirAll(j.Cache, 0o777); err != nil {
		return "", err
	}
	file := filepath.Join(j.dir, "auspex-stub.c")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return "", err
	}
	made := filepath.Join(j.dir, "auspex-stub.o")
	out, err := exec.CommandContext(ctx, cCompiler(), "-O2", "-fPIC", "-c", "-o", made, file).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("the part of the runtime that is linked in does not compile: %w: %s", err, strings.TrimSpace(string(out)))
	}
	kept, err := os.CreateTemp(j.Cache, "stub-")
	if err != nil {
		return made, nil
	}
	defer os.Remove(kept.Name())
	data, err := os.ReadFile(made)
	if err == nil {
		_, err = kept.Write(data)
	}
	if kept.Close() != nil || err != nil || os.Rename(kept.Name(), object) != nil {
		return made, nil
	}
	return object, nil
}

// buildNote is the compiler and its flags, without files.
func buildNote(real []string, line *commandLine) string {
	skip := map[int]bool{}
	for _, in := range line.inputs {
		skip[in.at] = true
	}
	words := []string{filepath.Base(real[0])}
	for i := 0; i < len(line.args); i++ {
		arg := line.args[i]
		if arg == "-o" {
			i++
			continue
		}
		if !skip[i] && strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "-L") && !strings.HasPrefix(arg, "-I") && arg != "-c" {
			words = append(words, arg)
		}
	}
	return strings.Join(words, " ")
}

// cCompiler is the plain C compiler.
func cCompiler() string {
	for _, name := range []string{"cc", "gcc", "clang"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return "cc"
}
