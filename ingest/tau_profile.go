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
		slices.SortFunc(jobs[first:], func(a, b tauJob) int {
			if a.id.node != b.id.node {
				return a.id.node - b.id.node
			}
			if a.id.context != b.id.context {
				return a.id.context - b.id.context
			}
			return a.id.thread - b.id.thread
		})
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

// joinTAUFiles puts the files' values together: the functions numbered in the
// order of the files, a thread's metrics from all directories in one row.
func joinTAUFiles(jobs []tauJob, dirs []string, files []*tauFile) *tauData {
	d := newTAUData()
	metrics := nameTAUMetrics(d, jobs, dirs, files)
	remap := map[*tauPool][]int32{}
	miscounted := 0
	for i, f := range files {
		numbers := remap[f.pool]
		for len(numbers) < len(f.pool.functions) {
			numbers = append(numbers, -1)
		}
		remap[f.pool] = numbers
		for row, local := range f.function {
			if numbers[local] < 0 {
				numbers[local] = d.function(f.pool.functions[local])
			}
			f.function[row] = numbers[local]
		}
		t := d.thread(jobs[i].id)
		if t.metrics == nil {
			t.metrics = metrics
			t.metadata = f.metadata
			for _, e := range f.events {
				if event := d.event(e.name); event >= 0 {
					t.events = append(t.events, tauEvent{event, e.count, e.mean})
				}
			}
		}
		t.merge(f, jobs[i].dir)
		if f.declared != len(f.function) {
			miscounted++
		}
	}
	if miscounted > 0 {
		d.notes = append(d.notes, strconv.Itoa(miscounted)+" profile files announce another number of functions than they hold: all they hold was read")
	}
	return d
}

// nameTAUMetrics numbers the metrics of the directories. The files name them;
// where two directories claim the same, the later goes by its own name.
func nameTAUMetrics(d *tauData, jobs []tauJob, dirs []string, files []*tauFile) []int32 {
	metrics := make([]int32, len(dirs))
	named := make([]bool, len(dirs))
	for i, f := range files {
		dir := jobs[i].dir
		if named[dir] {
			continue
		}
		named[dir] = true
		name := f.metric
		if _, taken := d.metricOf[name]; taken {
			name = strings.TrimPrefix(dirs[dir], tauMulti)
			for _, taken := d.metricOf[name]; taken; _, taken = d.metricOf[name] {
				name += "'"
			}
		}
		metrics[dir] = d.metric(name)
	}
	return metrics
}

// merge adds a file's values as the metric of its directory. Metrics a file
// is missing for stay NaN.
func (t *tauThread) merge(f *tauFile, dir int) {
	rowOf := map[int32]int{}
	inStep := true // files of a thread mostly list the same functions
	for i, function := range f.function {
		row := i
		if inStep && i < len(t.function) && t.function[i] != function || i > len(t.function) {
			inStep = false
			for r, have := range t.function {
				if _, ok := rowOf[have]; !ok {
					rowOf[have] = r
				}
			}
		}
		if !inStep {
			var ok bool
			if row, ok = rowOf[function]; !ok {
				row = len(t.function)
				rowOf[function] = row
			}
		}
		t.set(row, function, dir, f.values[3*i:3*i+3])
	}
}
