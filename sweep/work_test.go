package sweep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"auspex/store"
)

const wideStudy = `name = "wide"
kind = "simulate"
[point]
trace = "t"
platform = "p-{a}-{b}"
[grid]
a = {from = 1, to = 40}
b = {from = 1, to = 25}
`

// planned makes a study of 1,000 points in a store.
func planned(t *testing.T, dir string) (*Folder, *Study, []Point) {
	t.Helper()
	s := parse(t, wideStudy)
	folder, err := In(store.Open(dir), s.Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Plan(s); err != nil {
		t.Fatal(err)
	}
	points, err := s.Points()
	if err != nil {
		t.Fatal(err)
	}
	return folder, s, points
}

func product(_ context.Context, s *Study, p *Point) (Outcome, error) {
	a, _ := strconv.Atoi(p.Values[0])
	b, _ := strconv.Atoi(p.Values[1])
	return Outcome{Seconds: float64(a) * float64(b)}, nil
}

func wantAll(t *testing.T, folder *Folder, s *Study, points []Point) {
	t.Helper()
	st, err := folder.Status(s, points)
	if err != nil {
		t.Fatal(err)
	}
	if st.Done != len(points) || st.Failed+st.Missing+st.Twice > 0 {
		t.Errorf("%d done, %d failed, %d missing, %d twice of %d", st.Done, st.Failed, st.Missing, st.Twice, len(points))
	}
}

// TestManyWorkersShareAStudy lets workers with stores of their own, as
// processes on several machines have, do one study: each point once.
func TestManyWorkersShareAStudy(t *testing.T) {
	dir := t.TempDir()
	folder, s, points := planned(t, dir)
	var calls atomic.Int64
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			own, err := In(store.Open(dir), s.Name)
			if err != nil {
				t.Error(err)
				return
			}
			w := &Worker{Folder: own, Study: s, Points: points, Jobs: 2, Wait: time.Minute, Do: func(ctx context.Context, s *Study, p *Point) (Outcome, error) {
				calls.Add(1)
				return product(ctx, s, p)
			}}
			if _, err := w.Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	wantAll(t, folder, s, points)
	if calls.Load() != int64(len(points)) {
		t.Errorf("%d points were done %d times", len(points), calls.Load())
	}
}

func TestOnlyWhatIsMissingOrFailedIsDoneAgain(t *testing.T) {
	folder, s, points := planned(t, t.TempDir())
	tries := map[string]int{}
	w := &Worker{Folder: folder, Study: s, Points: points, Jobs: 1, Do: func(ctx context.Context, s *Study, p *Point) (Outcome, error) {
		tries[p.Key]++
		if p.Values[0] == "7" && tries[p.Key] == 1 {
			return Outcome{}, errors.New("not today")
		}
		return product(ctx, s, p)
	}}
	first, err := w.Run(t.Context())
	if err != nil || first.Failed != 25 || first.Done != 975 {
		t.Fatalf("%+v, %v", first, err)
	}
	st, err := folder.Status(s, points)
	if err != nil || len(st.Errors) != 1 || st.Errors[0].Points != 25 || st.Errors[0].Error != "not today" {
		t.Errorf("%+v, %v", st, err)
	}
	second, err := w.Run(t.Context())
	if err != nil || second.Failed != 0 || second.Done != 25 {
		t.Errorf("the second time: %+v, %v", second, err)
	}
	wantAll(t, folder, s, points)
}

func TestStopAndGoOn(t *testing.T) {
	folder, s, points := planned(t, t.TempDir())
	stop := make(chan struct{})
	done := 0
	w := &Worker{Folder: folder, Study: s, Points: points, Stop: stop, Do: func(ctx context.Context, s *Study, p *Point) (Outcome, error) {
		if done++; done == 100 {
			close(stop)
		}
		return product(ctx, s, p)
	}}
	tally, err := w.Run(t.Context())
	if err != nil || !tally.Stopped || tally.Done != 100 || tally.Left != 900 {
		t.Fatalf("warned at the 100th point: %+v, %v", tally, err)
	}
	if err := folder.Stop(); err != nil {
		t.Fatal(err)
	}
	w.Stop = nil
	if tally, err = w.Run(t.Context()); err != nil || tally.Done != 0 || !tally.Stopped {
		t.Fatalf("cancelled: %+v, %v", tally, err)
	}
	if err := folder.Go(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w.Do = func(ctx context.Context, s *Study, p *Point) (Outcome, error) {
		cancel() // in the middle of a point, which so is not done
		return product(ctx, s, p)
	}
	if tally, err = w.Run(ctx); !errors.Is(err, context.Canceled) || tally.Done != 0 {
		t.Errorf("broken off: %+v, %v", tally, err)
	}
	w.Do = product
	if tally, err = w.Run(t.Context()); err != nil || tally.Done != 900 {
		t.Errorf("at last: %+v, %v", tally, err)
	}
	wantAll(t, folder, s, points)
}

// TestMain lets this program be a worker that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("AUSPEX_SWEEP_WORKER"); dir != "" {
		os.Exit(workerProcess(dir))
	}
	os.Exit(m.Run())
}

func workerProcess(dir string) int {
	folder, err := In(store.Open(dir), "wide")
	if err != nil {
		return 1
	}
	s, err := folder.Study()
	if err != nil {
		return 1
	}
	points, err := s.Points()
	if err != nil {
		return 1
	}
	w := &Worker{Folder: folder, Study: s, Points: points, Jobs: 2, Wait: time.Minute, Do: func(ctx context.Context, s *Study, p *Point) (Outcome, error) {
		time.Sleep(time.Millisecond)
		return product(ctx, s, p)
	}}
	if _, err := w.Run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// TestKilledWorkers kills workers without a warning, again and again: what they
// did stays, what they had claimed is free at once, and no point is done twice.
func TestKilledWorkers(t *testing.T) {
	dir := t.TempDir()
	folder, s, points := planned(t, dir)
	results := filepath.Join(folder.Dir, "results")
	work := func(kill int) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "AUSPEX_SWEEP_WORKER="+dir)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if kill > 0 {
			for l := folder.Ledger(); len(l.of) < kill; time.Sleep(time.Millisecond) {
				if err := l.Refresh(); err != nil {
					t.Fatal(err)
				}
			}
			cmd.Process.Kill()
		}
		if err := cmd.Wait(); err != nil && kill == 0 {
			t.Fatal(err)
		}
	}
	for _, kill := range []int{50, 200, 500, 700} {
		work(kill)
	}
	// Half a line, as a kill between two writes of a large one would leave.
	if err := os.WriteFile(filepath.Join(results, "torn.jsonl"), []byte(`{"key":"`+points[0].Key+`","seco`), 0o666); err != nil {
		t.Fatal(err)
	}
	work(0)
	wantAll(t, folder, s, points)
}

func TestSharesOfTasks(t *testing.T) {
	folder, s, points := planned(t, t.TempDir())
	l := folder.Ledger()
	shares := Shares(points, l, 40)
	if len(shares) != 40 {
		t.Fatalf("%d shares", len(shares))
	}
	seen := map[string]bool{}
	for _, groups := range shares {
		for _, g := range groups {
			if seen[g] {
				t.Errorf("two tasks have %s", g)
			}
			seen[g] = true
		}
	}
	for _, p := range points {
		if !seen[groupOf(p.Key)] {
			t.Errorf("nobody has %s", s.Label(&p))
		}
	}
	if most := PerTask(points, l, shares); most < 25 || most > 32 {
		t.Errorf("the largest share of 1,000 points on 40 tasks has %d", most)
	}
	file, err := folder.KeepShares(shares)
	if err != nil {
		t.Fatal(err)
	}
	share, err := ReadShare(file, 39)
	if err != nil || strings.Join(share, " ") != strings.Join(shares[39], " ") {
		t.Errorf("read back: %v, %v", share, err)
	}
	if _, err := ReadShare(file, 40); err == nil {
		t.Error("task 40 of 40 has a share")
	}
	if n := len(Shares(points[:3], l, 40)); n > 3 {
		t.Errorf("%d tasks for three points", n)
	}
}

func TestScript(t *testing.T) {
	f := &Folder{Dir: "/site/st/sweeps/it's"}
	n := Need{Points: 3, Point: 0.5, Memory: 100 << 20}
	a := Array{Tasks: 40, AtOnce: 8, CPUs: 2, Extra: []string{"--partition=short"}}
	a.Time, a.Memory = n.Estimate(50)
	got := f.Script("it's", a, "/opt/auspex", "/site/st", "/site/st/sweeps/it's/shares/1.json")
	for _, want := range []string{
		"#SBATCH --array=0-39%8\n", "#SBATCH --job-name=it_s\n", "#SBATCH --time=0-00:04:00\n", "#SBATCH --mem=448M\n", "#SBATCH --requeue\n",
		"#SBATCH --signal=B:USR1@60\n", "#SBATCH --partition=short\n", "#SBATCH --cpus-per-task=2\n",
		`exec '/opt/auspex' sweep work 'it'\''s' --store '/site/st' --shares '/site/st/sweeps/it'\''s/shares/1.json' --task "$SLURM_ARRAY_TASK_ID" --jobs 2`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
