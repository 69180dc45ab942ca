package symbols

import (
	"path/filepath"
	"testing"
)

func TestUnoptimised(t *testing.T) {
	for producer, want := range map[string]bool{
		"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g":                 true,
		"GNU Fortran2008 12.2.0 -mtune=generic -march=x86-64 -g -O2 -O0": true,
		"GNU C++17 13.2.0 -mtune=generic -g -O2 -fno-fat-lto-objects":    false,
		"GNU C17 12.2.0 -mtune=generic -g -O0 -O":                        false,
		"GNU C17 12.2.0 -mtune=generic -g -Ofast":                        false,
		"GNU C17 12.2.0":              false, // -gno-record-gcc-switches
		"GNU AS 2.40":                 false,
		"Debian clang version 14.0.6": false,
		"Intel(R) Fortran Intel(R) 64 Compiler Classic, version 2021 -O0 -mcm": false,
		"": false,
	} {
		if got := unoptimised(producer); got != want {
			t.Errorf("%q: %t", producer, got)
		}
	}
	for flag, want := range map[string]bool{"-O0": true, "-O2": false} {
		exe := build(t, "-g", flag)
		file, ok := Open(exe).Unoptimised(addressOf(t, exe, "outer") + 1)
		if ok != want || ok && filepath.Base(file) != "inline.c" {
			t.Errorf("%s: %q, %t", flag, file, ok)
		}
	}
	exe := build(t, "-O0")
	if _, ok := Open(exe).Unoptimised(addressOf(t, exe, "outer") + 1); ok {
		t.Error("told without debug information")
	}
}
