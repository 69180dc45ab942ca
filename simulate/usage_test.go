package simulate

import (
	"context"
	"math"
	"strings"
	"testing"

	"auspex/platform"
)

// used is the part of a link's bandwidth that a replay of two messages of 0.01 s says
// was in use: both of 999,984 bytes and an envelope, at 100 MB/s.
func used(t *testing.T, link string, set ...string) (float64, *Result) {
	t.Helper()
	p, err := platform.Read("pair.xml", strings.NewReader(`<platform version="4.1"><zone id="w" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><link id="l" bandwidth="100MBps" latency="0" `+link+`/>
<route src="a" dst="b"><link_ctn id="l"/></route></zone></platform>`))
	if err != nil {
		t.Fatal(err)
	}
	_, o := plain(t, set...)
	res, err := Run(context.Background(), traceOf(t,
		"isend 1 0 999984 6; isend 1 1 999984 6; waitall; sleep 0.02; init; finalize",
		"irecv 0 0 999984 6; irecv 0 1 999984 6; waitall; sleep 0.02; init; finalize"), p, []int{0, 1}, o, Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Links) != 1 || res.Links[0].Bytes != 2e6 {
		t.Fatalf("carried: %+v", res.Links)
	}
	return res.Links[0].Utilisation, res
}

// A part of a whole is a part: what a FATPIPE link carries, a bucket passes at once,
// messages faster than the link carry and a link that became wider does is not more than
// what it could.
func TestUtilisationIsAPart(t *testing.T) {
	for _, c := range []struct {
		name, link string
		set        []string
		want       float64
	}{
		{"shared", "", nil, 0.5}, // 0.02 s of 0.04 s
		{"each message has all of it", `sharing_policy="FATPIPE"`, nil, 1.0 / 3}, // 0.01 s of 0.03 s
		{"a bucket", "", []string{"auspex/burst:18e6"}, 2e6 / (2e6 + 18e6)},      // at once, then 0.02 s
		{"messages thrice as fast", "", []string{"smpi/bw-factor:0:3"}, 0.25},    // 0.0067 s of 0.0267 s
	} {
		got, res := used(t, c.link, c.set...)
		if math.Abs(got-c.want) > 1e-3 {
			t.Errorf("%s: %.4f in use, not %.4f (%.4f s)", c.name, got, c.want, res.Seconds)
		}
	}
}

// A link that becomes wider could have carried more from then on: 0.049 s at 10 MB/s of
// the first message, 0.052 s more of it, which is never faster than it was when it was
// started, and 0.01 s of the next at 100 MB/s.
func TestUtilisationOfAWiderLink(t *testing.T) {
	r, err := changing(t, "", `bandwidth_file="b"`, "", map[string]string{"b": "0.05 1e8\n"},
		"0 send 1 0 999984 6\n1 recv 0 0 999984 6\n0 send 1 1 999984 6\n1 recv 0 1 999984 6")
	if err != nil {
		t.Fatal(err)
	}
	could := 0.05*1e7 + (r.Seconds-0.05)*1e8
	if got := r.Links[0].Utilisation; math.Abs(got-2e6/could) > 1e-9 {
		t.Errorf("%.4f in use, not %.4f", got, 2e6/could)
	}
}
