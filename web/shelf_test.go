package web

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Answers that took long are there for the next server of the same build and
// store, and for no other; others are not kept, and the number is bounded.
func TestAnswersOnTheShelf(t *testing.T) {
	dir := t.TempDir()
	first := newShelf(dir, "a store")
	first.put("quick", []byte("1"), worthShelving/2)
	first.put("slow", []byte("[2]"), worthShelving)
	next := newShelf(dir, "a store")
	if got := next.get("slow"); !bytes.Equal(got, []byte("[2]")) || next.get("quick") != nil || next.get("other") != nil {
		t.Errorf("the next server finds %q and %q", got, next.get("quick"))
	}
	elsewhere := newShelf(dir, "another store")
	built := next
	built.program += " built again"
	if elsewhere.get("slow") != nil || built.get("slow") != nil {
		t.Error("an answer is taken for that of another store or build")
	}
	path, _ := next.file("slow")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if next.get("slow") != nil {
		t.Error("a damaged answer is taken")
	}
	for i := range maxShelved + 10 {
		first.put(fmt.Sprint("n", i), []byte("3"), time.Second)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > maxShelved {
		t.Errorf("%d answers are kept: %v", len(left), err)
	}
	var none shelf
	none.put("slow", []byte("2"), time.Second)
	if none.get("slow") != nil {
		t.Error("a server without a folder keeps answers")
	}
}

// What is on the shelf is the answer; without it the experiment is read.
func TestTheShelfAnswers(t *testing.T) {
	s := testStore(t)
	l := serve(t, Config{Store: s, Loopback: true, Cache: t.TempDir()})
	const path = "/api/v1/experiments/unbalanced"
	e, err := s.Get("unbalanced")
	if err != nil {
		t.Fatal(err)
	}
	l.server.shelf.put(e.ID+" "+path+"?", []byte(`{"words":"as before"}`), time.Second)
	if status, _, text := l.send("GET", path, ""); status != http.StatusOK || text != `{"words":"as before"}` {
		t.Errorf("%d %s", status, text)
	}
	if status, _, text := l.send("GET", path+"?top=3", ""); status != http.StatusOK || text == `{"words":"as before"}` {
		t.Errorf("%d %s", status, text)
	}
}
