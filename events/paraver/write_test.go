package paraver

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/events"
	"auspex/trace"
)

// TestWriteBack: what was written is read as it was: computation by its own name, not
// by that of the call after it, and barriers of threads.
func TestWriteBack(t *testing.T) {
	const names = smallNames + `
EVENT_TYPE
0   60000019    User function
VALUES
3   solve
4   before it
`
	const barriers = `#Paraver (01/01/2026 at 00:00):4000_ns:1(2):1:1(2:1),0
1:1:1:1:1:0:3000:1
1:2:1:1:2:0:1000:1
1:2:1:1:2:1000:4000:5
2:2:1:1:2:1000:60000005:1
1:1:1:1:1:3000:4000:5
2:1:1:1:1:3000:60000005:1
2:1:1:1:1:4000:60000005:0
2:2:1:1:2:4000:60000005:0
`
	// Each rank's computation before its call is of a function of its own.
	functions := strings.NewReplacer("1:2:1:2:1:0:3000:1\n", "1:2:1:2:1:0:3000:1\n2:1:1:1:1:0:60000019:3\n2:2:1:2:1:0:60000019:4\n",
		"2:1:1:1:1:1000:", "2:1:1:1:1:1000:60000019:0:", "2:2:1:2:1:3000:", "2:2:1:2:1:3000:60000019:0:").Replace(small)
	if got := told(t, file(t, functions, names)); !strings.Contains(got, "0 compute solve 0-1000\n") || !strings.Contains(got, "1 compute before it 0-3000\n") {
		t.Fatalf("got\n%s", got)
	}
	for _, text := range []string{small, functions, barriers} {
		path := file(t, text, names)
		want := told(t, path)
		back := written(t, open(t, path))
		if got := told(t, back); sorted(got) != sorted(want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// written is a trace as Write writes it.
func written(t *testing.T, src events.Source) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b.prv")
	prv, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer prv.Close()
	pcf, err := os.Create(strings.TrimSuffix(path, ".prv") + ".pcf")
	if err != nil {
		t.Fatal(err)
	}
	defer pcf.Close()
	if err := Write(t.Context(), prv, pcf, src); err != nil {
		t.Fatal(err)
	}
	return path
}

// one is a trace of one rank in memory: its paths, and a span of each.
type one struct {
	paths []string
	spans []events.Span
}

func (o one) Header() *events.Header {
	h := &events.Header{Ranks: 1, Locations: []events.Location{{}}, Comms: [][]int32{nil}}
	for _, name := range o.paths {
		h.Paths = append(h.Paths, events.Path{Name: name})
	}
	return h
}

func (o one) Each(_ context.Context, visit func(*events.Span) error) error {
	for i := range o.spans {
		if err := visit(&o.spans[i]); err != nil {
			return err
		}
	}
	return nil
}

// TestCallsWriteBack: calls come back under the names that they had, with those who called,
// and so does the want of a core within one; a name that would be read as another kind of
// call becomes that of the call's own kind.
func TestCallsWriteBack(t *testing.T) {
	for _, c := range []struct {
		path       string
		kind       trace.Kind
		want       string
		collective bool
	}{
		{"main/exchange/MPI_Waitall", trace.Wait, "main/exchange/MPI_Waitall", false},
		{"main/MPI_Ssend", trace.Send, "main/MPI_Ssend", false},
		{"main/MPI_Mprobe", trace.Recv, "main/MPI_Recv", false},
		{"main/MPI_Wait or MPI_Test", trace.Wait, "main/MPI_Wait", false},
		{"main/MPI_Cart_create", trace.Barrier, "main/MPI_Cart_create", true},
		{"main/MPI_Cart_create", events.Other, "main/MPI_Cart_create", false},
		{"main/MPI_Init", events.Other, "main/MPI_Init", false},
		{"main/MPI_Recv", events.Other, "main/MPI", false},
		{"main/MPI_Ibarrier", events.Other, "main/MPI_Ibarrier", false},
		{"main/MPI_Waitall/<no core>", events.Other, "main/MPI_Waitall/<no core>", false},
		{"/home/user/solver.c:7/MPI_Waitall/<no core>", events.Other, "solver.c:7/MPI_Waitall/<no core>", false},
		{"/home/user/solver.c:7/MPI_Recv", trace.Recv, "solver.c:7/MPI_Recv", false},
		{`main/Vec::operator\//MPI_Allreduce`, trace.Allreduce, `main/Vec::operator\//MPI_Allreduce`, true},
	} {
		src := one{[]string{"main", c.path}, []events.Span{
			{Kind: trace.Compute, Root: -1, End: 100}, {Kind: c.kind, Path: 1, Root: -1, Begin: 100, End: 200},
		}}
		path := written(t, src)
		got := told(t, path)
		if !strings.Contains(got, "0 compute main 0-100\n") || !strings.Contains(got, " "+c.want+" 100-200") {
			t.Errorf("%s: got\n%s", c.path, got)
		}
		var kinds []trace.Kind
		err := open(t, path).Each(t.Context(), func(s *events.Span) error { kinds = append(kinds, s.Kind); return nil })
		if err != nil || kinds[len(kinds)-1].Collective() != c.collective {
			t.Errorf("%s: kinds %v, %v", c.path, kinds, err)
		}
	}
}

// TestBeforeWriteBack: where computation is named by the call after it, that is said of what
// was written and read back, too, and not where functions computed.
func TestBeforeWriteBack(t *testing.T) {
	for name, want := range map[string]bool{"main/before MPI_Send@main": true, "main/beforehand": false, "main/loop@28": false, "main/OpenMP parallel@solver.c:17": false} {
		src := one{[]string{name}, []events.Span{{Kind: trace.Compute, Root: -1, End: 100}}}
		path := written(t, src)
		if got := slices.Contains(open(t, path).Header().NameNotes, calledNext); got != want || !strings.Contains(told(t, path), "compute "+name+" 0-100") {
			t.Errorf("%s: noted %v, want %v:\n%s", name, got, want, told(t, path))
		}
	}
}
