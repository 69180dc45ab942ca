package depend

import (
	"fmt"
	"maps"
	"slices"

	"auspex/source"
)

// spareLast takes away from wrong what the loop sets in one iteration alone,
// under a test whether its counter is some value: programs keep results of their
// last iteration so, and that one is run.
func (t *tracker) spareLast(wrong stain) {
	h := t.loop.proc.headerOf(t.loop.Stmt)
	if h == nil || h.odd {
		return
	}
	c := &settling{tracker: t, moves: stain{}, decided: map[*proc]bool{}, returns: map[*proc]bool{}}
	c.collect()
	counters := c.counters(h.variable)
	alone, otherwise := map[*object]int{}, stain{}
	here := &tracker{prog: t.prog, m: t.m, loop: t.loop, found: map[string]bool{}, swaps: stain{}}
	below := map[*proc]bool{} // procedures have their turn themselves
	for _, q := range c.procs {
		below[q] = true
	}
	for _, q := range c.procs {
		guarded := guardedBy(q, counters[q])
		for _, v := range c.scope(q) {
			written := stain{}
			here.writes(q, v, written, below)
			for o := range written {
				if line, once := guarded[v.stmt]; once {
					alone[o.find()] = line
				} else {
					otherwise[o.find()] = true
				}
			}
		}
	}
	for _, o := range slices.SortedFunc(maps.Keys(alone), func(a, b *object) int { return alone[a] - alone[b] }) {
		if otherwise[o] || !wrong[o] {
			continue
		}
		delete(wrong, o)
		words := fmt.Sprintf("Line %d: %s is set in one iteration alone; taken to be the last, which is run.", alone[o], o.name)
		if !slices.Contains(t.answer.Assumed, words) {
			t.answer.Assumed = append(t.answer.Assumed, words)
		}
	}
}

// counters are the names that hold the loop's counter in each procedure it calls.
func (c *settling) counters(variable string) map[*proc]map[string]bool {
	names := map[*proc]map[string]bool{c.loop.proc: {variable: true}}
	for grown := true; grown; {
		grown = false
		for _, q := range c.procs {
			for _, v := range c.scope(q) {
				for _, call := range q.effectsOf(v.exprs...).calls {
					callee := c.prog.named[lastPart(call.name)]
					if callee == nil {
						continue
					}
					for i, a := range callee.arguments(call.expr) {
						if a == nil || i >= len(callee.unit.Params) || a.Kind != source.Name || !names[q][a.Name] || names[callee][callee.unit.Params[i]] {
							continue
						}
						if names[callee] == nil {
							names[callee] = map[string]bool{}
						}
						names[callee][callee.unit.Params[i]] = true
						grown = true
					}
				}
			}
		}
	}
	return names
}

// guardedBy gives the statements that stand under `if (counter == …)`, and the
// line of each.
func guardedBy(q *proc, counters map[string]bool) map[*source.Stmt]int {
	guarded := map[*source.Stmt]int{}
	q.unit.Walk(func(s *source.Stmt, outer []*source.Stmt) bool {
		for _, o := range outer {
			if o.Kind != source.If || !slices.ContainsFunc(o.Body, func(k *source.Stmt) bool { return k.Contains(s.Span) }) {
				continue
			}
			for _, e := range q.file.Exprs(o) {
				if e.Kind == source.Binary && e.Op == "==" && slices.ContainsFunc(e.Args, func(a *source.Expr) bool { return a.Kind == source.Name && counters[a.Name] }) {
					guarded[s] = s.Line
				}
			}
		}
		return true
	})
	return guarded
}
