package simulate

import (
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const bitsFile = "testdata/bits.txt"

// digest is a number that any other bit in a replay's answer changes.
func digest(r *Result) string {
	h := fnv.New64a()
	put := func(values ...float64) {
		for _, v := range values {
			fmt.Fprintf(h, "%016x", math.Float64bits(v))
		}
	}
	put(r.Seconds)
	for _, x := range r.Ranks {
		put(x.Finish, x.Compute, x.Sleep, x.Send, x.Recv, x.Wait, x.Collective)
	}
	for _, l := range r.Links {
		fmt.Fprint(h, l.Name)
		put(l.Bytes, l.Utilisation)
	}
	fmt.Fprint(h, r.Actions, r.Open, r.Unreceived)
	return fmt.Sprintf("%016x", h.Sum64())
}

// TestSameToTheBit holds the answers of all cases to the very bits they had before:
// what only makes the replay quicker or smaller changes none of them. After a change
// that is meant to, AUSPEX_BITS=1 writes them anew.
func TestSameToTheBit(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("elsewhere sums may be rounded in other places")
	}
	known := map[string]string{}
	if data, err := os.ReadFile(bitsFile); err == nil {
		for line := range strings.Lines(string(data)) {
			name, bits, _ := strings.Cut(strings.TrimSpace(line), " ")
			known[name] = bits
		}
	}
	var all strings.Builder
	check := func(name, dir string, np int, cfg []string) {
		for _, every := range []bool{false, true} {
			o := Defaults()
			if o.EveryIteration = every; every {
				name += ",every"
			}
			r, err := replayWith(dir, np, cfg, o, Hooks{})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got := digest(r)
			fmt.Fprintln(&all, name, got)
			if known[name] != got && os.Getenv("AUSPEX_BITS") == "" {
				t.Errorf("%s: %s, it was %s (%.17g s)", name, got, known[name], r.Seconds)
			}
		}
	}
	for _, kind := range []string{"dev", "vary"} {
		for _, dir := range cases(t, kind) {
			c := readCase(t, dir)
			check(filepath.Join(kind, c.Name), dir, c.NP, c.Cfg)
		}
	}
	for _, args := range []string{
		"ring 16 30", "stencil2d 64 20", "alltoall 32 3", "jitter 64 30", "jitter 256 20", "jitter 64 10 --no-backbone", "stencil2d 1024 3",
	} {
		check(strings.ReplaceAll(args, " ", ","), generate(t, strings.Fields(args)...), 0, nil)
	}
	if os.Getenv("AUSPEX_BITS") != "" {
		if err := os.WriteFile(bitsFile, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
