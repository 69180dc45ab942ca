package sweep

import (
	"fmt"
	"strings"

	"auspex/internal/figure"
)

// matters is the share of the variance from which an axis is worth a word, by
// chance how seldom an axis that does nothing may get it, spreads the ratio of
// times below which nothing matters, and ties that of points that are as short.
const (
	matters  = 0.05
	byChance = 0.005
	spreads  = 1.01
	ties     = 1.0005
)

// words answers in sentences. Each holds for the points that are done.
func (t *Table) words() string {
	if len(t.Rows) == 0 {
		return t.none()
	}
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	if t.Done < t.Points {
		failed := ""
		if t.Failed > 0 {
			failed = fmt.Sprintf(", %d failed", t.Failed)
		}
		say("%d of %s are done%s; what follows is about them.", t.Done, count(t.Points, "point"), failed)
	}
	best, worst := t.Rows[0], t.Rows[len(t.Rows)-1]
	if len(t.Rows) == 1 {
		say("%s takes %s.", sentence(t.label(best)), seconds(best.Seconds))
		return strings.Join(said, " ")
	}
	if worst.Seconds <= spreads*best.Seconds {
		say("All points take about the same, %s.", seconds(best.Seconds))
		return strings.Join(said, " ")
	}
	alike := 0
	for _, r := range t.Rows[1:] {
		if r.Seconds <= ties*best.Seconds {
			alike++
		}
	}
	also := ""
	if alike > 0 {
		also = fmt.Sprintf(", and %s as short", count(alike, "other is", "others are"))
	}
	far := ""
	if best.Seconds > 0 {
		far = fmt.Sprintf("; the longest, %s, takes %s times as long", t.label(worst), times(worst.Seconds/best.Seconds))
	}
	say("The shortest is %s with %s%s%s.", t.label(best), seconds(best.Seconds), also, far)
	said = append(said, t.axesInWords()...)
	if c := t.Cliff; c != nil {
		say("There is a cliff at %s: from %s to %s the time grows by a factor of %s, where the other steps would give %s.", c.Axis, c.From, c.To, times(c.Ratio), times(c.Usual))
	}
	return strings.Join(said, " ")
}

func (t *Table) none() string {
	failed := ""
	if t.Failed > 0 {
		failed = fmt.Sprintf("; %d failed", t.Failed)
	}
	if t.Points == 1 {
		return "The only point is not done" + failed + "."
	}
	return fmt.Sprintf("None of %d points is done%s.", t.Points, failed)
}

// axesInWords says which axes matter: those that explain some of the variance, and
// more of it than scatter would.
func (t *Table) axesInWords() []string {
	if len(t.Axes) < 2 || t.model == nil || t.model.spare < 1 {
		return nil // one axis is all there is, and too few points tell nothing
	}
	var said, others []string
	var clear []Effect
	for _, e := range t.Effects {
		if e.Share >= matters && e.Chance <= byChance {
			clear = append(clear, e)
		}
	}
	switch {
	case len(clear) > 1 && clear[1].Share >= 0.9*clear[0].Share:
		said = append(said, fmt.Sprintf("%s and %s matter most: they explain %.0f %% and %.0f %% of the variance, and their worst values take %s and %s times as long as their best, %s and %s.",
			sentence(clear[0].Axis), clear[1].Axis, 100*clear[0].Share, 100*clear[1].Share, times(clear[0].Ratio), times(clear[1].Ratio), clear[0].Best, clear[1].Best))
		clear = clear[2:]
	case len(clear) > 0:
		e := clear[0]
		said = append(said, fmt.Sprintf("%s matters most: it explains %.0f %% of the variance, and its worst value takes %s times as long as its best, %s.", sentence(e.Axis), 100*e.Share, times(e.Ratio), e.Best))
		clear = clear[1:]
	}
	for _, e := range clear {
		others = append(others, fmt.Sprintf("%s %.0f %%", e.Axis, 100*e.Share))
	}
	if len(others) == 1 {
		said = append(said, fmt.Sprintf("Then comes %s.", others[0]))
	} else if len(others) > 1 {
		said = append(said, fmt.Sprintf("Then come %s.", strings.Join(others, ", ")))
	}
	if t.Unexplained < 0.2 {
		return said
	}
	why := "some combinations behave differently from the rest"
	if t.Kind == Run || t.Kind == Predict { // what is measured is never the same twice
		why = "either " + why + ", or the times scatter"
	}
	return append(said, fmt.Sprintf("%.0f %% of the variance is explained by no axis alone: %s.", 100*t.Unexplained, why))
}

func (t *Table) label(r Row) string {
	var parts []string
	for i, a := range t.Axes {
		if len(a.Values) > 1 {
			parts = append(parts, a.Name+" "+r.Values[i])
		}
	}
	if len(parts) == 0 {
		return "the only point"
	}
	return strings.Join(parts, ", ")
}

func sentence(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func seconds(s float64) string { return figure.Seconds(s, 4) }

// times writes a factor.
func times(f float64) string {
	if f >= 10 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.2f", f)
}

// count writes a number of things, whose plural has an s unless it is given.
func count(n int, noun string, plural ...string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %s", n, append(plural, noun+"s")[0])
}
