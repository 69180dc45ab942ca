package otf2

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"testing"

	timed "auspex/events"
	"auspex/ingest/inputtest"
	"auspex/model"
	"auspex/trace"
)

// TestCallsOnly: where a trace has calls of MPI and no functions, what is between them is
// computation, named by the call after it; where it has functions, only those compute.
func TestCallsOnly(t *testing.T) {
	var regions []string
	for _, line := range strings.SplitAfter(sampleDefinitions, "\n") {
		if !strings.HasPrefix(line, "REGION") && !strings.HasPrefix(line, "second line\" <1>\" <11>") || strings.Contains(line, "MPI_Send") {
			regions = append(regions, line)
		}
	}
	mpi := strings.Join(regions, "")
	const calls = `
=== OTF2-PRINT ===
=== Events =====================================================================
Event                                   Location            Timestamp  Attributes
--------------------------------------------------------------------------------
ENTER                                          0                 1000  Region: "MPI_Send" <1>
LEAVE                                          0                 2000  Region: "MPI_Send" <1>
ENTER                                          0                 5000  Region: "MPI_Send" <1>
LEAVE                                          0                 5500  Region: "MPI_Send" <1>
`
	within := strings.Replace(calls, "ENTER ", "ENTER                                          0                  900  Region: \"main\" <0>\nENTER ", 1) +
		"LEAVE                                          0                 6000  Region: \"main\" <0>\n"
	after := strings.NewReplacer(`1000  Region: "MPI_Send" <1>`, `1000  Region: "main" <0>`, `2000  Region: "MPI_Send" <1>`, `2000  Region: "main" <0>`).Replace(calls)
	for _, c := range []struct {
		name, definitions, events string
		computed                  []string
		noted                     bool
	}{
		{"calls only", mpi, calls, []string{"before MPI_Send 3000"}, true},
		{"a function around them", sampleDefinitions, within, []string{"main 100", "main 3000", "main 500"}, false},
		{"a function before", sampleDefinitions, after, []string{"main 1000"}, false},
	} {
		e, err := fromText(c.definitions, c.events)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if c.noted {
			if r := e.Regions[inputtest.RegionAt(t, e, "before MPI_Send")]; r.Kind != model.Block {
				t.Errorf("%s: of kind %s", c.name, r.Kind)
			}
		}
		d := newDefinitions()
		if err := d.read(t.Context(), records(c.definitions)); err != nil {
			t.Fatal(err)
		}
		if err := d.finish(); err != nil {
			t.Fatal(err)
		}
		src := &Timed{d: d}
		src.locate()
		var computed []string
		err = printed{src, c.events}.Each(t.Context(), func(s *timed.Span) error {
			if s.Kind == trace.Compute {
				computed = append(computed, fmt.Sprintf("%s %d", src.header.Paths[s.Path].Name, (s.End-s.Begin)/1e6))
			}
			return nil
		})
		if err != nil || !slices.Equal(computed, c.computed) {
			t.Errorf("%s: %q, %v", c.name, computed, err)
		}
		if slices.Contains(src.header.NameNotes, callsOnly) != c.noted || slices.Contains(e.Notes, callsOnly) != c.noted {
			t.Errorf("%s: noted %q and %q", c.name, src.header.NameNotes, e.Notes)
		}
	}
}

func records(text string) *otf2Records { return newRecords(bufio.NewReader(strings.NewReader(text))) }
