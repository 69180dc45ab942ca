package symbols

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestName(t *testing.T) {
	for symbol, want := range map[string]string{
		"main": "main",
		"_ZN9LAMMPS_NS9CommBrick12reverse_commEv": "LAMMPS_NS::CommBrick::reverse_comm",
		"_ZN5field4gridIdLi4EE5relaxEi":           "field::grid<double, 4>::relax",
		"_Z4dosoIiEvT_":                           "doso<int>",
		"__flow_MOD_step":                         "flow::step",
		"solve._omp_fn.2":                         "solve#2",
		"work.part.0":                             "work",
		"work.constprop.0.isra.1":                 "work",
		"_ZN1a1bEv.cold":                          "a::b",
		"_Znot a name":                            "_Znot a name",
		"memcpy@GLIBC_2.14":                       "memcpy",
		"":                                        "",
	} {
		if got := Name(symbol); got != want {
			t.Errorf("Name(%q) is %q, want %q", symbol, got, want)
		}
	}
}

func TestOfTeam(t *testing.T) {
	for name, want := range map[string]bool{
		"solve#2":                           true,
		"solve#0.constprop.0":               true,
		"apply<main::{lambda(int)#1}>#0":    true,
		"main.omp_outlined":                 true,
		"solve":                             false,
		"main::{lambda(int)#1}":             false,
		"main::{lambda(int)#1}::operator()": false,
		"apply<main::{lambda(int)#2}>":      false,
		"c#":                                false,
	} {
		if got := OfTeam(name); got != want {
			t.Errorf("OfTeam(%q) is %v", name, got)
		}
	}
}

// TestSplitDebug: where debug information lies in files beside the objects, functions
// have the lines that their code begins at.
func TestSplitDebug(t *testing.T) {
	exe := build(t, "-g", "-gsplit-dwarf")
	frames := Open(exe).Frames(addressOf(t, exe, "outer") + 1)
	if len(frames) != 1 || frames[0].Name != "outer" || filepath.Base(frames[0].File) != "inline.c" || frames[0].Line != 11 {
		t.Errorf("%+v", frames)
	}
}

const program = `static volatile int sink;
static inline __attribute__((always_inline)) void inner(int n)
{
    sink += n;
}
static inline __attribute__((always_inline)) void middle(int n)
{
    inner(n);
}
__attribute__((noinline)) void outer(int n)
{
    middle(n);
}
int main(void) { outer(3); return 0; }
`

func build(t *testing.T, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	dir := t.TempDir()
	file, exe := filepath.Join(dir, "inline.c"), filepath.Join(dir, "inline")
	if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", append([]string{"-O2", file, "-o", exe}, flags...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

func addressOf(t *testing.T, exe, symbol string) uint64 {
	t.Helper()
	f, err := elf.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Name == symbol {
			return s.Value
		}
	}
	t.Fatalf("no %s", symbol)
	return 0
}

// Code of several names has the plainest.
func TestPlainest(t *testing.T) {
	names := []byte("\x00__work\x00workf32x\x00workf64\x00work\x00other\x00")
	o := &Object{tables: [][]byte{names}}
	for i, name := range []string{"__work", "workf32x", "work", "workf64"} {
		o.functions = append(o.functions, function{start: 64, size: 32 - uint64(i), name: uint32(bytes.Index(names, []byte("\x00"+name+"\x00")) + 1)})
	}
	o.functions = append(o.functions, function{start: 128, size: 8, name: uint32(bytes.Index(names, []byte("other")))})
	for address, want := range map[uint64]string{64: "work", 93: "work", 94: "workf32x", 95: "__work", 96: "", 128: "other"} {
		if got, _ := o.symbolAt(address); got != want {
			t.Errorf("at %d: %q, not %q", address, got, want)
		}
	}
}

// Procedures of Fortran outside of modules have the name that the source has.
func TestFortranName(t *testing.T) {
	if _, err := exec.LookPath("gfortran"); err != nil {
		t.Skip("gfortran is not installed")
	}
	exe := filepath.Join(t.TempDir(), "plain")
	file := exe + ".f90"
	text := "subroutine twice_(x)\n  integer :: x\n  x = 2 * x\nend\nprogram plain\n  integer :: x = 2\n  call twice_(x)\n  print *, x\nend\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gfortran", "-g", file, "-o", exe).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if f := Open(exe).Frames(addressOf(t, exe, "twice__")); len(f) != 1 || f[0].Name != "twice_" || f[0].Line != 1 {
		t.Errorf("%+v", f)
	}
}

// What is inlined and marked as artificial is its caller's, and what is inlined in it a
// function below that.
func TestArtificial(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc is not installed")
	}
	exe := filepath.Join(t.TempDir(), "made")
	file := exe + ".c"
	text := `static inline __attribute__((always_inline)) void inner(volatile int *p)
{
    for (int i = 0; i < 50; i++)
        *p += i;
}
static inline __attribute__((always_inline, artificial)) void wrap(volatile int *p) { inner(p); *p = 1; *p = 2; *p = 3; }
__attribute__((noinline)) void outer(volatile int *p) { wrap(p); }
int main(void) { volatile int x = 0; outer(&x); return 0; }
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-g", "-O2", file, "-o", exe).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	o := Open(exe)
	seen := map[string]bool{}
	at := addressOf(t, exe, "outer")
	for offset := range uint64(24) {
		var names []string
		for _, f := range o.Frames(at + offset) {
			names = append(names, f.Name)
		}
		seen[strings.Join(names, "/")] = true
	}
	if !seen["outer"] || !seen["outer/inner"] || len(seen) != 2 {
		t.Errorf("%v", seen)
	}
}

// The whole body of outer is what was inlined from inner.
func TestInlined(t *testing.T) {
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5"} {
		exe := build(t, version)
		o := Open(exe)
		var names []string
		at := addressOf(t, exe, "outer")
		for offset := range uint64(16) {
			if frames := o.Frames(at + offset); len(frames) == 3 {
				for _, f := range frames {
					names = append(names, f.Name)
				}
				if f := frames[2]; filepath.Base(f.File) != "inline.c" || f.Line != 2 {
					t.Errorf("%s: inner is at %s:%d", version, f.File, f.Line)
				}
				if file, line := o.Line(at + offset); filepath.Base(file) != "inline.c" || line != 4 {
					t.Errorf("%s: line %s:%d", version, file, line)
				}
				break
			}
		}
		if len(names) != 3 || names[0] != "outer" || names[1] != "middle" || names[2] != "inner" {
			t.Errorf("%s: %v", version, names)
		}
	}
}

func TestWithoutDebug(t *testing.T) {
	exe := build(t)
	o := Open(exe)
	if frames := o.Frames(addressOf(t, exe, "outer")); len(frames) != 1 || frames[0] != (Frame{Name: "outer"}) || o.Debug || !o.Symbols {
		t.Errorf("%+v, debug %v, symbols %v", frames, o.Debug, o.Symbols)
	}
	if frames := o.Frames(1 << 40); frames != nil {
		t.Errorf("%+v far outside", frames)
	}
}

// Debug information in a file of its own is found by the debug link.
func TestSeparateDebug(t *testing.T) {
	if _, err := exec.LookPath("objcopy"); err != nil {
		t.Skip("objcopy is not installed")
	}
	exe := build(t, "-g")
	at := addressOf(t, exe, "outer")
	for _, args := range [][]string{
		{"objcopy", "--only-keep-debug", exe, exe + ".debug"},
		{"objcopy", "--strip-all", "--add-gnu-debuglink=" + exe + ".debug", exe},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if frames := Open(exe).Frames(at); len(frames) == 0 || frames[0].Name != "outer" || frames[0].Line != 10 {
		t.Errorf("%+v", frames)
	}
}

// Units found by their headers are those that reading everything finds.
func TestUnitOffsets(t *testing.T) {
	for _, version := range []string{"-gdwarf-4", "-gdwarf-5", "-gdwarf-4 -fdebug-types-section", "-gdwarf-5 -gdwarf64"} {
		exe := build(t, strings.Fields(version)...)
		file, err := elf.Open(exe)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		data, err := file.DWARF()
		if err != nil {
			t.Fatal(err)
		}
		var want []dwarf.Offset
		for r := data.Reader(); ; r.SkipChildren() {
			e, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			if e == nil {
				break
			}
			want = append(want, e.Offset)
		}
		info, err := file.Section(".debug_info").Data()
		if err != nil {
			t.Fatal(err)
		}
		var got []dwarf.Offset
		for _, h := range headsOf(info, file.ByteOrder) {
			got = append(got, h.first)
		}
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: units at %v, not %v", version, got, want)
		}
	}
}

// Headers that lie lead nowhere.
func FuzzUnitOffsets(f *testing.F) {
	f.Add([]byte{8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1})
	f.Add([]byte{255, 255, 255, 255, 20, 0, 0, 0, 0, 0, 0, 128, 5, 0, 2})
	f.Fuzz(func(t *testing.T, info []byte) {
		last := -1
		for _, h := range headsOf(info, binary.LittleEndian) {
			if int(h.first) <= last || int(h.first) >= len(info) {
				t.Fatalf("a unit at %d of %d, after %d", h.first, len(info), last)
			}
			last = int(h.first)
		}
	})
}

// Nothing that lies there as an object makes a panic.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{"", "\x7fELF", "\x7fELF\x02\x01\x01", "#!/bin/sh\n"} {
		f.Add([]byte(seed))
	}
	if own, err := os.Executable(); err == nil {
		if data, err := os.ReadFile(own); err == nil {
			f.Add(data[:min(len(data), 4096)])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "object")
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		o := Open(file)
		o.Frames(0x1000)
		o.Line(0x1000)
	})
}

// Functions are put in order however they lie: evenly, crowded, at one address, and
// at both ends of what there is.
func TestByAddress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		addresses := rapid.SliceOfN(rapid.OneOf(rapid.Uint64Range(1, 50), rapid.Uint64Range(1<<20, 1<<22), rapid.Just(uint64(math.MaxUint64))), 0, 400).Draw(t, "addresses")
		var list []function
		for i, a := range addresses {
			list = append(list, function{start: a, name: uint32(i)})
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b function) int { return cmp.Compare(a.start, b.start) })
		if got := byAddress(list); !slices.Equal(got, want) {
			t.Fatalf("%v\nwant %v", got, want)
		}
	})
}

// Where symbols are all that is wanted, debug information is as if there were none.
func TestSymbolsAlone(t *testing.T) {
	exe := build(t, "-g")
	o := OpenSymbols(exe)
	if frames := o.Frames(addressOf(t, exe, "outer")); len(frames) != 1 || frames[0] != (Frame{Name: "outer"}) || o.Debug {
		t.Errorf("%+v, debug %v", frames, o.Debug)
	}
}
