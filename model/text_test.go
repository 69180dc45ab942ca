package model

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCleanText(t *testing.T) {
	for given, want := range map[string]string{
		"main": "main", "naïve µs": "naïve µs", "a\x00b": "a␀b", "\x1b[31mred\x1b[0m": "␛[31mred␛[0m",
		"two\nlines\t": "two␊lines␉", "\x7f": "␡", "a\xff\xfeb": "a\uFFFDb", "\u202eabc": "\uFFFDabc", "\u009b31m": "\uFFFD31m",
	} {
		if got := CleanText(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		clean := CleanText(text)
		if !utf8.ValidString(clean) || strings.ContainsAny(clean, "\x00\x1b\n\r\x7f") || CleanText(clean) != clean {
			t.Fatalf("%q becomes %q", text, clean)
		}
	})
}

// What is stored under a cleaned name is found again under the one given.
func TestBuilderFindsWhatItCleaned(t *testing.T) {
	b := NewBuilder()
	unit := Unit{Node: "n\xff", Process: 1}
	if i := b.Unit(unit); b.Unit(unit) != i || b.Unit(Unit{Node: "n\uFFFD", Process: 1}) != i || len(b.units) != 1 {
		t.Errorf("units %+v", b.units)
	}
	region := Region{Name: "f\x1b", Parent: NoParent}
	if i := b.Region(region); b.Region(region) != i || b.Region(Region{Name: "f␛", Parent: NoParent}) != i || len(b.regions) != 1 {
		t.Errorf("regions %+v", b.regions)
	}
}

// Metrics get names that a stored file can have, each its own.
func TestBuilderNamesMetrics(t *testing.T) {
	b := NewBuilder()
	want := map[string]string{ // stored by given
		"unit": "unit_metric", "REGION": "REGION_metric", "runs": "runs_metric", "x.sd": "x.sd_metric", "unit_metric": "unit_metric_2",
		"Abc": "Abc", "abc": "abc_2", "a\xffb": "a\uFFFDb", "wtime": "wtime",
	}
	region, unit := b.Region(Region{Name: "main", Parent: NoParent}), b.Unit(Unit{})
	for _, name := range []string{"unit", "REGION", "runs", "x.sd", "unit_metric", "Abc", "abc", "a\xffb", "wtime"} {
		i := b.Metric(Metric{Name: name})
		if b.Metric(Metric{Name: name}) != i {
			t.Errorf("%q is there twice", name)
		}
		got := b.MetricAt(i)
		if got.Name != want[name] || got.Name != CleanText(name) && got.Alias != CleanText(name) {
			t.Errorf("%q is stored as %+v", name, got)
		}
		b.Set(unit, region, i, 1)
	}
	e, err := b.Build(Header{Name: "x"})
	if err != nil || e.Check() != nil {
		t.Errorf("%v, %v", err, e.Check())
	}
}

func TestCheckRefusesWhatCannotBeShown(t *testing.T) {
	for name, breakIt := range map[string]func(e *Experiment){
		"a column of the file's own": func(e *Experiment) { e.Metrics[0] = Metric{Name: "Unit"} },
		"twins but for case":         func(e *Experiment) { e.Metrics = []Metric{{Name: "a"}, {Name: "A"}} },
		"a metric no UTF-8":          func(e *Experiment) { e.Metrics[0].Name = "\xff" },
		"a region with an escape":    func(e *Experiment) { e.Regions[0].Name = "\x1b" },
		"too large":                  func(e *Experiment) { e.Summaries.Values[0][0] = 1e101 },
	} {
		b := NewBuilder()
		b.Set(b.Unit(Unit{}), b.Region(Region{Name: "main", Parent: NoParent}), b.Metric(Metric{Name: "m"}), 1)
		e, err := b.Build(Header{Name: "x"})
		if err != nil || e.Check() != nil {
			t.Fatal(err)
		}
		if breakIt(e); e.Check() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestBuildTellsOfMissingValues(t *testing.T) {
	b := NewBuilder()
	region, unit := b.Region(Region{Name: "main", Parent: NoParent}), b.Unit(Unit{})
	wtime, ratio := b.Metric(NewMetric(WallTime, "", Exclusive)), b.Metric(Metric{Name: "ratio", Missing: Absent})
	b.Set(unit, region, wtime, math.NaN())
	b.Add(unit, region, wtime, math.Inf(1))
	b.Set(unit, region, ratio, math.NaN())
	e, err := b.Build(Header{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	want := "missing (empty or no finite number): 2 of the values of wtime.exc; they count as 0"
	if len(e.Notes) != 2 || e.Notes[0] != want || !strings.HasSuffix(e.Notes[1], "they are left out") {
		t.Errorf("notes %q", e.Notes)
	}
}

func TestNumbersAsFactors(t *testing.T) {
	for n, want := range map[float64]string{60443483: "60443483", 0.5: "0.5", 1e20: "1e+20", -3: "-3", 1.5e-9: "1.5e-09"} {
		if f := NumberFactor("x", n); f.Word != want {
			t.Errorf("%g is written %s, want %s", n, f.Word, want)
		}
	}
}
