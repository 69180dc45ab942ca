package simulate

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"auspex/platform"
	"auspex/trace"
)

func TestZZ(t *testing.T) {
	dir := os.Getenv("ZZ_DIR")
	if dir == "" {
		t.Skip()
	}
	n, _ := strconv.Atoi(os.Getenv("ZZ_N"))
	n = max(n, 1)
	var a, b, c time.Duration = 1 << 60, 1 << 60, 1 << 60
	for i := 0; i < n; i++ {
		t0 := time.Now()
		pf, _ := os.Open(filepath.Join(dir, "platform.xml"))
		p, err := platform.Read("p", pf)
		if err != nil {
			t.Fatal(err)
		}
		hf, _ := os.Open(filepath.Join(dir, "hostfile"))
		slots, err := platform.ReadHostfile("h", hf, p)
		if err != nil {
			t.Fatal(err)
		}
		o := Defaults()
		for k, v := range p.Config {
			o.Set(k, v)
		}
		t1 := time.Now()
		tr, err := trace.Open(context.Background(), filepath.Join(dir, "list.txt"), 0)
		if err != nil {
			t.Fatal(err)
		}
		t2 := time.Now()
		res, err := Run(context.Background(), tr, p, platform.Map(slots, tr.NP()), o, Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		t3 := time.Now()
		a, b, c = min(a, t1.Sub(t0)), min(b, t2.Sub(t1)), min(c, t3.Sub(t2))
		if i == 0 {
			h := fnv.New64a()
			for _, r := range res.Ranks {
				fmt.Fprintf(h, "%x ", math.Float64bits(r.Finish))
			}
			fmt.Printf("%.17g actions %d hash %x\n", res.Seconds, res.Actions, h.Sum64())
		}
	}
	fmt.Printf("platform %v read %v replay %v\n", a, b, c)
}
