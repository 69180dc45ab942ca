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
)

// buildSection is the part of an executable that tells how it was built.
const buildSection = ".auspex.build"

// stub makes the object that an instrumented program is linked with: it lets
// the program run without the runtime, serves its Fortran parts, and notes the
// compiler and flags for the experiment's factors.
func (j *compileJob) stub(ctx context.Context) (string, error) {
	text := instrument.ABI + probe.Stub + probe.StubFortran +
		fmt.Sprintf("__attribute__((section(%q), used)) static const char auspex_build[] = %s;\n", buildSection, strconv.QuoteToASCII(buildNote(j.Real, j.line)))
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
