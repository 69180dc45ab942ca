package web

import (
	"container/list"
	"sync"

	"auspex/analyze"
	"auspex/store"
)

// datasets keeps opened experiments for the next question, those asked for
// last, as long as they fit into a bound.
type datasets struct {
	store *store.Store
	bound int64

	mu     sync.Mutex
	byID   map[string]*list.Element // of *opened
	recent *list.List               // the last used first
}

// opened is an experiment that is being opened or is open.
type opened struct {
	id   string
	open func() (*analyze.Dataset, error)
}

func newDatasets(s *store.Store, bound int64) *datasets {
	return &datasets{store: s, bound: bound, byID: map[string]*list.Element{}, recent: list.New()}
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
		at = k.recent.PushFront(&opened{e.ID, sync.OnceValues(func() (*analyze.Dataset, error) { return analyze.Open(e) })})
		k.byID[e.ID] = at
	}
	k.mu.Unlock()
	d, err := at.Value.(*opened).open()
	if err != nil {
		k.forget(e.ID)
		return nil, err
	}
	return d, nil
}

func (k *datasets) forget(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if at, there := k.byID[id]; there {
		k.recent.Remove(at)
		delete(k.byID, id)
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
		if d, err := o.open(); err == nil {
			held += d.Held()
		}
		if held > k.bound {
			k.recent.Remove(at)
			delete(k.byID, o.id)
		}
		at = next
	}
}
