package account

import (
	"math"
	"testing"
)

// Two servers write, and wait most of the time; one of six that compute has more to do.
// Nobody waits for the servers, which themselves wait for work that they have not.
func TestNobodyWaitsForServers(t *testing.T) {
	server := []float64{0, 0, 3, 0, 7.5}
	in := run([]Class{Work, Work, InOut, Work, Communicating},
		[]float64{5, 3, 0, 0.5, 2}, []float64{5, 3, 0, 0.5, 2}, []float64{5, 3, 0, 0.5, 2},
		[]float64{5, 3, 0, 0.5, 2}, []float64{5, 3, 0, 0.5, 2}, []float64{5, 5, 0, 0.5, 0}, server, server)
	l := draw(t, in)
	if line, ok := l.Of(Imbalance, "c"); ok {
		t.Errorf("%+v", line)
	}
	// The six wait 2 s each for the one, and the two all that these have.
	if line, _ := l.Of(Imbalance, "b"); line.Seconds < 10 {
		t.Errorf("%+v", l.Lines)
	}
	if got := l.Total(IO); math.Abs(got-6/(8*10.5)) > 1e-9 {
		t.Errorf("input and output %v", got)
	}
}

// One that does nothing but deal work out is waited for where it hardly waits itself.
func TestOthersWaitForWhoIsBusy(t *testing.T) {
	in := run([]Class{Work, Work, Communicating}, []float64{0, 10, 0},
		[]float64{5, 0, 5}, []float64{5, 0, 5}, []float64{5, 0, 5}, []float64{5, 0, 5})
	if line, ok := draw(t, in).Of(Imbalance, "b"); !ok || line.Share < 0.3 {
		t.Errorf("%+v %v", line, ok)
	}
}

// Four processes of three threads. The main thread of one is alone in b for 3 s; for as
// long the other threads have nothing to do because of it.
func TestIdleBecauseTheMainThreadWaits(t *testing.T) {
	var rows [][]float64
	for process := range 4 {
		main := []float64{5, 0, 3.5}
		if process == 0 {
			main = []float64{5, 3, 0.5}
		}
		rows = append(rows, main, []float64{5, 0, 0}, []float64{5, 0, 0})
	}
	in := run([]Class{Work, Work, Communicating}, rows...)
	for u := range rows {
		in.Process = append(in.Process, u/3)
		if u%3 > 0 {
			in.Helper[u], in.Roles[u] = true, 1
		}
	}
	l := draw(t, in)
	if line, _ := l.Of(Imbalance, "b"); math.Abs(line.Seconds-3*3*3) > 0.1 {
		t.Errorf("%+v", l.Lines)
	}
	// What is left: those of the process itself, and the exchange that all share.
	if got := l.Total(Idle) * l.whole(); math.Abs(got-(2*3.5+6*0.5)) > 0.1 {
		t.Errorf("idle %v", got)
	}
	in.Process = nil
	if line, _ := draw(t, in).Of(Imbalance, "b"); math.Abs(line.Seconds-9) > 0.1 {
		t.Errorf("threads of nobody knows whom: %+v", line)
	}
}

// Two of eight are 2 s longer in exchanging, for which the others wait in a collective
// call; where these two have less work it is they that wait, and so are ranks of a
// pipeline.
func TestFewThatAreLongInExchanging(t *testing.T) {
	const exchange, collective = "main/MPI_Sendrecv", "main/MPI_Bcast"
	line := func(row func(u int) []float64) (Line, bool) {
		var rows [][]float64
		for u := range 8 {
			rows = append(rows, row(u))
		}
		in := run([]Class{Work, Communicating, Communicating}, rows...)
		in.Paths = []string{"main/solve", exchange, collective}
		return draw(t, in).Of(Imbalance, exchange)
	}
	slow := func(u int) bool { return u == 3 || u == 4 }
	got, ok := line(func(u int) []float64 {
		if slow(u) {
			return []float64{10, 2.2, 0.1}
		}
		return []float64{10, 0.2, 2.1}
	})
	if !ok || math.Abs(got.Seconds-12) > 0.1 {
		t.Errorf("%+v %v", got, ok)
	}
	if got, ok := line(func(u int) []float64 {
		if slow(u) {
			return []float64{8, 2.2, 2.1}
		}
		return []float64{10, 0.2, 2.1}
	}); ok {
		t.Errorf("those with less work: %+v", got)
	}
	if got, ok := line(func(u int) []float64 { return []float64{10, 0.3 * float64(u), 2.1 - 0.3*float64(u)} }); ok {
		t.Errorf("a pipeline: %+v", got)
	}
}
