package kept

import (
	"slices"
	"testing"

	"auspex/events"
	"auspex/trace"
)

// TestNotIn: what another form leaves out of a run is told where it leaves it out, and
// where the run had it.
func TestNotIn(t *testing.T) {
	const replayed = "the trace holds no times of messages: those of a replay as between ranks of one machine are written"
	const ends = "starting and ending, which took 0.5 s, are not in it"
	const cores = "what ranks stood still without a core, 0.3 s of all together, is not in it"
	stops := trace.Stops{{{Seconds: 0.1}, {Seconds: 0.2}}, nil}
	for _, c := range []struct {
		name  string
		run   Run
		timed bool
		want  []string
	}{
		{"as it was replayed", Run{Seconds: 2}, true, []string{replayed}},
		{"without times", Run{Seconds: 2}, false, nil},
		{"ends and stops, with times", Run{Seconds: 2, Ends: 0.5, Stops: stops}, true, []string{replayed, ends}},
		{"ends and stops, without", Run{Seconds: 2, Ends: 0.5, Stops: stops}, false, []string{ends, cores}},
		{"stops of a thousandth", Run{Seconds: 200, Stops: stops}, false, nil},
		{"as it was measured", Run{Seconds: 2, Timed: events.Renamed(nil, nil)}, true, nil},
	} {
		if got := c.run.NotIn(c.timed); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}
