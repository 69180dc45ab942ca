package paraver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		back := filepath.Join(t.TempDir(), "b.prv")
		prv, err := os.Create(back)
		if err != nil {
			t.Fatal(err)
		}
		pcf, err := os.Create(filepath.Join(filepath.Dir(back), "b.pcf"))
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(t.Context(), prv, pcf, open(t, path)); err != nil {
			t.Fatal(err)
		}
		prv.Close()
		pcf.Close()
		if got := told(t, back); sorted(got) != sorted(want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
