package tau

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// multi begins the names of the directories TAU makes when it measures
// several metrics: one directory a metric, in each a file a thread.
const multi = "MULTI__"

func isDir(dir string, entries []os.DirEntry) bool {
	for _, e := range entries {
		if _, ok := fileID(e.Name()); ok && e.Type().IsRegular() {
			return true
		}
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), multi) {
			files, err := os.ReadDir(filepath.Join(dir, e.Name()))
			if err == nil && slices.ContainsFunc(files, func(f os.DirEntry) bool {
				_, ok := fileID(f.Name())
				return ok
			}) {
				return true
			}
		}
	}
	return false
}

func isFile(name string, head []byte) bool {
	first, _, _ := bytes.Cut(head, []byte("\n"))
	_, _, ok := parseHeader(first)
	return ok
}

// fileID reads rank, context and thread from a name profile.n.c.t.
func fileID(name string) (id tauID, ok bool) {
	fields := strings.Split(strings.TrimSuffix(name, ".gz"), ".")
	if len(fields) != 4 || fields[0] != "profile" {
		return tauID{}, false
	}
	var numbers [3]int
	for i, f := range fields[1:] {
		n, err := strconv.ParseInt(f, 10, 32)
		if err != nil || n < 0 || input.Digits(f) != len(f) {
			return tauID{}, false
		}
		numbers[i] = int(n)
	}
	return tauID{numbers[0], numbers[1], numbers[2]}, true
}

// job is one profile file to read.
type job struct {
	path string
	dir  int // metric directories are numbered in their order
	id   tauID
}

func read(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	jobs, dirs, err := listFiles(src)
	if err != nil {
		return nil, err
	}
	files, err := readFiles(ctx, src, jobs)
	if err != nil {
		return nil, err
	}
	return joinFiles(jobs, dirs, files).build(ctx, src)
}

// listFiles finds the profile files of a source, ordered by directory and
// thread, and the names of the metric directories ("" for the source itself).
func listFiles(src *input.Source) (jobs []job, dirs []string, err error) {
	info, err := os.Stat(src.Path)
	if err != nil {
		return nil, nil, mistake.InFile(src.Given, "cannot be opened: %v", err)
	}
	if !info.IsDir() {
		id, _ := fileID(filepath.Base(src.Path))
		return []job{{path: src.Path, id: id}}, []string{""}, nil
	}
	entries, err := os.ReadDir(src.Path)
	if err != nil {
		return nil, nil, mistake.InFile(src.Given, "cannot be read: %v", err)
	}
	add := func(dir string, entries []os.DirEntry) {
		first := len(jobs)
		for _, e := range entries {
			if id, ok := fileID(e.Name()); ok && e.Type().IsRegular() {
				jobs = append(jobs, job{filepath.Join(src.Path, dir, e.Name()), len(dirs), id})
			}
		}
		if len(jobs) == first {
			return
		}
		dirs = append(dirs, dir)
		slices.SortStableFunc(jobs[first:], func(a, b job) int { return a.id.compare(b.id) })
		// A file and its compressed copy are one.
		jobs = append(jobs[:first], slices.CompactFunc(jobs[first:], func(a, b job) bool { return a.id == b.id })...)
	}
	add("", entries)
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), multi) {
			continue
		}
		files, err := os.ReadDir(filepath.Join(src.Path, e.Name()))
		if err != nil {
			return nil, nil, mistake.InFile(src.GivenFor(filepath.Join(src.Path, e.Name())), "cannot be read: %v", err)
		}
		add(e.Name(), files)
	}
	if len(jobs) == 0 {
		return nil, nil, mistake.InFile(src.Given, "no profile.n.c.t files here")
	}
	return jobs, dirs, nil
}
