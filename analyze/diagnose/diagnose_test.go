package diagnose

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/account"
	"auspex/analyze"
	"auspex/internal/sample"
	"auspex/model"
)

// figure4 imports one of the examples of diagnosis.
func figure4(t testing.TB, name string) *analyze.Dataset {
	t.Helper()
	return opened(t, sample.Read(t, filepath.Join("examples/diagnose", name)))
}

// opened stores an experiment and opens it.
func opened(t testing.TB, e *model.Experiment) *analyze.Dataset {
	t.Helper()
	d, err := analyze.Open(sample.Stored(t, e))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func actual(t testing.TB, path string) *analyze.Dataset {
	t.Helper()
	return opened(t, sample.Real(t, path))
}

func diagnose(t testing.TB, d *analyze.Dataset, o Options) *Diagnosis {
	t.Helper()
	r, err := Run(context.Background(), d, analyze.ShippedWords(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	return r
}

// kindsText writes kinds as the tests expect them: 0|1 2|3.
func kindsText(kinds [][]Name) string {
	var parts []string
	for _, k := range kinds {
		parts = append(parts, strings.Trim(fmt.Sprint(k), "[]"))
	}
	return strings.Join(parts, "|")
}

// Figure 4 of "Debugging SPMD programs": five kinds, region 14 critical at
// level 1 and region 11 inside it the core; and table 2 for region 11, whose
// answer is the number of instructions.
func TestDiagnoseFigure4(t *testing.T) {
	r := diagnose(t, figure4(t, "unbalanced.csv"), Options{Table: true, Matrix: true})
	if got := kindsText(r.Kinds); got != "0|1 2|3|4 6|5 7" {
		t.Errorf("kinds %s", got)
	}
	if len(r.CCR) != 2 || r.CCR[0].Name != "region 14" || r.CCR[0].Level != 1 || r.CCR[0].Core ||
		r.CCR[1].Name != "region 11" || r.CCR[1].Level != 2 || !r.CCR[1].Core {
		t.Errorf("critical regions %+v", r.CCR)
	}
	if !slices.Equal(r.CCCR, []string{"main/region 14/region 11"}) {
		t.Errorf("cores %v", r.CCCR)
	}
	if r.Severity < 0.5 || r.Severity > 1 || r.Continuum {
		t.Errorf("severity %v, continuum %v", r.Severity, r.Continuum)
	}
	c := r.Causes[0]
	if !slices.Equal(c.Attributes, []string{"instructions"}) || !slices.Equal(c.Core, []string{"instructions"}) {
		t.Errorf("attributes %v, core %v", c.Attributes, c.Core)
	}
	if r.LostShare != c.LostShare || c.LostShare < 0.3 || c.LostShare > 0.34 {
		t.Errorf("lost share %v", c.LostShare)
	}
	// Table 2, rows 0 to 5, without the constant disk I/O.
	want := map[string]string{"0": "[0 0 0 0] 0", "1": "[1 0 0 0] 1", "2": "[1 0 0 0] 1", "3": "[2 1 0 0] 2", "4": "[3 0 1 0] 3", "5": "[4 1 1 1] 4"}
	if got := strings.Join(c.Table.Attributes, " "); got != "instructions l1_misses/instructions l2_misses/instructions bytes_sent" {
		t.Fatalf("attributes of the table: %s", got)
	}
	for _, row := range c.Table.Rows {
		for _, unit := range row.Units {
			if w, ok := want[unit.Text]; ok && fmt.Sprint(row.Values, row.Decision) != w {
				t.Errorf("row of process %s: %v → %d, want %s", unit, row.Values, row.Decision, w)
			}
		}
	}
	if c.Matrix.Entries[0][1] != "instructions" || c.Matrix.Entries[0][0] != "0" {
		t.Errorf("matrix %v", c.Matrix.Entries)
	}
	sum := analyze.Real(0)
	for _, w := range c.Balance {
		sum += w.Share
	}
	if c.BalanceBy != "instructions" || sum < 0.999 || sum > 1.001 || c.Balance[0].Share <= c.Balance[5].Share {
		t.Errorf("balance by %s sums to %v: %v", c.BalanceBy, sum, c.Balance)
	}
	if len(r.Internal.CCCR) == 0 || r.Internal.CCCR[0] != "main/region 14/region 11" {
		t.Errorf("dear in all: %v", r.Internal.CCCR)
	}
}

func TestDiagnoseBalanced(t *testing.T) {
	r := diagnose(t, figure4(t, "balanced.csv"), Options{})
	if len(r.Kinds) != 1 || r.Severity >= 0.05 || r.Continuum || len(r.CCR) != 0 || len(r.Causes) != 0 || r.LostShare != 0 {
		t.Errorf("%s, severity %v, critical %v", kindsText(r.Kinds), r.Severity, r.CCR)
	}
}

// The roles of GROMACS ranks are ground truth: the NOTES.md beside the data
// lists the ranks that do no non-bonded work.
func TestDiagnoseGromacs(t *testing.T) {
	for path, apart := range map[string]string{
		"tau-gromacs-scaling/16.ppk": "2 4 7 10 12 15",
		"tau-gromacs-scaling/32.ppk": "2 4 7 10 12 15 18 20 23 26 28 31",
		"tau-gromacs-scaling/2.ppk":  "0 1",
	} {
		t.Run(path, func(t *testing.T) {
			r := diagnose(t, actual(t, path), Options{})
			if kinds := strings.Split(kindsText(r.Kinds), "|"); !slices.Contains(kinds, apart) {
				t.Errorf("kinds %v lack %s", kinds, apart)
			}
			if r.UnitCount > 2 && (len(r.CCCR) == 0 || r.LostShare < 0.05) {
				t.Errorf("cores %v, lost %v", r.CCCR, r.LostShare)
			}
		})
	}
}

func TestDiagnoseBT(t *testing.T) {
	r := diagnose(t, actual(t, "tau-nas-bt-16/justtime.ppk"), Options{})
	if len(r.Kinds) != 1 || r.Severity > 0.05 || r.Continuum {
		t.Errorf("%d kinds, severity %v", len(r.Kinds), r.Severity)
	}
}

// Thread 1 of every rank is an idle helper.
func TestDiagnoseAllgather(t *testing.T) {
	r := diagnose(t, actual(t, "hpctoolkit-allgather-10x2"), Options{})
	if r.Level != Threads || len(r.Idle) != 10 || len(r.Kinds) != 2 || len(r.Causes) != 0 || r.LostShare != 0.5 {
		t.Errorf("%s: %s, idle %v, lost %v", r.Level, kindsText(r.Kinds), r.Idle, r.LostShare)
	}
	for _, n := range r.Idle {
		if n.Thread != 1 {
			t.Errorf("%s is not idle", n)
		}
	}
	if r := diagnose(t, actual(t, "hpctoolkit-allgather-10x2"), Options{Level: Processes}); len(r.Kinds) != 1 || r.Continuum {
		t.Errorf("processes: %s", kindsText(r.Kinds))
	}
}

func TestDiagnoseLULESH(t *testing.T) {
	r := diagnose(t, actual(t, "caliper-lulesh-scaling/lulesh-annotation-profile-64cores.json"), Options{})
	if !r.Continuum || len(r.Kinds) != 1 {
		t.Errorf("continuum %v, %d kinds, severity %v", r.Continuum, len(r.Kinds), r.Severity)
	}
	if len(r.CCR) < 2 || r.CCR[len(r.CCR)-2].Name != "EvalEOSForElems" || r.CCR[len(r.CCR)-1].Name != "CalcEnergyForElems" || r.Headline.Kind != account.Communication || r.Second.Kind != account.Imbalance {
		t.Errorf("critical regions %+v", r.CCR)
	}
}

// The correlations of the NOTES.md beside the data, computed there by other
// means, name the causes; those of misses are for an instruction here, and the
// floating-point instructions cannot be told from all.
func TestDiagnoseMPAS(t *testing.T) {
	r := diagnose(t, actual(t, "tau-mpas-128-papi/mpas.ppk"), Options{})
	if !r.Continuum || len(r.Kinds) != 1 {
		t.Errorf("continuum %v, %d kinds, severity %v", r.Continuum, len(r.Kinds), r.Severity)
	}
	want := map[string]map[string]float64{
		"adv":        {"instructions": .70, "PAPI_FP_INS": .70},
		"coriolis":   {"l1_misses/instructions": .731, "instructions": .68, "PAPI_FP_INS": .68},
		"se btr vel": {"instructions": .85, "PAPI_FP_INS": .85},
	}
	for _, c := range r.Causes {
		if want[c.Region] == nil {
			continue
		}
		if len(c.Evidence) != len(want[c.Region]) {
			t.Errorf("%s: %v", c.Region, c.Attributes)
		}
		for _, e := range c.Evidence {
			if w := want[c.Region][e.Attribute]; float64(e.Correlation) < w-.006 || float64(e.Correlation) > w+.006 {
				t.Errorf("%s: %s correlates by %v, the notes say %v", c.Region, e.Attribute, e.Correlation, w)
			}
		}
		delete(want, c.Region)
	}
	if len(want) > 0 {
		t.Errorf("not among the causes: %v", want)
	}
	if r.Causes[0].Region != "adv" {
		t.Errorf("the dearest is %s", r.Causes[0].Region)
	}
}

// Level 1 is found below the trunk of the program, and can be asked for.
func TestDiagnoseLevel1(t *testing.T) {
	d := figure4(t, "unbalanced.csv")
	if r := diagnose(t, d, Options{}); r.Below != "main" || r.Level1 != 13 {
		t.Errorf("%d regions below %q", r.Level1, r.Below)
	}
	r := diagnose(t, d, Options{RegionOf: "region 14"})
	if r.Below != "main/region 14" || kindsText(r.Kinds) != "0|1 2|3|4 6|5 7" || !slices.Equal(r.CCCR, []string{"main/region 14/region 11"}) {
		t.Errorf("below %q: %s, %v", r.Below, kindsText(r.Kinds), r.CCCR)
	}
	if r := diagnose(t, d, Options{WithMPI: true, Metric: "wtime"}); r.Level1 != 14 || r.Metric != "wtime" {
		t.Errorf("with communication: %d regions of %s", r.Level1, r.Metric)
	}
	for _, wrong := range []Options{{RegionOf: "region 11"}, {RegionOf: "nowhere"}, {Metric: "nothing"}, {Level: "cores"}, {Level: Nodes}} {
		if _, err := Run(context.Background(), d, analyze.ShippedWords(), wrong); err == nil {
			t.Errorf("%+v: no error", wrong)
		}
	}
}

func TestDiagnoseStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, figure4(t, "unbalanced.csv"), analyze.ShippedWords(), Options{}); err == nil {
		t.Error("a cancelled diagnosis ends without an error")
	}
}

// Threads of a node's processes are summed.
func TestDiagnoseLevels(t *testing.T) {
	b := model.NewBuilder()
	time := b.Metric(model.NewMetric(model.CPUTime, "", model.Exclusive))
	for p := range 6 {
		for thread := range 2 {
			u := b.Unit(model.Unit{Node: fmt.Sprint("node", p/2), Process: p, Thread: thread})
			b.Set(u, b.Region(model.Region{Name: "solve", Parent: model.NoParent}), time, 4+4*float64(thread*(p/4)))
		}
	}
	e, err := b.Build(model.Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	d := opened(t, e)
	for level, want := range map[Level]string{
		Processes: "0 1 2 3|4 5",
		Nodes:     "node0 node1|node2",
		Threads:   "0.0 0.1 1.0 1.1 2.0 2.1 3.0 3.1 4.0 5.0|4.1 5.1",
	} {
		if got := kindsText(diagnose(t, d, Options{Level: level}).Kinds); got != want {
			t.Errorf("%s: %s, want %s", level, got, want)
		}
	}
	text, err := json.Marshal(diagnose(t, d, Options{Level: Threads}).Kinds[1])
	if err != nil || string(text) != `["4.1","5.1"]` {
		t.Errorf("threads in JSON: %s, %v", text, err)
	}
	text, err = json.Marshal(diagnose(t, d, Options{Level: Processes}).Kinds[1])
	if err != nil || string(text) != `[4,5]` {
		t.Errorf("processes in JSON: %s, %v", text, err)
	}
}

// Of regions that take as long, the one that wastes cycles is dear.
func TestDiagnoseInternal(t *testing.T) {
	times := fill(4, 8, func(u, r int) float64 { return 10 - 9*min(1, float64(r/2)) })
	cycles := fill(4, 8, func(u, r int) float64 { return 1e9 * times[u][r] })
	instructions := fill(4, 8, func(u, r int) float64 {
		if r == 1 {
			return 0.2 * cycles[u][r]
		}
		return cycles[u][r]
	})
	misses := fill(4, 8, func(u, r int) float64 {
		if r == 1 {
			return 0.05 * instructions[u][r]
		}
		return 0.001 * instructions[u][r]
	})
	bare := diagnose(t, program(t, times, nil), Options{}).Internal
	if bare.By != "time share" || !slices.Equal(bare.CCCR, []string{"r0", "r1"}) {
		t.Errorf("without counters by %s: %v", bare.By, bare.CCCR)
	}
	in := diagnose(t, program(t, times, map[string][][]float64{"cycles": cycles, "instructions": instructions, "l2_misses": misses}), Options{}).Internal
	if in.By != "time share × cycles per instruction" || in.Regions[0].Region != "r1" || in.Regions[0].Class != "very_high" || in.Regions[0].CPI != 5 {
		t.Errorf("by %s: %+v", in.By, in.Regions)
	}
	if !slices.Equal(in.Attributes, []string{"l2_misses/instructions"}) {
		t.Errorf("set apart by %v", in.Attributes)
	}
}

func TestKindsOfUnits(t *testing.T) {
	b := model.NewBuilder()
	m := b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive))
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	work := b.Region(model.Region{Name: "work", Parent: root})
	want := []int{}
	for process := range 8 {
		u := b.Unit(model.Unit{Process: process})
		b.Set(u, root, m, 1)
		b.Set(u, work, m, float64(10+10*(process/4)))
		want = append(want, process/4)
	}
	e, err := b.Build(model.Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	d := opened(t, e)
	found, err := Run(context.Background(), d, analyze.ShippedWords(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := found.KindsOfUnits(d); !slices.Equal(got, want) {
		t.Errorf("kinds %v, want %v", got, want)
	}
}

// A radius that somebody chose decides alone: one that spans all times makes one
// kind, a tiny one as many as there are different times.
func TestChosenRadius(t *testing.T) {
	times := fill(6, 2, func(u, r int) float64 { return float64(10 + u*r) })
	for radius, kinds := range map[float64]int{100: 1, 0.5: 6, 1.01: 1} {
		if r := diagnose(t, program(t, times, nil), Options{Radius: radius}); len(r.Kinds) != kinds || r.Parameters.Radius != radius {
			t.Errorf("radius %v: %d kinds, said %v", radius, len(r.Kinds), r.Parameters.Radius)
		}
	}
}
