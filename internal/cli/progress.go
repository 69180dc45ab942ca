package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// progressBar draws on the terminal's standard error, and nothing in a pipe.
type progressBar struct {
	out   io.Writer
	what  string
	total int64
	done  atomic.Int64
	quit  chan struct{}
	drawn sync.WaitGroup
}

// progressDelay keeps short work quiet.
const progressDelay = 300 * time.Millisecond

func (a *app) startProgress(what string, total int64) *progressBar {
	if _, ok := terminal(a.err); !ok || a.json || total <= 0 {
		return &progressBar{}
	}
	b := &progressBar{out: a.err, what: what, total: total, quit: make(chan struct{})}
	b.drawn.Go(b.draw)
	return b
}

// draw shows the bar ten times a second and clears it away at the end.
func (b *progressBar) draw() {
	select {
	case <-b.quit:
		return
	case <-time.After(progressDelay):
	}
	const width = 20
	for {
		done := min(b.done.Load(), b.total)
		full := int(width * done / b.total)
		fmt.Fprintf(b.out, "\r%s %s%s %3d %%\x1b[K", b.what, strings.Repeat("█", full), strings.Repeat("░", width-full), 100*done/b.total)
		select {
		case <-b.quit:
			fmt.Fprint(b.out, "\r\x1b[K")
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// add tells that n more of the total are done.
func (b *progressBar) add(n int64) { b.done.Add(n) }

// stop clears the bar away.
func (b *progressBar) stop() {
	if b.quit != nil {
		close(b.quit)
		b.drawn.Wait()
		b.quit = nil
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
