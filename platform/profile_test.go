package platform

import (
	"strings"
	"testing"
)

func TestProfileEvents(t *testing.T) {
	p, err := ReadProfile("f", strings.NewReader("# speed\n1 0.5\n3 1\nLOOPAFTER 2\n"), HostSpeed)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []Moment{{1, 0.5}, {3, 1}, {6, 0.5}, {8, 1}, {11, 0.5}} {
		if got, ok := p.Event(n); !ok || got != want {
			t.Errorf("change %d is %v, not %v", n, got, want)
		}
	}
	// The same by the time from one start to the next.
	period, err := ReadProfile("f", strings.NewReader("PERIODICITY 5\n1 0.5 # half\n3 1 % whole\n"), HostSpeed)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 6 {
		a, _ := p.Event(n)
		if b, ok := period.Event(n); !ok || a != b {
			t.Errorf("change %d is %v, not %v", n, b, a)
		}
	}
	once, err := ReadProfile("f", strings.NewReader("0 1"), HostSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := once.Event(1); ok {
		t.Error("a profile that does not repeat goes on")
	}
}

func TestBadProfiles(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		of               Quantity
	}{
		{"nothing", "\n# nothing\n", "no date", HostSpeed},
		{"a date that goes back", "1 1\n0.5 1\n", "f:2:", HostSpeed},
		{"a date below 0", "-1 1\n", "f:1:", HostSpeed},
		{"no number", "0 fast\n", "f:1:", HostSpeed},
		{"a negative bandwidth", "0 -5\n", "f:1:", LinkBandwidth},
		{"no bandwidth", "0 0\n", "state_file", LinkBandwidth},
		{"a third word", "0 1 2\n", "f:1:", HostSpeed},
		{"over and over at once", "0 1\nLOOPAFTER 0\n", "no time", HostSpeed},
		{"infinity", "inf 1\n", "f:1:", HostSpeed},
		{"a period before the last date", "0 1\n2 0.5\nPERIODICITY 1\n", "before its last date", HostSpeed},
		{"a period and a pause", "0 1\nLOOPAFTER 1\nPERIODICITY 3\n", "both", HostSpeed},
		{"a period that is no number", "0 1\nPERIODICITY often\n", "f:2:", HostSpeed},
		{"values by chance", "STOCHASTIC\nDET 0 UNIF 0 1\n", "by chance", HostSpeed},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := ReadProfile("f", strings.NewReader(c.text), c.of); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// A trace that is connected twice by one kind changes the first element only, as
// in SimGrid, and the file's reader is told.
func TestTraceConnectedTwice(t *testing.T) {
	p, err := Read("p.xml", strings.NewReader(`<platform version="4.1"><zone id="w" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><link id="l" bandwidth="1MBps"/><route src="a" dst="b"><link_ctn id="l"/></route><trace id="t" periodicity="4">
1 0.5
3 1
</trace><trace_connect trace="t" element="b" kind="SPEED"/><trace_connect trace="t" element="a" kind="SPEED"/></zone></platform>`))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Changes) != 1 || p.Changes[0].Index != 1 || p.Changes[0].Profile.Again != 1 {
		t.Errorf("the changes are %+v", p.Changes)
	}
	if w := strings.Join(Describe(p).Warnings, "\n"); !strings.Contains(w, `no effect on "a"`) {
		t.Errorf("the warnings are %q", w)
	}
}

// The short form says the same as XML.
func TestPeersInTOML(t *testing.T) {
	short, err := Read("p.toml", strings.NewReader("[[peer]]\nname = \"a\"\nspeed = \"1Gf\"\nin = \"5MBps\"\nout = \"1MBps\"\ncoordinates = [3, 4, 1]\n[[peer]]\nname = \"b\"\nspeed = \"2Gf\"\nin = \"2MBps\"\nout = \"3MBps\"\ncoordinates = [0, 0, 2]\n"))
	if err != nil {
		t.Fatal(err)
	}
	long, err := Read("p.xml", strings.NewReader(`<platform version="4.1"><zone id="w" routing="Vivaldi"><peer id="a" speed="1Gf" bw_in="5MBps" bw_out="1MBps" coordinates="3 4 1"/><peer id="b" speed="2Gf" bw_in="2MBps" bw_out="3MBps" coordinates="0 0 2"/></zone></platform>`))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*Platform{short, long} {
		r, err := p.Route(0, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		// 5 in the plane and the heights 1 and 2, in ms; out of a, into b.
		if r.Latency != 0.008 || p.Links[r.Links[0]].Bandwidth != 1e6 || p.Links[r.Links[1]].Bandwidth != 2e6 {
			t.Errorf("%v over %v and %v", r.Latency, p.Links[r.Links[0]], p.Links[r.Links[1]])
		}
	}
}

func FuzzProfile(f *testing.F) {
	f.Add("0 1\n0.5 0.5\nLOOPAFTER 2\n", 0)
	f.Add("0 1e6\n", 2)
	f.Fuzz(func(t *testing.T, text string, of int) {
		p, err := ReadProfile("f", strings.NewReader(text), Quantity(of&7))
		if err != nil {
			return
		}
		last := 0.0
		for n := range 10 {
			m, ok := p.Event(n)
			if !ok {
				break
			}
			if m.At < last || m.Value < 0 {
				t.Fatalf("change %d at %g after %g, to %g", n, m.At, last, m.Value)
			}
			last = m.At
		}
	})
}
