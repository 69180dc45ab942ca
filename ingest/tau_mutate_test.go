package ingest

import (
	"bytes"
	"context"
	"math/rand"
	"slices"
	"testing"
	"time"

	"auspex/model"
)

// mutated damages a file in a few places: bytes changed, parts lost, repeated
// or moved.
func mutated(r *rand.Rand, content []byte) []byte {
	b := slices.Clone(content)
	for range 1 + r.Intn(6) {
		if len(b) == 0 {
			break
		}
		i, j := r.Intn(len(b)), r.Intn(len(b))
		part := slices.Clone(b[j:min(len(b), j+r.Intn(60))])
		switch r.Intn(4) {
		case 0:
			b[i] = byte(r.Intn(256))
		case 1:
			b = slices.Delete(b, i, min(len(b), i+r.Intn(40)))
		case 2:
			b = slices.Insert(b, i, []byte("99999999999")...)
		case 3:
			b = slices.Insert(b, i, part...)
		}
	}
	return b
}

// Whatever happens to a file, reading it gives an error or a sound experiment,
// and soon. The damage is the same every time.
func TestDamagedTAUAndPprof(t *testing.T) {
	d := tauDataExample()
	for name, test := range map[string]struct {
		content []byte
		read    func([]byte) (*model.Experiment, error)
	}{
		"profile":     {[]byte(tauProfileSample), func(b []byte) (*model.Experiment, error) { return buildTAUText(string(b)) }},
		"packed":      {packTAU(d, 2), buildTAUPacked},
		"packed, old": {packTAU(d, 1), buildTAUPacked},
		"merged":      {[]byte(mergeTAU(d)), func(b []byte) (*model.Experiment, error) { return buildTAUXML(string(b)) }},
		"pprof": {pprofBytes(t, pprofExample()), func(b []byte) (*model.Experiment, error) {
			return parsePprof(context.Background(), bytes.NewReader(b), "x")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewSource(1))
			sound, start := 0, time.Now()
			const tries = 4000
			for range tries {
				content := mutated(r, test.content)
				e, err := test.read(content)
				if err != nil {
					continue
				}
				sound++
				if e.Name = "damaged"; e.Check() != nil {
					t.Fatalf("%v\nof %q", e.Check(), content)
				}
			}
			if sound == 0 || sound == tries {
				t.Errorf("%d of %d damaged files are read: the damage does not test anything", sound, tries)
			}
			t.Logf("%d of %d read, %v each", sound, tries, time.Since(start)/tries)
		})
	}
}
