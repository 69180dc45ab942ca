package report

import (
	"strings"
	"testing"

	"auspex/analyze"
	"auspex/analyze/scaling"
)

// TestLeastOfCommunication: what starting and ending take is not said of messages,
// and a part is named only where it loses most.
func TestLeastOfCommunication(t *testing.T) {
	for _, c := range []struct {
		name                                           string
		communication, serialization, transfer, starts analyze.Real
		want                                           string
	}{
		{"starting takes most", 0.19, 0.98, 0.194, 0.2, "starting and ending"},
		{"messages take most", 0.5, 0.98, 0.51, 0.95, "transfer"},
		{"waiting takes most", 0.5, 0.55, 0.91, 0.95, "serialization"},
		{"no trace, starting takes most", 0.19, analyze.Missing, analyze.Missing, 0.2, "starting and ending"},
		{"no trace, the rest takes most", 0.3, analyze.Missing, analyze.Missing, 0.85, "communication"},
		{"no part is low", 0.85, 0.93, 0.914, 0.96, "communication"},
	} {
		_, got := leastOfCommunication(&scaling.Run{Communication: c.communication, Serialization: c.serialization, Transfer: c.transfer, StartEnd: c.starts})
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}
