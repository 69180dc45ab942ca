package report

import (
	"strings"
	"testing"

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
