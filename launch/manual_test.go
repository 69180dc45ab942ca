package launch

import (
	"path/filepath"
	"strings"
	"testing"

	"auspex/probe"
)

func TestNamedByHand(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"auspex.h": probe.Header, "hand.c": `#include "auspex.h"
int main(void)
{
    for (int i = 0; i < 3; i++) {
        Par_begin("outer part");
        Par_begin("inner");
        Par_end();
        Par_end();
    }
    Par_end();
    return 0;
}
`})
	t.Chdir(dir)
	if out, err := command("gcc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "hand.c", "-o", "plain"); err != nil {
		t.Fatalf("without auspex: %v\n%s", err, out)
	}
	mustCompile(t, "gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "hand.c", "-o", "hand")
	r, _ := measure(t, filepath.Join(dir, "hand"))
	expect(t, r.Experiment, 0, "outer part", map[string]float64{"calls": 3})
	expect(t, r.Experiment, 0, "outer part/inner", map[string]float64{"calls": 3})
}

func TestNamedByHandFortran(t *testing.T) {
	need(t, "gfortran")
	dir := write(t, map[string]string{"auspex.F90": probe.Module, "hand.f90": "program hand\n  use auspex\n  implicit none\n  call Par_begin('outer')\n  call Par_begin('inner')\n  call Par_end()\n  call Par_end()\nend program hand\n"})
	t.Chdir(dir)
	if out, err := command("gfortran", "auspex.F90", "hand.f90", "-o", "plain"); err != nil {
		t.Fatalf("without auspex: %v\n%s", err, out)
	}
	mustCompile(t, "gfortran", "-c", "auspex.F90")
	mustCompile(t, "gfortran", "hand.f90", "auspex.o", "-o", "hand")
	r, _ := measure(t, filepath.Join(dir, "hand"))
	expect(t, r.Experiment, 0, "outer/inner", map[string]float64{"calls": 1})
}

// A million regions are more than are kept: the rest is one region, left as it was entered.
func TestManyNamedRegions(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"auspex.h": probe.Header, "many.c": `#include "auspex.h"
#include <stdio.h>
static void work(int i)
{
    char name[32];
    sprintf(name, "part %d", i);
    Par_begin(name);
    Par_end();
}
int main(void)
{
    for (int i = 0; i < 1000000; i++)
        work(i);
    Par_begin("end");
    Par_end();
    return 0;
}
`})
	exe := filepath.Join(dir, "many")
	mustCompile(t, "gcc", "-O1", "-I", dir, filepath.Join(dir, "many.c"), "-o", exe)
	r, _ := measure(t, exe)
	if n := len(r.Experiment.Regions); r.Status != 0 || n > 66000 {
		t.Fatalf("status %d, %d regions", r.Status, n)
	}
	expect(t, r.Experiment, 0, "work/part 7", map[string]float64{"calls": 1})
	total := 0.0
	for _, path := range []string{"work/<others>", "main/<others>"} {
		total += value(t, r.Experiment, 0, 0, path, "calls")
	}
	if total < 930000 || total > 940000 {
		t.Errorf("%g calls in <others>", total)
	}
	if !strings.Contains(strings.Join(r.Experiment.Notes, " "), "in <others>") {
		t.Errorf("notes: %v", r.Experiment.Notes)
	}
}
