package store

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"auspex/model"
	"auspex/replay"
)

// step is one thing done to a store, by a process of its own that may die at
// any moment of it.
type step struct {
	Do        string // put, replace, remove, claim, collect
	Kind      Kind
	Name      string
	Value     int
	KillAfter time.Duration // 0: it lives
}

func (p step) String() string {
	return fmt.Sprintf("%s of %s %q with %d, killed after %v", p.Do, (&Store{}).shelf(p.Kind).noun, p.Name, p.Value, p.KillAfter)
}

// outcome is what a step came to.
type outcome struct {
	Exists, NotFound, Busy, Failed bool
	Message                        string
}

func (p step) run(s *Store) error {
	switch p.Do {
	case "remove":
		return s.shelf(p.Kind).remove(p.Name)
	case "collect":
		_, err := s.Collect()
		return err
	case "claim":
		held, err := s.Claim(p.Kind, p.Name, true)
		if err == nil {
			time.Sleep(time.Millisecond)
			held.Release()
		}
		return err
	}
	replace := p.Do == "replace"
	switch p.Kind {
	case Predictions:
		return s.PutPrediction(&Prediction{Name: p.Name, Body: json.RawMessage(fmt.Sprint(p.Value))}, replace)
	case Simulations:
		n := int32(p.Value)
		spans := &replay.Spans{Rank: []int32{0, 1}, Part: []int32{n, n}, Begin: []float64{0, 0}, End: []float64{1, 1}}
		return s.PutSimulation(&replay.Record{Name: p.Name, SimulatedSeconds: float64(p.Value), Timeline: spans}, replace)
	case Vocabularies:
		return s.PutVocabulary(p.Name, []byte(fmt.Sprint(p.Value)), replace)
	}
	b := model.NewBuilder()
	r := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	b.Set(b.Unit(model.Unit{}), r, b.Metric(model.NewMetric(model.WallTime, "", model.Exclusive)), float64(p.Value))
	e, err := b.Build(model.Header{Name: p.Name, Runs: 1, Program: fmt.Sprint(p.Value)})
	if err != nil {
		return err
	}
	return s.Put(e, replace)
}

// valueOf reads a thing whole; 0 where there is none. Its parts must be of one
// writing.
func valueOf(s *Store, kind Kind, name string) (value int, err error) {
	var parts []int
	switch kind {
	case Experiments:
		var e *Experiment
		if e, err = s.Get(name); err == nil {
			var whole *model.Experiment
			if whole, err = e.Load(); err == nil {
				var n int
				fmt.Sscan(whole.Program, &n)
				parts = []int{n, int(whole.Summaries.Values[0][0])}
			}
		}
	case Predictions:
		var p *Prediction
		if p, err = s.Prediction(name); err == nil {
			parts = []int{0}
			err = json.Unmarshal(p.Body, &parts[0])
		}
	case Simulations:
		var r *replay.Record
		var t *replay.Spans
		if r, err = s.Simulation(name); err == nil {
			if t, err = s.Timeline(name); err == nil && len(t.Part) == 2 {
				parts = []int{int(r.SimulatedSeconds), int(t.Part[0]), int(t.Part[1])}
			}
		}
	case Vocabularies:
		var text []byte
		if text, err = s.Vocabulary(name); err == nil {
			parts = []int{0}
			_, err = fmt.Sscan(string(text), &parts[0])
		}
	}
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if len(parts) == 0 || slices.Min(parts) != slices.Max(parts) {
		return 0, fmt.Errorf("the parts are of different writings: %v", parts)
	}
	return parts[0], nil
}

// TestMain runs the steps of the test below where it is told to.
func TestMain(m *testing.M) {
	dir := os.Getenv("AUSPEX_STORE_WORKER")
	if dir == "" {
		os.Exit(m.Run())
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var p step
		if in.Decode(&p) != nil {
			os.Exit(0)
		}
		if p.KillAfter > 0 {
			time.AfterFunc(p.KillAfter, func() { syscall.Kill(os.Getpid(), syscall.SIGKILL) })
		}
		err := p.run(Open(dir))
		if p.KillAfter > 0 {
			time.Sleep(time.Hour) // until it comes
		}
		o := outcome{Exists: errors.Is(err, ErrExists), NotFound: errors.Is(err, ErrNotFound), Busy: errors.Is(err, ErrBusy), Failed: err != nil}
		if err != nil {
			o.Message = err.Error()
		}
		out.Encode(o)
	}
}

// worker is a process that does steps.
type worker struct {
	dir string
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (w *worker) start(t *testing.T) {
	t.Helper()
	w.cmd = exec.Command(os.Args[0])
	w.cmd.Env = append(os.Environ(), "AUSPEX_STORE_WORKER="+w.dir)
	w.cmd.Stderr = os.Stderr
	in, err := w.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	w.in, w.out = in, bufio.NewReader(out)
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

// do runs a step and tells what it came to, or that the worker died.
func (w *worker) do(t *testing.T, p step) (o outcome, died bool) {
	if w.cmd == nil {
		w.start(t)
	}
	if err := json.NewEncoder(w.in).Encode(p); err != nil {
		t.Fatal(err)
	}
	line, err := w.out.ReadBytes('\n')
	if err != nil {
		w.cmd.Wait()
		w.cmd = nil
		if p.KillAfter == 0 {
			t.Fatalf("the worker died in %v", p)
		}
		return o, true
	}
	if err := json.Unmarshal(line, &o); err != nil {
		t.Fatal(err)
	}
	return o, false
}

func (w *worker) stop() {
	if w.cmd != nil {
		w.in.Close()
		w.cmd.Wait()
	}
}

// plain is a store as one would like it to be.
type plain [4]map[string]int

// expect tells what a step must come to, and the value that its name then has.
func (m plain) expect(p step) (o outcome, after int) {
	now := m[p.Kind][p.Name]
	switch {
	case p.Do == "claim":
		taken := p.Kind == Predictions && m[Experiments][p.Name] != 0
		return outcome{Exists: taken, Failed: taken}, now
	case p.Do == "collect":
		return outcome{}, now
	case p.Do == "remove" && now == 0:
		return outcome{NotFound: true, Failed: true}, 0
	case p.Do == "remove":
		return outcome{}, 0
	case p.Do == "put" && now != 0, p.Kind == Predictions && m[Experiments][p.Name] != 0:
		return outcome{Exists: true, Failed: true}, now
	}
	return outcome{}, p.Value
}

// A store does what a map would do, whatever happens: random steps of two
// processes at a time, many of which are killed in the middle. Nothing is lost
// or half visible, no name is blocked, and collecting leaves nothing behind.
//
// AUSPEX_STEPS says how many steps, AUSPEX_SEED which.
func TestStoreIsAMapWhateverHappens(t *testing.T) {
	steps, seed := count("AUSPEX_STEPS", 150), count("AUSPEX_SEED", 1)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	s := Open(filepath.Join(t.TempDir(), "store"))
	workers := [2]*worker{{dir: s.Dir()}, {dir: s.Dir()}}
	defer workers[0].stop()
	defer workers[1].stop()
	want := plain{{}, {}, {}, {}}
	names := []string{"a", "b/c", ".d"}
	tookLong := map[string]time.Duration{}
	killed, collected := 0, 0
	for done := 0; done < steps; {
		pair := [2]step{draw(random, names, done+1), draw(random, names, done+2)}
		if pair[0].Name == pair[1].Name {
			pair[1].Do = "collect" // beside it
		}
		for i := range pair {
			if random.IntN(4) == 0 {
				longest := max(tookLong[pair[i].Do+fmt.Sprint(pair[i].Kind)], time.Millisecond)
				pair[i].KillAfter = 1 + time.Duration(random.Float64()*1.1*float64(longest))
			}
		}
		var got [2]outcome
		var died [2]bool
		var took [2]time.Duration
		parallel(func(i int) {
			start := time.Now()
			got[i], died[i] = workers[i].do(t, pair[i])
			took[i] = time.Since(start)
		})
		for i, p := range pair {
			done++
			expected, after := want.expect(p)
			if died[i] {
				killed++
				now, err := valueOf(s, p.Kind, p.Name)
				if err != nil || now != after && now != want[p.Kind][p.Name] {
					t.Fatalf("step %d, %v: there is %d, %v", done, p, now, err)
				}
				after = now
			} else {
				key := p.Do + fmt.Sprint(p.Kind)
				tookLong[key] = max(tookLong[key]*9/10, took[i])
				if got[i].Message = ""; got[i] != expected {
					t.Fatalf("step %d, %v: came to %+v, not %+v", done, p, got[i], expected)
				}
			}
			want[p.Kind][p.Name] = after
		}
		if done%50 < 2 {
			mustEqual(t, s, want, names)
			if done%100 < 2 {
				mustLeaveNothing(t, s, want)
				collected++
			}
		}
	}
	mustEqual(t, s, want, names)
	mustLeaveNothing(t, s, want)
	t.Logf("seed %d: %d steps, %d killed, %d times collected to nothing", seed, steps, killed, collected+1)
}

func draw(random *rand.Rand, names []string, value int) step {
	return step{
		Do:   []string{"put", "put", "replace", "replace", "replace", "remove", "claim", "collect"}[random.IntN(8)],
		Kind: kinds[random.IntN(4)], Name: names[random.IntN(len(names))], Value: value,
	}
}

func parallel(do func(i int)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(1)
	}()
	do(0)
	<-done
}

// mustEqual holds a store to its model.
func mustEqual(t *testing.T, s *Store, want plain, names []string) {
	t.Helper()
	for _, kind := range kinds {
		var there []string
		for _, name := range names {
			value, err := valueOf(s, kind, name)
			if err != nil || value != want[kind][name] {
				t.Fatalf("%s %q holds %d, %v, not %d", s.shelf(kind).noun, name, value, err, want[kind][name])
			}
			if value != 0 {
				there = append(there, name)
			}
		}
		slices.Sort(there)
		if listed, err := s.shelf(kind).list(); err != nil || !slices.Equal(listed, there) {
			t.Fatalf("listed are %q, %v, not %q", listed, err, there)
		}
	}
}

// mustLeaveNothing collects when all has become old, and looks for what no
// name stands for.
func mustLeaveNothing(t *testing.T, s *Store, want plain) {
	t.Helper()
	makeOld(t, s)
	if _, err := s.Collect(); err != nil {
		t.Fatal(err)
	}
	folders := 0
	err := filepath.WalkDir(s.Dir(), func(path string, entry fs.DirEntry, err error) error {
		relative, _ := filepath.Rel(s.Dir(), path)
		if strings.HasPrefix(relative, "claims/") || strings.HasPrefix(entry.Name(), ".tmp-") {
			t.Errorf("left behind: %s", relative)
		}
		if entry.IsDir() && isID(entry.Name()) {
			folders++
		}
		return err
	})
	named := 0
	for _, kind := range []Kind{Experiments, Predictions, Simulations} {
		for _, value := range want[kind] {
			if value != 0 {
				named++
			}
		}
	}
	if err != nil || folders != named {
		t.Fatalf("%d folders for %d names, %v", folders, named, err)
	}
}
