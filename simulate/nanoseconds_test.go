package simulate

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/platform"
	"auspex/trace"
)

// Two seconds of a machine are two seconds there, whatever speed it counts as;
// on a host of half that speed they are four, and 2e9 flops are what the host
// makes of them.
func TestNanoseconds(t *testing.T) {
	write := func(text string) *trace.Trace {
		file := filepath.Join(t.TempDir(), "trace.txt")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := trace.Open(context.Background(), file, 0)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	flops, ns := write("0 init\n0 compute 2e9\n0 finalize\n"), write("p0 compute 2e9\n")
	for _, c := range []struct {
		name, head string
		trace      *trace.Trace
		host       int
		reference  float64
		want       float64
	}{
		{"the first host stands for the machine", "", ns, 0, 0, 2},
		{"a host of half its speed", "", ns, 1, 0, 4},
		{"a machine named by its speed", "", ns, 0, 5.6e9, 4},
		{"a calibrated platform says what the machine counts as", "reference = \"1Gf\"\n", ns, 0, 0, 2 / 2.8},
		{"flops", "", flops, 0, 0, 2 / 2.8},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := platform.Read("p.toml", strings.NewReader(c.head+"[[host]]\nname = \"a\"\nspeed = \"2.8Gf\"\n[[host]]\nname = \"b\"\nspeed = \"1.4Gf\"\n[[link]]\nbetween = [\"a\", \"b\"]\nbandwidth = \"1GBps\"\nlatency = \"1us\"\n"))
			if err != nil {
				t.Fatal(err)
			}
			o := Defaults()
			o.ReferenceSpeed = c.reference
			r, err := Run(context.Background(), c.trace, p, []int{c.host}, o, Hooks{})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(r.Seconds-c.want) > 1e-9 {
				t.Errorf("it takes %g s, not %g", r.Seconds, c.want)
			}
		})
	}
}
