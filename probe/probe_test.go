package probe

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// cache is shared by the tests of a run, so that the runtime is compiled once
// for each compiler.
func cache(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), "auspex-probe-test")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func build(t testing.TB, compiler string, mpi bool) string {
	t.Helper()
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skipf("%s is not installed", compiler)
	}
	file, err := Builder{Cache: cache(t), Compiler: compiler, MPI: mpi}.Build(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestBuild(t *testing.T) {
	build(t, "cc", false)
	for _, mpicc := range []string{"mpicc.mpich", "mpicc.openmpi"} {
		t.Run(mpicc, func(t *testing.T) { build(t, mpicc, true) })
	}
}
