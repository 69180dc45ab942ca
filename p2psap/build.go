package p2psap

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"auspex/internal/builtonce"
)

//go:embed runtime include
var sources embed.FS

// Library is the library as it lies on disk.
type Library struct {
	Include string // directory of p2psap.h and p2psap.F90
	Archive string // the file to link with
}

// Flags are what a compiler is given to find the header, and what it is given
// to link.
func (l Library) Flags() (compile, link []string) {
	return []string{"-I" + l.Include}, []string{l.Archive, "-lpthread", "-ldl"}
}

// Build compiles the library with a C compiler, unless cache has it from the
// same sources.
func Build(ctx context.Context, cache, compiler string) (Library, error) {
	path, err := exec.LookPath(compiler)
	if err != nil {
		return Library{}, fmt.Errorf("the P2PSAP library needs a C compiler: %w", err)
	}
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return Library{}, fmt.Errorf("%s --version: %w", path, err)
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "%s\n%s\n", path, version)
	if err := builtonce.Hash(hash, sources); err != nil {
		return Library{}, err
	}
	dir, err := builtonce.At(filepath.Join(cache, "p2psap-"+hex.EncodeToString(hash.Sum(nil))[:20]), func(dir string) (string, error) {
		return dir, compile(ctx, path, dir)
	})
	return Library{Include: filepath.Join(dir, "include"), Archive: filepath.Join(dir, "libp2psap.a")}, err
}

func compile(ctx context.Context, compiler, dir string) error {
	if err := os.CopyFS(dir, sources); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "runtime", "*.c"))
	if err != nil {
		return err
	}
	objects := filepath.Join(dir, "objects")
	if err := os.Mkdir(objects, 0o777); err != nil {
		return err
	}
	args := []string{"-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-I../include", "-c"}
	for _, file := range files {
		args = append(args, "../runtime/"+filepath.Base(file))
	}
	if err := call(ctx, objects, compiler, args...); err != nil {
		return err
	}
	archive := []string{"rcs", "../libp2psap.a"}
	for _, file := range files {
		archive = append(archive, strings.TrimSuffix(filepath.Base(file), ".c")+".o")
	}
	return call(ctx, objects, "ar", archive...)
}

func call(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s cannot build the P2PSAP library: %w\n%s", name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Header and Module are what programs include and use.
var (
	//go:embed include/p2psap.h
	Header string
	//go:embed include/p2psap.F90
	Module string
)

// CompilerCommand is a compiler's command line with what it takes to find the
// library's header or module and to link the library.
func CompilerCommand(ctx context.Context, cache string, args []string) ([]string, error) {
	l, err := Build(ctx, cache, "cc")
	if err != nil {
		return nil, err
	}
	links, fortran := true, false
	for _, arg := range args[1:] {
		switch {
		case arg == "-c" || arg == "-E" || arg == "-S" || arg == "-M" || arg == "-MM":
			links = false
		case strings.HasPrefix(strings.ToLower(filepath.Ext(arg)), ".f"):
			fortran = true
		}
	}
	compile, link := l.Flags()
	if fortran {
		modules, err := l.modules(ctx, args[0])
		if err != nil {
			return nil, err
		}
		compile = append(compile, "-I"+modules)
	}
	command := append([]string{args[0]}, compile...)
	command = append(command, args[1:]...)
	if links {
		command = append(command, link...)
	}
	return command, nil
}

// modules compiles the Fortran module, whose form is each compiler's own. It has
// interfaces only, so that nothing of it is linked.
func (l Library) modules(ctx context.Context, compiler string) (string, error) {
	path, err := exec.LookPath(compiler)
	if err != nil {
		return "", err
	}
	name := sha256.Sum256([]byte(path))
	return builtonce.At(filepath.Join(filepath.Dir(l.Archive), "fortran-"+hex.EncodeToString(name[:6])), func(dir string) (string, error) {
		return dir, call(ctx, dir, path, "-c", filepath.Join(l.Include, "p2psap.F90"))
	})
}
