package waits

import (
	"fmt"
	"slices"
	"strings"

	"auspex/events"
	"auspex/internal/figure"
)

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// mentioned is the share of all time below which waiting is not worth a word.
const mentioned = 0.01

// words says in a few sentences where ranks waited most, and for what.
func words(r *Report) string {
	who := r.who()
	if who == "" {
		return "There is a single rank, which has nobody to wait for."
	}
	untold := r.untoldWords()
	if r.Share < mentioned && (untold != "" || r.incomplete) {
		return strings.TrimSpace(fmt.Sprintf("In what the trace tells, the %s hardly wait for one another: %s of %s. %s", who, seconds(r.Waited), seconds(r.whole), untold))
	}
	if r.Share < mentioned && r.inDoubt >= mentioned*r.whole {
		return fmt.Sprintf("As far as the clocks of the %s tell, they hardly wait for one another: %s of %s, and %s that may be but differences of clocks.", who, seconds(r.Waited), seconds(r.whole), seconds(r.inDoubt))
	}
	if r.Share < mentioned {
		return fmt.Sprintf("The %s hardly wait for one another: %s of %s.", who, seconds(r.Waited), seconds(r.whole))
	}
	var out []string
	out = append(out, fmt.Sprintf("The %s wait %.0f %% of their time for one another.", who, 100*r.Share))
	rows := r.Rows[:min(3, len(r.Rows))]
	for i, row := range rows {
		if row.Share < mentioned {
			break
		}
		again := slices.ContainsFunc(rows[:i], func(other Row) bool { return other.Region == row.Region })
		out = append(out, sentence(row, again))
	}
	if untold != "" {
		out = append(out, untold)
	}
	return strings.Join(out, " ")
}

// who is who waits: ranks, the threads of a rank, or both; nobody where there is
// one of each.
func (r *Report) who() string {
	threads, others := 0.0, 0.0
	for _, row := range r.Rows {
		if row.Pattern == ThreadBarrierWait || row.Pattern == LockWait {
			threads += row.Seconds
		} else {
			others += row.Seconds
		}
	}
	switch {
	case r.Ranks == 1 && r.locations > 1, r.Ranks > 1 && threads > 0 && others == 0:
		return "threads"
	case threads > 0:
		return "ranks and threads"
	case r.Ranks > 1 && r.partial:
		return "ranks that are here"
	case r.Ranks > 1:
		return "ranks"
	}
	return ""
}

// told tells apart waits of one call.
var told = map[Pattern]string{
	LateSender: " for messages", WrongOrder: " for a message while an earlier one is there", LateReceiver: " for its receiver",
}

// sentence says what one row means; again is that another of its call was told.
func sentence(row Row, again bool) string {
	place, call := split(row.Region)
	text := "`" + call + "`"
	if place != "" {
		text += " in " + place
	}
	if again {
		text += " also"
	}
	text += " waits " + seconds(row.Seconds)
	if again || row.Pattern == WrongOrder {
		text += told[row.Pattern]
	}
	if row.Pattern == Completion {
		return text + " to complete after its first rank has left."
	}
	if len(row.Causes) == 0 {
		return text + "."
	}
	c := row.Causes[0]
	if call, ok := events.WithoutCore(c.Region); ok {
		return fmt.Sprintf("%s, %s of it for %s without a core within `%s`.", text, seconds(c.Seconds), NamedRanks(c.Late()), events.LastName(call))
	}
	if place, ok := strings.CutSuffix(c.Region, "/"+events.CallName(events.Pause)); ok { // a pause is of no function: its place is that of the call that follows
		return fmt.Sprintf("%s, %s of it for pauses of %s (blocked, asleep, or in input and output) before %s.", text, seconds(c.Seconds), NamedRanks(c.Late()), events.LastName(place))
	}
	text = fmt.Sprintf("%s, %s of it for %s on %s", text, seconds(c.Seconds), events.Quoted(c.Region), NamedRanks(c.Late()))
	if c.Mostly != "" {
		text += ", by samples most of it in `" + c.Mostly + "`"
	}
	return text + "."
}

// split takes the call off a path.
func split(path string) (place, call string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	place = path[:i]
	if j := strings.LastIndexByte(place, '/'); j >= 0 {
		place = place[j+1:]
	}
	return place, path[i+1:]
}

// NamedRanks names the first few.
func NamedRanks(list []int) string {
	const named = 3
	if len(list) == 1 {
		return fmt.Sprintf("rank %d", list[0])
	}
	if len(list) > named+1 {
		return fmt.Sprintf("ranks %s and %d more", join(list[:named]), len(list)-named)
	}
	return "ranks " + join(list[:len(list)-1]) + fmt.Sprintf(" and %d", list[len(list)-1])
}

func join(list []int) string {
	var parts []string
	for _, n := range list {
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, ", ")
}

// seconds writes a time with as many digits as matter.
func seconds(s float64) string { return figure.Seconds(s, 3) }
