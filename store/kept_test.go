package store

import (
	"errors"
	"os"
	"reflect"
	"testing"

	"auspex/replay"
)

func TestVocabulariesAreKept(t *testing.T) {
	s := Open(t.TempDir())
	if names, err := s.Vocabularies(); err != nil || len(names) > 0 {
		t.Errorf("an empty store has %q, %v", names, err)
	}
	for _, name := range []string{"b", "a/../c", ".hidden"} {
		if err := s.PutVocabulary(name, []byte(name), false); err != nil {
			t.Error(err)
		}
	}
	if err := s.PutVocabulary("b", []byte("new"), false); !errors.Is(err, ErrExists) {
		t.Errorf("a name that is there: %v", err)
	}
	if err := s.PutVocabulary("b", []byte("new"), true); err != nil {
		t.Error(err)
	}
	names, err := s.Vocabularies()
	if want := []string{".hidden", "a/../c", "b"}; err != nil || !reflect.DeepEqual(names, want) {
		t.Errorf("%q, %v", names, err)
	}
	for name, want := range map[string]string{"b": "new\n", "a/../c": "a/../c\n", ".hidden": ".hidden\n"} {
		if data, err := s.Vocabulary(name); err != nil || string(data) != want {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
	}
	if _, err := s.Vocabulary("none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("one that is not there: %v", err)
	}
	if entries, err := os.ReadDir(s.Dir()); err != nil || len(entries) != 2 { // and claims
		t.Errorf("files outside: %v, %v", entries, err)
	}
}

func TestSimulationsAreKept(t *testing.T) {
	s := Open(t.TempDir())
	put := func(t *replay.Spans, replace bool) error {
		return s.PutSimulation(&replay.Record{Name: "x", SimulatedSeconds: 1.5, Timeline: t}, replace)
	}
	spans := &replay.Spans{Rank: []int32{0, 0, 1}, Part: []int32{0, 4, 0}, Begin: []float64{0, 1, 0}, End: []float64{1, 2, 2}}
	if err := put(spans, false); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Timeline("x"); err != nil || !reflect.DeepEqual(got, spans) {
		t.Errorf("the timeline is %v, %v", got, err)
	}
	if err := put(nil, false); !errors.Is(err, ErrExists) {
		t.Errorf("a name that is there: %v", err)
	}
	if err := put(nil, true); err != nil {
		t.Error(err)
	}
	if got, err := s.Timeline("x"); err != nil || len(got.Rank) > 0 {
		t.Errorf("without a timeline there is %v, %v", got, err)
	}
	if got, err := s.Simulation("x"); err != nil || got.SimulatedSeconds != 1.5 {
		t.Errorf("it says %v, %v", got, err)
	}
	// What was written out of order is no timeline.
	spans.Rank[0] = 7
	if err := put(spans, true); err != nil {
		t.Error(err)
	}
	if _, err := s.Timeline("x"); err == nil {
		t.Error("ranks out of order were read")
	}
	if err := s.RemoveSimulation("x"); err != nil {
		t.Error(err)
	}
	if _, err := s.Simulation("x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("after it was removed: %v", err)
	}
	if err := s.RemoveSimulation("x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
}

func TestSamplesAreRead(t *testing.T) {
	for text, ok := range map[string]bool{
		"node,seconds,busy\nn0,0.1,0.5\nn1,0.2,1\n": true,
		"node,seconds,busy\n":                       true,
		"":                                          false,
		"node,seconds,busy\nn0,0.1\n":               false,
		"node,seconds,busy\nn0,soon,1\n":            false,
	} {
		s := Open(t.TempDir())
		e := small(t, "sampled")
		if err := s.Put(e, false, Attachment{Name: samplesFile, Data: []byte(text)}); err != nil {
			t.Fatal(err)
		}
		got, err := s.Get("sampled")
		if err != nil {
			t.Fatal(err)
		}
		samples, err := got.Samples()
		if ok != (err == nil) {
			t.Errorf("%q: %v, %v", text, samples, err)
		}
		if len(samples) == 2 && samples[1] != (Sample{"n1", 0.2, 1}) {
			t.Errorf("%v", samples)
		}
	}
}
