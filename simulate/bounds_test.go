package simulate

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"auspex/trace"
)

// estimate reckons the bounds of a case's folder.
func estimate(t *testing.T, dir string, np int, cfg []string) (*Bounds, error) {
	t.Helper()
	p, hosts, o := placed(t, dir, refCase{NP: np, Cfg: cfg})
	tr, err := trace.Open(context.Background(), filepath.Join(dir, "list.txt"), np)
	if err != nil {
		t.Fatal(err)
	}
	return Estimate(context.Background(), tr, p, hosts, o)
}

// Every replay of the reference lies between the bounds.
func TestBoundsHoldTheReplay(t *testing.T) {
	for _, dir := range cases(t, "dev") {
		c := readCase(t, dir)
		t.Run(c.Name, func(t *testing.T) {
			b, err := estimate(t, dir, c.NP, c.Cfg)
			if err != nil {
				t.Fatal(err)
			}
			seconds := c.Seconds
			if c.Name == unended {
				seconds++
			}
			const slack = 1e-5 // the reference's solver
			if b.Lower > seconds*(1+slack)+1e-9 {
				t.Errorf("at least %v, but the replay takes %v", b.Lower, seconds)
			}
			if b.Upper > 0 && b.Upper < seconds*(1-slack)-1e-9 {
				t.Errorf("at most %v, but the replay takes %v", b.Upper, seconds)
			}
			if b.Lower > b.Upper && b.Upper > 0 {
				t.Errorf("%v to %v", b.Lower, b.Upper)
			}
		})
	}
}

// What large messages take does not count for collectives that send small ones.
func TestBoundsOfSmallCollectives(t *testing.T) {
	p, o := plain(t, "smpi/lat-factor:0:1;1000000:30000", "smpi/bw-factor:0:1;1000000:0.001")
	for _, c := range []struct {
		bytes string
		large bool
	}{{"8", false}, {"400000", false}, {"2000000", true}} {
		text := "init;allreduce " + c.bytes + " 0 6;barrier;finalize"
		tr := traceOf(t, text, text)
		b, err := Estimate(context.Background(), tr, p, []int{0, 1}, o)
		if err != nil {
			t.Fatal(err)
		}
		seconds := secondsOf(t, p, o, text, text)
		if b.Lower > seconds || b.Upper < seconds {
			t.Errorf("%s bytes: the replay takes %v s, the bounds are %v and %v s", c.bytes, seconds, b.Lower, b.Upper)
		}
		if !c.large && b.Upper > 100*seconds {
			t.Errorf("%s bytes: at most %v s, and the replay takes %v s", c.bytes, b.Upper, seconds)
		}
	}
}

// Sleeps shorter than the shortest count as that, many of them too.
func TestBoundsOfShortSleeps(t *testing.T) {
	p, o := plain(t)
	text := "init;" + strings.Repeat("sleep 1e-10;", 1000) + "finalize"
	b, err := Estimate(context.Background(), traceOf(t, text), p, []int{0}, o)
	if err != nil {
		t.Fatal(err)
	}
	if seconds := secondsOf(t, p, o, text); relative(b.Lower, seconds) > 1e-9 || relative(b.Upper, seconds) > 1e-9 {
		t.Errorf("the replay takes %v s, the bounds are %v and %v s", seconds, b.Lower, b.Upper)
	}
}
