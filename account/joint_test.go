package account

import (
	"math"
	"slices"
	"testing"
)

// halves makes sixteen units that wait for the busiest at the end of a step.
func halves(work func(u int) []float64) Input {
	classes := []Class{Work, Work, Work, Communicating}
	rows, most := [][]float64{}, 0.0
	for u := range 16 {
		rows = append(rows, work(u))
		most = max(most, sum(rows[u]))
	}
	for u := range rows {
		rows[u] = append(rows[u], most-sum(rows[u])+0.01)
	}
	return run(classes, rows...)
}

// What evens out before anybody waits costs nothing, and what is left is waited for
// the region that makes it.
func TestDifferencesThatEvenOut(t *testing.T) {
	l := draw(t, halves(func(u int) []float64 {
		a, b, c := 16.0, 4.0, 5.0
		if u >= 8 {
			a, b = b, a
		}
		if u >= 12 {
			c = 8
		}
		return []float64{a, b, c}
	}))
	if got, _ := l.Of(Imbalance, "c"); math.Abs(got.Share-12*3/(16*28.01)) > 1e-3 {
		t.Errorf("%+v", l.Lines)
	}
	for _, name := range []string{"a", "b"} {
		if line, ok := l.Of(Imbalance, name); ok {
			t.Errorf("%+v", line)
		}
	}
}

// Two units that are late for two reasons: mending one leaves the other.
func TestBothHaveToBeBalanced(t *testing.T) {
	l := draw(t, halves(func(u int) []float64 {
		row := []float64{5, 5, 10}
		switch u {
		case 3:
			row[0] = 10
		case 9:
			row[1] = 9.5
		}
		return row
	}))
	if len(l.Spreads) != 2 || !slices.Equal(l.Spreads[0].With, []int{1}) || !slices.Equal(l.Spreads[1].With, []int{0}) {
		t.Fatalf("%+v", l.Spreads)
	}
	if first := l.Spreads[0]; first.Region != 0 || first.Lost < 30 || first.Alone > 0.5 || l.Spreads[1].Alone > 0 {
		t.Errorf("%+v", l.Spreads)
	}
}

// Where units wait after each region nothing evens out.
func TestNothingEvensOutBetweenBarriers(t *testing.T) {
	in := halves(func(u int) []float64 {
		if u < 8 {
			return []float64{8, 4, 1}
		}
		return []float64{4, 8, 1}
	})
	for u := range in.Wall.Units {
		in.Wall.Row(u)[3] += 4
		in.Totals[u] += 4
	}
	l := draw(t, in)
	a, _ := l.Of(Imbalance, "a")
	b, _ := l.Of(Imbalance, "b")
	if whole := 16 * l.RunSeconds; math.Abs(a.Seconds-32) > 0.1 || math.Abs(b.Seconds-32) > 0.1 || whole < 270 {
		t.Errorf("%+v", l.Lines)
	}
}

// A unit that is long in sending is waited for; one that waits there is not.
func TestSendingThatOthersWaitFor(t *testing.T) {
	sending := func(long, late float64) *Ledger {
		rows := [][]float64{}
		for u := range 8 {
			work, send := 10.0, 0.2
			if u == 6 {
				send = long
			}
			if u == 2 {
				work += late
			}
			rows = append(rows, []float64{work, send, 16 - work - send})
		}
		in := run([]Class{Work, Communicating, Communicating}, rows...)
		in.Paths = []string{"main/solve", "main/MPI_Send", "main/MPI_Waitall"}
		return draw(t, in)
	}
	l := sending(5.8, 0)
	if line, ok := l.Of(Imbalance, "main/MPI_Send"); !ok || math.Abs(line.Seconds-7*5.6) > 0.1 || len(l.WaitedFor) != 1 {
		t.Errorf("%+v", l.Lines)
	}
	if l := sending(5.8, 5.8); len(l.WaitedFor) > 0 {
		t.Errorf("another has more work: %+v", l.Lines)
	}
	if l := sending(0.3, 0); len(l.WaitedFor) > 0 {
		t.Errorf("a little longer: %+v", l.Lines)
	}
}

// What all spend in a call, though little, is its cost: noise of the work, were it waited
// for region by region, would explain it as well.
func TestNoiseIsNotWaitedForByRegion(t *testing.T) {
	rows, most := [][]float64{}, 0.0
	for u := range 16 {
		row := []float64{3, 2, 2.5, 2}
		for r := range row {
			row[r] *= 1 + 0.004*float64((u*(5+2*r)+3*r)%7-3)/3
		}
		if u == 5 {
			row[0] *= 1.04
		}
		rows = append(rows, row)
		most = max(most, sum(row))
	}
	mean := 0.0
	for u, row := range rows {
		mean += sum(row) / 16
		rows[u] = append(row, most-sum(row)+0.09)
	}
	l := draw(t, run([]Class{Work, Work, Work, Work, Communicating}, rows...))
	if got, want := l.Total(Imbalance), (most-mean)/l.RunSeconds; got > want+1e-3 {
		t.Errorf("%.4f of the run is uneven, the busiest has %.4f more than the mean: %+v", got, want, l.Lines)
	}
}

// What is left of two regions that even out in part is theirs, though one of them alone
// may scatter by as much: that it has no pattern would be false.
func TestWhatIsLeftHasAPattern(t *testing.T) {
	classes := []Class{Work, Work, Work, Work, Work, Communicating}
	rows := [][]float64{
		{46.3, 35.4, 46.7, 18.4, 11.9, 0},
		{23.0, 90.0, 48.4, 17.5, 11.6, 0},
		{48.3, 57.1, 46.1, 17.4, 11.9, 0},
		{38.6, 74.8, 49.6, 17.6, 11.7, 0},
	}
	most := 0.0
	for _, row := range rows {
		most = max(most, sum(row))
	}
	for _, row := range rows {
		row[5] = most - sum(row) + 4
	}
	l := draw(t, run(classes, rows...))
	named := 0.0
	for _, line := range l.Lines {
		if line.Words == Scattering && line.Share >= Trouble {
			t.Errorf("%+v", line)
		}
		if line.Kind == Imbalance && line.Region != "" {
			named += line.Share
		}
	}
	if named < Trouble {
		t.Errorf("%+v", l.Lines)
	}
}
