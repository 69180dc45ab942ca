package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"auspex/internal/scratch"
)

func TestPredictions(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "store"))
	if names, err := s.Predictions(); err != nil || len(names) != 0 {
		t.Fatalf("%v, %v", names, err)
	}
	put := func(name, body string, replace bool) error {
		return s.PutPrediction(&Prediction{Name: name, Created: time.Unix(1e9, 0).UTC(), Body: json.RawMessage(body)}, replace)
	}
	for _, name := range []string{"is", "a/b .x", ".hidden"} {
		if err := put(name, `{"n":1}`, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := put("is", `{"n":2}`, false); !errors.Is(err, ErrExists) {
		t.Errorf("taken: %v", err)
	}
	if err := put("is", `{"n":3}`, true); err != nil {
		t.Error(err)
	}
	if err := put("", `{}`, false); err == nil {
		t.Error("a prediction without a name")
	}
	names, err := s.Predictions()
	if slices.Sort(names); err != nil || !slices.Equal(names, []string{".hidden", "a/b .x", "is"}) {
		t.Errorf("%q, %v", names, err)
	}
	p, err := s.Prediction("is")
	var body struct{ N int }
	if err != nil || json.Unmarshal(p.Body, &body) != nil || body.N != 3 || !p.Created.Equal(time.Unix(1e9, 0)) {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := s.Prediction("none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
	if err := s.RemovePrediction("is"); err != nil {
		t.Error(err)
	}
	if err := s.RemovePrediction("is"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// What a process that died left half written is collected, the rest is not.
func TestCollectHalfWritten(t *testing.T) {
	s := Open(t.TempDir())
	if err := s.PutPrediction(&Prediction{Name: "kept", Body: json.RawMessage("{}")}, false); err != nil {
		t.Fatal(err)
	}
	var dead []string
	for _, dir := range []string{"predictions", "simulations", "vocabularies", "claims"} {
		file := filepath.Join(s.Dir(), dir, ".tmp-999999999-"+hostname()+"-20261116T112000-0123456789ab")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte("{"), 0o666)); err != nil {
			t.Fatal(err)
		}
		dead = append(dead, file)
	}
	removed, err := s.Collect()
	if err != nil || !slices.Equal(removed, dead) {
		t.Errorf("%q, %v", removed, err)
	}
	if names, _ := s.Predictions(); !slices.Equal(names, []string{"kept"}) {
		t.Errorf("%q", names)
	}
}

// A temporary name of a host whose name begins with this one's is not ours.
func TestOtherHostsAreLeftInPeace(t *testing.T) {
	const id = "20261116T112000-0123456789ab"
	for name, want := range map[string]bool{
		".tmp-999999999-" + hostname() + "-" + id:                 false,
		".tmp-999999999-" + hostname() + "-ib0-" + id:             true,
		".tmp-999999999-x-" + hostname() + "-" + id:               true,
		".tmp-" + scratch.Self() + "-" + id:                       true,
		".tmp-999999999.1.01234567-" + id:                         true,
		fmt.Sprintf(".tmp-%d-%s-%s", os.Getpid(), hostname(), id): true,
	} {
		if got := writerAlive(name, time.Hour); got != want {
			t.Errorf("%s: alive %v", name, got)
		}
	}
	if writerAlive(".tmp-999999999-"+hostname()+"-ib0-"+id, 48*time.Hour) {
		t.Error("after two days it still counts as being written")
	}
}
