package longtable

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"auspex/model"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// read reads a table in any form.
func read(format Format, data []byte) (*model.Experiment, error) {
	ctx := context.Background()
	switch format {
	case CSV:
		return ReadCSV(ctx, "t.csv", bytes.NewReader(data), Options{})
	case JSONL:
		return ReadJSONL(ctx, "t.jsonl", bytes.NewReader(data), Options{})
	default:
		return ReadParquet(ctx, "t.parquet", bytes.NewReader(data), int64(len(data)), Options{})
	}
}

var allFormats = []Format{CSV, JSONL, Parquet}

// TestRoundTrip: what is written reads back equal, in every form.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawExperiment(t)
		for _, format := range allFormats {
			var out bytes.Buffer
			if err := Write(context.Background(), &out, want, format); err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			got, err := read(format, out.Bytes())
			if err != nil {
				t.Fatalf("%s: %v\n%s", format, err, out.String())
			}
			if err := got.Check(); err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
				t.Fatalf("%s (-want +got):\n%s\n%s", format, diff, out.String())
			}
		}
	})
}

// names with everything that could get in the way of a line of text.
var nameGen = rapid.OneOf(
	rapid.StringMatching(`[a-zA-Z_]{1,8}`),
	rapid.SampledFrom([]string{
		"", " ", "a,b", `say "hi"`, "two\nlines", "cr\r", "\r\n", "a/b", `back\slash`, "#hash", "x: y", "{}", "ns::f<int>(a, b)",
		`"q"`, "naïve", "12", "1e3", "null", "tab\there", " lead", "trail ", "\u2028", "a.exc", "\x7f",
	}),
	rapid.String(),
)

func drawExperiment(t *rapid.T) *model.Experiment {
	b := model.NewBuilder()
	for range rapid.IntRange(1, 6).Draw(t, "units") {
		b.Unit(model.Unit{
			Node:    rapid.SampledFrom([]string{"", "n1", "n,2", `"n3`, "#n"}).Draw(t, "node"),
			Process: rapid.IntRange(0, 3).Draw(t, "process"), Thread: rapid.IntRange(0, 2).Draw(t, "thread"),
		})
	}
	units := rapid.IntRange(1, 6).Draw(t, "used units")
	for i := range rapid.IntRange(1, 8).Draw(t, "regions") {
		b.Region(model.Region{
			Name: nameGen.Draw(t, "region"), Parent: rapid.IntRange(-1, min(i, b.RegionCount())-1).Draw(t, "parent"),
			Kind: rapid.SampledFrom([]model.Kind{"", model.MPI, model.Loop}).Draw(t, "kind"),
			File: rapid.SampledFrom([]string{"", "a.c", "b,c.f90"}).Draw(t, "file"), Line: rapid.IntRange(0, 99).Draw(t, "line"),
		})
	}
	metrics := rapid.IntRange(1, 4).Draw(t, "metrics")
	for range metrics {
		name := nameGen.Filter(func(s string) bool { return s != "" && !strings.ContainsRune(s, 0) }).Draw(t, "metric")
		b.Metric(model.Metric{
			Name: name, Alias: nameGen.Draw(t, "alias"), Unit: rapid.SampledFrom([]string{"", "s", "ratio"}).Draw(t, "unit"),
			Scope:   rapid.SampledFrom([]model.Scope{model.Own, model.Exclusive, model.Inclusive}).Draw(t, "scope"),
			Missing: rapid.SampledFrom([]model.Missing{model.Zero, model.Absent}).Draw(t, "missing"),
		})
	}
	metrics = b.Metric(model.NewMetric(model.WallTime, "TIME", model.Exclusive)) + 1
	for range rapid.IntRange(1, 40).Draw(t, "values") {
		unit := b.Unit(model.Unit{Process: rapid.IntRange(0, units).Draw(t, "unit")})
		region := rapid.IntRange(0, b.RegionCount()-1).Draw(t, "at region")
		if rapid.IntRange(0, 5).Draw(t, "enter") == 0 {
			b.Enter(unit, region)
			continue
		}
		v := rapid.OneOf(rapid.Float64Range(-model.MaxValue, model.MaxValue), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), 1e-300, 0.1})).Draw(t, "value")
		b.Set(unit, region, rapid.IntRange(0, metrics-1).Draw(t, "at metric"), v)
	}
	h := model.Header{
		Name: nameGen.Draw(t, "name"), Program: nameGen.Draw(t, "program"), Command: nameGen.Draw(t, "command"),
		Created:    time.Unix(rapid.Int64Range(1, 4e9).Draw(t, "created"), 0),
		Incomplete: nameGen.Draw(t, "incomplete"),
		Notes:      rapid.SliceOfN(nameGen, 0, 3).Draw(t, "notes"),
	}
	if len(h.Notes) == 0 {
		h.Notes = nil
	}
	if h.Name == "" {
		h.Name = "x"
	}
	for range rapid.IntRange(0, 4).Draw(t, "factors") {
		h.SetFactor(rapid.OneOf(
			rapid.Custom(func(t *rapid.T) model.Factor {
				return model.NumberFactor(nameGen.Draw(t, "factor"), float64(rapid.IntRange(-9, 9).Draw(t, "n"))/4)
			}),
			rapid.Custom(func(t *rapid.T) model.Factor {
				return model.Factor{Name: nameGen.Draw(t, "factor"), Word: nameGen.Draw(t, "word")}
			}),
			rapid.Just(model.NewFactor("size", "30.0")),
		).Draw(t, "factor"))
	}
	repeated := rapid.Bool().Draw(t, "repeated")
	if repeated {
		h.Runs = 5
	}
	e, err := b.Build(h)
	if err != nil {
		t.Fatal(err)
	}
	if repeated {
		addSpread(t, e)
	}
	return e
}

func addSpread(t *rapid.T, e *model.Experiment) {
	s := &e.Summaries
	for m := range s.Values {
		column := make([]float64, s.Rows())
		for i := range column {
			column[i] = math.NaN()
			if s.Values[m][i] == s.Values[m][i] {
				column[i] = rapid.Float64Range(0, 10).Draw(t, "deviation")
			}
		}
		s.Deviation = append(s.Deviation, column)
	}
	s.Count = make([]int32, s.Rows())
	for i := range s.Count {
		s.Count[i] = rapid.Int32Range(0, 5).Draw(t, "count")
	}
}
