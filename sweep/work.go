package sweep

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"auspex/internal/crew"
	"auspex/store"
)

// Do does a point.
type Do func(ctx context.Context, s *Study, p *Point) (Outcome, error)

// Worker does the points of a study that are missing or failed.
type Worker struct {
	Folder *Folder
	Study  *Study
	Points []Point
	Do     Do
	Jobs   int      // at once
	Groups []string // pieces of the work, nil for all
	Limit  int      // points at most, 0 for all
	Task   string   // of a job array, for the record
	// Stop ends the work after the points that are being done.
	Stop <-chan struct{}
	// Wait is how long pieces that others have are waited for: a task of an
	// array that was requeued finds those of its former self.
	Wait time.Duration
	// Progress hears of every point; it may be nil.
	Progress func(Tally)
}

// Tally is what a worker did.
type Tally struct {
	Done    int     `json:"done"`    // points that succeeded
	Failed  int     `json:"failed"`  // points that did not
	Busy    int     `json:"busy"`    // points that others have
	Left    int     `json:"left"`    // points that were not begun
	Wall    float64 `json:"wall"`    // seconds that points took, added up
	Stopped bool    `json:"stopped"` // before all was done
}

// Run works until nothing is left to do.
func (w *Worker) Run(ctx context.Context) (Tally, error) {
	ledger := w.Folder.Ledger()
	if err := ledger.Refresh(); err != nil {
		return Tally{}, err
	}
	journal := w.Folder.journal(ledger, w.Task)
	r := &running{Worker: w, ledger: ledger, journal: journal, queue: w.pieces(ledger), until: time.Now().Add(w.Wait)}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var workers crew.Crew
	for range max(1, w.Jobs) {
		workers.Go(func() {
			if err := r.work(ctx); err != nil {
				r.fail(err)
				cancel()
			}
		})
	}
	workers.Wait()
	err := errors.Join(r.err, journal.close())
	if refresh := ledger.Refresh(); err == nil {
		err = refresh
	}
	for _, g := range r.queue {
		for _, p := range g.points {
			if e, known := ledger.find(p.Key); !known || e.Error != "" {
				r.tally.Left++
			}
		}
	}
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return r.tally, err
}

// piece is a group of points that are claimed together.
type piece struct {
	group  string
	points []*Point
	again  time.Time // when to ask for it again
}

// pieces lists the work that is left, in the order of the grid.
func (w *Worker) pieces(l *Ledger) []*piece {
	var all []*piece
	by := map[string]*piece{}
	left := w.Limit
	for i := range w.Points {
		p := &w.Points[i]
		group := groupOf(p.Key)
		if l.done(p.Key) || w.Groups != nil && !slices.Contains(w.Groups, group) {
			continue
		}
		if w.Limit > 0 {
			if left == 0 {
				break
			}
			left--
		}
		g := by[group]
		if g == nil {
			g = &piece{group: group}
			by[group] = g
			all = append(all, g)
		}
		g.points = append(g.points, p)
	}
	return all
}

// running is a worker at work.
type running struct {
	*Worker
	ledger  *Ledger
	journal *journal
	until   time.Time

	mu    sync.Mutex
	queue []*piece
	tally Tally
	err   error
}

func (r *running) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = errors.Join(r.err, err)
}

// next hands out a piece; none when the queue is empty or it is time to stop.
func (r *running) next() *piece {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) == 0 || r.stopping() {
		return nil
	}
	g := r.queue[0]
	r.queue = r.queue[1:]
	return g
}

func (r *running) stopping() bool {
	select {
	case <-r.Stop:
		r.tally.Stopped = true
		return true
	default:
	}
	if r.Folder.Stopped() {
		r.tally.Stopped = true
	}
	return r.tally.Stopped
}

func (r *running) work(ctx context.Context) error {
	for ctx.Err() == nil {
		g := r.next()
		if g == nil {
			return nil
		}
		if wait := time.Until(g.again); wait > 0 {
			select {
			case <-ctx.Done():
			case <-r.Stop:
			case <-time.After(wait):
			}
		}
		if g.points = slices.DeleteFunc(g.points, func(p *Point) bool { return r.ledger.done(p.Key) }); len(g.points) == 0 {
			continue
		}
		claim, err := r.Folder.claim(r.Study.Name, g.group)
		if errors.Is(err, store.ErrBusy) {
			r.busy(g)
			continue
		}
		if err != nil {
			return err
		}
		err = r.take(ctx, g, claim)
		claim.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// busy puts a piece back that another has, or leaves it to him.
func (r *running) busy(g *piece) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Now().Before(r.until) {
		g.again = time.Now().Add(time.Second)
		r.queue = append(r.queue, g)
		return
	}
	r.tally.Busy += len(g.points)
}

// take does a piece that is claimed, knowing all that was done of it before, and
// lets those who come after know what was done now.
func (r *running) take(ctx context.Context, g *piece, claim *store.Claim) error {
	turn, err := r.Folder.takeTurn(g.group)
	if err != nil {
		return err
	}
	if err := r.ledger.catchUp(ctx, r.Folder, g.group, turn); err != nil {
		return err
	}
	err = r.piece(ctx, g, claim)
	name, length, failed := r.journal.sync()
	if failed == nil && name != "" {
		failed = r.Folder.endTurn(g.group, turn, name, length)
	}
	return errors.Join(err, failed)
}

// piece does the points of a piece that are still to be done.
func (r *running) piece(ctx context.Context, g *piece, claim *store.Claim) error {
	for i, p := range g.points {
		r.mu.Lock()
		stop := r.stopping()
		if stop || ctx.Err() != nil {
			r.queue = append(r.queue, &piece{group: g.group, points: g.points[i:]})
		}
		r.mu.Unlock()
		if stop || ctx.Err() != nil {
			return nil
		}
		if r.ledger.done(p.Key) {
			continue
		}
		start := time.Now()
		outcome, failed := r.Do(ctx, r.Study, p)
		if ctx.Err() != nil { // what was broken off is not done
			r.mu.Lock()
			r.queue = append(r.queue, &piece{group: g.group, points: g.points[i:]})
			r.mu.Unlock()
			return nil
		}
		if !claim.Holds() {
			return fmt.Errorf("the claim of some points was lost: this process was out of reach of %s for minutes; run the sweep again", r.Folder.Dir)
		}
		e := entry{Key: p.Key, Outcome: outcome, Wall: time.Since(start).Seconds(), Peak: peakMemory()}
		if failed != nil {
			e.Error = failed.Error()
		}
		if err := r.journal.note(e); err != nil {
			return err
		}
		r.count(e)
	}
	return nil
}

func (r *running) count(e entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tally.Wall += e.Wall
	if e.Error != "" {
		r.tally.Failed++
	} else {
		r.tally.Done++
	}
	if r.Progress != nil {
		r.Progress(r.tally)
	}
}

// peakMemory is the most that this process has held, 0 where it is not told.
func peakMemory() int64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10
		}
	}
	return 0
}
