package store

import (
	"errors"
	"testing"
)

func TestAttachments(t *testing.T) {
	s := Open(t.TempDir())
	e := small(t, "with")
	if err := s.Put(e, false, Attachment{"cpu.csv", []byte("node,busy\n")}); err != nil {
		t.Fatal(err)
	}
	stored, err := s.Get("with")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := stored.Attachment("cpu.csv"); err != nil || string(data) != "node,busy\n" {
		t.Errorf("%q, %v", data, err)
	}
	for _, name := range []string{"other.csv", "../names/with", "experiment.json.txt", "units.parquet"} {
		if _, err := stored.Attachment(name); !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "experiment.json", "units.parquet", "../x.csv", "a/b.csv"} {
		if err := s.Put(small(t, "bad"), false, Attachment{name, nil}); err == nil {
			t.Errorf("%q was attached", name)
		}
	}
	if _, err := s.Get("bad"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an experiment whose attachment was refused is there: %v", err)
	}
}
