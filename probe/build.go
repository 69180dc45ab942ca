package probe

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"hash/crc64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"auspex/internal/builtonce"
)

// sources are the runtime, and the code that generates a part of it: both
// decide whether what the cache holds will do.
//
//go:embed runtime build.go generate.go generate_answers.go prototypes.go rules.go rules_answers.go rules_trace.go
var sources embed.FS

// Stub is the C and C++ text that hands events to the runtime, to be put after
// the declarations of the calls; StubFortran is the text to follow it in the
// one C file that serves a program's Fortran parts.
var (
	//go:embed runtime/stub.h
	Stub string
	//go:embed runtime/stub_fortran.h
	StubFortran string
	// StubThreshold and StubThresholdFortran are the same for loops that are
	// cut short.
	//go:embed runtime/stub_threshold.h
	StubThreshold string
	//go:embed runtime/stub_threshold_fortran.h
	StubThresholdFortran string
)

// choose is loaded where the process itself has to say which runtime it wants.
//
//go:embed choose/choose.c
var choose string

// Header and Module are what users put among their sources to name regions by
// hand, in C and C++ and in Fortran.
var (
	//go:embed include/auspex.h
	Header string
	//go:embed include/auspex.F90
	Module string
)

// A Builder compiles the runtime.
type Builder struct {
	// Cache is the directory that keeps what was compiled.
	Cache string
	// Compiler compiles C; for MPI it is the MPI's own compiler wrapper.
	Compiler string
	// MPI is false for programs without it.
	MPI bool
	// Answers is for a runtime by which a rank can be run alone, as runtime/answers.h
	// says; the other one is free of that.
	Answers bool
}

// Build returns the path of the shared object, compiling it where the cache
// has none made from the same sources by the same compiler.
func (b Builder) Build(ctx context.Context) (string, error) {
	compiler, err := exec.LookPath(b.Compiler)
	if err != nil {
		return "", fmt.Errorf("the measurement runtime needs a C compiler: %w", err)
	}
	identity, err := b.identity(compiler)
	if err != nil {
		return "", err
	}
	return builtonce.At(filepath.Join(b.Cache, "probe-"+identity[:20]+".so"), func(dir string) (string, error) {
		made, err := b.compile(ctx, compiler, dir)
		if err != nil {
			return "", err
		}
		return made, forAll(made)
	})
}

// BuildChooser returns the path of the shared object that finds the runtime for a
// process at its start, as choose.c says.
func BuildChooser(ctx context.Context, cache, compiler string) (string, error) {
	hash := sha256.Sum256([]byte(choose))
	return builtonce.At(filepath.Join(cache, "choose-"+hex.EncodeToString(hash[:10])+".so"), func(dir string) (string, error) {
		text, made := filepath.Join(dir, "choose.c"), filepath.Join(dir, "choose.so")
		if err := os.WriteFile(text, []byte(choose), 0o666); err != nil {
			return "", err
		}
		if err := call(ctx, compiler, "-std=gnu99", "-O2", "-fPIC", "-fvisibility=hidden", "-shared", "-o", made, text); err != nil {
			return "", err
		}
		return made, forAll(made)
	})
}

// forAll lets every user load what was made, whoever the program becomes.
func forAll(made string) error { return os.Chmod(made, 0o755) }

// identity is a hash over all that the result depends on.
func (b Builder) identity(compiler string) (string, error) {
	// A checksum does: every run takes it of half a megabyte, and nobody forges sources.
	text := crc64.New(crc64.MakeTable(crc64.ECMA))
	if err := builtonce.Hash(text, sources); err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%x %v %v %s\n", text.Sum64(), b.MPI, b.Answers, CompilerNow(compiler))
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// CompilerNow tells compilers apart, and a compiler from the one that was there
// before an update: by its file, and by the variables that the compilers of MPIs
// heed. Asking one for its version takes longer than all else that a run begins
// with.
func CompilerNow(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	hash := sha256.New()
	fmt.Fprintln(hash, path, real)
	if info, err := os.Stat(real); err == nil {
		fmt.Fprintln(hash, info.Size(), info.ModTime().UnixNano())
	}
	for _, name := range []string{"MPICH_CC", "OMPI_CC", "OMPI_CFLAGS", "OMPI_CPPFLAGS", "OMPI_LDFLAGS", "OMPI_LIBS", "OPAL_PREFIX", "I_MPI_CC", "I_MPI_ROOT"} {
		fmt.Fprintln(hash, os.Getenv(name))
	}
	return hex.EncodeToString(hash.Sum(nil)[:10])
}

// compile makes the shared object in dir: every source by itself, all at once.
func (b Builder) compile(ctx context.Context, compiler, dir string) (string, error) {
	entries, err := sources.ReadDir("runtime")
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		text, err := sources.ReadFile("runtime/" + entry.Name())
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, entry.Name()), text, 0o666); err != nil {
			return "", err
		}
	}
	if b.MPI {
		header, err := preprocess(ctx, compiler, dir)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, "mpi_calls.h"), []byte(generate(header, b.Answers)), 0o666); err != nil {
			return "", err
		}
	}
	var objects []string
	results := make(chan error)
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".c") || name == "mpi.c" && !b.MPI {
			continue
		}
		options := []string{"-std=gnu99", "-O2", "-fPIC", "-fasynchronous-unwind-tables", "-fvisibility=hidden", "-Werror=incompatible-pointer-types"}
		if name == "mpi.c" {
			options = append(options, "-O1") // thousands of small functions
		}
		if b.Answers {
			options = append(options, "-DAUSPEX_ANSWERS")
		}
		object := filepath.Join(dir, name+".o")
		objects = append(objects, object)
		go func() {
			results <- call(ctx, compiler, append(options, "-c", "-o", object, filepath.Join(dir, name))...)
		}()
	}
	for range objects {
		if err2 := <-results; err2 != nil {
			err = err2
		}
	}
	if err != nil {
		return "", err
	}
	made := filepath.Join(dir, "probe.so")
	return made, call(ctx, compiler, append([]string{"-shared", "-o", made}, append(objects, "-ldl", "-lpthread", "-lrt", "-lm")...)...)
}

func call(ctx context.Context, compiler string, args ...string) error {
	out, err := exec.CommandContext(ctx, compiler, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s cannot compile the measurement runtime: %w\n%s", compiler, err, firstLines(out, 10))
	}
	return nil
}

func preprocess(ctx context.Context, compiler, dir string) (string, error) {
	file := filepath.Join(dir, "header.c")
	if err := os.WriteFile(file, []byte("#include \"mpi_header.h\"\n"), 0o666); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, compiler, "-E", "-P", file)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s finds no mpi.h: %w\n%s", compiler, err, firstLines(errs.Bytes(), 5))
	}
	return string(out), nil
}

func firstLines(text []byte, n int) string {
	lines := strings.SplitAfterN(string(text), "\n", n+1)
	return strings.TrimRight(strings.Join(lines[:min(n, len(lines))], ""), "\n")
}
