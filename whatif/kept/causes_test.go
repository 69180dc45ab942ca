package kept

import (
	"reflect"
	"testing"

	"auspex/account"
	"auspex/analyze/diagnose"
	"auspex/trace"
	"auspex/waits"
	"auspex/whatif"
)

// TestReplayCauses: a trace replays ranks, so that it judges causes in which ranks
// differ, and not those in which their threads do.
func TestReplayCauses(t *testing.T) {
	tr := &trace.Trace{Name: "made", Nanoseconds: true}
	for rank, seconds := range []float64{1, 3} {
		p := trace.NewBuilder(rank)
		p.Add(&trace.Action{Kind: trace.Location, File: "solve"})
		p.Add(&trace.Action{Kind: trace.Compute, Value: seconds * 1e9})
		p.Add(&trace.Action{Kind: trace.Barrier})
		tr.Programs = append(tr.Programs, p.Program())
	}
	c, err := whatif.New(t.Context(), whatif.Setup{Trace: tr, Network: whatif.SharedMemory()})
	if err != nil {
		t.Fatal(err)
	}
	for level, judged := range map[diagnose.Level]bool{diagnose.Processes: true, diagnose.Threads: false} {
		found := &diagnose.Diagnosis{Level: level, Causes: []diagnose.Cause{{Region: "prog/solve"}}}
		if gains := replayCauses(t.Context(), c, found); (gains != nil) != judged {
			t.Errorf("%s: replayed %v", level, gains)
		}
	}
}

// TestWaitsOf: what most of the waiting was for is named, and nothing where no region
// has most of it.
func TestWaitsOf(t *testing.T) {
	for _, c := range []struct {
		other float64
		want  diagnose.Waits
	}{
		{0.5, diagnose.Waits{Share: 0.625, Region: "hot", Ranks: []int{1, 0}}},
		{2, diagnose.Waits{Share: 1}},
	} {
		r := &waits.Report{Ranks: 2, Waited: 2 + c.other, Rows: []waits.Row{
			{Causes: []waits.Cause{{Region: "hot", Ranks: []int{1}, Seconds: 1}, {Region: "cold", Ranks: []int{0}, Seconds: c.other}}},
			{Causes: []waits.Cause{{Region: "hot", Ranks: []int{0, 1}, Seconds: 1}}},
		}}
		if got := waitsOf(r, 4); !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%+v, not %+v", *got, c.want)
		}
	}
}

// TestWholeOf: where ranks have threads that are in no trace, waits of ranks are shares of
// the run of all of them, as everything is that a diagnosis says.
func TestWholeOf(t *testing.T) {
	found := &diagnose.Diagnosis{Ledgered: 6, Runtime: 10}
	if got := wholeOf(found, 2, 9.9); got != 60 {
		t.Errorf("%v s", got)
	}
	found.Counts = true // what is ledgered is no time
	if got := wholeOf(found, 2, 9.9); got != 19.8 {
		t.Errorf("by a count: %v s", got)
	}
}

// TestWaitsForCores: waits for ranks without a core count with what those stood still,
// and are for no region; waits in the wrong order are summed up.
func TestWaitsForCores(t *testing.T) {
	r := &waits.Report{Ranks: 2, Waited: 2, NoCore: 1, Rows: []waits.Row{
		{Pattern: waits.WrongOrder, Seconds: 2, Causes: []waits.Cause{{Region: "m.c:1/MPI_Recv/<no core>", Ranks: []int{1}, Seconds: 2}}},
	}}
	if got, want := *waitsOf(r, 4), (diagnose.Waits{Share: 0.5, NoCore: 0.75, WrongOrder: 0.5}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, not %+v", got, want)
	}
	if got := (called{all: map[string]float64{"MPI_Waitall": 1}}).name("m.c:1/MPI_Wait/<no core>"); got != "m.c:1/MPI_Waitall/<no core>" {
		t.Errorf("%s", got)
	}
}

// TestWaited: a trace is asked wherever communication and waiting cost something.
func TestWaited(t *testing.T) {
	for share, want := range map[float64]bool{0.004: false, 0.02: true} {
		found := &diagnose.Diagnosis{Headline: account.Headline{Kind: account.StartEnd}, Ledger: []account.Line{{Kind: account.Communication, Share: share}, {Kind: account.Waiting, Share: share}}}
		if Waited(found) != want {
			t.Errorf("%g: %v", share, !want)
		}
	}
}
