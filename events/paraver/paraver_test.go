package paraver

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"auspex/events"
)

const small = `#Paraver (01/01/2026 at 00:00):5000_ns:1(2):1:2(1:1,1:1),1
c:1:1:2:1:2
1:1:1:1:1:0:1000:1
1:2:1:2:1:0:3000:1
2:1:1:1:1:1000:50000001:2
1:1:1:1:1:1000:3100:3
2:2:1:2:1:3000:50000001:1
1:2:1:2:1:3000:3050:4
3:2:1:2:1:3000:3000:1:1:1:1:1000:3100:64:7
2:2:1:2:1:3050:50000001:0
1:2:1:2:1:3050:5000:1
2:1:1:1:1:3100:50000001:0
1:1:1:1:1:3100:5000:1
`

const smallNames = `EVENT_TYPE
9   50000001    MPI Point-to-point
VALUES
1   MPI_Send
2   MPI_Recv
0   Outside MPI
`

func file(t testing.TB, text, names string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.prv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if names != "" {
		if err := os.WriteFile(filepath.Join(dir, "a.pcf"), []byte(names), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func told(t testing.TB, path string) string {
	t.Helper()
	src, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	err = src.Each(t.Context(), func(s *events.Span) error {
		fmt.Fprintf(&b, "%d %s %s %d-%d", s.Loc, s.Kind, src.Header().Paths[s.Path].Name, s.Begin, s.End)
		for _, m := range s.Messages {
			fmt.Fprintf(&b, " %d:%d", m.Side, m.Peer)
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const want = `1 compute program 0-3000
1 send program/MPI_Send 3000-3050 0:0
0 compute program 0-1000
0 recv program/MPI_Recv 1000-3100 1:1
0 compute program 3100-5000
1 compute program 3050-5000
`

func TestRead(t *testing.T) {
	if got := told(t, file(t, small, smallNames)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte(small))
	w.Close()
	path := filepath.Join(t.TempDir(), "b.prv.gz")
	if err := os.WriteFile(path, z.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := told(t, path); got != want { // without names Extrae's numbers do
		t.Errorf("gzipped: got\n%s", got)
	}
}

// TestVariants: what other programs, other versions of Extrae and other clocks
// write. Each file is that of TestRead with something changed.
func TestVariants(t *testing.T) {
	change := func(pairs ...string) string {
		text := small
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("%q is not there", pairs[i])
			}
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		return text
	}
	for _, c := range []struct{ name, text, names, want string }{
		{"another program beside it, with a communicator of the same number", change(":1:2(1:1,1:1),1\n", ":2:2(1:1,1:1),1:1(1:1),1\n", "c:1:1:2:1:2\n", "c:1:1:2:1:2\nc:2:1:1:1\n1:1:2:1:1:0:77:1\n"), smallNames, want + "2 compute program 0-77\n"},
		{"each process a program of its own", strings.NewReplacer("1:2(1:1,1:1),1\n", "2:1(1:1),1:1(2:1),1\n", "c:1:1:2:1:2\n", "c:1:1:1:1\nc:2:1:1:1\n", ":2:1:2:1:", ":2:2:1:1:").Replace(small), smallNames, want},
		{"computation after a call that takes no time stands before it", change("2:2:1:2:1:3050:50000001:0\n1:2:1:2:1:3050:5000:1\n", "2:2:1:2:1:3050:50000001:0\n1:2:1:2:1:3050:5000:1\n2:2:1:2:1:3050:50000003:19\n2:2:1:2:1:3050:50000003:0\n"), smallNames,
			strings.Replace(want, "0 compute program 0-1000", "1 unknown program/MPI_Comm_rank 3050-3050\n0 compute program 0-1000", 1)},
		{"a call before the first state", change("1:1:1:1:1:0:1000:1\n", "2:1:1:1:1:200:50000003:31\n2:1:1:1:1:700:50000003:0\n1:1:1:1:1:700:1000:1\n"), smallNames,
			strings.Replace("0 init program/MPI_Init 200-700\n"+want, "compute program 0-1000", "compute program 700-1000", 1)},
		{"communicators between others", change("c:1:1:2:1:2\n", "i:1:1:2:1:2:2\nc:1:1:2:1:2\n"), smallNames, want},
		{"microseconds", strings.ReplaceAll(change("5000_ns", "5000"), "zzz", ""), smallNames, strings.NewReplacer("1000", "1000000", "3000", "3000000", "3050", "3050000", "3100", "3100000", "5000", "5000000").Replace(want)},
		{"microseconds by name", change("5000_ns", "5000_us"), smallNames, strings.NewReplacer("1000", "1000000", "3000", "3000000", "3050", "3050000", "3100", "3100000", "5000", "5000000").Replace(want)},
		{"milliseconds", change("5000_ns", "5000_ms"), smallNames, strings.NewReplacer("1000", "1000000000", "3000", "3000000000", "3050", "3050000000", "3100", "3100000000", "5000", "5000000000").Replace(want)},
		{"a thread that has nothing to do", change("(1:1,1:1)", "(1:1,2:1)", "1:1:1:1:1:0:1000:1\n", "1:3:1:2:2:0:400:1\n1:3:1:2:2:400:900:0\n1:3:1:2:2:900:950:12\n1:1:1:1:1:0:1000:1\n"), smallNames,
			want + "2 compute program 0-400\n2 unknown idle 400-900\n2 unknown program 900-950\n"},
		{"names behind tabs", small, strings.ReplaceAll(smallNames, "   ", "\t"), want},
		{"lines that end as on Windows", strings.ReplaceAll(small, "\n", "\r\n"), smallNames, want},
		{"more threads than are used", change("(1:1,1:1)", "(3:1,2:1)"), smallNames, strings.NewReplacer("1 compute", "3 compute", "1 send", "3 send").Replace(want)},
		{"a call that takes no time, in one record", change("2:2:1:2:1:3050:50000001:0\n", "2:2:1:2:1:3050:50000001:0\n2:2:1:2:1:3050:50000003:19:50000003:0\n"), smallNames,
			strings.Replace(want, "0 compute program 0-1000", "1 unknown program/MPI_Comm_rank 3050-3050\n0 compute program 0-1000", 1)},
		{"a call left and another entered in one record", change("2:2:1:2:1:3050:50000001:0\n1:2:1:2:1:3050:5000:1\n", "2:2:1:2:1:3050:50000001:0:50000003:19\n2:2:1:2:1:3060:50000003:0\n1:2:1:2:1:3060:5000:1\n"), smallNames,
			strings.NewReplacer("0 compute program 0-1000", "1 unknown program/MPI_Comm_rank 3050-3060\n0 compute program 0-1000", "3050-5000", "3060-5000").Replace(want)},
		{"cut off within a call", change("#Paraver", "#Paraver", "1:1:1:1:1:0:1000:1\n", "2:1:1:1:1:0:50000002:0\n1:1:1:1:1:0:1000:1\n"), smallNames, want},
	} {
		if got := told(t, file(t, c.text, c.names)); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestClocks: the receiver's clock is behind, so that its receive ends in the
// file before the message is sent. It keeps its receive, and clocks can be set by
// it; a later receive keeps its own.
func TestClocks(t *testing.T) {
	path := file(t, `#Paraver (01/01/2026 at 00:00):9000_ns:1(2):1:2(1:1,1:1),1
c:1:1:2:1:2
1:1:1:1:1:0:1000:1
1:2:1:2:1:0:3000:1
2:1:1:1:1:1000:50000001:2
2:1:1:1:1:2500:50000001:0
1:1:1:1:1:2500:4000:1
2:2:1:2:1:3000:50000001:1
3:2:1:2:1:3000:3000:1:1:1:1:1000:2500:64:7
2:2:1:2:1:3050:50000001:0
1:2:1:2:1:3050:3500:1
2:2:1:2:1:3500:50000001:1
3:2:1:2:1:3500:3500:1:1:1:1:4000:4100:64:7
2:2:1:2:1:3600:50000001:0
2:1:1:1:1:4000:50000001:2
2:1:1:1:1:4100:50000001:0
`, smallNames)
	for range 2 {
		got := told(t, path)
		for _, line := range []string{"0 recv program/MPI_Recv 1000-2500 1:1\n", "0 recv program/MPI_Recv 4000-4100 1:1\n", "1 send program/MPI_Send 3000-3050 0:0\n"} {
			if !strings.Contains(got, line) {
				t.Errorf("no %q in\n%s", line, got)
			}
		}
	}
	src, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	aligned, err := events.Align(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(aligned.Header().Notes, " "); !strings.Contains(notes, "0.5 µs before they were sent") || !strings.Contains(notes, "0 s remain") {
		t.Errorf("noted: %s", notes)
	}
}

// TestUnordered: a trace whose records were shuffled is told as such, and not as
// one whose clocks differ.
func TestUnordered(t *testing.T) {
	lines := strings.SplitAfter(strings.TrimSuffix(small, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	slices.Reverse(lines[2:])
	for text, shuffled := range map[string]bool{small: false, strings.Join(lines, ""): true} {
		src, err := Open(file(t, text, smallNames))
		if err != nil {
			t.Fatal(err)
		}
		aligned, err := events.Align(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		notes := strings.Join(aligned.Header().Notes, " ")
		if strings.Count(notes, "do not stand in the order of time") != map[bool]int{true: 1}[shuffled] || strings.Contains(notes, "clocks") {
			t.Errorf("shuffled %v, noted: %s", shuffled, notes)
		}
	}
}

func TestRefused(t *testing.T) {
	for what, text := range map[string]string{
		"nothing":          "",
		"another file":     "hello\n",
		"cut head":         "#Paraver (x):1_ns:1\n",
		"unknown unit":     strings.Replace(small, "5000_ns", "5000_fortnights", 1),
		"too many threads": "#Paraver (x):1_ns:1(1):1:1(99999999999:1)\n",
		"tasks not listed": "#Paraver (x):1_ns:1(1):1:5(1:1)\n",
		"no such process":  strings.Replace(small, "1:1:1:1:1:0:1000:1", "1:1:1:9:1:0:1000:1", 1),
		"no such thread":   strings.Replace(small, "1:1:1:1:1:0:1000:1", "1:1:1:1:9:0:1000:1", 1),
		"backwards":        strings.Replace(small, "0:1000:1\n", "1000:0:1\n", 1),
		"no number":        strings.Replace(small, "0:1000:1\n", "x:1000:1\n", 1),
	} {
		src, err := Open(file(t, text, ""))
		if err == nil {
			err = src.Each(t.Context(), func(*events.Span) error { return nil })
		}
		if err == nil {
			t.Errorf("%s was not refused", what)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("#Paraver (x):1_ns:1(1):1:1(1:1),0\n2:1:1:1:1:0:50000001:1:50000001:0\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "a.prv")
		if os.WriteFile(path, data, 0o666) != nil {
			return
		}
		src, err := Open(path)
		if err != nil || len(src.Header().Locations) > 1<<12 {
			return
		}
		_ = src.Each(context.Background(), func(s *events.Span) error {
			if s.End < s.Begin || int(s.Path) >= len(src.Header().Paths) {
				t.Fatalf("a span %+v", s)
			}
			return nil
		})
	})
}

// TestNamedByCallers: where a trace has no functions of the program, it is said
// what computation is named by.
func TestNamedByCallers(t *testing.T) {
	callers := smallNames + "\nEVENT_TYPE\n0 70000001 Caller at level 1\nVALUES\n0 End\n1 exchange\n"
	for _, c := range []struct {
		name, names string
		said        bool
	}{
		{"callers only", callers, true},
		{"functions too", callers + "\nEVENT_TYPE\n0 60000019 User function\nVALUES\n0 End\n1 solve\n", false},
		{"neither", smallNames, false},
	} {
		src, err := Open(file(t, small, c.names))
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(strings.Join(src.Header().AllNotes(), " "), calledNext); said != c.said {
			t.Errorf("%s: noted %q", c.name, src.Header().Notes)
		}
	}
}

// TestBeforeCalls: computation that no function is known of is named by the call after it,
// and stands in the functions that both this call and the one before came from.
func TestBeforeCalls(t *testing.T) {
	names := smallNames + "\nEVENT_TYPE\n0 70000001 Caller at level 1\n0 70000002 Caller at level 2\n0 70000003 Caller at level 3\nVALUES\n0 End\n1 main\n2 __heat_MOD_step\n3 exchange\n4 report\n"
	text := `#Paraver (01/01/2026 at 00:00):900_ns:1(1):1:1(1:1),0
2:1:1:1:1:100:50000001:1:70000001:3:70000002:2:70000003:1
2:1:1:1:1:200:50000001:0
2:1:1:1:1:300:50000001:1:70000001:3:70000002:2:70000003:1
2:1:1:1:1:400:50000001:0
2:1:1:1:1:500:50000001:1:70000001:4:70000002:1
2:1:1:1:1:600:50000001:0
2:1:1:1:1:700:50000001:1
2:1:1:1:1:800:50000001:0
`
	want := `0 compute before MPI_Send@exchange from main 0-100
0 send main/heat::step/exchange/MPI_Send 100-200
0 compute main/heat::step/exchange/before MPI_Send@exchange 200-300
0 send main/heat::step/exchange/MPI_Send 300-400
0 compute main/before MPI_Send@report 400-500
0 send main/report/MPI_Send 500-600
0 compute before MPI_Send 600-700
0 send program/MPI_Send 700-800
`
	if got := told(t, file(t, text, names)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestUserFunctions: computation is of the functions that are open, with states and
// without.
func TestUserFunctions(t *testing.T) {
	names := smallNames + "\nEVENT_TYPE\n0 60000019 User function\nVALUES\n0 End\n1 solve\n2 sync\n"
	head := "#Paraver (01/01/2026 at 00:00):900_ns:1(1):1:1(1:1),0\n"
	calls := `2:1:1:1:1:100:60000019:1
2:1:1:1:1:400:60000019:0
2:1:1:1:1:500:60000019:2
2:1:1:1:1:600:50000001:1
%s2:1:1:1:1:700:50000001:0
2:1:1:1:1:700:60000019:0
%s2:1:1:1:1:800:60000019:1
2:1:1:1:1:900:60000019:0
`
	want := `0 compute program 0-100
0 compute solve 100-400
0 compute program 400-500
0 compute sync 500-600
0 send sync/MPI_Send 600-700
0 compute program 700-800
0 compute solve 800-900
`
	for name, text := range map[string]string{
		"with states": head + "1:1:1:1:1:0:600:1\n" + fmt.Sprintf(calls, "1:1:1:1:1:600:700:4\n", "1:1:1:1:1:700:900:1\n"),
		"without":     head + fmt.Sprintf(calls, "", ""),
	} {
		if got := told(t, file(t, text, names)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}
