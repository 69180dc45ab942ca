package waits

import "slices"

// scratch is room for one attribution.
type scratch struct {
	late, own []float64 // by path
	touched   []int32
	found     []cause
}

// maxCauses is how many causes of one wait are kept apart; the smaller ones
// beyond join the largest.
const maxCauses = 64

// attribute shares a wait among its causes (Böhme et al., section 4.2): region
// by region, what the late one spent longer than the waiting one since they
// last synchronised, and the waits it suffered itself, whose causes are known.
func (a *Analyzer) attribute(row int, wait float64, v, late visit) []cause {
	fromOwn, fromLate := a.common(v.loc, late.loc)
	own := a.locs[v.loc].log.between(fromOwn, v.at)
	theirs := a.locs[late.loc].log.between(fromLate, late.at)
	for len(a.late) < len(a.header.Paths) {
		a.late, a.own = append(a.late, 0), append(a.own, 0)
	}
	a.touched = a.touched[:0]
	suffered := 0.0
	for i := range theirs {
		e := &theirs[i]
		suffered += e.wait
		if e.seconds <= 0 {
			continue
		}
		if a.late[e.path] == 0 {
			a.touched = append(a.touched, e.path)
		}
		a.late[e.path] += e.seconds
	}
	for i := range own {
		a.own[own[i].path] += own[i].seconds
	}
	total := suffered
	for _, p := range a.touched {
		a.late[p] = max(a.late[p]-a.own[p], 0)
		total += a.late[p]
	}
	out := a.found[:0]
	if total <= 0 { // it was not longer at anything: its own call is to blame
		out = append(out, cause{late.loc, late.path, wait})
	} else {
		for _, p := range a.touched {
			if a.late[p] > 0 {
				out = append(out, cause{late.loc, p, wait * a.late[p] / total})
			}
		}
	}
	direct := len(out)
	if total > 0 && suffered > 0 {
		for i := range theirs {
			for _, c := range theirs[i].causes {
				out = append(out, cause{c.loc, c.path, wait * c.seconds / total})
			}
		}
	}
	for i, c := range out {
		a.rows.cause(row, c, a.header.Locations[c.loc].Rank, i < direct)
	}
	for _, p := range a.touched {
		a.late[p] = 0
	}
	for i := range own {
		a.own[own[i].path] = 0
	}
	a.found = out
	return few(slices.Clone(out))
}

// largest is the path of the largest cause.
func largest(causes []cause) int32 {
	path, most := int32(-1), 0.0
	for _, c := range causes {
		if c.seconds > most {
			path, most = c.path, c.seconds
		}
	}
	return path
}

// few joins equal causes and keeps the largest.
func few(causes []cause) []cause {
	if len(causes) < 2 {
		return causes
	}
	slices.SortFunc(causes, func(x, y cause) int {
		if x.loc != y.loc {
			return int(x.loc) - int(y.loc)
		}
		return int(x.path) - int(y.path)
	})
	n := 0
	for _, c := range causes[1:] {
		if causes[n].loc == c.loc && causes[n].path == c.path {
			causes[n].seconds += c.seconds
			continue
		}
		n++
		causes[n] = c
	}
	causes = causes[:n+1]
	if len(causes) > maxCauses {
		slices.SortFunc(causes, func(x, y cause) int {
			switch {
			case x.seconds > y.seconds:
				return -1
			case x.seconds < y.seconds:
				return 1
			}
			return 0
		})
		for _, c := range causes[maxCauses:] {
			causes[0].seconds += c.seconds
		}
		causes = causes[:maxCauses]
	}
	return causes
}
