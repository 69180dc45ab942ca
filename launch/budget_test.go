package launch

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// A budget of next to nothing is spent at the first look, so every region that
// is called that often is switched off there, on all ranks; samples give its time
// back to it, and what is called less often stays.
func TestBudget(t *testing.T) {
	need(t, "gcc", "gfortran")
	programs := map[string]string{
		"many.c": sampleHere + `
static void visit(int i)
{
    sink += i;
    if (i == 4999)
        take(3);
}
static void sweep(void)
{
    for (int i = 0; i < 5000; i++)
        visit(i);
    sink++;
}
int main(void)
{
    find();
    sweep();
    sweep();
    return 0;
}
`,
		"many.f90": `subroutine visit(i, s)
  integer :: i
  real :: s
  s = s + i
end subroutine visit
subroutine sweep(s)
  integer :: i
  real :: s
  do i = 1, 5000
    call visit(i, s)
  end do
end subroutine sweep
program main
  real :: s = 0
  call sweep(s)
  call sweep(s)
  if (s < 0) print *, s
end program main
`,
	}
	for source, text := range programs {
		t.Run(source, func(t *testing.T) {
			dir := write(t, map[string]string{source: text})
			exe := filepath.Join(dir, "many")
			compiler := "gcc"
			if strings.HasSuffix(source, "f90") {
				compiler = "gfortran"
			}
			mustCompile(t, compiler, "-O1", "-g", filepath.Join(dir, source), "-o", exe, "-ldl")
			var out bytes.Buffer
			r := Runner{Command: []string{exe}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Overhead: 1e-9, Settings: []string{"AUSPEX_STACKS_BY_HAND=1"}, Out: &out, Err: &out}
			result, err := r.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			e := result.Experiment
			expect(t, e, 0, "main/sweep", map[string]float64{"calls": 2})
			visit := "visit"
			if compiler == "gcc" {
				samplesAt(t, e, 0, map[string]float64{"sweep/loop@18/visit": 6})
			}
			for i := range e.Regions {
				if e.Regions[i].Name == visit {
					if calls := value(t, e, 0, 0, visit, "calls"); calls != 252 {
						t.Errorf("visit was counted %g times", calls)
					}
					if compiler == "gfortran" {
						if own := value(t, e, 0, 0, visit, "wtime"); own != 0 {
							t.Errorf("visit has %g s of its own although it was switched off and never sampled", own)
						}
					}
				}
			}
			notes := strings.Join(e.Notes, "\n")
			if !strings.Contains(notes, "switched off") || !strings.Contains(notes, "after 252 calls on its one process") || strings.Contains(notes, "sweep (") {
				t.Errorf("notes:\n%s", notes)
			}
		})
	}
}

// With room in the budget nothing is switched off and no word says so.
func TestWithinBudget(t *testing.T) {
	need(t, "gcc")
	dir := write(t, map[string]string{"few.c": "static volatile int s;\nstatic void f(void)\n{\n    s++;\n}\nint main(void)\n{\n    for (int i = 0; i < 3000; i++)\n        f();\n    return 0;\n}\n"})
	exe := filepath.Join(dir, "few")
	mustCompile(t, "gcc", "-O1", filepath.Join(dir, "few.c"), "-o", exe)
	r := Runner{Command: []string{exe}, Dir: t.TempDir(), Cache: testCache(), Overhead: 1}
	result, err := r.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	expect(t, result.Experiment, 0, "f", map[string]float64{"calls": 3000})
	notes := strings.Join(result.Experiment.Notes, "\n")
	if strings.Contains(notes, "switched off") || !strings.Contains(notes, "measuring took about") {
		t.Errorf("notes:\n%s", notes)
	}
}

func TestRanksIn(t *testing.T) {
	for _, c := range []struct {
		list []int
		all  int
		want string
	}{{[]int{0}, 1, "its one process"}, {[]int{0, 1}, 2, "all ranks"}, {[]int{3}, 8, "rank 3"}, {[]int{5, 0, 1, 2}, 8, "ranks 0-2,5"}} {
		if got := ranksIn(c.list, c.all); got != c.want {
			t.Errorf("%v of %d: %q", c.list, c.all, got)
		}
	}
}
