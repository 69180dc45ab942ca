package sweep

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"auspex/internal/scratch"
)

// Outcome is what came out of a point.
type Outcome struct {
	Seconds float64 `json:"seconds"` // of the program there
	Low     float64 `json:"low,omitempty"`
	High    float64 `json:"high,omitempty"`
	// Kept names what is in the store about the point, "" for nothing.
	Kept string `json:"kept,omitempty"`
}

// entry is a line of the ledger.
type entry struct {
	Key string `json:"key"`
	Outcome
	Error string    `json:"error,omitempty"`
	Wall  float64   `json:"wall"` // seconds that the point took to do
	Peak  int64     `json:"peak"` // bytes that its process has held at most so far
	By    string    `json:"by"`
	At    time.Time `json:"at"`
}

// Ledger is what came out of the points so far, from the files of all workers.
type Ledger struct {
	dir string

	mu    sync.Mutex
	read  map[string]int64 // by file: how far it was read
	of    map[string]entry // by key: what counts
	times map[string]int   // by key: how often it succeeded
}

// Ledger opens what the folder knows. Refresh reads it.
func (f *Folder) Ledger() *Ledger {
	return &Ledger{dir: filepath.Join(f.Dir, "results"), read: map[string]int64{}, of: map[string]entry{}, times: map[string]int{}}
}

// Refresh reads what was written since the last time.
func (l *Ledger) Refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	files, err := os.ReadDir(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasSuffix(file.Name(), ".jsonl") {
			if err := l.readNew(file.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// readNew reads the whole lines that a file has gained. Half a line is what a
// killed worker left, or will be whole the next time.
func (l *Ledger) readNew(name string) error {
	f, err := os.Open(filepath.Join(l.dir, name)) // afresh: over NFS only that shows what others wrote
	if err != nil {
		return err
	}
	defer f.Close()
	from := l.read[name]
	data, err := io.ReadAll(io.NewSectionReader(f, from, 1<<62))
	if err != nil {
		return err
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	for line := range bytes.Lines(data[:end]) {
		var e entry
		if json.Unmarshal(line, &e) == nil && len(e.Key) == 16 {
			l.add(e)
		}
	}
	l.read[name] = from + int64(end)
	return nil
}

// add counts a line: a success outlasts all failures, and the first success
// all others.
func (l *Ledger) add(e entry) {
	was, known := l.of[e.Key]
	if e.Error == "" {
		l.times[e.Key]++
	}
	switch {
	case !known, was.Error != "" && (e.Error == "" || e.At.After(was.At)), was.Error == "" && e.Error == "" && e.At.Before(was.At):
		l.of[e.Key] = e
	}
}

// find gives what counts for a point.
func (l *Ledger) find(key string) (e entry, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, known = l.of[key]
	return e, known
}

// done tells whether a point needs no more work.
func (l *Ledger) done(key string) bool {
	e, known := l.find(key)
	return known && e.Error == ""
}

// journal is a worker's own file of results.
type journal struct {
	ledger *Ledger
	by     string

	mu     sync.Mutex
	path   string
	file   *os.File
	length int64
	synced time.Time
}

func (f *Folder) journal(l *Ledger, task string) *journal {
	var random [4]byte
	rand.Read(random[:])
	host, _ := os.Hostname()
	name := fmt.Sprintf("%s-%s-%s.jsonl", time.Now().UTC().Format("20060102T150405"), scratch.Self(), hex.EncodeToString(random[:]))
	by := host
	if task != "" {
		by += " task " + task
	}
	return &journal{ledger: l, by: by, path: filepath.Join(f.Dir, "results", name)}
}

// note writes a line, and lasts it at least once a second.
func (j *journal) note(e entry) error {
	e.By, e.At = j.by, time.Now().UTC()
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		if j.file, err = os.OpenFile(j.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o666); err != nil {
			return err
		}
	}
	n, err := j.file.Write(append(line, '\n'))
	j.length += int64(n)
	if err != nil {
		return err
	}
	if time.Since(j.synced) < time.Second {
		return nil
	}
	j.synced = time.Now()
	return j.file.Sync()
}

// sync makes others see what was written before a claim is let go of, and tells
// where it is; "" where nothing was written.
func (j *journal) sync() (name string, length int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return "", 0, nil
	}
	j.synced = time.Now()
	return filepath.Base(j.path), j.length, j.file.Sync()
}

func (j *journal) close() error {
	_, _, err := j.sync()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return err
	}
	return errors.Join(err, j.file.Close())
}
