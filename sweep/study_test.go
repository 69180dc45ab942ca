package sweep

import (
	"strings"
	"testing"

	"auspex/internal/mistake"
)

func parse(t *testing.T, text string) *Study {
	t.Helper()
	s, err := ParseStudy("study.toml", "/studies", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const gridStudy = `kind = "simulate"
[point]
trace = "t-{np}.txt"
cfg = ["smpi/coll-selector:{selector}", "smpi/os:0"]
[grid]
selector = ["default", "mpich"]
platform = ["b.xml", "a.xml"]
np = {from = 2, to = 16, times = 2}
`

func TestPointsOfAGrid(t *testing.T) {
	s := parse(t, gridStudy)
	if s.Name != "study" || s.Size() != 16 {
		t.Fatalf("%q with %d points", s.Name, s.Size())
	}
	points, err := s.Points()
	if err != nil {
		t.Fatal(err)
	}
	p := points[5] // the last axis runs fastest
	if got := s.Label(&p); got != "selector=default platform=a.xml np=4" {
		t.Errorf("point 5 is %s", got)
	}
	if p.One("trace") != "t-4.txt" || p.Settings["cfg"][0] != "smpi/coll-selector:default" || p.One("np") != "4" {
		t.Errorf("its settings: %v", p.Settings)
	}
}

// TestKeysOutliveTheStudy holds that a point is known again when the study has
// grown, been reordered or moved, and is another when anything it does is.
func TestKeysOutliveTheStudy(t *testing.T) {
	keys := func(text string) map[string]bool {
		points, err := parse(t, text).Points()
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]bool{}
		for _, p := range points {
			all[p.Key] = true
		}
		return all
	}
	before := keys(gridStudy)
	for change, wantKept := range map[string]int{
		strings.Replace(gridStudy, "to = 16", "to = 64", 1):              16,
		strings.Replace(gridStudy, `["b.xml", "a.xml"]`, `["b.xml"]`, 1): 8,
		// a.xml was replayed by what the first platform, b.xml, says of this machine.
		strings.Replace(gridStudy, `["b.xml", "a.xml"]`, `["a.xml"]`, 1): 0,
		strings.Replace(gridStudy, "smpi/os:0", "smpi/os:1", 1):          0,
	} {
		kept := 0
		for key := range keys(change) {
			if before[key] {
				kept++
			}
		}
		if kept != wantKept {
			t.Errorf("%d points are known again, not %d:\n%s", kept, wantKept, change)
		}
	}
}

func TestStudiesThatMakeNoSense(t *testing.T) {
	for text, want := range map[string]string{
		`kind = "guess"`: "write predict, simulate, whatif or run",
		`kind = "simulate"` + "\n[point]\ntrace='t'":                                             "needs platform",
		gridStudy + "[extra]\nx=1":                                                               `unknown key "extra`,
		gridStudy + "colour = [1]":                                                               "grid.colour changes nothing",
		gridStudy + "trace = ['x']":                                                              "stands in point and in grid",
		strings.Replace(gridStudy, "{np}", "{ranks}", 1):                                         "the grid has no ranks",
		strings.Replace(gridStudy, "to = 16", "to = 1", 1):                                       "from a number to a larger one",
		strings.Replace(gridStudy, `"a.xml"]`, `"b.xml"]`, 1):                                    "stands there twice",
		strings.Replace(gridStudy, "from = 2, to = 16, times = 2", "from = 1, to = 99999999", 1): "more than 1000000",
		strings.Replace(gridStudy, "cfg", "cgf", 1):                                              `no setting "cgf"`,
		"kind = ": "not well-formed TOML",
	} {
		_, err := ParseStudy("study.toml", "/", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q\ngives %v, not %q", text, err, want)
			continue
		}
		if place, ok := mistake.Find(err); !ok || place.File != "study.toml" {
			t.Errorf("%v has no place", err)
		}
	}
}

func FuzzParseStudy(f *testing.F) {
	f.Add([]byte(gridStudy))
	f.Add([]byte("kind='run'\n[point]\ncommand='x {seed}'\n[grid]\nseed={from=1,to=9}"))
	f.Add([]byte("kind='predict'\ngrid.np=[1,2]\npoint={platform='p',build='b',run='r {np}'}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ParseStudy("s.toml", "/", data)
		if err != nil || s.Size() > 10_000 {
			return
		}
		points, err := s.Points()
		if err == nil && len(points) != s.Size() {
			t.Errorf("%d points of %d", len(points), s.Size())
		}
	})
}
