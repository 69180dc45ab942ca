package signature

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"strings"
	"testing"
)

func sample() *Signature {
	return &Signature{Version: version, Machine: "a", Cores: 4, Kernels: map[string][]Time{
		"floating": {{1, 0.01, 0}, {2, 0.01, 0}, {4, 0.01, 0}},
		"memory":   {{1, 0.01, 0}, {2, 0.02, 0}, {4, 0.08, 0}},
	}}
}

// By hand: memory takes eight times as long with four cores busy; half of the time
// in memory makes 0.5·8 + 0.5; nothing known makes √8 with the kinds ln 8 apart.
// Between two counts that were measured the power of their number joins them.
func TestFactor(t *testing.T) {
	s := sample()
	for _, c := range []struct {
		name           string
		here, there    int
		mix            Mix
		factor, spread float64
	}{
		{"the same", 2, 2, nil, 1, 0},
		{"floating only", 1, 4, Mix{"floating": 1}, 1, 0},
		{"half and half", 1, 4, Mix{"floating": 2, "memory": 2}, 4.5, 0},
		{"not known", 1, 4, nil, math.Sqrt(8), math.Log(8) / math.Sqrt2},
		{"between", 2, 3, Mix{"memory": 1}, math.Pow(4, math.Log(1.5)/math.Log(2)), 0},
		{"beyond the last", 4, 9, Mix{"memory": 1}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			factor, spread, err := Factor(Load{s, c.here}, Load{s, c.there}, c.mix)
			if err != nil || math.Abs(factor-c.factor) > 1e-9 || math.Abs(spread-c.spread) > 1e-9 {
				t.Errorf("%v ± %v, %v", factor, spread, err)
			}
		})
	}
	for _, mix := range []Mix{{"network": 1}, {"memory": 0}, {"memory": math.NaN()}, {"memory": -1, "floating": 2}} {
		if _, _, err := Factor(Load{s, 1}, Load{s, 1}, mix); err == nil {
			t.Errorf("%v is taken for a mix", mix)
		}
	}
	other := &Signature{Cores: 1, Kernels: map[string][]Time{"x": {{1, 1, 0}}}}
	if _, _, err := Factor(Load{s, 1}, Load{other, 1}, nil); err == nil {
		t.Error("signatures without a common kernel")
	}
}

func TestReadWrite(t *testing.T) {
	var text bytes.Buffer
	if err := sample().Write(&text); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&text)
	if err != nil || got.Cores != 4 || got.Kernels["memory"][2] != (Time{4, 0.08, 0}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "{}", `{"cores":1}`, `{"version":2,"cores":1}`, `{"version":2,"cores":1,"kernels":{"a":[]}}`, `{"version":2,"cores":1,"kernels":{"a":[{"busy":2,"seconds":1}]}}`,
		`{"cores":1,"kernels":{"a":[{"busy":1,"seconds":1}]}}`, `{"version":2,"cores":1,"kernels":{"a":[{"busy":1,"seconds":0}]}}`, `{"version":2,"cores":2,"kernels":{"a":[{"busy":1,"seconds":1},{"busy":1,"seconds":1}]}}`, strings.Repeat(" ", maxFile+1)} {
		if _, err := Read(strings.NewReader(bad)); err == nil {
			t.Errorf("%.40q is taken for a signature", bad)
		}
	}
}

func FuzzRead(f *testing.F) {
	var text bytes.Buffer
	if err := sample().Write(&text); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	f.Add([]byte(`{"version":2,"cores":1,"kernels":{"a":[{"busy":1,"seconds":1e-9}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		factor, spread, err := Factor(Load{s, 1}, Load{s, 1}, nil)
		if err != nil || math.Abs(factor-1) > 1e-9 || !(spread >= 0) {
			t.Errorf("a machine against itself: %v ± %v, %v", factor, spread, err)
		}
	})
}

// A real machine has all kernels, from one core to all.
func TestMeasure(t *testing.T) {
	s, err := Measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	for kernel := range kernels {
		if list := s.Kernels[kernel]; len(list) == 0 || list[len(list)-1].Busy != s.Cores {
			t.Errorf("%s: %+v", kernel, list)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ctx); err == nil {
		t.Error("it goes on after the end")
	}
}

// The clock moves on with the work: where it moved with the kernel's ticks, it would be
// by a millisecond at least.
func TestClock(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	w, least := newWorker(), 1.0
	for before, end := threadSeconds(), threadSeconds()+0.05; before < end; {
		for i := range w.counts {
			w.counts[i] += uint32(i)
		}
		if now := threadSeconds(); now > before {
			before, least = now, min(least, now-before)
		}
	}
	if least > 0.5e-3 {
		t.Errorf("steps of %g s at least", least)
	}
}
