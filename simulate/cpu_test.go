package simulate

import (
	"context"
	"strings"
	"testing"

	"auspex/platform"
)

// Four hosts on two cores: the first and the third take turns, and one has the core
// to itself while the other waits.
func TestHostsThatShareCores(t *testing.T) {
	p, err := platform.Read("four.toml", strings.NewReader("[[cluster]]\nname = \"h\"\nnodes = 4\nspeed = \"1Gf\"\nbandwidth = \"100MBps\"\nlatency = \"5us\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	take := func(cores string, ranks ...string) float64 {
		t.Helper()
		o := Defaults()
		if err := o.Set("auspex/cores", cores); err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), traceOf(t, ranks...), p, []int{0, 1, 2, 3}, o, Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Seconds
	}
	const idle, second = "init;finalize", "init;compute 1000000000;finalize"
	takes(t, "a core each", take("0", second, second, second, second), 1)
	takes(t, "more cores than hosts", take("8", second, second, second, second), 1)
	takes(t, "two on each core", take("2", second, second, second, second), 2)
	takes(t, "all on one core", take("1", second, second, second, second), 4)
	takes(t, "hosts of different cores", take("2", second, second, idle, idle), 1)
	takes(t, "hosts of one core", take("2", second, idle, second, idle), 2)
	half := "init;compute 500000000;finalize"
	takes(t, "alone at the end", take("2", second, idle, half, idle), 1.5)
	if o := Defaults(); o.Set("auspex/cores", "-1") == nil || o.Set("auspex/cores", "two") == nil {
		t.Error("no number of cores is taken for one")
	}
}
