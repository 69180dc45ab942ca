package platform

import (
	"strings"
	"testing"
)

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		unit unit
		text string
		want float64
	}{
		{speedUnit, "1Gf", 1e9}, {speedUnit, "0.5e9f", 0.5e9}, {speedUnit, "1500Mf", 1.5e9},
		{speedUnit, "2kf", 2000}, {speedUnit, "3f", 3}, {speedUnit, "3flops", 3},
		{speedUnit, "1Ef", 1e18}, {speedUnit, "1e3f", 1000}, {speedUnit, "1Tf", 1e12},
		{speedUnit, "2gigaflops", 2e9}, {speedUnit, "1petaflops", 1e15}, {speedUnit, "1Zf", 1e21},
		{speedUnit, "1zetaflops", 1e21}, {speedUnit, "1zettaflops", 1e21},
		{bandwidthUnit, "125MBps", 125e6}, {bandwidthUnit, "1Gbps", 125e6}, {bandwidthUnit, "100Mbps", 12.5e6},
		{bandwidthUnit, "1KiBps", 1024}, {bandwidthUnit, "1Kibps", 128}, {bandwidthUnit, "0.1GiBps", 0.1 * (1 << 30)},
		{bandwidthUnit, "8bps", 1}, {bandwidthUnit, "1.25e8Bps", 1.25e8}, {bandwidthUnit, "1kBps", 1000},
		{bandwidthUnit, "1EBps", 1e18}, {bandwidthUnit, "1Ebps", 1.25e17},
		{timeUnit, "50us", 50e-6}, {timeUnit, "0.05ms", 0.05e-3}, {timeUnit, "30000ns", 3e-5}, {timeUnit, "1ps", 1e-12},
		{timeUnit, "2s", 2}, {timeUnit, "3m", 180}, {timeUnit, "1h", 3600}, {timeUnit, "1d", 86400}, {timeUnit, "1w", 604800},
		{timeUnit, " 5 us ", 5e-6}, {timeUnit, ".5s", 0.5}, {timeUnit, "+1.s", 1},
	} {
		got, bare, err := c.unit.parse(c.text)
		if err != nil || bare || !near(got, c.want) {
			t.Errorf("%s %q = %g, %v, %v; want %g", c.unit.what, c.text, got, bare, err, c.want)
		}
	}
}

func TestBareNumbers(t *testing.T) {
	if v, bare, err := speedUnit.parse("1e9"); v != 1e9 || !bare || err != nil {
		t.Errorf("1e9: %g %v %v", v, bare, err)
	}
	if v, bare, err := timeUnit.parse("0"); v != 0 || bare || err != nil {
		t.Errorf("0 needs no unit: %g %v %v", v, bare, err)
	}
}

func TestBadUnits(t *testing.T) {
	for _, c := range []struct {
		unit         unit
		text, reason string
	}{
		{speedUnit, "1Zorf", `unknown unit "Zorf"`}, {speedUnit, "", "start with a number"}, {speedUnit, "fast", "start with a number"},
		{speedUnit, "1Kf", "unknown unit"}, {speedUnit, "nan", "start with a number"}, {speedUnit, "inf", "start with a number"},
		{bandwidthUnit, "1KBps", "unknown unit"}, {bandwidthUnit, "1kiBps", "unknown unit"}, {bandwidthUnit, "1e400Bps", "out of range"},
		{bandwidthUnit, "1e300YBps", "out of range"}, {timeUnit, "1min", "unknown unit"}, {timeUnit, "1e", "unknown unit"}, {timeUnit, "-", "start with a number"},
	} {
		if _, _, err := c.unit.parse(c.text); err == nil || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s %q: %v, want %q", c.unit.what, c.text, err, c.reason)
		}
	}
}

func TestRadical(t *testing.T) {
	r, err := parseRadical("0-2,9, 12 - 13")
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	r.each(func(n int) error { got = append(got, n); return nil })
	want := []int{0, 1, 2, 9, 12, 13}
	if len(got) != r.size || len(got) != len(want) {
		t.Fatalf("got %v (size %d), want %v", got, r.size, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	for text, reason := range map[string]string{
		"": "neither", "a": "neither", "3-": "neither", "-3": "neither", "1-2-3": "neither", "1,,2": "neither",
		"5-1": "backwards", "0-999999999": "more than", "0-9223372036854775807": "more than",
		"0-600000,700000-1300000": "more than", "99999999999999999999": "neither",
	} {
		if _, err := parseRadical(text); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v, want %q", text, err, reason)
		}
	}
}
