package web

import (
	"bytes"
	"compress/gzip"
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"sync/atomic"
)

// answers keeps what was answered about experiments, which do not change, and
// lets those who ask the same at the same time share one computation.
type answers struct {
	bound int64

	mu     sync.Mutex
	held   int64
	byKey  map[string]*answer
	recent *list.List // of *answer that are done, the last used first
}

// answer is one answer, done or under way.
type answer struct {
	key     string
	at      *list.Element // nil while it is under way
	waiting int           // who would miss it
	cancel  context.CancelFunc
	stage   *atomic.Value

	done   chan struct{} // closed when what follows is there
	body   []byte        // JSON
	packed []byte        // the same, gzipped; nil where that does not pay
	tag    string
	err    error
}

func newAnswers(bound int64) *answers {
	return &answers{bound: bound, byKey: map[string]*answer{}, recent: list.New()}
}

// get finds an answer, or starts the computation of it. Every get is followed
// by a leave: a computation that nobody waits for any longer is given up.
func (k *answers) get(key string, q *asked, compute func(context.Context) ([]byte, error)) *answer {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a, there := k.byKey[key]; there {
		a.waiting++
		if a.at != nil {
			k.recent.MoveToFront(a.at)
		}
		return a
	}
	ctx, cancel := context.WithCancel(context.Background())
	a := &answer{key: key, waiting: 1, cancel: cancel, stage: q.stage, done: make(chan struct{})}
	k.byKey[key] = a
	go func() {
		body, err := compute(ctx)
		cancel()
		a.fill(body, err)
		k.finish(a)
		close(a.done)
	}()
	return a
}

func (k *answers) leave(a *answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a.waiting--; a.waiting == 0 && a.at == nil {
		a.cancel()
		if k.byKey[a.key] == a {
			delete(k.byKey, a.key) // the next one starts anew
		}
	}
}

// finish keeps an answer that worked, and drops the oldest that no longer fit.
func (k *answers) finish(a *answer) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a.err != nil || a.size() > k.bound/4 {
		if k.byKey[a.key] == a {
			delete(k.byKey, a.key)
		}
		return
	}
	if k.byKey[a.key] != a {
		return // everybody had left
	}
	a.at = k.recent.PushFront(a)
	k.held += a.size()
	for k.held > k.bound {
		oldest := k.recent.Remove(k.recent.Back()).(*answer)
		delete(k.byKey, oldest.key)
		k.held -= oldest.size()
	}
}

func (a *answer) size() int64 { return int64(len(a.key)+len(a.body)+len(a.packed)) + 512 }

func (a *answer) fill(body []byte, err error) {
	if a.err = err; err != nil {
		return
	}
	a.body, a.packed = body, pack(body)
	sum := sha256.Sum256(body)
	a.tag = `"` + hex.EncodeToString(sum[:12]) + `"`
}

// worthPacking is the size from which compressing pays.
const worthPacking = 1400

var packers = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // a level that does not exist
	}
	return w
}}

func pack(body []byte) []byte {
	if len(body) < worthPacking {
		return nil
	}
	var b bytes.Buffer
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	w.Reset(&b)
	if _, err := w.Write(body); err != nil || w.Close() != nil {
		return nil
	}
	return bytes.Clone(b.Bytes())
}
