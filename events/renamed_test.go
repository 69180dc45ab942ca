package events

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"auspex/trace"
)

// growing learns of its regions while it is read, and forgets them when it is read again.
type growing struct{ listed }

func (g *growing) Each(ctx context.Context, visit func(*Span) error) error {
	g.header.Paths = nil
	for i := range 3 {
		g.header.Paths = append(g.header.Paths, Path{Name: fmt.Sprint("MPI_Wait", i), Line: i})
		if err := visit(&Span{Kind: trace.Wait, Path: int32(i)}); err != nil {
			return err
		}
	}
	return nil
}

// TestRenamed: regions have their new names whenever they become known, and nothing else
// changes.
func TestRenamed(t *testing.T) {
	src := Renamed(&growing{}, func(name string) string { return strings.Replace(name, "MPI_Wait", "MPI_Waitall", 1) })
	for range 2 {
		h := src.Header()
		err := src.Each(t.Context(), func(s *Span) error {
			if want := (Path{Name: fmt.Sprint("MPI_Waitall", s.Path), Line: int(s.Path)}); h.Paths[s.Path] != want {
				t.Errorf("%v, not %v", h.Paths[s.Path], want)
			}
			return nil
		})
		if err != nil || len(src.Header().Paths) != 3 {
			t.Fatal(err, src.Header().Paths)
		}
	}
}
