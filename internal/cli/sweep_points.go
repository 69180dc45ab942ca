package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"auspex/analyze"
	"auspex/ingest"
	"auspex/launch"
	"auspex/model"
	"auspex/platform"
	"auspex/predict"
	"auspex/simulate"
	"auspex/sweep"
	"auspex/trace"
	"auspex/whatif"
	"auspex/whatif/kept"
)

// pointRunner does the points of a study in this process. What several points
// read is read once.
type pointRunner struct {
	app       *app
	platforms onceEach[*platform.Platform]
	traces    onceEach[*trace.Trace]
	cases     onceEach[*lockedCase]
}

// lockedCase is what many changes of one run are priced with, one at a time.
type lockedCase struct {
	sync.Mutex
	*whatif.Case
}

// onceEach makes a thing once for each key, for several goroutines.
type onceEach[T any] struct {
	mu sync.Mutex
	of map[string]func() (T, error)
}

func (o *onceEach[T]) get(key string, make func() (T, error)) (T, error) {
	o.mu.Lock()
	f := o.of[key]
	if f == nil {
		f = sync.OnceValues(make)
		if o.of == nil {
			o.of = map[string]func() (T, error){}
		}
		o.of[key] = f
	}
	o.mu.Unlock()
	return f()
}

func (r *pointRunner) do(ctx context.Context, s *sweep.Study, p *sweep.Point) (sweep.Outcome, error) {
	var out sweep.Outcome
	var err error
	switch s.Kind {
	case sweep.Simulate:
		out.Seconds, err = r.simulate(ctx, s, p)
	case sweep.Whatif:
		out, err = r.whatif(ctx, s, p)
	case sweep.Predict:
		out, err = r.predict(ctx, s, p)
	case sweep.Run:
		out, err = r.run(ctx, s, p)
	}
	if err == nil && (math.IsNaN(out.Seconds) || math.IsInf(out.Seconds, 0)) {
		err = errors.New("no finite time came out")
	}
	return out, err
}

// at is a path of the study, which is relative to its file.
func at(s *sweep.Study, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.Dir, path)
}

func (r *pointRunner) platform(path string) (*platform.Platform, error) {
	return r.platforms.get(path, func() (*platform.Platform, error) { return readPlatform(path) })
}

// reference is what the machine counts as that traces are taken on, the same for all
// points of a study: what its first platform says.
func (r *pointRunner) reference(s *sweep.Study) (float64, error) {
	p, err := r.platform(at(s, s.First("platform")))
	if err != nil {
		return 0, fmt.Errorf("the study's first platform, by which computation is scaled: %w", err)
	}
	return p.ReferenceSpeed(), nil
}

// count reads a number of processes; 0 where there is none.
func count(p *sweep.Point) (int, error) {
	text := p.One("np")
	if text == "" {
		return 0, nil
	}
	np, err := strconv.Atoi(text)
	if err != nil || np < 1 {
		return 0, fmt.Errorf("np is %q: write a number from 1 on", text)
	}
	return np, nil
}

func (r *pointRunner) simulate(ctx context.Context, s *sweep.Study, point *sweep.Point) (float64, error) {
	np, err := count(point)
	if err != nil {
		return 0, err
	}
	p, err := r.platform(at(s, point.One("platform")))
	if err != nil {
		return 0, err
	}
	path := at(s, point.One("trace"))
	t, err := r.traces.get(fmt.Sprint(np, " ", path), func() (*trace.Trace, error) { return trace.Open(ctx, path, np) })
	if err != nil {
		return 0, err
	}
	options, err := simulateOptions(p, point.Settings["cfg"])
	if err != nil {
		return 0, err
	}
	speed := point.One("reference-speed")
	if speed == "" && t.Nanoseconds {
		if options.ReferenceSpeed, err = r.reference(s); err != nil {
			return 0, err
		}
	}
	if speed != "" {
		if options.ReferenceSpeed, err = platform.ParseSpeed(speed); err != nil {
			return 0, err
		}
	}
	hosts, err := placeRanks(p, at(s, point.One("hostfile")), t.NP())
	if err != nil {
		return 0, err
	}
	result, err := simulate.Run(ctx, t, p, hosts, options, simulate.Hooks{})
	if err != nil {
		return 0, err
	}
	return result.Seconds, nil
}

// whatif prices the changes of a point: words such as balance=all, none for the
// run as it is.
func (r *pointRunner) whatif(ctx context.Context, s *sweep.Study, point *sweep.Point) (sweep.Outcome, error) {
	np, err := count(point)
	if err != nil {
		return sweep.Outcome{}, err
	}
	var changes []whatif.Change
	for _, text := range strings.Fields(point.One("change")) {
		flag, value, _ := strings.Cut(text, "=")
		ch, err := whatif.ParseChange(flag, value)
		if err != nil {
			return sweep.Outcome{}, err
		}
		changes = append(changes, ch)
	}
	f := platformFlags{platform: at(s, point.One("platform")), hostfile: at(s, point.One("hostfile")), config: point.Settings["cfg"], np: np}
	name := point.One("trace")
	if _, err := os.Stat(at(s, name)); err == nil {
		name = at(s, name)
	}
	c, err := r.cases.get(fmt.Sprintf("%q %+v", name, f), func() (*lockedCase, error) {
		t, err := r.app.openTraced(ctx, name, np)
		if err != nil {
			return nil, err
		}
		c, err := r.app.whatifCase(ctx, t, f)
		return &lockedCase{Case: c}, err
	})
	if err != nil {
		return sweep.Outcome{}, err
	}
	c.Lock()
	defer c.Unlock()
	answer, err := c.Price(ctx, changes)
	if err != nil {
		return sweep.Outcome{}, err
	}
	return sweep.Outcome{Seconds: answer.NewSeconds, Low: answer.Interval[0], High: answer.Interval[1]}, nil
}

func (r *pointRunner) predict(ctx context.Context, s *sweep.Study, point *sweep.Point) (sweep.Outcome, error) {
	or := func(name, other string) string {
		if v := point.One(name); v != "" {
			return v
		}
		return other
	}
	f := predictFlags{
		platforms: []string{at(s, point.One("platform"))}, hostfile: at(s, point.One("hostfile")), source: at(s, or("source", ".")),
		build: point.One("build"), run: point.One("run"), counts: or("np", "1"), levels: or("level", "2"), settle: time.Second,
		method: or("method", string(predict.Auto)), speed: point.One("reference-speed"), config: point.Settings["cfg"],
		validateRuns: 1, epsilon: 2, cores: point.One("pin"), input: at(s, point.One("input")),
	}
	var err error
	if f.runs, err = strconv.Atoi(or("runs", "1")); err != nil {
		return sweep.Outcome{}, fmt.Errorf("runs is %q: write a number", point.One("runs"))
	}
	if f.timeout, err = time.ParseDuration(or("timeout", "0s")); err != nil {
		return sweep.Outcome{}, err
	}
	request, err := r.app.predictRequest(f)
	if err != nil {
		return sweep.Outcome{}, err
	}
	request.Say = nil
	if request.CountsAs, err = r.reference(s); err != nil {
		return sweep.Outcome{}, err
	}
	found, err := predict.Run(ctx, request)
	if err != nil {
		return sweep.Outcome{}, err
	}
	best := found.Predictions[found.Best]
	return sweep.Outcome{Seconds: best.Predicted, Low: best.Low, High: best.High}, nil
}

// run measures a command and stores the experiment under the point's name, with
// the axes as its factors.
func (r *pointRunner) run(ctx context.Context, s *sweep.Study, point *sweep.Point) (sweep.Outcome, error) {
	repeat := 1
	if text := point.One("repeat"); text != "" {
		var err error
		if repeat, err = strconv.Atoi(text); err != nil || repeat < 1 {
			return sweep.Outcome{}, fmt.Errorf("repeat is %q: write a number from 1 on", text)
		}
	}
	if text := point.One("timeout"); text != "" {
		limit, err := time.ParseDuration(text)
		if err != nil {
			return sweep.Outcome{}, err
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %s", text))
		defer cancel()
	}
	experiments := r.app.openStore()
	var runs []*model.Experiment
	for range repeat {
		e, err := r.measured(ctx, experiments.Dir(), s, point)
		if err != nil {
			return sweep.Outcome{}, err
		}
		runs = append(runs, e)
	}
	e := runs[0]
	if len(runs) > 1 {
		var err error
		if e, err = ingest.Repeats(runs); err != nil {
			return sweep.Outcome{}, err
		}
	}
	e.Name = s.Name + " " + s.Label(point)
	for i, a := range s.Axes {
		e.SetFactor(model.NewFactor(a.Name, point.Values[i]))
	}
	if err := analyze.Put(experiments, e, true); err != nil {
		return sweep.Outcome{}, err
	}
	d, err := r.app.dataset(e.Name)
	if err != nil {
		return sweep.Outcome{}, err
	}
	seconds, err := kept.Seconds(d)
	return sweep.Outcome{Seconds: seconds, Kept: e.Name}, err
}

// measured runs a point's command once. What it prints is told when it fails.
func (r *pointRunner) measured(ctx context.Context, storeDir string, s *sweep.Study, point *sweep.Point) (*model.Experiment, error) {
	parent := filepath.Join(storeDir, "running")
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(parent, "run-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var said lastBytes
	runner := launch.Runner{Command: []string{"/bin/sh", "-c", point.One("command")}, Work: s.Dir, Dir: dir, Cache: cacheDir(),
		StackRate: 1000, Overhead: 0.02, In: strings.NewReader(""), Out: io.Discard, Err: &said}
	result, err := runner.Run(ctx)
	switch {
	case context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case result.Status != 0:
		return nil, fmt.Errorf("the command ended with status %d: %s", result.Status, said.text())
	}
	return result.Experiment, nil
}

// lastBytes keeps the end of what a program says.
type lastBytes struct{ data []byte }

const lastBytesKept = 400

// Write keeps the end.
func (l *lastBytes) Write(p []byte) (int, error) {
	l.data = append(l.data, p...)
	if len(l.data) > lastBytesKept {
		l.data = append([]byte{}, l.data[len(l.data)-lastBytesKept:]...)
	}
	return len(p), nil
}

func (l *lastBytes) text() string { return strings.TrimSpace(strings.ToValidUTF8(string(l.data), "")) }
