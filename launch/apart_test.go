package launch

import (
	"strings"
	"testing"

	"auspex/probe"
)

// TestKeepApart: processes of one rank each either should have been one program, or one
// started the others and knows of them.
func TestKeepApart(t *testing.T) {
	for call, want := range map[string]string{"MPI_Send": "did not know of one another", "MPI_Comm_spawn": "several MPI programs ran"} {
		c := collector{processes: []*probe.Process{{Ranks: 1, Regions: []probe.Region{{Name: call}}}, {Ranks: 1}}}
		c.keepApart(Run{})
		if notes := strings.Join(c.notes, "\n"); !strings.Contains(notes, want) || len(c.notes) != 1 {
			t.Errorf("%s: %s", call, notes)
		}
	}
}
