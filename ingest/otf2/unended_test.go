package otf2

import (
	"bufio"
	"fmt"
	"strings"
	"testing"

	timed "auspex/events"
	"auspex/ingest/inputtest"
	"auspex/model"
)

// TestUnended: a trace that ends within regions says so, as a profile and as a
// measured trace, and the call that was not left is there.
func TestUnended(t *testing.T) {
	const events = `
ENTER                                          0                 1000  Region: "main" <0>
ENTER                                          1                 1000  Region: "main" <0>
ENTER                                          0                 2000  Region: "MPI_Send" <1>
MPI_SEND                                       0                 2500  Receiver: 1 ("t" <1>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 5, Length: 1000
`
	for text, want := range map[string]string{
		events + "LEAVE                                          1                 3000  Region: \"main\" <0>\n": "rank 0 was still in MPI_Send when the trace ended",
		events: "2 ranks were still in regions when the trace ended, rank 0 in MPI_Send",
	} {
		e, err := fromText(sampleDefinitions, text)
		if err != nil {
			t.Fatal(err)
		}
		d := newDefinitions()
		if err := d.read(t.Context(), newRecords(bufio.NewReader(strings.NewReader(sampleDefinitions)))); err != nil {
			t.Fatal(err)
		}
		if err := d.finish(); err != nil {
			t.Fatal(err)
		}
		a := &Timed{d: d}
		a.locate()
		call := ""
		err = printed{a, text}.Each(t.Context(), func(s *timed.Span) error {
			if len(s.Messages) > 0 {
				call = fmt.Sprintf("%s for %d ms", a.header.Paths[s.Path].Name, (s.End-s.Begin)/1e6)
			}
			return nil
		})
		if err != nil || call != "main/MPI_Send for 500 ms" {
			t.Errorf("the open call is %q (%v)", call, err)
		}
		if e.Incomplete != want || a.header.Incomplete != want {
			t.Errorf("incomplete: %q and %q, want %q", e.Incomplete, a.header.Incomplete, want)
		}
	}
}

// TestMPIOfUser: EZTrace calls all regions functions of the user.
func TestMPIOfUser(t *testing.T) {
	e, err := fromText(strings.ReplaceAll(sampleDefinitions, `Role: POINT2POINT, Paradigm: "MPI" <4>`, "Role: FUNCTION, Paradigm: USER"), sampleEvents)
	if err != nil {
		t.Fatal(err)
	}
	if r := e.Regions[inputtest.RegionAt(t, e, "main/MPI_Send")]; r.Kind != model.MPI {
		t.Errorf("%s is of kind %s", r.Name, r.Kind)
	}
}
