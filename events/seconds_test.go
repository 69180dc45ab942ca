package events

import (
	"slices"
	"testing"

	"auspex/trace"
)

// TestNoCores: what ranks stood within calls without a core is theirs; other calls, and
// what they compute, are not.
func TestNoCores(t *testing.T) {
	src := &listed{
		header: Header{Ranks: 2, Locations: []Location{{}, {Rank: 1}}, Paths: []Path{{Name: "main/MPI_Recv/" + NoCore}, {Name: "main/MPI_Recv"}}},
		spans: []Span{
			{Kind: Other, End: 2e9}, {Kind: Other, Loc: 1, Path: 1, End: 4e9}, {Kind: trace.Compute, Loc: 1, Path: 1, Begin: 4e9, End: 5e9}, {Kind: Other, Begin: 2e9, End: 3e9},
		},
	}
	if got, err := NoCores(t.Context(), src); err != nil || !slices.Equal(got, []float64{3, 0}) {
		t.Errorf("%v, %v", got, err)
	}
}
