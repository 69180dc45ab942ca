package tau

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"auspex/ingest/input"
	"auspex/ingest/inputtest"
	"auspex/model"
)

// readAll reads every source below a path and checks the experiments.
func readAll(t testing.TB, path, format string) map[string]*model.Experiment {
	t.Helper()
	found, err := input.Find(Formats(), []string{path}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	all := map[string]*model.Experiment{}
	for _, src := range found.Sources {
		if src.Format != format {
			t.Errorf("%s is taken for %s, should be %s", src.Given, src.Format, format)
			continue
		}
		exp, err := src.Read(context.Background(), Formats())
		if err != nil {
			t.Fatal(err)
		}
		if all[exp.Name] != nil {
			t.Errorf("two experiments are named %s", exp.Name)
		}
		all[exp.Name] = exp
	}
	return all
}

// meanOf is a region's mean over all units.
func meanOf(t testing.TB, e *model.Experiment, region, metric string, scope model.Scope) float64 {
	t.Helper()
	m := e.Matrix(inputtest.MetricOf(t, e, metric, scope))
	for r, path := range model.Paths(e.Regions) {
		if path == region {
			sum := 0.0
			for u := range e.Units {
				sum += m.At(u, r)
			}
			return sum / float64(len(e.Units))
		}
	}
	t.Fatalf("%s has no region %q", e.Name, region)
	return 0
}

func TestTAUGromacs(t *testing.T) {
	all := readAll(t, filepath.Join(inputtest.SampleData(t, "tau-gromacs-scaling")), "tau-packed")
	for _, want := range []struct {
		name                                      string
		ranks                                     int
		balance, communication, parallel, runTime float64
	}{
		{"2", 2, .987, .979, .966, 638.3},
		{"4", 4, .970, .956, .927, 352.6},
		{"8", 8, .960, .804, .772, 204.6},
		{"16", 16, .580, .832, .483, 164.0},
		{"32", 32, .535, .730, .390, 101.2},
	} {
		e := all[want.name]
		if e == nil {
			t.Fatalf("no experiment %s", want.name)
		}
		if len(e.Units) != want.ranks || !model.IsFlat(e.Regions) {
			t.Errorf("%s: %d units, flat %v", want.name, len(e.Units), model.IsFlat(e.Regions))
		}
		got := inputtest.EfficiencyOf(t, e)
		inputtest.Near(t, want.name+" load balance", got.Balance, want.balance, .0006)
		inputtest.Near(t, want.name+" communication efficiency", got.Communication, want.communication, .0006)
		inputtest.Near(t, want.name+" parallel efficiency", got.Parallel, want.parallel, .0006)
		inputtest.Near(t, want.name+" run time", got.RunTime, want.runTime, .06)
		if e.Program != "mdrun" || e.Created.Year() != 2009 {
			t.Errorf("program %q, created %v", e.Program, e.Created)
		}
	}
	if n := len(all["16"].Regions); n < 590 || n > 645 {
		t.Errorf("16 ranks have %d regions", n)
	}
	// From 16 ranks on some ranks do nothing but PME.
	for name, pme := range map[string][]int{"16": {2, 4, 7, 10, 12, 15}, "8": nil} {
		e := all[name]
		m := e.Matrix(inputtest.MetricOf(t, e, model.WallTime, model.Exclusive))
		var got []int
		for u, unit := range e.Units {
			for r, region := range e.Regions {
				if region.Name == "do_nonbonded" && m.At(u, r) < 1e-6 {
					got = append(got, unit.Process)
				}
			}
		}
		if len(got) != len(pme) {
			t.Errorf("%s ranks: PME ranks %v, should be %v", name, got, pme)
		}
	}
	for _, r := range all["2"].Regions {
		if strings.HasPrefix(r.Name, "FILE *ffopen(") && (r.File != "futil.c" || r.Line != 282) {
			t.Errorf("%q is at %s:%d", r.Name, r.File, r.Line)
		}
	}
}

func TestTAUMPAS(t *testing.T) {
	e := readAll(t, inputtest.SampleData(t, "tau-mpas-128-papi"), "tau-packed")["mpas"]
	got := inputtest.EfficiencyOf(t, e)
	inputtest.Near(t, "load balance", got.Balance, .778, .0006)
	inputtest.Near(t, "communication efficiency", got.Communication, .907, .0006)
	inputtest.Near(t, "parallel efficiency", got.Parallel, .706, .0006)
	inputtest.Near(t, "run time", got.RunTime, 819.6, .06)
	inputtest.Near(t, "adv", meanOf(t, e, "adv", model.WallTime, model.Exclusive), 157.9, .06)
	inputtest.Near(t, "se btr vel", meanOf(t, e, "se btr vel", model.WallTime, model.Exclusive), 169.9, .06)
	inputtest.Near(t, "MPI_Wait", meanOf(t, e, "MPI_Wait", model.WallTime, model.Exclusive), 221.7, .06)
	if len(e.Units) != 128 || len(e.Regions) != 78 {
		t.Errorf("%d units, %d regions", len(e.Units), len(e.Regions))
	}
	// The counters, under the canonical names where there are any.
	inputtest.Near(t, "correlation of TIME and l1_misses in coriolis", correlation(t, e, "coriolis", model.WallTime, model.L1Misses), .83, .006)
	inputtest.Near(t, "correlation of TIME and instructions in adv", correlation(t, e, "adv", model.WallTime, model.Instructions), .70, .006)
	inputtest.Near(t, "correlation of TIME and PAPI_BR_MSP in adv", correlation(t, e, "adv", model.WallTime, "PAPI_BR_MSP"), .73, .006)
	inputtest.Near(t, "bytes read", sumOf(t, e, model.IORead, 0), 66*832527.8787878788+2*262144, 1)
	if e.Units[0].Node != "nid02762" || e.Command != "./ocean_model.tau" {
		t.Errorf("node %q, command %q", e.Units[0].Node, e.Command)
	}
	if f, ok := e.Factor("CPU Cores"); !ok || f.Number != 12 {
		t.Errorf("factors %v", e.Factors)
	}
}

func correlation(t testing.TB, e *model.Experiment, region, x, y string) float64 {
	t.Helper()
	mx := e.Matrix(inputtest.MetricOf(t, e, x, model.Exclusive))
	my := e.Matrix(inputtest.MetricOf(t, e, y, model.Exclusive))
	ax, ay := meanOf(t, e, region, x, model.Exclusive), meanOf(t, e, region, y, model.Exclusive)
	var xx, xy, yy float64
	for r, path := range model.Paths(e.Regions) {
		if path != region {
			continue
		}
		for u := range e.Units {
			dx, dy := mx.At(u, r)-ax, my.At(u, r)-ay
			xx, xy, yy = xx+dx*dx, xy+dx*dy, yy+dy*dy
		}
	}
	return xy / math.Sqrt(xx*yy)
}

// sumOf adds a metric of one unit over all regions.
func sumOf(t testing.TB, e *model.Experiment, metric string, unit int) float64 {
	t.Helper()
	sum := 0.0
	for _, v := range e.Matrix(inputtest.MetricOf(t, e, metric, model.Exclusive)).Row(unit) {
		sum += v
	}
	return sum
}

func TestTAUNASBT(t *testing.T) {
	e := readAll(t, inputtest.SampleData(t, "tau-nas-bt-16"), "tau-packed")["justtime"]
	_, roots := model.Children(e.Regions)
	if len(e.Units) != 16 || len(roots) != 1 || len(e.Regions)-len(roots) != 68 {
		t.Fatalf("%d units, %d roots, %d call paths", len(e.Units), len(roots), len(e.Regions)-len(roots))
	}
	// The tree must sum up to what TAU measured for the whole.
	m := e.Matrix(inputtest.MetricOf(t, e, model.WallTime, model.Exclusive))
	m.ToInclusive(e.Regions)
	inputtest.Near(t, "inclusive time of MPBT on rank 0", m.At(0, roots[0]), 100.025147, .001)
	if e.MetricIndex(model.WallTime, model.Inclusive) >= 0 {
		t.Error("the inclusive times of a tree are stored")
	}
	// All messages of a rank are attributed: TAU counts them a second time
	// without a region.
	inputtest.Near(t, "messages of rank 0", sumOf(t, e, model.Messages, 0), 4830, 0)
	inputtest.Near(t, "bytes sent by rank 0", sumOf(t, e, model.BytesSent, 0), 4830*109715.9751552795, 1)
}

func TestTAUPowerCap(t *testing.T) {
	all := readAll(t, filepath.Join(inputtest.SampleData(t, "tau-powercap-45runs"), "profile_data.tgz"), "tau")
	if len(all) != 45 {
		t.Fatalf("%d runs", len(all))
	}
	for code, means := range map[string][4]float64{
		"am8": {78.3, 77.6, 77.6, 80.0}, "co8": {108.2, 108.1, 108.2, 110.7}, "lu8": {139.1, 101.8, 93.4, 113.8},
	} {
		for i, power := range []string{"cap50", "cap80", "cap115", "dyn50"} {
			name := power + "_wrapped_" + code
			inputtest.Near(t, name, meanOf(t, all[name], ".TAU application", model.WallTime, model.Exclusive), means[i], .06)
			units := map[string]int{"am8": 32, "co8": 32, "lu8": 27}[code]
			if len(all[name].Units) != units {
				t.Errorf("%s has %d units", name, len(all[name].Units))
			}
		}
	}
	lulesh := all["cap50_wrapped_lu8"]
	inputtest.Near(t, "run time of lulesh", meanOf(t, lulesh, ".TAU application", model.WallTime, model.Inclusive), 188.4, .06)
	if !strings.HasPrefix(all["cap65_wrapped_am8"].Command, "/g/g17/dellswor/amg/AMG2013May20/src/test/amg2013 -laplace") {
		t.Errorf("command %q", all["cap65_wrapped_am8"].Command)
	}
	if f, ok := lulesh.Factor("CPU MHz"); !ok || f.Number != 2600 {
		t.Errorf("factors %v", lulesh.Factors)
	}
	if _, ok := lulesh.Factor("username"); ok {
		t.Error("the user's name is a factor")
	}
}

func TestTAUMergedXML(t *testing.T) {
	all := readAll(t, inputtest.SampleData(t, "tau-xml-8ranks"), "tau-xml")
	for _, want := range []struct {
		name                            string
		balance, parallel, runTime, adv float64
		messages, bytes                 float64 // of rank 0, as TAU sums them up without a region
	}{
		{"tauprofile", .8141, .6989, 17.051, 2.2456, 163855, 350722492},
		{"tauprofile-weighted", .9043, .8068, 13.332, 2.0552, 82840, 225025756},
		{"tauprofile-unweighted", .8654, .7677, 14.418, 2.1084, 163855, 350722492},
	} {
		e := all[want.name]
		if len(e.Units) != 8 || len(e.Regions) != 79 {
			t.Errorf("%s: %d units, %d regions", want.name, len(e.Units), len(e.Regions))
		}
		got := inputtest.EfficiencyOf(t, e)
		inputtest.Near(t, want.name+" load balance", got.Balance, want.balance, .00006)
		inputtest.Near(t, want.name+" parallel efficiency", got.Parallel, want.parallel, .00006)
		inputtest.Near(t, want.name+" run time", got.RunTime, want.runTime, .0006)
		inputtest.Near(t, want.name+" adv", meanOf(t, e, "adv", model.WallTime, model.Exclusive), want.adv, .00006)
		inputtest.Near(t, want.name+" messages", sumOf(t, e, model.Messages, 0), want.messages, 0)
		inputtest.Near(t, want.name+" bytes sent", sumOf(t, e, model.BytesSent, 0), want.bytes, 1)
		if _, ok := e.Factor("nVertLevels"); !ok {
			t.Errorf("%s: factors %v", want.name, e.Factors)
		}
		if _, ok := e.Factor("nCells"); ok {
			t.Errorf("%s: nCells differs between ranks and is no factor", want.name)
		}
	}
}

func TestTAUProfileFiles(t *testing.T) {
	path := filepath.Join(inputtest.SampleData(t, "small-format-samples"), "tau-profile-files")
	e := readAll(t, path, "tau")["tau-profile-files"]
	if len(e.Units) != 4 || len(e.Regions) != 12 || e.Units[3].Node != "nid01045" {
		t.Errorf("units %v, %d regions", e.Units, len(e.Regions))
	}
	got := inputtest.ValuesOf(t, e, 1, model.WallTime, model.Exclusive)
	for region, us := range map[string]float64{
		".TAU application": 419, ".TAU application/MPI_Finalize": 4894, ".TAU application/MPI_Finalize/MPI_File_open": 26904,
	} {
		inputtest.Near(t, region, got[region], us, .01)
	}
	m := e.Matrix(inputtest.MetricOf(t, e, model.WallTime, model.Exclusive))
	m.ToInclusive(e.Regions)
	inputtest.Near(t, "inclusive time of rank 1", m.At(1, 0), .055329, 1e-5)
	if e.Program != "cpi-mpi" || e.Created.Format("2006-01-02 15:04:05") != "2021-03-01 15:16:01" {
		t.Errorf("program %q, created %v", e.Program, e.Created)
	}
}
