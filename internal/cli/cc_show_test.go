package cli

import "testing"

func TestShownSource(t *testing.T) {
	for _, args := range [][]string{{"x.cpp"}, {"mpicxx", "-std=c++20", "x.cpp"}, {"mpicxx", "-c", "x.cpp", "-o", "x.o"}} {
		if got, err := shownSource(args); err != nil || got != "x.cpp" {
			t.Errorf("%q: %q, %v", args, got, err)
		}
	}
	for _, args := range [][]string{{"mpicxx", "-c"}, {"mpicxx", "x.cpp", "y.cpp"}} {
		if got, err := shownSource(args); err == nil {
			t.Errorf("%q: %q", args, got)
		}
	}
}

func TestCompilerLevels(t *testing.T) {
	for level, want := range map[string]bool{"0": true, "3": true, "s": true, "fast": true, "": false, "7x": false, "2 -g": false} {
		if compilerLevel(level) != want {
			t.Errorf("%q", level)
		}
	}
}
