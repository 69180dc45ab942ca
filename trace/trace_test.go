package trace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"auspex/internal/mistake"
)

var ctx = context.Background()

// actions lists what a cursor gives, with copies of what it aliases.
func actions(t *Trace, rank int) []Action {
	var out []Action
	c := t.Cursor(rank)
	for {
		var a Action
		if !c.Next(&a) {
			return out
		}
		out = append(out, a)
	}
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func build(rank int, list []Action) *Trace {
	b := NewBuilder(rank)
	for i := range list {
		b.Add(&list[i])
	}
	return &Trace{Programs: []Program{b.Program()}}
}

// genAction draws an action that the text form can say.
func genAction(np int) *rapid.Generator[Action] {
	return rapid.Custom(func(t *rapid.T) Action {
		rank := rapid.Int32Range(0, int32(np-1))
		count := rapid.Int64Range(0, 1<<40)
		kind := rapid.SampledFrom([]Kind{Init, Compute, Sleep, Send, Isend, Recv, Irecv, SendRecv, Wait, Test,
			WaitAll, Barrier, Bcast, Reduce, Allreduce, Scan, Alltoall, Alltoallv, Gather, Allgatherv, Scatterv,
			ReduceScatter, Location, Finalize}).Draw(t, "kind")
		a := Action{Kind: kind, Type: DefaultType, Type2: DefaultType, Peer: RootUnset}
		f := kindFields[kind]
		if f&hasPeer != 0 {
			a.Peer = rank.Draw(t, "peer")
		}
		if f&hasPeer2 != 0 {
			a.Peer2 = rank.Draw(t, "peer2")
		}
		if f&hasTag != 0 {
			a.Tag = rapid.Int32Range(0, 1000).Draw(t, "tag")
		}
		if f&hasCount != 0 {
			a.Count = count.Draw(t, "count")
		}
		if kind == Init {
			a.Count = 0
		}
		if f&hasCount2 != 0 {
			a.Count2 = count.Draw(t, "count2")
		}
		if f&hasValue != 0 {
			a.Value = rapid.Float64Range(0, 1e12).Draw(t, "value")
			if rapid.Bool().Draw(t, "whole") {
				a.Value = float64(int64(a.Value))
			}
		}
		for range np {
			if f&hasCounts != 0 {
				a.Counts = append(a.Counts, count.Draw(t, "n"))
			}
			if f&hasCounts2 != 0 {
				a.Counts2 = append(a.Counts2, count.Draw(t, "m"))
			}
		}
		if f&hasFile != 0 {
			a.File = rapid.StringMatching(`[a-z]{1,8}\.[cf]`).Draw(t, "file")
		}
		return a
	})
}

// genLoops draws a list of actions with nested loops in it, written out. The
// computes of a loop may differ between its iterations.
func genLoops(t *rapid.T, np, depth int) []Action {
	var out []Action
	for range rapid.IntRange(1, 4).Draw(t, "parts") {
		if depth == 0 || rapid.Bool().Draw(t, "leaf") {
			out = append(out, genAction(np).Draw(t, "action"))
			continue
		}
		body := genLoops(t, np, depth-1)
		vary := rapid.Bool().Draw(t, "vary")
		for i := range rapid.IntRange(1, 5).Draw(t, "times") {
			for _, a := range body {
				if a.Kind == Compute && vary {
					a.Value += float64(i)
				}
				out = append(out, a)
			}
		}
	}
	return out
}

// Whatever is put into a Builder must come out of a Cursor, in order: folding
// loses nothing.
func TestFoldingIsLossless(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := genLoops(rt, 3, 3)
		tr := build(0, list)
		if diff := cmp.Diff(list, actions(tr, 0), ignoreUnset()); diff != "" {
			rt.Fatalf("actions differ (-put +got):\n%s", diff)
		}
		if got := tr.Programs[0].Actions; got != int64(len(list)) {
			rt.Fatalf("%d actions counted, %d put in", got, len(list))
		}
		if n, err := tr.Programs[0].check(3); err != nil || n != int64(len(list)) {
			rt.Fatalf("check: %d, %v", n, err)
		}
	})
}

// ignoreUnset compares what an action's kind carries only.
func ignoreUnset() cmp.Option {
	return cmp.Transformer("carried", func(a Action) string {
		text, err := appendText(nil, 0, &a)
		return fmt.Sprintf("%s%v %v", text, err, a.Comm)
	})
}

// Binary and text forms must give back the same actions.
func TestFormsRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		list := genLoops(rt, 1, 2)
		tr := build(0, list)
		var bin bytes.Buffer
		if err := Write(&bin, tr); err != nil {
			rt.Fatal(err)
		}
		back, err := Read("bin", &bin)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(list, actions(back, 0), ignoreUnset()); diff != "" {
			rt.Fatalf("binary form (-put +got):\n%s", diff)
		}
		var text bytes.Buffer
		if err := WriteText(&text, back, 0); err != nil {
			rt.Fatal(err)
		}
		name := filepath.Join(dir, "t.txt")
		if err := os.WriteFile(name, text.Bytes(), 0o644); err != nil {
			rt.Fatal(err)
		}
		again, err := Open(ctx, name, 1)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(list, actions(again, 0), ignoreUnset()); diff != "" {
			rt.Fatalf("text form (-put +got):\n%s", diff)
		}
	})
}

// A loop of n iterations must cost no more than one, however it is nested.
func TestLoopsShrink(t *testing.T) {
	var text strings.Builder
	text.WriteString("0 init\n")
	for i := range 1000 {
		for k := range 6 {
			fmt.Fprintf(&text, "0 compute 1000\n0 isend 0 %d 100\n0 irecv 0 %d 100\n0 waitall\n", k%2, k%2)
		}
		if i%10 == 9 {
			text.WriteString("0 allreduce 8 0\n")
		}
	}
	dir := t.TempDir()
	list := write(t, filepath.Join(dir, "list"), "r0\n")
	write(t, filepath.Join(dir, "r0"), text.String())
	tr, err := Open(ctx, list, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := tr.Actions(), int64(strings.Count(text.String(), "\n")); got != want {
		t.Errorf("%d actions, want %d", got, want)
	}
	if n := tr.Programs[0].Size(); n > 200 {
		t.Errorf("%d bytes for a program that repeats itself", n)
	}
	var out bytes.Buffer
	if err := WriteText(&out, tr, 0); err != nil {
		t.Fatal(err)
	}
	if out.String() != text.String() {
		t.Error("the text did not come back as it was")
	}
}

// Comparing iterations as text must not change what is read: each rank's file
// is read once as it is, and once with a comment after every line, which keeps
// iterations from being equal text.
func TestTextComparisonChangesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var plain, noted strings.Builder
		n := 0
		line := func(s string) {
			plain.WriteString(s)
			noted.WriteString(s)
			n++
			fmt.Fprintf(&noted, "# %d\n", n)
		}
		for range rapid.IntRange(1, 5).Draw(rt, "outer") {
			inner := rapid.IntRange(0, 40).Draw(rt, "inner")
			size := rapid.IntRange(1, 3).Draw(rt, "size")
			for range inner {
				line("0 compute 5\n")
				for k := range size {
					line(fmt.Sprintf("0 isend 0 %d 7\n", k))
				}
			}
			line("0 barrier\n")
		}
		dir := t.TempDir()
		var got [2][]Action
		for i, text := range []string{plain.String(), noted.String()} {
			list := write(t, filepath.Join(dir, fmt.Sprintf("list%d", i)), fmt.Sprintf("r%d\nr%d\n", i, i))
			write(t, filepath.Join(dir, fmt.Sprintf("r%d", i)), text)
			tr, err := Open(ctx, list, 2)
			if err != nil {
				rt.Fatal(err)
			}
			got[i] = actions(tr, 0)
		}
		if diff := cmp.Diff(got[0], got[1], ignoreUnset()); diff != "" {
			rt.Fatalf("(-plain +noted):\n%s", diff)
		}
	})
}

// A loop around a loop is compared as text too, whatever the two lengths are:
// no line may be counted twice or left out.
func TestNestedLoopsAsText(t *testing.T) {
	dir := t.TempDir()
	list := write(t, filepath.Join(dir, "list"), "r0\nr1\n")
	write(t, filepath.Join(dir, "r1"), "1 barrier\n")
	for _, c := range []struct{ outer, inner int }{
		{1, 1}, {100, 3}, {100, 11}, {100, 12}, {7, 100}, {5, ringSize - 1}, {5, ringSize}, {4, 3*ringSize + 7},
	} {
		want := c.outer * (c.inner + 1)
		write(t, filepath.Join(dir, "r0"), strings.Repeat(strings.Repeat("0 compute 5\n", c.inner)+"0 barrier\n", c.outer))
		tr, err := Open(ctx, list, 2)
		if err != nil {
			t.Fatal(err)
		}
		got := actions(tr, 0)
		barriers := 0
		for i, a := range got {
			if a.Kind == Barrier {
				barriers++
				if (i+1)%(c.inner+1) != 0 {
					t.Errorf("%d × %d: action %d is a barrier", c.outer, c.inner, i)
				}
			}
		}
		if len(got) != want || barriers != c.outer {
			t.Errorf("%d × %d: %d actions with %d barriers, want %d with %d", c.outer, c.inner, len(got), barriers, want, c.outer)
		}
	}
}

func TestMeansKeepTheSum(t *testing.T) {
	b := NewBuilder(0)
	b.Means = true
	sum := 0.0
	for i := range 100 {
		v := float64(1000 + i*i%17)
		sum += v
		b.Add(&Action{Kind: Compute, Value: v, Type: DefaultType, Type2: DefaultType})
		b.Add(&Action{Kind: Barrier, Type: DefaultType, Type2: DefaultType, Peer: RootUnset})
	}
	tr := &Trace{Programs: []Program{b.Program()}}
	if n := tr.Programs[0].Size(); n > 40 {
		t.Errorf("%d bytes with means only", n)
	}
	got := 0.0
	for _, a := range actions(tr, 0) {
		if a.Kind == Compute {
			got += a.Value
			if a.Variance <= 0 {
				t.Fatal("the variance is lost")
			}
		}
	}
	if d := got - sum; d > 1e-6 || d < -1e-6 {
		t.Errorf("sum %g, want %g", got, sum)
	}
}

// TestDPerfSaysAllOrNothing: an action means in dPerf's form what it meant before, or
// is refused.
func TestDPerfSaysAllOrNothing(t *testing.T) {
	for _, c := range []struct{ rank0, rank1, want0, want1, refused string }{
		{"allreduce 100 0 6", "allreduce 100 0 6", "p0 Allreduce 100", "p1 Allreduce 100", ""},
		{"allreduce 100 5e9", "allreduce 100 5e9", "", "", "cannot say how much allreduce computes"},
		{"reduce 100 1 0 6", "reduce 100 1 0 6", "", "", "cannot say how much reduce computes"},
		{"alltoall 2 1 1 0", "alltoall 2 1 1 0", "p0 Alltoall 8", "p1 Alltoall 8", ""},
		{"alltoall 100 300", "alltoall 100 300", "", "", "alltoall that sends 100 bytes and receives 300"},
		{"gather 8 8 0 6 6", "gather 8 0 0 6 6", "p0 Gather 8 p0", "p1 Gather 8 p0", ""},
		{"gather 8 9 0 6 6", "gather 8 0 0 6 6", "", "", "gather that sends 8 bytes and receives 9"},
		{"scatter 0 8 1 6 6", "scatter 8 8 1 6 6", "p0 Scatter 8 p1", "p1 Scatter 8 p1", ""},
		{"init 1\n0 send 1 0 10", "init 1\n1 recv 0 0 10", "p0 Send p1 80", "p1 Recv p0 80", ""},
	} {
		tr, err := Open(ctx, write(t, filepath.Join(t.TempDir(), "trace"), "0 "+c.rank0+"\n1 "+c.rank1+"\n"), 0)
		if err != nil {
			t.Fatal(c.rank0, err)
		}
		refused := ""
		for rank, want := range []string{c.want0, c.want1} {
			var out bytes.Buffer
			if err := WriteDPerf(&out, tr, rank); err != nil {
				refused = err.Error()
			} else if c.refused == "" && out.String() != want+"\n" {
				t.Errorf("%s: %q, not %q", c.rank0, out.String(), want)
			}
		}
		if !strings.Contains(refused, c.refused) || (refused == "") != (c.refused == "") {
			t.Errorf("%s: %q", c.rank0, refused)
		}
	}
}

func TestDPerf(t *testing.T) {
	dir := t.TempDir()
	text := "p0 compute 5385\np0 Isend p1 8429748\np0 Recv p1\np0 Bcast 100 p1\np0 Waitall\n"
	other := "p1 Recv p0 8429748\np1 Send p0 10\np1 Bcast 100 p1\n"
	name := write(t, filepath.Join(dir, "trace"), text+other)
	tr, err := Open(ctx, name, 0)
	if err != nil {
		t.Fatal(err)
	}
	for rank, want := range []string{text, other} {
		var out bytes.Buffer
		if err := WriteDPerf(&out, tr, rank); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("rank %d: got\n%swant\n%s", rank, &out, want)
		}
	}
	if a := actions(tr, 0)[2]; a.Count != AnySize || a.Kind != Recv || a.Peer != 1 {
		t.Errorf("a receive without a size is %+v", a)
	}
}

func TestRefused(t *testing.T) {
	for line, want := range map[string]string{
		"0 teleport":                "not known",
		"0 send 1 0":                "only 2 given",
		"0 send 1 0 abc":            "not a number of elements",
		"0 send 1 0 1000x":          "not a number of elements",
		"0 send 1 0 -5":             "impossible size",
		"0 send 7 0 5":              "rank 7",
		"0 recv -1 0 5":             "rank -1",
		"0 send -555 0 5":           "rank -555",
		"0 recv -333 0 5":           "write -555",
		"0 send 1 -3 5":             "negative tag",
		"0 send 1 0 5 9":            "not a datatype",
		"0 compute -1e6":            "from 0",
		"0 compute nan":             "from 0",
		"0 compute inf":             "from 0",
		"0 compute":                 "only 0 given",
		"0 bcast 100 5":             "root 5",
		"0 alltoallv 10 5":          "only 2 given",
		"0 alltoallv 10 5 -5 1 1 1": "impossible size",
		"zero compute 1":            "starts with its rank",
		"0":                         "not known",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "r0"), "0 init\n# comment\n"+line+"\n")
		write(t, filepath.Join(dir, "r1"), "1 init\n")
		list := write(t, filepath.Join(dir, "list"), "r0\nr1\n")
		_, err := Open(ctx, list, 0)
		place, _ := mistake.Find(err)
		if place.Line != 3 || !strings.HasSuffix(place.File, "r0") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want r0:3 and %q", line, err, want)
		}
	}
}

// TestNoTrace: what is no trace and no list is told as what it is.
func TestNoTrace(t *testing.T) {
	for content, want := range map[string]string{
		"": "the file is empty", "\xfd7zXZ\x00": "xz -d", "\x1f\x8b\x08": "gzip -d", "Rank,TID,Name\n0,1,a\n": "neither a trace nor a list", "\n\n": "names no trace",
	} {
		if _, err := Open(ctx, write(t, filepath.Join(t.TempDir(), "a"), content), 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", content, err, want)
		}
	}
}

func TestPosition(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "r0"), "# head\n0 init\n1 init\n\n0 compute 1\n0 compute 1\n")
	write(t, filepath.Join(dir, "r1"), "1 init")
	list := write(t, filepath.Join(dir, "list"), "r0\nr1\n")
	tr, err := Open(ctx, list, 0)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []int{2, 5, 6, 0} {
		if _, line := tr.Position(0, int64(n)); line != want {
			t.Errorf("action %d is on line %d, want %d", n, line, want)
		}
	}
	if tr.Programs[1].Actions != 1 {
		t.Error("a last line without a newline is an action like any other")
	}
}

// TestSummarize: what a rank hands to a collective with lists is what they add up to, not
// its buffer besides.
func TestSummarize(t *testing.T) {
	dir := t.TempDir()
	name := write(t, filepath.Join(dir, "trace"), strings.Repeat("0 compute 5\n0 compute 6\n0 send 1 0 10 0\n", 50)+
		"1 init\n1 recv 0 0 10 0\n1 alltoallv 900 1 3 900 2 2\n1 barrier\n1 allreduce 8 0\n")
	tr, err := Open(ctx, name, 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Summarize(ctx, tr)
	if err != nil {
		t.Fatal(err)
	}
	want := []Pair{{0, 1, 50, 4000}}
	if diff := cmp.Diff(want, s.Pairs); diff != "" || s.Compute[0] != 550 || s.Unit != Flops || s.Kinds["send"] != 50 || s.Collective != 4+8 || s.Ranks != 2 {
		t.Errorf("%+v\n%s", s, diff)
	}
}

// TestSummarizeNanoseconds: dPerf's form tells times of a machine, not flops.
func TestSummarizeNanoseconds(t *testing.T) {
	tr, err := Open(ctx, write(t, filepath.Join(t.TempDir(), "trace"), "p0 compute 1000\np1 compute 3000\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Summarize(ctx, tr); err != nil || s.Unit != Nanoseconds || s.Compute[1] != 3000 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestBinaryIsChecked(t *testing.T) {
	tr := build(0, []Action{{Kind: Compute, Value: 3, Type: DefaultType, Type2: DefaultType}})
	var buf bytes.Buffer
	if err := Write(&buf, tr); err != nil {
		t.Fatal(err)
	}
	whole := buf.Bytes()
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x55
		if _, err := Read("t", bytes.NewReader(damaged)); err == nil {
			t.Errorf("byte %d of %d may be damaged unseen", i, len(whole))
		}
		if _, err := Read("t", bytes.NewReader(whole[:i])); err == nil {
			t.Errorf("cut to %d of %d bytes unseen", i, len(whole))
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("0 init\n0 compute 1e6\n0 send 0 1 100 6\n"))
	f.Add([]byte("p0 Isend p0 8429748\np0 Recv p0\n"))
	f.Add([]byte("0 alltoallv 3 3 4 4 0 0\n0 location a.c 3"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := textReader{np: 1}
		b := NewBuilder(0)
		r.open(bytes.NewReader(data))
		var err error
		for err == nil {
			var rank int
			if rank, err = r.action("fuzz"); err == nil && rank == 0 {
				b.Add(&r.act)
			}
		}
		p := b.Program()
		// Lines and iterations that have come before are not parsed again.
		quick := NewBuilder(0)
		if wrong := r.readLines(t.Context(), "fuzz", bytes.NewReader(data), quick); (err == io.EOF) != (wrong == nil) {
			t.Fatalf("%v, line by line %v", wrong, err)
		}
		if q := quick.Program(); err == io.EOF && (q.Actions != p.Actions || !bytes.Equal(q.code, p.code)) {
			t.Fatalf("%d actions in %d bytes, line by line %d in %d", q.Actions, len(q.code), p.Actions, len(p.code))
		}
		if n, err := p.check(1); err != nil || n != p.Actions {
			t.Fatalf("check: %d of %d, %v", n, p.Actions, err)
		}
	})
}

func FuzzBinary(f *testing.F) {
	for _, list := range [][]Action{
		{{Kind: Compute, Value: 3.5, Type: DefaultType, Type2: DefaultType}},
		{{Kind: Send, Count: 3, Type: Int, Type2: DefaultType}, {Kind: Send, Count: 3, Type: Int, Type2: DefaultType}},
		oneSided,
	} {
		var buf bytes.Buffer
		if err := Write(&buf, build(0, list)); err != nil {
			f.Fatal(err)
		}
		f.Add(buf.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := Read("fuzz", bytes.NewReader(data))
		if err != nil {
			return
		}
		for i := range tr.Programs {
			c := tr.Cursor(i)
			var a Action
			for n := 0; n < 1000 && c.Next(&a); n++ {
			}
		}
	})
}

// FuzzCode goes past the check sum: whatever code check lets through, a cursor
// must be able to walk.
func FuzzCode(f *testing.F) {
	tr := build(0, []Action{
		{Kind: Compute, Value: 3.5, Type: DefaultType, Type2: DefaultType},
		{Kind: Barrier, Type: DefaultType, Type2: DefaultType, Peer: RootUnset},
		{Kind: Compute, Value: 4.5, Type: DefaultType, Type2: DefaultType},
		{Kind: Barrier, Type: DefaultType, Type2: DefaultType, Peer: RootUnset},
	})
	f.Add(tr.Programs[0].code, tr.Programs[0].tables.series[0])
	f.Add(build(0, oneSided).Programs[0].code, []byte{0})
	f.Fuzz(func(t *testing.T, code, series []byte) {
		p := Program{folded: &folded{code: code, tables: &tables{series: [][]byte{series}, files: []string{"a.c"}}}}
		n, err := p.check(2)
		if err != nil {
			return
		}
		tr := Trace{Programs: []Program{p}}
		c := tr.Cursor(0)
		var a Action
		seen := int64(0)
		for ; seen < 1000 && c.Next(&a); seen++ {
		}
		if seen < 1000 && seen != n {
			t.Fatalf("%d actions, %d counted", seen, n)
		}
	})
}

// Traces that are too large for memory are kept in files; their actions are the
// same.
func TestMapped(t *testing.T) {
	dir := t.TempDir()
	var list strings.Builder
	for r := range 5 {
		var text strings.Builder
		for i := range 200 {
			fmt.Fprintf(&text, "%d compute %d\n%d isend %d 0 %d\n", r, i*i%101, r, (r+1)%5, i%7)
		}
		write(t, filepath.Join(dir, fmt.Sprint("r", r)), text.String())
		fmt.Fprintln(&list, "r"+fmt.Sprint(r))
	}
	name := write(t, filepath.Join(dir, "list"), list.String())
	before, err := Open(ctx, name, 0)
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := open(ctx, name, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var bin bytes.Buffer
	if err := Write(&bin, mapped); err != nil {
		t.Fatal(err)
	}
	again, err := open(ctx, write(t, filepath.Join(dir, "bin"), bin.String()), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	some := false
	for _, p := range mapped.Programs {
		some = some || p.held != nil
	}
	if !some || again.Programs[0].held == nil {
		t.Error("nothing is mapped")
	}
	for r := range 5 {
		want := actions(before, r)
		for _, tr := range []*Trace{mapped, again} {
			if diff := cmp.Diff(want, actions(tr, r), ignoreUnset()); diff != "" {
				t.Fatalf("rank %d: %s", r, diff)
			}
		}
	}
}
