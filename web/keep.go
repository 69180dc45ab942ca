package web

import (
	"container/list"
	"sync"
	"sync/atomic"

	"auspex/analyze"
	"auspex/store"
)

// datasets keeps opened experiments for the next question, those asked for
// last, as long as they fit into a bound.
type datasets struct {
	store *store.Store
	load  func(*store.Experiment) (*analyze.Dataset, error)
	bound int64

	mu     sync.Mutex
	byID   map[string]*list.Element // of *opened
	recent *list.List               // the last used first
}

// opened is an experiment that is being opened or is open.
type opened struct {
	id    string
	open  func() (*analyze.Dataset, error)
	ready atomic.Pointer[analyze.Dataset] // nil while it is being opened
}

func newDatasets(s *store.Store, bound int64) *datasets {
	return &datasets{store: s, load: analyze.Open, bound: bound, byID: map[string]*list.Element{}, recent: list.New()}
}

// get opens an experiment, or finds it open. The name is looked up every time:
// it may stand for another experiment by now.
func (k *datasets) get(name string) (*analyze.Dataset, error) {
	if name == "" {
		return nil, badf("name an experiment")
	}
	e, err := analyze.Find(k.store, name)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	at, there := k.byID[e.ID]
	if there {
		k.recent.MoveToFront(at)
	} else {
		at = k.recent.PushFront(k.opening(e))
		k.byID[e.ID] = at
	}
	k.mu.Unlock()
	o := at.Value.(*opened)
	defer func() {
		if o.ready.Load() == nil { // an error, or a panic
			k.forget(at)
		}
	}()
	return o.open()
}

// opening is an experiment that the first who asks for it opens; the others
// wait for that, without holding any lock.
func (k *datasets) opening(e *store.Experiment) *opened {
	o := &opened{id: e.ID}
	o.open = sync.OnceValues(func() (*analyze.Dataset, error) {
		d, err := k.load(e)
		if err == nil {
			o.ready.Store(d)
		}
		return d, err
	})
	return o
}

func (k *datasets) forget(at *list.Element) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if o := at.Value.(*opened); k.byID[o.id] == at {
		k.recent.Remove(at)
		delete(k.byID, o.id)
	}
}

// trim forgets what was not asked for lately until the rest fits. An
// experiment that is in use stays in memory until its question is answered.
func (k *datasets) trim() {
	k.mu.Lock()
	defer k.mu.Unlock()
	held := int64(0)
	for at := k.recent.Front(); at != nil; {
		next := at.Next()
		o := at.Value.(*opened)
		if d := o.ready.Load(); d != nil {
			held += d.Held()
		}
		if held > k.bound {
			k.recent.Remove(at)
			delete(k.byID, o.id)
		}
		at = next
	}
}
