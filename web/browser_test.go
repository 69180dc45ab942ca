package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/internal/cli"
	"auspex/internal/sample"
	"auspex/model"
	"auspex/store"
	"auspex/web"
)

// markup is a name that would do harm if it were ever read as markup.
const markup = `<img src=x onerror="document.title='harmed'">`

// TestMain lets the test binary stand in for compilers, as auspex cc does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "cc" {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// TestBrowser uses the page as a person would, in Debian's Chromium, and opens
// a report from disk. With AUSPEX_SCREENSHOTS=1 it draws docs/img anew.
func TestBrowser(t *testing.T) {
	node, chromium := needed(t, "node"), needed(t, "chromium")
	neededModule(t, "playwright-core")
	needed(t, "mpicc.mpich")
	dir := t.TempDir()
	place, report := filepath.Join(dir, "store"), filepath.Join(dir, "report.html")
	fill(t, place)
	real := fillReal(t, place)
	auspex(t, place, "report", "before", "after", "markup", "-o", report)

	token := web.NewToken()
	server, err := web.New(web.Config{Store: store.Open(place), Version: "test", Token: token, Loopback: true, Sources: []string{program(t)}})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(server.Handler())
	defer listener.Close()

	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute) // a minute where nothing else runs
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "page/test/browse.mjs")
	cmd.Env = append(os.Environ(), "AUSPEX_ADDRESS="+listener.URL+"/?token="+token, "AUSPEX_REPORT="+report, "AUSPEX_CHROMIUM="+chromium, "AUSPEX_SHOWN="+filepath.Join(dir, "shown"))
	if deadline, ok := t.Deadline(); ok { // a machine that is too busy leaves steps out
		cmd.Env = append(cmd.Env, fmt.Sprint("AUSPEX_DEADLINE=", deadline.Add(-3*time.Minute).UnixMilli()))
	}
	if real {
		cmd.Env = append(cmd.Env, "AUSPEX_REAL=1")
	}
	if os.Getenv("AUSPEX_SCREENSHOTS") != "" {
		cmd.Env = append(cmd.Env, "AUSPEX_PICTURES="+filepath.Join("..", "docs", "img"))
	}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("AUSPEX_STEP") == "" {
		holdAgainstCommands(t, place, filepath.Join(dir, "shown"))
	}
}

// TestBundle builds the page and compares it with what is committed.
func TestBundle(t *testing.T) {
	node := needed(t, "node")
	neededModule(t, "esbuild")
	built := t.TempDir()
	if out, err := exec.Command(node, "page/build.mjs", built).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"index.html", "app.js", "app.css"} {
		want, err := os.ReadFile(filepath.Join(built, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("bundle", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("bundle/%s is not what page/src makes: run `make page`", name)
		}
	}
}

func needed(t *testing.T, command string) string {
	t.Helper()
	path, err := exec.LookPath(command)
	if err != nil {
		t.Skipf("%s is not installed; make setup-test installs it", command)
	}
	return path
}

func neededModule(t *testing.T, name string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join("page", "node_modules", name)); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not installed; npm ci in web/page installs it", name)
	}
}

func auspex(t *testing.T, place string, args ...string) {
	t.Helper()
	var out bytes.Buffer
	if status := cli.Main(append([]string{"--store", place}, args...), strings.NewReader(""), &out, &out); status != 0 {
		t.Fatalf("auspex %s: exit status %d\n%s", strings.Join(args, " "), status, &out)
	}
}

// fill makes a store of the examples, an experiment of many units, one whose
// names are markup, a replay and a prediction.
func fill(t *testing.T, place string) {
	t.Helper()
	examples := filepath.Join("..", "examples")
	auspex(t, place, "import", filepath.Join(examples, "profiles", "heat-before"), "--name", "before")
	auspex(t, place, "import", filepath.Join(examples, "profiles", "heat-after.csv"), "--name", "after")
	auspex(t, place, "import", filepath.Join(examples, "soft", "3dpic.csv"), "--name", "3dpic")
	auspex(t, place, "import", filepath.Join(examples, "soft", "lapw0"), "--each")
	for _, name := range []string{"unbalanced", "balanced"} {
		auspex(t, place, "import", filepath.Join(examples, "diagnose", name+".csv"))
	}
	auspex(t, place, "simulate", "--platform", filepath.Join(examples, "platforms", "site1.xml"),
		filepath.Join(examples, "traces", "intsort-8.txt"), "--name", "sort-8")
	auspex(t, place, "predict", "--name", "sort", "--source", filepath.Join(examples, "intsort"), "--np", "2,4", "--opt", "0,2",
		"--platform", filepath.Join(examples, "platforms", "site1.xml"), "--platform", filepath.Join(examples, "platforms", "site2.xml"),
		"--build", "mpicc.mpich -O{opt} intsort.c -o sort", "--run", "mpirun.mpich -n {np} ./sort S 5")
	auspex(t, place, "sweep", filepath.Join(examples, "sweep", "intsort.toml"))
	s := store.Open(place)
	if err := s.PutPrediction(&store.Prediction{Name: "settled", Body: []byte(`{"program": "heat", "method": "threshold", "notes": [], "words": "It takes 2 s on site1.",
		"predictions": [{"np": 2, "opt": "3", "platform": "site1", "method": "threshold", "predicted_seconds": 2, "low_seconds": 1.9, "high_seconds": 2.1, "runs": 1, "ranks": [{"finish": 2, "compute": 2}, {"finish": 2, "compute": 2}]}],
		"loops": [{"file": "heat.c", "line": 19, "unit": "main", "method": "threshold", "cuts": [{"np": 2, "opt": "3", "iterations_run": 16, "iterations": 1000, "seconds_added": 1.5,
			"curve": [{"iterations": 1, "seconds": 0.002}, {"iterations": 4, "seconds": 0.0016}, {"iterations": 16, "seconds": 0.0015}], "levels": [{"epsilon": 0.1, "iterations": 4}]}]}]}`)}, false); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(grid(t, "trained", 8, 6, "kernel_"), false, sample.TrainingJob(t)...); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(grid(t, "traced", 8, 12, "kernel_"), false, store.Attachment{Name: "run.trace", Data: sample.UnevenTrace(t, 8)}); err != nil {
		t.Fatal(err)
	}
	for _, e := range append(nightly(t), grid(t, "many", 3000, 150, "kernel_"), wordy(t), grid(t, "markup", 4, 6, markup), split(t), strange(t), counted(t)) {
		if err := s.Put(e, false); err != nil {
			t.Fatal(err)
		}
	}
}

// fillReal adds profiles of real programs where they are at hand.
func fillReal(t *testing.T, place string) bool {
	t.Helper()
	data := filepath.Join("..", "..", "shared", "data")
	if _, err := os.Stat(data); err != nil {
		t.Logf("profiles of real programs are not at hand: %v", err)
		return false
	}
	for _, n := range []string{"2", "4", "8", "16", "32"} {
		auspex(t, place, "import", filepath.Join(data, "tau-gromacs-scaling", n+".ppk"), "--name", "gromacs-"+n)
	}
	auspex(t, place, "import", filepath.Join(data, "tau-mpas-128-papi", "mpas.ppk"), "--name", "mpas")
	auspex(t, place, "import", filepath.Join(data, "tau-nas-bt-16", "justtime.ppk"), "--name", "nas-bt")
	auspex(t, place, "import", filepath.Join(data, "hpctoolkit-allgather-10x2"), "--name", "allgather")
	auspex(t, place, "import", filepath.Join(data, "kineto", "hta-2ranks"), "--name", "kineto-hta")
	auspex(t, place, "import", filepath.Join(data, "ml-training", "loader"), "--name", "ml-loader")
	auspex(t, place, "import", filepath.Join(data, "llm-stragglers", "trace-AR.parquet"), "--name", "operations")
	for _, block := range []string{"128", "256"} {
		auspex(t, place, "import", filepath.Join(data, "rajaperf-ensemble", "lassen_clang10.0.1_nvcc10.2.89_1048576_1_Base_CUDA-block_"+block+".cali"), "--each")
	}
	auspex(t, place, "import", filepath.Join(data, "paraver-epoch", "epoch_8proc.prv.gz"), "--name", "epoch-8")
	return true
}

// grid is an experiment of units that do alternately more and less.
func grid(t *testing.T, name string, units, regions int, region string) *model.Experiment {
	t.Helper()
	b := model.NewBuilder()
	root := b.Region(model.Region{Name: "main", Kind: model.Function, Parent: model.NoParent})
	time := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	work := b.Metric(model.NewMetric("instructions", "", model.Exclusive))
	parent := root
	for r := range regions {
		if r%10 == 0 {
			parent = root
		}
		at := b.Region(model.Region{Name: fmt.Sprint(region, r), Kind: model.Function, Parent: parent, File: "grid.c", Line: r + 1})
		if r%10 == 0 {
			parent = at
		}
		for u := range units {
			unit := b.Unit(model.Unit{Process: u})
			v := (1 + math.Sin(float64(r))) * (1 + 0.5*math.Cos(float64(u)/float64(units)*20)) / float64(regions)
			b.Set(unit, at, time, v)
			b.Set(unit, at, work, v*1e9)
		}
	}
	e, err := b.Build(model.Header{Name: name, Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// wordy is an experiment of many small regions whose long names begin and end alike.
func wordy(t *testing.T) *model.Experiment {
	t.Helper()
	b := model.NewBuilder()
	time := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	for r := range 300 {
		name := fmt.Sprintf("void pair::Kokkos<pair::Cut%d, Kokkos::View<double**, Kokkos::LayoutRight>>::compute_item<%d, %d>(int const&, std::vector<double> const&) const::{lambda(int)#1}::operator()(int) const", r, r%4, r%2)
		if r%2 == 1 {
			name = fmt.Sprintf("__radiation_transport_MOD_longwave_flux_%s_%d_of_all_bands", strings.Repeat("and_", 30), r)
		}
		at := b.Region(model.Region{Name: name, Kind: model.Function, Parent: model.NoParent})
		for u := range 40 {
			b.Set(b.Unit(model.Unit{Process: u}), at, time, float64(300-r)*(1+float64(u%7)/10))
		}
	}
	e, err := b.Build(model.Header{Name: "wordy", Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// split is an experiment in which one function takes nearly all the time, but is
// called from sixty places, none of which takes 2 % of the run.
func split(t *testing.T) *model.Experiment {
	t.Helper()
	b := model.NewBuilder()
	time := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Kind: model.Function, Parent: model.NoParent})
	for i := range 60 {
		caller := b.Region(model.Region{Name: fmt.Sprint("caller_", i), Kind: model.Function, Parent: root})
		heavy := b.Region(model.Region{Name: "hot_function", Kind: model.Function, Parent: caller, File: "hot.c", Line: 7})
		light := b.Region(model.Region{Name: fmt.Sprint("light_", i), Kind: model.Function, Parent: caller})
		for u := range 4 {
			unit := b.Unit(model.Unit{Process: u})
			b.Set(unit, heavy, time, 1.5)
			b.Set(unit, light, time, 0.1)
		}
	}
	e, err := b.Build(model.Header{Name: "split", Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// nightly are three runs of a program, of which the last took half as long again.
func nightly(t *testing.T) (runs []*model.Experiment) {
	t.Helper()
	for i, seconds := range []float64{10, 10, 15} {
		b := model.NewBuilder()
		at := b.Region(model.Region{Name: "main", Kind: model.Function, Parent: model.NoParent})
		b.Set(b.Unit(model.Unit{}), at, b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive)), seconds)
		e, err := b.Build(model.Header{Name: fmt.Sprint("nightly-", i+1), Program: "nightly", Runs: 1, Created: time.Date(2026, 11, 1+i, 3, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, e)
	}
	return runs
}

// strange is an experiment of names that are hard to show.
func strange(t *testing.T) *model.Experiment {
	t.Helper()
	b := model.NewBuilder()
	time := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Kind: model.Function, Parent: model.NoParent})
	for _, name := range []string{"read/write", "void apply<std::vector<double, std::allocator<double>>>(int)", "שלום_עולם", "under_score_"} {
		b.Set(b.Unit(model.Unit{}), b.Region(model.Region{Name: name, Kind: model.Function, Parent: root}), time, 1)
	}
	e, err := b.Build(model.Header{Name: "names", Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// counted is a profile without times, of one process.
func counted(t *testing.T) *model.Experiment {
	t.Helper()
	b := model.NewBuilder()
	instructions := b.Metric(model.NewMetric("instructions", "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Kind: model.Function, Parent: model.NoParent})
	for i, name := range []string{"parse", "hash", "print"} {
		b.Set(b.Unit(model.Unit{}), b.Region(model.Region{Name: name, Kind: model.Function, Parent: root}), instructions, float64(3-i)*1e6)
	}
	e, err := b.Build(model.Header{Name: "counted", Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// program is a folder with the source of the diagnosis example's heaviest file.
func program(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	var text strings.Builder
	for i := range 80 {
		fmt.Fprintf(&text, "    work(%d); /* <b>line</b> */\n", i+1)
	}
	if err := os.WriteFile(filepath.Join(dir, "ramod3.c"), []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}
