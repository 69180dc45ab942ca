package web

import (
	"maps"
	"slices"
	"sync"

	"auspex/view"
)

// lastHeats keeps the rows of the heat maps that were looked at last: zooming over
// units then reads no experiment, which may be larger than what is kept in memory.
type lastHeats struct {
	mu   sync.Mutex
	kept []keptHeat // the last used first
}

type keptHeat struct {
	key  string
	rows *view.HeatRows
}

// How many are kept, and how much memory they may take.
const (
	maxHeats     = 8
	maxHeatBytes = 64 << 20
)

// heatKey tells heat maps apart that differ in more than the zoom over units.
func (s *Server) heatKey(q *asked) (string, error) {
	id, err := s.identity(q)
	if err != nil {
		return "", err
	}
	rest := maps.Clone(q.query)
	for _, zoom := range []string{"from_unit", "to_unit", "cols"} {
		rest.Del(zoom)
	}
	return id + " " + rest.Encode(), nil
}

func (l *lastHeats) get(key string) *view.HeatRows {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.kept, func(k keptHeat) bool { return k.key == key })
	if i < 0 {
		return nil
	}
	found := l.kept[i]
	l.kept = slices.Insert(slices.Delete(l.kept, i, i+1), 0, found)
	return found.rows
}

func (l *lastHeats) keep(key string, rows *view.HeatRows) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = slices.DeleteFunc(l.kept, func(k keptHeat) bool { return k.key == key })
	l.kept = slices.Insert(l.kept, 0, keptHeat{key, rows})
	held := int64(0)
	for i, k := range l.kept {
		if held += k.rows.Held(); i == maxHeats || held > maxHeatBytes {
			l.kept = slices.Delete(l.kept, i, len(l.kept))
			return
		}
	}
}
