package traceevent

import (
	"context"
	"runtime"

	"auspex/internal/jsonscan"
)

const (
	blockSize  = 256 << 10
	maxReaders = 8 // by then the one who is told the events is the slowest
)

// block is a part of the list of events: its text, and the events once read.
type block struct {
	text   []byte
	base   int64
	kept   []byte // the texts of the events
	events []Event
	err    error // what stopped the reading, at the offset
	at     int64
	done   chan struct{}
}

// eachEvent reads the array that was begun to its end. One goroutine cuts it
// into blocks, several read those, and the caller is told the events in order:
// finding the end of an event takes a fraction of reading it.
func (r *reader) eachEvent() error {
	ctx, stop := context.WithCancel(r.ctx)
	defer stop()
	readers := min(runtime.GOMAXPROCS(0), maxReaders)
	free, work, order := make(chan *block, readers+2), make(chan *block, readers+2), make(chan *block, readers+2)
	for range cap(free) {
		free <- &block{done: make(chan struct{}, 1)}
	}
	for range readers {
		go func() {
			for b := range work {
				b.read(&r.Reading)
				b.done <- struct{}{}
			}
		}()
	}
	var cutting error
	go func() {
		defer close(order)
		defer close(work)
		for ctx.Err() == nil && cutting == nil {
			b := <-free
			b.text, b.base, cutting = r.s.Elements(b.text, blockSize)
			if len(b.text) == 0 {
				return
			}
			work <- b
			order <- b
		}
	}()
	var failed error
	for b := range order {
		<-b.done
		if failed == nil && ctx.Err() == nil {
			if failed = r.tell(b); failed != nil {
				stop()
			}
		}
		free <- b
	}
	switch {
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case failed != nil:
		return failed
	case cutting != nil:
		return cutting
	}
	_, err := r.s.Next() // the closing bracket
	return err
}

// tell hands on the events of a block, and says what is wrong with it.
func (r *reader) tell(b *block) error {
	for i := range b.events {
		if err := r.Event(&b.events[i]); err != nil {
			return &atOffset{b.events[i].end, err}
		}
	}
	if b.err != nil {
		return &atOffset{b.at, b.err}
	}
	return nil
}

// read reads the events of a block.
func (b *block) read(what *Reading) {
	d := decoder{s: jsonscan.Of(b.text, b.base), links: what.Links, inputs: what.Inputs, kept: b.kept[:0]}
	b.events, b.err = d.readEvents(b.events[:0])
	b.at, b.kept = d.s.Offset(), d.kept
}

// atOffset is what is wrong at a place of the file.
type atOffset struct {
	offset int64
	error
}

func (e *atOffset) Unwrap() error { return e.error }
