package ingest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"auspex/model"
)

// tauMulti begins the names of the directories TAU makes when it measures
// several metrics: one directory a metric, in each a file a thread.
const tauMulti = "MULTI__"

func isTAUDir(dir string, entries []os.DirEntry) bool {
	for _, e := range entries {
		if _, ok := tauFileID(e.Name()); ok && e.Type().IsRegular() {
			return true
		}
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), tauMulti) {
			files, err := os.ReadDir(filepath.Join(dir, e.Name()))
			if err == nil && slices.ContainsFunc(files, func(f os.DirEntry) bool {
				_, ok := tauFileID(f.Name())
				return ok
			}) {
				return true
			}
		}
	}
	return false
}

func isTAUFile(name string, head []byte) bool {
	first, _, _ := bytes.Cut(head, []byte("\n"))
	_, _, ok := parseTAUHeader(first)
	return ok
}

// tauFileID reads rank, context and thread from a name profile.n.c.t.
func tauFileID(name string) (id tauID, ok bool) {
	fields := strings.Split(strings.TrimSuffix(name, ".gz"), ".")
	if len(fields) != 4 || fields[0] != "profile" {
		return tauID{}, false
	}
	var numbers [3]int
	for i, f := range fields[1:] {
		n, err := strconv.ParseInt(f, 10, 32)
		if err != nil || n < 0 || digits(f) != len(f) {
			return tauID{}, false
		}
		numbers[i] = int(n)
	}
	return tauID{numbers[0], numbers[1], numbers[2]}, true
}

// tauJob is one profile file to read.
type tauJob struct {
	path string
	dir  int // metric directories are numbered in their order
	id   tauID
}

func readTAU(ctx context.Context, src *Source) (*model.Experiment, error) {
	jobs, dirs, err := listTAUFiles(src)
	if err != nil {
		return nil, err
	}
	files, err := readTAUFiles(ctx, src, jobs)
	if err != nil {
		return nil, err
	}
	return joinTAUFiles(jobs, dirs, files).build(ctx, src)
}

// listTAUFiles finds the profile files of a source, ordered by directory and
// thread, and the names of the metric directories ("" for the source itself).
func listTAUFiles(src *Source) (jobs []tauJob, dirs []string, err error) {
	info, err := os.Stat(src.Path)
	if err != nil {
		return nil, nil, model.InFile(src.Given, "cannot be opened: %v", err)
	}
	if !info.IsDir() {
		id, _ := tauFileID(filepath.Base(src.Path))
		return []tauJob{{path: src.Path, id: id}}, []string{""}, nil
	}
	entries, err := os.ReadDir(src.Path)
	if err != nil {
		return nil, nil, model.InFile(src.Given, "cannot be read: %v", err)
	}
	add := func(dir string, entries []os.DirEntry) {
		first := len(jobs)
		for _, e := range entries {
			if id, ok := tauFileID(e.Name()); ok && e.Type().IsRegular() {
				jobs = append(jobs, tauJob{filepath.Join(src.Path, dir, e.Name()), len(dirs), id})
			}
		}
		if len(jobs) == first {
			return
		}
		dirs = append(dirs, dir)
		slices.SortStableFunc(jobs[first:], func(a, b tauJob) int { return a.id.compare(b.id) })
		// A file and its compressed copy are one.
		jobs = append(jobs[:first], slices.CompactFunc(jobs[first:], func(a, b tauJob) bool { return a.id == b.id })...)
	}
	add("", entries)
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), tauMulti) {
			continue
		}
		files, err := os.ReadDir(filepath.Join(src.Path, e.Name()))
		if err != nil {
			return nil, nil, model.InFile(src.givenFor(filepath.Join(src.Path, e.Name())), "cannot be read: %v", err)
		}
		add(e.Name(), files)
	}
	if len(jobs) == 0 {
		return nil, nil, model.InFile(src.Given, "no profile.n.c.t files here")
	}
	return jobs, dirs, nil
}
