package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be auspex itself, for scripts and for
// processes that tests kill.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"auspex": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// sharedData is where real profiles of other tools lie, beside the project.
func sharedData(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../../../shared/data")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			examples, err := filepath.Abs("../../examples")
			if err != nil {
				return err
			}
			env.Setenv("EXAMPLES", examples)
			env.Setenv("DATA", sharedData(t))
			env.Setenv("AUSPEX_STORE", filepath.Join(env.WorkDir, "store"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "data" {
				_, err := os.Stat(sharedData(t))
				return err == nil, nil
			}
			return false, nil
		},
	})
}
