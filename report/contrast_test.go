package report

import (
	"strings"
	"testing"

	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/model"
)

// One process has, several have, whichever comes first.
func TestContrastsAgreeInNumber(t *testing.T) {
	for _, c := range []struct {
		high   []diagnose.Name
		metric string
		want   string
	}{
		{[]diagnose.Name{{Text: "7"}}, "l1_misses", "process 7 has "},
		{[]diagnose.Name{{Text: "5"}, {Text: "7"}}, "l1_misses", "processes 5 and 7 have "},
		{[]diagnose.Name{{Text: "7"}}, model.Instructions, "process 7 executes "},
	} {
		e := diagnose.Contrast{Attribute: c.metric, Metric: c.metric, High: c.high, Low: []diagnose.Name{{Text: "0"}}, HighValue: 2, LowValue: 1, Ratio: 2}
		if got := contrastWords(e, diagnose.Processes); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q does not begin with %q", got, c.want)
		}
	}
}

// How many times as much it is of next to nothing says nothing: then how much it is.
func TestTimesOfNextToNothing(t *testing.T) {
	for _, c := range []struct {
		metric    string
		high, low analyze.Real
		want      string
	}{
		{model.PageFaults, 2e6, 12, "process 7 has 2.000 M page faults, processes 0 and 1 have 12 in the mean"},
		{model.IORead, 5.2e6, 12, "process 7 has 5.200 MB of disk reads, processes 0 and 1 have 12 B in the mean"},
		{model.PageFaults, 2e6, 1e5, "process 7 has 20.0 × the page faults of processes 0 and 1"},
	} {
		e := diagnose.Contrast{Attribute: c.metric, Metric: c.metric, High: []diagnose.Name{{Text: "7", Process: 7}}, Low: []diagnose.Name{{Text: "0"}, {Text: "1", Process: 1}}, HighValue: c.high, LowValue: c.low, Ratio: c.high / c.low}
		if got := contrastWords(e, diagnose.Processes); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
