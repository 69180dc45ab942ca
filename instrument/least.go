package instrument

import (
	"fmt"
	"strings"

	"auspex/internal/lazyregexp"
	"auspex/source"
)

// A function whose callers the file does not show may be called a million times a
// second, and then even a probe that is switched off costs: its test, and what
// compilers do less well around it. Samples show such functions too. So it has a
// probe only if its text shows that it does much whatever it is called with:
// loops turn a few times only unless their head gives numbers, what stands under a condition is not done, and
// what comes after a place where it may be left counts a quarter. leastWork is
// fifty times the price of a probe, and 250 times that of one switched off. A
// function that is defined elsewhere may be an inline one of a header, such as the
// sum of two vectors.
const (
	leastWork    = 2_500
	leastTurns   = 16
	leastInner   = 8
	leastEach    = 4 // of a container
	leastWhile   = 2 // of a search, or where something leaves the loop
	foreignLeast = 3
	communicate  = 10 * leastWork
)

// atLeast is the least that statements do.
func (l *loads) atLeast(list []*source.Stmt) int {
	w, part := 0, 1
	for _, s := range list {
		one := 0
		switch {
		case s.Kind == source.Loop:
			turns := l.leastTurns(s)
			l.loops++
			one = max(l.atLeast(s.Body), 1) * turns
			l.loops--
		case s.Kind == source.If && len(s.Else) > 0:
			one = 3 + min(l.atLeast(s.Body), l.atLeast(s.Else))
		case s.Kind == source.If || s.Kind == source.Switch:
			one = 3
		case s.Kind == source.Directive && forkJoin.MatchString(s.Text):
			one = communicate
		case len(s.Body)+len(s.Else) > 0:
			one = l.atLeast(s.Body)
		case s.Node != nil:
			one = l.node(s.Node)
		}
		w = min(w+one/part, mostWork)
		if s.Kind == source.Return || s.Kind == source.Goto {
			break
		}
		if mayLeave(s, true, true) {
			part = min(4*part, 16)
		}
	}
	return w
}

// forkJoin are the directives that start threads or a device.
var forkJoin = lazyregexp.New(`^omp\s+(parallel|target|teams)\b|^acc\s+(parallel|kernels|serial)\b`)

// talks are the calls that wait for another process or may.
var talks = lazyregexp.New(`^p?(mpi|p2p)_(.*(send|recv|wait|reduce|bcast|gather|scatter|alltoall|barrier|fence|probe|spawn|exchange)|file_|scan|exscan|put|get|accumulate|start)|^(gomp_|sleep|usleep|nanosleep|system$)`)

// mayLeave tells whether a statement may leave the statements around it before their
// end: by return, by goto, or, where breaks and continues say so, by those of the
// loop around. What ends the program or throws is not meant: that is for errors.
func mayLeave(s *source.Stmt, breaks, continues bool) bool {
	switch s.Kind {
	case source.Return, source.Goto:
		return true
	case source.Break:
		return breaks
	case source.Continue:
		return continues
	case source.Loop:
		breaks, continues = false, false
	case source.Switch:
		breaks = false
	}
	for _, in := range [][]*source.Stmt{s.Body, s.Else} {
		for _, k := range in {
			if mayLeave(k, breaks, continues) {
				return true
			}
		}
	}
	return false
}

// leastTurns are the turns of a loop that may be taken for sure.
func (l *loads) leastTurns(s *source.Stmt) int {
	usual := l.turns(s)
	for _, k := range s.Body {
		if mayLeave(k, true, false) {
			return min(usual, leastWhile)
		}
	}
	switch {
	case literalTurns(l.file, s.Loop) > 0:
		return usual
	case s.Loop.Kind == source.ForEach:
		return min(usual, leastEach)
	case usual == whileTurns:
		return leastWhile
	case l.loops > 0:
		return min(usual, leastInner)
	}
	return min(usual, leastTurns)
}

// communicates tells whether a unit waits for other processes, or starts threads,
// in its own text, be it under a condition.
func communicates(u *source.Unit) bool {
	found := false
	u.Walk(func(s *source.Stmt, _ []*source.Stmt) bool {
		for _, c := range s.MPI {
			found = found || talks.MatchString(strings.ToLower(c.Name))
		}
		found = found || s.Kind == source.Directive && forkJoin.MatchString(s.Text)
		return !found
	})
	return found
}

// light says why a function does too little in a call to be measured, or "".
func (l *loads) light(u *source.Unit) string {
	if begins(u) {
		return ""
	}
	w := l.of(u)
	if why := l.from[lastPart(u.Name)]; why != "" && w >= tinyWork {
		if communicates(u) {
			return ""
		}
		l.careful = true
		least := l.of(u)
		l.careful = false
		return tooUnsure(least, "a call", why)
	}
	return l.tooLittle(w, u, "a call", "called")
}

// lightLoop says the same of a loop: it is entered as often as its function is
// called.
func (l *loads) lightLoop(u *source.Unit, s *source.Stmt) string {
	const each = "each time it is entered"
	w := l.stmts([]*source.Stmt{s})
	if why := l.from[lastPart(u.Name)]; why != "" && w >= tinyWork && !begins(u) {
		l.careful = true
		least := l.atLeast([]*source.Stmt{s})
		l.careful = false
		return tooUnsure(least, each, why)
	}
	return l.tooLittle(w, u, each, "entered")
}

func tooUnsure(least int, each, why string) string {
	if least >= leastWork {
		return ""
	}
	return fmt.Sprintf("perhaps as few as %d operations %s, and %s", least, each, why)
}

func (l *loads) tooLittle(work int, u *source.Unit, each, done string) string {
	often := l.often[lastPart(u.Name)]
	switch {
	case work < tinyWork:
		return fmt.Sprintf("about %d operations %s", work, each)
	case work < lightWork && often == 1 || work < heavyWork && often == 2:
		return fmt.Sprintf("about %d operations %s, and likely %s often", work, each, done)
	}
	return ""
}
