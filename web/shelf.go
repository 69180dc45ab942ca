package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// shelf keeps answers that took long in a folder, so that a large experiment is
// looked at once and not whenever a server starts. An answer holds for the program
// that gave it: another build asks anew. What cannot be read or written is as if
// it were not there.
type shelf struct {
	dir     string // "" keeps nothing
	program string // which build answered, and of which store
}

// The answers that are kept: those that took this long, and so many of them.
const (
	worthShelving  = 300 * time.Millisecond
	maxShelved     = 400
	maxShelvedSize = 8 << 20
)

func newShelf(dir, store string) shelf {
	s := shelf{dir: dir}
	if dir == "" {
		return s
	}
	self, err := os.Executable()
	if err == nil {
		var info os.FileInfo
		if info, err = os.Stat(self); err == nil {
			s.program = fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano(), " ", store)
		}
	}
	if err != nil || os.MkdirAll(dir, 0o700) != nil {
		s.dir = ""
	}
	return s
}

func (s *shelf) file(key string) (path string, head []byte) {
	head = []byte(s.program + " " + key + "\n")
	sum := sha256.Sum256(head)
	return filepath.Join(s.dir, hex.EncodeToString(sum[:16])+".json"), head
}

// get finds an answer; nil where there is none.
func (s *shelf) get(key string) []byte {
	if s.dir == "" {
		return nil
	}
	path, head := s.file(key)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	body, ok := bytes.CutPrefix(data, head)
	if !ok {
		return nil
	}
	return body
}

// put keeps an answer that took so long, and forgets the oldest.
func (s *shelf) put(key string, body []byte, took time.Duration) {
	if s.dir == "" || took < worthShelving || len(body) > maxShelvedSize {
		return
	}
	path, head := s.file(key)
	draft, err := os.CreateTemp(s.dir, "draft-*") // 0600: answers are the reader's own
	if err != nil {
		return
	}
	_, err = draft.Write(append(head, body...))
	if err := cmp.Or(err, draft.Close()); err != nil || os.Rename(draft.Name(), path) != nil {
		os.Remove(draft.Name())
		return
	}
	s.forget()
}

// forget removes the oldest answers where there are too many.
func (s *shelf) forget() {
	entries, err := os.ReadDir(s.dir)
	if err != nil || len(entries) <= maxShelved {
		return
	}
	age := func(e os.DirEntry) time.Time {
		info, err := e.Info()
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return age(a).Compare(age(b)) })
	for _, e := range entries[:len(entries)-maxShelved] {
		os.Remove(filepath.Join(s.dir, e.Name()))
	}
}

// manyValues is from how many values on an experiment is looked at ahead.
const manyValues = 5_000_000

// prepare asks what the page will ask of a large experiment that a list shows, one
// question after the other, so that the answers are there when it is opened.
func (s *Server) prepare(name string) {
	if s.shelf.dir == "" {
		return
	}
	go func() {
		for _, part := range []string{"", "/rules", "/classify", "/diagnose"} {
			request, err := http.NewRequest(http.MethodGet, address("/experiments/"+escapeSegment(name)+part, nil), nil)
			if err != nil {
				return
			}
			s.api.ServeHTTP(&recorder{}, request)
		}
	}()
}
