package launch

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"auspex/model"
)

// pythons are the interpreters to test with: the system's, and those of other versions
// that somebody installed beside it.
func pythons(t *testing.T) []string {
	t.Helper()
	home, _ := os.UserHomeDir()
	list, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python3"))
	var usable []string
	for _, python := range append([]string{"/usr/bin/python3"}, list...) {
		if out, err := command(python, "-c", "import ctypes, zlib, sys; assert (3, 6) <= sys.version_info[:2] <= (3, 13)"); err == nil {
			usable = append(usable, python)
		} else {
			t.Logf("%s: %v %s", python, err, out)
		}
	}
	if len(usable) == 0 {
		t.Skip("there is no Python with ctypes and zlib")
	}
	return usable
}

// programOf is how regions of an interpreter begin.
func programOf(t *testing.T, python string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(python)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(real)
}

// under sums the samples of a thread in a region and below.
func under(t *testing.T, e *model.Experiment, thread int, path string) float64 {
	t.Helper()
	column := slices.IndexFunc(e.Metrics, func(m model.Metric) bool { return m.Name == model.Samples })
	paths, sum := model.Paths(e.Regions), 0.0
	for row := range e.Summaries.Rows() {
		here := paths[e.Summaries.Region[row]]
		if e.Units[e.Summaries.Unit[row]].Thread == thread && (here == path || strings.HasPrefix(here, path+"/")) {
			sum += e.Summaries.Values[column][row]
		}
	}
	return sum
}

// lineOf is the line of a text in which something first stands.
func lineOf(text, what string) int {
	before, _, _ := strings.Cut(text, what)
	return strings.Count(before, "\n") + 1
}

// known takes a fixed number of samples in each sort of function.
const known = `import asyncio, ctypes, os, threading
take = ctypes.CDLL(None).auspex_sample_here
libc = ctypes.CDLL(None)

def leaf(n):
    take(n)

def outer():
    leaf(3)
    take(2)

class Net:
    def step(self):
        take(4)

def numbers():
    take(5)
    yield 1

def consume():
    for n in numbers():
        pass

def down(n):
    down(n - 1) if n else take(6)

def ping(n):
    pong(n - 1) if n else take(7)

def pong(n):
    ping(n - 1)

def ordered():
    sorted([1], key=lambda v: take(8))

def called_back(a, b):
    take(9)
    return 0

def through_c():
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    libc.qsort((ctypes.c_int * 2)(2, 1), 2, 4, kind(called_back))

def größe():
    take(10)

async def waits():
    await asyncio.sleep(0)
    take(11)

def thread():
    take(12)

def made_again():
    for i in range(20):
        space = {"take": take}
        exec("def made%d():\n    take(1)\nmade%d()" % (i % 2, i % 2), space)

if os.fork() == 0:
    leaf(50)
    os._exit(0)
os.wait()
outer()
Net().step()
consume()
down(900)
ping(900)
ordered()
through_c()
größe()
loop = asyncio.new_event_loop()
loop.run_until_complete(waits())
one = threading.Thread(target=thread)
one.start()
one.join()
made_again()
`

func TestPythonFunctions(t *testing.T) {
	dir := write(t, map[string]string{"known.py": known})
	for _, python := range pythons(t) {
		t.Run(programOf(t, python), func(t *testing.T) {
			r, out := byHand(t, python, filepath.Join(dir, "known.py"))
			if r.Status != 0 || out != "" {
				t.Fatalf("status %d\n%s", r.Status, out)
			}
			e, module := r.Experiment, filepath.Base(python)+"/<module> [known.py:1]"
			class, locals := "Net.", "ordered.<locals>."
			if regexp.MustCompile(`^python3\.([6-9]|10)$`).MatchString(programOf(t, python)) {
				class, locals = "", "" // without qualified names
			}
			for path, n := range map[string]float64{
				"/outer/leaf":        3,
				"/outer":             5,
				"/" + class + "step": 4,
				"/consume/numbers":   5,
				"/down":              6,
				"/ping":              7,
				fmt.Sprintf("/ordered/%s<lambda> [known.py:%d]", locals, lineOf(known, "lambda")): 8,
				"/größe": 10,
			} {
				if got := under(t, e, 0, module+path); got != n {
					t.Errorf("%s has %g samples, want %g", path, got, n)
				}
			}
			sums := map[string]float64{} // by the last function of Python
			for _, path := range model.Paths(e.Regions) {
				for _, name := range []string{"called_back", "waits", "made0", "made1"} {
					if strings.HasPrefix(path, module+"/") && strings.HasSuffix(path, "/"+name) {
						sums[name] += under(t, e, 0, path)
					}
				}
			}
			if sums["called_back"] != 9 || sums["waits"] != 11 || sums["made0"] != 10 || sums["made1"] != 10 {
				t.Errorf("called back, waiting and made anew: %v of %v", sums, model.Paths(e.Regions))
			}
			inThread := 0.0
			for _, path := range model.Paths(e.Regions) {
				if strings.HasSuffix(path, "/thread") {
					inThread += under(t, e, 1, path)
				}
			}
			if inThread != 12 {
				t.Errorf("the thread's function has %g samples", inThread)
			}
			i := slices.Index(model.Paths(e.Regions), module+"/outer")
			if i < 0 || e.Regions[i].File != filepath.Join(dir, "known.py") || e.Regions[i].Line != lineOf(known, "def outer") {
				t.Errorf("outer is not at its place: %v", e.Regions)
			}
			for _, path := range model.Paths(e.Regions) {
				// Before 3.11 some reads of modules are below it, and so are those that an
				// interpreter makes before it is ready, where they take long.
				if strings.Contains(path, "_PyEval_EvalFrameDefault") && !strings.Contains(path, "Py_InitializeFromConfig") && class != "" {
					t.Errorf("the interpreter's loop is a region: %s", path)
				}
			}
		})
	}
}

// Shares by time: two functions 70 to 30, and one that leaves its work to a library. Where
// there is no task clock a sample comes every 4 ms: 600 of the two, whose shares are off by
// 0.08 once in 80,000 runs.
func TestPythonShares(t *testing.T) {
	dir := write(t, map[string]string{"shares.py": `import time, zlib
def spin(until):
    while time.thread_time() < until:
        sum(range(200))
def heavy():
    spin(time.thread_time() + 0.035)
def light():
    spin(time.thread_time() + 0.015)
def pack(data):
    until = time.thread_time() + 0.02
    while time.thread_time() < until:
        zlib.compress(data, 9)
data = bytes(range(256)) * 100
for i in range(50):
    heavy()
    light()
    pack(data)
`})
	python := pythons(t)[0]
	if out, err := command(python, "-c", "import time; time.thread_time()"); err != nil {
		t.Skip(out)
	}
	var out bytes.Buffer
	r := Runner{Command: []string{python, filepath.Join(dir, "shares.py")}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000, Out: &out, Err: &out}
	result, err := r.Run(t.Context())
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	e, module := result.Experiment, filepath.Base(python)+"/<module> [shares.py:1]"
	heavy, light, pack := under(t, e, 0, module+"/heavy"), under(t, e, 0, module+"/light"), under(t, e, 0, module+"/pack")
	if share := heavy / (heavy + light); share < 0.62 || share > 0.78 {
		t.Errorf("heavy has %.2f of both, not 0.70", share)
	}
	if share := pack / (heavy + light + pack); share < 0.22 || share > 0.35 {
		t.Errorf("pack has %.2f of all, not 0.29", share)
	}
	own := value(t, e, 0, 0, module+"/pack", model.Samples)
	if own > 0.3*pack {
		t.Errorf("%g of %g samples in pack are its own: its work is zlib's", own, pack)
	}
	if spin := under(t, e, 0, module+"/heavy/spin"); spin < 0.9*heavy {
		t.Errorf("%g of %g samples in heavy are in spin", spin, heavy)
	}
}

// Who calls MPI is found at each call, by Python's functions too.
func TestPythonCallsMPI(t *testing.T) {
	python := pythons(t)[0]
	eachMPI(t, func(t *testing.T, m mpi) {
		dir := write(t, map[string]string{
			"where.c": "#include <mpi.h>\nint main(void) { return MPI_Initialized(&(int){0}); }\n",
			"calls.py": `import ctypes, sys
library = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
mpi = ctypes.CDLL(None)
try:
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(library, "ompi_mpi_comm_world")))
except ValueError:
    world = 0x44000000
def exchange():
    mpi.MPI_Barrier(world)
def train():
    exchange()
def validate():
    exchange()
mpi.MPI_Init(None, None)
for i in range(5):
    train()
    if i % 2 == 0:
        validate()
mpi.MPI_Finalize()
`})
		exe := filepath.Join(dir, "where")
		if out, err := command(m.cc, filepath.Join(dir, "where.c"), "-o", exe); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		objects, _ := command("ldd", exe)
		library := regexp.MustCompile(`=> (\S*/libmpi(ch)?\.so\S*)`).FindStringSubmatch(objects)
		if library == nil {
			t.Skipf("no library of MPI:\n%s", objects)
		}
		r, _ := byHand(t, m.ranks("2", python, filepath.Join(dir, "calls.py"), library[1])...)
		e, calls := r.Experiment, map[string]float64{}
		column := slices.IndexFunc(e.Metrics, func(m model.Metric) bool { return m.Name == model.Calls })
		paths := model.Paths(e.Regions)
		for row := range e.Summaries.Rows() {
			path := paths[e.Summaries.Region[row]]
			if !strings.HasSuffix(path, "/MPI_Barrier") || e.Units[e.Summaries.Unit[row]].Process != 0 {
				continue
			}
			for _, caller := range []string{"train", "validate"} {
				if strings.HasPrefix(path, filepath.Base(python)+"/<module> [calls.py:1]/"+caller+"/exchange/") {
					calls[caller] += e.Summaries.Values[column][row]
				}
			}
		}
		if calls["train"] != 5 || calls["validate"] != 3 {
			t.Errorf("calls by caller: %v of %v", calls, paths)
		}
	})
}

// A program of C that has Python inside keeps its own functions around Python's.
func TestPythonInside(t *testing.T) {
	need(t, "gcc", "/usr/bin/python3-config")
	dir := write(t, map[string]string{"embed.c": `#include <Python.h>
__attribute__((noinline)) static int solve(void) { int r = PyRun_SimpleString("relax()"); return r + 1; }
int main(void)
{
    Py_Initialize();
    PyRun_SimpleString("import ctypes\ntake = ctypes.CDLL(None).auspex_sample_here\ndef relax():\n    take(5)\n");
    int r = solve();
    Py_Finalize();
    return r - 1;
}
`})
	flags, err := command("/usr/bin/python3-config", "--embed", "--includes", "--ldflags")
	if err != nil {
		t.Skip(flags)
	}
	exe := filepath.Join(dir, "embed")
	if out, err := command("gcc", append([]string{"-g", "-O2", filepath.Join(dir, "embed.c"), "-o", exe}, strings.Fields(flags)...)...); err != nil {
		t.Skipf("%v\n%s", err, out)
	}
	r, _ := byHand(t, exe)
	if got := under(t, r.Experiment, 0, "embed/main/solve/<module>/relax"); got != 5 {
		t.Errorf("relax has %g samples, want 5: %v", got, model.Paths(r.Experiment.Regions))
	}
}

// An interpreter that is not known, and one that is not what it says: nothing is named,
// nothing breaks, and a note says so.
func TestPythonThatIsNotKnown(t *testing.T) {
	python := pythons(t)[0]
	dir := write(t, map[string]string{"run.py": `import ctypes
take = ctypes.CDLL(None).auspex_sample_here
def deep(n):
    if n:
        return deep(n - 1)
    for i in range(20):
        take(1)
    return "done"
print(deep(20))
`})
	is, err := command(python, "-c", "import sys; print('3.%d' % sys.version_info[1])")
	if err != nil {
		t.Fatal(is)
	}
	for version, note := range map[string]string{
		"3.99.1":                      "functions of Python 3.99.1 are not named: that version is not known",
		"2.7.18":                      "functions of Python 2.7.18 are not named: that version is not known",
		"3.14.0 free-threading build": "functions of Python 3.14.0 are not named: it is a build without a global lock",
		"3.6.0":                       "functions of Python 3.6.0 are not named: its memory is not laid out as that version's",
		"3.10.0":                      "functions of Python 3.10.0 are not named: its memory is not laid out as that version's",
		"3.12.0":                      "functions of Python 3.12.0 are not named: its memory is not laid out as that version's",
		"3.13.0":                      "functions of Python 3.13.0 are not named: its memory is not laid out as that version's",
	} {
		if strings.HasPrefix(version, strings.TrimSpace(is)+".") {
			continue
		}
		var out bytes.Buffer
		r := Runner{Command: []string{python, filepath.Join(dir, "run.py")}, Dir: t.TempDir(), Cache: testCache(), StackRate: 1000,
			Settings: []string{"AUSPEX_STACKS_BY_HAND=1", "AUSPEX_PYTHON_VERSION=" + version}, Out: &out, Err: &out}
		result, err := r.Run(t.Context())
		if err != nil || result.Status != 0 || out.String() != "done\n" {
			t.Fatalf("as %s: %v\n%s", version, err, out.String())
		}
		if !slices.Contains(result.Experiment.Notes, note) {
			t.Errorf("as %s: %q", version, result.Experiment.Notes)
		}
		if slices.ContainsFunc(result.Experiment.Regions, func(r model.Region) bool { return r.Name == "deep" }) {
			t.Errorf("as %s: a function is named", version)
		}
	}
}

// Programs write what they write without being measured; Ctrl-C is an exception.
func TestPythonAsWithout(t *testing.T) {
	dir := write(t, map[string]string{"print.py": `import os, signal, sys, threading, time, traceback
def fail(n):
    if n == 0:
        raise ValueError("deep")
    fail(n - 1)
try:
    fail(50)
except ValueError:
    traceback.print_exc()
def work():
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    end = time.time() + 20
    while time.time() < end:
        sum(i * i for i in range(1000))
    return "not interrupted"
try:
    print(work())
except KeyboardInterrupt:
    print("interrupted")
sys.exit(3)
`})
	for _, python := range pythons(t) {
		plain := exec.Command(python, filepath.Join(dir, "print.py"))
		want, _ := plain.CombinedOutput()
		var out bytes.Buffer
		r := Runner{Command: plain.Args, Dir: t.TempDir(), Cache: testCache(), StackRate: 5000, Out: &out, Err: &out}
		result, err := r.Run(t.Context())
		if err != nil || result.Status != 3 || out.String() != string(want) || !strings.Contains(out.String(), "\ninterrupted\n") {
			t.Errorf("%s: %v\n%s\nwithout:\n%s", python, err, out.String(), want)
		}
	}
}

// Several versions may share a name by a script that starts one of them.
func TestPythonBehindAScript(t *testing.T) {
	python := pythons(t)[0]
	dir := write(t, map[string]string{"python3": "#!/bin/sh\nexec " + python + ` "$@"` + "\n", "known.py": known})
	if err := os.Chmod(filepath.Join(dir, "python3"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	r, _ := byHand(t, "python3", filepath.Join(dir, "known.py"))
	if got := under(t, r.Experiment, 0, filepath.Base(python)+"/<module> [known.py:1]/outer"); got != 5 {
		t.Errorf("outer has %g samples: %v", got, model.Paths(r.Experiment.Regions))
	}
}
