package cli

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
)

// progressBar draws on the terminal's standard error, and nothing in a pipe.
type progressBar struct {
	writer  progress.Writer
	tracker *progress.Tracker
	stopped atomic.Bool
}

// progressDelay keeps short work quiet.
const progressDelay = 300 * time.Millisecond

func (a *app) startProgress(what string, total int64) *progressBar {
	if _, ok := terminal(a.err); !ok || a.json || total <= 0 {
		return &progressBar{}
	}
	w := progress.NewWriter()
	w.SetOutputWriter(a.err)
	w.SetUpdateFrequency(100 * time.Millisecond)
	w.SetStyle(progress.StyleBlocks)
	w.Style().Visibility.Value = false
	tracker := &progress.Tracker{Message: what, Total: total, DeferStart: true, RemoveOnCompletion: true}
	w.AppendTracker(tracker)
	b := &progressBar{writer: w, tracker: tracker}
	time.AfterFunc(progressDelay, func() {
		if !b.stopped.Load() {
			tracker.Start()
			w.Render()
		}
	})
	return b
}

// add tells that n more of the total are done.
func (b *progressBar) add(n int64) {
	if b.tracker != nil {
		b.tracker.Increment(n)
	}
}

// stop clears the bar away.
func (b *progressBar) stop() {
	if b.writer == nil || b.stopped.Swap(true) {
		return
	}
	b.tracker.MarkAsDone()
	for b.writer.IsRenderInProgress() {
		b.writer.Stop()
		time.Sleep(5 * time.Millisecond)
	}
}

// counter shows how far work without a known end has come.
type counter struct {
	a     *app
	what  string
	start time.Time
	shown time.Time
}

func (a *app) startCounter(what string) *counter {
	if _, ok := terminal(a.err); !ok || a.json {
		return &counter{}
	}
	return &counter{a: a, what: what, start: time.Now()}
}

// show tells the seconds reached, ten times a second at the most.
func (c *counter) show(seconds float64) {
	now := time.Now()
	if c.a == nil || now.Sub(c.start) < progressDelay || now.Sub(c.shown) < 100*time.Millisecond {
		return
	}
	c.shown = now
	fmt.Fprintf(c.a.err, "\r%s %.3f s\x1b[K", c.what, seconds)
}

// stop clears the line.
func (c *counter) stop() {
	if c.a != nil && !c.shown.IsZero() {
		fmt.Fprint(c.a.err, "\r\x1b[K")
	}
}
