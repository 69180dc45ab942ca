package simulate

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/platform"
	"auspex/trace"
)

// Platforms that change, and peers, against SimGrid's seconds.
func TestChangingPlatforms(t *testing.T) {
	for _, dir := range cases(t, "vary") {
		c := readCase(t, dir)
		t.Run(c.Name, func(t *testing.T) {
			r, err := replay(dir, c.NP, c.Cfg, Hooks{})
			if err != nil {
				t.Fatal(err)
			}
			for rank, want := range c.Finish {
				if got := r.Ranks[rank].Finish; math.Abs(got-want) > 1e-4*want {
					t.Errorf("rank %d ends at %.9f s, not at %.9f", rank, got, want)
				}
			}
		})
	}
}

// changing replays two ranks on hosts a and b, joined by link l, with profiles as
// files. The network is plain: 1 ms, 10 MB/s, nothing scaled, so that a message of
// z bytes alone takes 1 ms + (z + 16)/10 MB/s.
func changing(t *testing.T, host, link, rest string, files map[string]string, traces ...string) (*Result, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprintf(`<platform version="4.1"><zone id="w" routing="Full"><host id="a" speed="1Gf" %s/><host id="b" speed="1Gf"/><link id="l" bandwidth="10MBps" latency="1ms" %s/>%s<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>`, host, link, rest)
	p, err := platform.Read(filepath.Join(dir, "p.xml"), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "trace.txt")
	if err := os.WriteFile(file, []byte(strings.Join(traces, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Open(context.Background(), file, 2)
	if err != nil {
		t.Fatal(err)
	}
	o := Defaults()
	for _, kv := range [][2]string{{"network/model", "CM02"}, {"network/crosstraffic", "no"}, {"network/TCP-gamma", "1e12"}} {
		if err := o.Set(kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	return Run(context.Background(), tr, p, []int{0, 1}, o, Hooks{})
}

func TestChangesByHand(t *testing.T) {
	const compute = "0 compute 1e9\n1 init"
	message := "0 send 1 0 999984 6\n1 recv 0 0 999984 6" // a million bytes with the envelope: 0.1 s
	for _, c := range []struct {
		name, host, link, rest string
		files                  map[string]string
		trace                  string
		want                   float64
	}{
		// Half a second at 1 Gf, the other half of the work at half the speed.
		{"a slower host", `speed_file="s"`, "", "", map[string]string{"s": "0 1\n0.5 0.5\n"}, compute, 1.5},
		// 0.2 s at 1 and 0.8 s at 0 over and over: 1e9 flops need five turns; the
		// fifth begins at 4 s and ends 0.2 s later.
		{"a host that pauses", `speed_file="s"`, "", "", map[string]string{"s": "0 1\n0.2 0\nLOOPAFTER 0.8\n"}, compute, 4.2},
		// As long as no line has come the host has its own speed.
		{"the first date is not 0", `speed_file="s"`, "", "", map[string]string{"s": "0.25 0.25\n"}, compute, 0.25 + 0.75/0.25},
		// Off until 2 s, then the whole second.
		{"a pause at the beginning", `speed_file="s"`, "", "", map[string]string{"s": "0 0\n2 1\n"}, compute, 3},
		// 1 ms, then 49 ms at 10 MB/s, and 0.51e6 bytes at 1 MB/s.
		{"a narrower link", "", `bandwidth_file="b"`, "", map[string]string{"b": "0.05 1e6\n"}, message, 0.05 + 0.51},
		// A flow is never faster than the link was when it was started.
		{"a wider link", "", `bandwidth_file="b"`, "", map[string]string{"b": "0.05 1e8\n"}, message, 0.101},
		// But the next one is.
		{"a wider link for the next message", "", `bandwidth_file="b"`, "", map[string]string{"b": "0.05 1e8\n"},
			message + "\n0 send 1 1 999984 6\n1 recv 0 1 999984 6", 0.101 + 0.001 + 0.01},
		// The latency that a message pays is that of its start.
		{"a longer way", "", `latency_file="l"`, "", map[string]string{"l": "0.05 0.5\n"}, message, 0.101},
		{"a longer way from the start", "", `latency_file="l"`, "", map[string]string{"l": "0 0.5\n"}, message, 0.6},
		// The same profile, inside the platform file.
		{"trace and trace_connect", "", "", `<trace id="t" periodicity="0">0.05 1e6</trace><trace_connect trace="t" element="l" kind="BANDWIDTH"/>`, nil, message, 0.56},
		// A link that is off while nobody uses it harms nobody.
		{"a link off and on", "", `state_file="s"`, "", map[string]string{"s": "0.2 0\n0.3 1\n"}, message + "\n0 sleep 1\n1 sleep 1\n0 send 1 1 999984 6\n1 recv 0 1 999984 6", 1.202},
		// Of two lines of one date the last holds.
		{"two speeds at once", `speed_file="s"`, "", "", map[string]string{"s": "0 1\n0.5 0.1\n0.5 0.5\n"}, compute, 1.5},
		{"two speeds at the start", `speed_file="s"`, "", "", map[string]string{"s": "0 0.1\n0 0.5\n"}, compute, 2},
		// The last line's value holds for no time: turns of half a second at half the speed.
		{"anew at once", `speed_file="s"`, "", "", map[string]string{"s": "0 0.5\n0.5 1\nLOOPAFTER 0\n"}, compute, 2},
		// 0.4 s at 1, then 0.6 s at 0.5: 0.7e9 flops in the first second, the rest at 1.
		{"a period", `speed_file="s"`, "", "", map[string]string{"s": "PERIODICITY 1\n0 1\n0.4 0.5\n"}, compute, 1.3},
		{"a speed above 1", `speed_file="s"`, "", "", map[string]string{"s": "0 4\n"}, compute, 0.25},
		{"the older name", `availability_file="s"`, "", "", map[string]string{"s": "0 0.5\n"}, compute, 2},
		{"no latency from the start", "", `latency_file="l"`, "", map[string]string{"l": "0 0\n"}, message, 0.1},
		// 49 ms at 10 MB/s, 0.1 s at 1 MB/s, then 0.41e6 bytes at 10 MB/s again.
		{"a link that is narrow for a while", "", `bandwidth_file="b"`, "", map[string]string{"b": "0.05 1e6\n0.15 1e7\n"}, message, 0.191},
		// 1 ms, 9 ms at 10 MB/s (90 kB), six times 10 ms at 5 and 10 at 10 (900 kB), 10 kB at 5.
		{"a link that goes up and down", "", `bandwidth_file="b"`, "", map[string]string{"b": "0 1e7\n0.01 5e6\nLOOPAFTER 0.01\n"}, message, 0.132},
		{"a trace by kind SPEED", "", "", `<trace id="t" periodicity="0">0 0.5</trace><trace_connect trace="t" element="a" kind="SPEED"/>`, nil, compute, 2},
		{"a trace by kind LATENCY", "", "", `<trace id="t" periodicity="0">0 0.5</trace><trace_connect trace="t" element="l" kind="LATENCY"/>`, nil, message, 0.6},
		{"a trace that starts anew", "", "", `<trace id="t" periodicity="1">0 1&#10;0.4 0.5</trace><trace_connect trace="t" element="a" kind="SPEED"/>`, nil, compute, 1.3},
		{"a host that is on", `state_file="s"`, "", "", map[string]string{"s": "0 1\n0.5 1\n"}, compute, 1},
		// A host that goes off after its rank has ended.
		{"a host off at the end", `state_file="s"`, "", "", map[string]string{"s": "1.5 0\n"}, compute + "\n1 compute 2e9", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := changing(t, c.host, c.link, c.rest, c.files, c.trace)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(r.Seconds-c.want) > 1e-9 {
				t.Errorf("it takes %.9f s, not %.9f", r.Seconds, c.want)
			}
		})
	}
}

// What fails under a program ends the replay with a word, and nothing hangs.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name, host, link string
		files            map[string]string
		trace, want      string
	}{
		{"a host", `state_file="s"`, "", map[string]string{"s": "0.5 0\n"}, "0 compute 1e9\n1 init", "host a goes off at 0.5 s, and rank 0"},
		{"a link under a message", "", `state_file="s"`, map[string]string{"s": "0.05 0\n"}, "0 send 1 0 999984 6\n1 recv 0 0 999984 6", "link l is off at 50 ms, and a message from rank 0 to rank 1"},
		{"a host from the start", `state_file="s"`, "", map[string]string{"s": "0 0\n9 1\n"}, "0 compute 1e9\n1 init", "host a goes off at 0 s, and rank 0"},
		{"a host off and on at once", `state_file="s"`, "", map[string]string{"s": "0.5 0\n0.5 1\n"}, "0 compute 1e9\n1 init", "host a goes off at 0.5 s, and rank 0"},
		{"a link that comes back under a message", "", `state_file="s"`, map[string]string{"s": "0.05 0\n0.06 1\n"}, "0 send 1 0 999984 6\n1 recv 0 0 999984 6", "link l is off at 50 ms, and a message from rank 0 to rank 1"},
		{"a link in a message's latency", "", `state_file="s"`, map[string]string{"s": "0.0005 0\n"}, "0 send 1 0 999984 6\n1 recv 0 0 999984 6", "link l is off at 0.5 ms, and a message from rank 0 to rank 1"},
		{"a link before a message", "", `state_file="s"`, map[string]string{"s": "0 0\n"}, "0 sleep 1\n0 send 1 0 9 6\n1 recv 0 0 9 6", "link l is off at 1 s"},
		{"a host that never runs again", `speed_file="s"`, "", map[string]string{"s": "0 1\n0.1 0\n"}, "0 compute 1e9\n1 init", ""},
		{"a host that stands still for ever", `speed_file="s"`, "", map[string]string{"s": "0 0\nLOOPAFTER 1\n"}, "0 compute 1e9\n1 init", "nothing moves"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := changing(t, c.host, c.link, "", c.files, c.trace)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// A profile that goes round and round beside something that takes for ever is given up,
// and one beside something long is not.
func TestRoundsWithoutEnd(t *testing.T) {
	round := map[string]string{"s.txt": "0 1\n1e-4 0.5\nLOOPAFTER 1e-4\n"}
	for _, c := range []struct {
		flops string
		ends  bool
	}{{"1e10", true}, {"1e16", false}} {
		r, err := changing(t, `speed_file="s.txt"`, "", "", round, "0 compute 1e6", "1 compute "+c.flops)
		if c.ends != (err == nil) || err != nil && !strings.Contains(err.Error(), "nothing happened in the program") {
			t.Errorf("%s flop: %v, %v", c.flops, r, err)
		}
	}
}
