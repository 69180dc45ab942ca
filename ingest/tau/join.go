package tau

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"auspex/ingest/input"
	"auspex/internal/crew"
)

// readFiles reads all files of a source, on all cores. The first file that
// cannot be read decides on the error.
func readFiles(ctx context.Context, src *input.Source, jobs []job) ([]*tauFile, error) {
	shared := *src
	if src.Progress != nil {
		var lock sync.Mutex
		shared.Progress = func(bytes int64) {
			lock.Lock()
			defer lock.Unlock()
			src.Progress(bytes)
		}
	}
	files := make([]*tauFile, len(jobs))
	errs := make([]error, len(jobs))
	var next atomic.Int64
	var failed atomic.Bool
	var workers crew.Crew
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		workers.Go(func() {
			pool := newPool()
			for !failed.Load() && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(jobs) {
					return
				}
				if files[i], errs[i] = readFile(&shared, jobs[i].path, pool); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return files, ctx.Err()
}

func readFile(src *input.Source, path string, pool *tauPool) (*tauFile, error) {
	in, err := src.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return parseProfile(in.Reader, src.GivenFor(path), pool)
}

// joinFiles puts the files' values together: functions numbered in the
// order of the files, whoever read them, and the metrics of a thread from all
// directories in one row.
func joinFiles(jobs []job, dirs []string, files []*tauFile) *data {
	j := &joiner{data: newData(), numbers: map[*tauPool][]int32{}}
	metrics := j.nameMetrics(jobs, dirs, files)
	miscounted := 0
	for i, f := range files {
		j.renumber(f)
		t := j.data.thread(jobs[i].id)
		if t.metrics == nil {
			t.metrics = metrics
			t.metadata = f.metadata
			for _, e := range f.events {
				if event := j.data.event(e.name); event >= 0 {
					t.events = append(t.events, tauEvent{event, e.count, e.mean})
				}
			}
		}
		j.merge(t, f, jobs[i].dir)
		if f.declared != len(f.function) {
			miscounted++
		}
		files[i] = nil
	}
	if miscounted > 0 {
		j.data.notes = append(j.data.notes, fmt.Sprintf(
			"profile files that announce another number of functions than they hold: %d; all they hold was read", miscounted))
	}
	return j.data
}

type joiner struct {
	data    *data
	numbers map[*tauPool][]int32 // the data's number for the pool's, -1 where there is none yet
	rowOf   []int32              // per function, the row it has in the thread at hand, counted from 1
}

// nameMetrics numbers the metrics of the directories. The files name them;
// where two directories claim the same, the later goes by its own name.
func (j *joiner) nameMetrics(jobs []job, dirs []string, files []*tauFile) []int32 {
	metrics := make([]int32, 0, len(dirs))
	for i, f := range files {
		dir := jobs[i].dir
		if dir < len(metrics) {
			continue
		}
		name := f.metric
		if _, taken := j.data.metricOf[name]; taken {
			name = strings.TrimPrefix(dirs[dir], multi)
		}
		for _, taken := j.data.metricOf[name]; taken; _, taken = j.data.metricOf[name] {
			name += "'"
		}
		metrics = append(metrics, j.data.metric(name))
	}
	return metrics
}

// renumber replaces a file's numbers of functions by those of the data.
func (j *joiner) renumber(f *tauFile) {
	numbers := j.numbers[f.pool]
	for len(numbers) < len(f.pool.functions) {
		numbers = append(numbers, -1)
	}
	j.numbers[f.pool] = numbers
	for row, local := range f.function {
		if numbers[local] < 0 {
			numbers[local] = j.data.function(f.pool.functions[local])
		}
		f.function[row] = numbers[local]
	}
	for len(j.rowOf) < len(j.data.functions) {
		j.rowOf = append(j.rowOf, 0)
	}
}

// merge adds a file's values as the metric of its directory. A function that
// is there twice adds up; a metric that is not there stays NaN.
func (j *joiner) merge(t *thread, f *tauFile, dir int) {
	for row, function := range t.function {
		j.rowOf[function] = int32(row) + 1
	}
	for i, function := range f.function {
		v := f.values[i]
		row := int(j.rowOf[function]) - 1
		if row < 0 {
			row = len(t.function)
			j.rowOf[function] = int32(row) + 1
			t.function = append(t.function, function)
			t.calls = append(t.calls, v.calls)
			for range t.metrics {
				t.values = append(t.values, math.NaN(), math.NaN())
			}
		} else if dir == 0 {
			t.calls[row] += v.calls
		}
		cell := t.row(row)[2*dir : 2*dir+2]
		if math.IsNaN(cell[0]) {
			cell[0], cell[1] = v.exclusive, v.inclusive
		} else {
			cell[0] += v.exclusive
			cell[1] += v.inclusive
		}
	}
	for _, function := range t.function {
		j.rowOf[function] = 0
	}
}
