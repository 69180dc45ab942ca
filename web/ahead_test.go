package web

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"auspex/analyze"
	"auspex/store"
)

// The diagnosis that is kept with a large experiment is the one that is worked out
// without it, and holds for the build and the name it was made for.
func TestADiagnosisIsKeptWithALargeExperiment(t *testing.T) {
	if store.Build() == "" {
		t.Skip("this program does not know which build it is")
	}
	e := syntheticOf("large", 600, 500, 1)
	with, without := store.Open(filepath.Join(t.TempDir(), "with")), store.Open(filepath.Join(t.TempDir(), "without"))
	for s, further := range map[*store.Store]func(*analyze.Dataset) []store.Attachment{with: diagnosedAhead, without: nil} {
		if err := analyze.PutWith(s, e, false, further); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := with.Get("large")
	if err != nil {
		t.Fatal(err)
	}
	data, err := stored.Attachment(aheadName)
	if err != nil {
		t.Fatal(err)
	}
	var answers [2]string
	for i, s := range []*store.Store{with, without} {
		l := serve(t, Config{Store: s})
		status, _, text := l.send("GET", "/api/v1/experiments/large/diagnose", "")
		if status != 200 {
			t.Fatalf("%d %s", status, text)
		}
		answers[i] = text
		if known := l.server.ahead("large"); (known != nil) != (s == with) {
			t.Errorf("known ahead: %v", known != nil)
		}
	}
	if answers[0] != answers[1] {
		t.Errorf("%.500s\nis kept, and worked out it is\n%.500s", answers[0], answers[1])
	}
	// Another build, another name: worked out anew.
	var kept ahead
	if err := json.Unmarshal(data, &kept); err != nil {
		t.Fatal(err)
	}
	for _, other := range []ahead{{"another", "large", kept.Diagnosis}, {kept.Build, "renamed", kept.Diagnosis}, {}} {
		text, err := json.Marshal(other)
		if err != nil {
			t.Fatal(err)
		}
		s := store.Open(filepath.Join(t.TempDir(), "other"))
		if err := s.Put(e, false, store.Attachment{Name: aheadName, Data: bytes.Clone(text)}); err != nil {
			t.Fatal(err)
		}
		if l := serve(t, Config{Store: s}); l.server.ahead("large") != nil {
			t.Errorf("%.60s holds", text)
		}
	}
}
