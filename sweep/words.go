package sweep

import (
	"fmt"
	"strings"
)

// matters is the share of the variance from which an axis is worth a word, and
// spreads the ratio of times below which nothing matters.
const (
	matters = 0.05
	spreads = 1.01
)

// words answers in sentences. Each holds for the points that are done.
func (t *Table) words() string {
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	if len(t.Rows) == 0 {
		return fmt.Sprintf("None of %s is done.", count(t.Points, "point"))
	}
	if t.Done < t.Points {
		say("%d of %s are done; what follows is about them.", t.Done, count(t.Points, "point"))
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
	say("The shortest is %s with %s; the longest, %s, takes %s times as long.", t.label(best), seconds(best.Seconds), t.label(worst), times(worst.Seconds/best.Seconds))
	if len(t.Effects) > 0 && t.Effects[0].Share >= matters && len(t.Axes) > 1 {
		e := t.Effects[0]
		say("%s matters most: it explains %.0f %% of the variance, and its worst value takes %s times as long as its best, %s.", sentence(e.Axis), 100*e.Share, times(e.Ratio), e.Best)
		var others []string
		for _, o := range t.Effects[1:] {
			if o.Share >= matters {
				others = append(others, fmt.Sprintf("%s %.0f %%", o.Axis, 100*o.Share))
			}
		}
		if len(others) > 0 {
			say("Then come %s.", strings.Join(others, ", "))
		}
		if t.Unexplained >= 0.2 {
			say("%.0f %% of the variance is explained by no axis alone: some combinations behave differently from the rest.", 100*t.Unexplained)
		}
	}
	if c := t.Cliff; c != nil {
		say("There is a cliff at %s: from %s to %s the time grows by a factor of %s, where the other steps would give %s.", c.Axis, c.From, c.To, times(c.Ratio), times(c.Usual))
	}
	return strings.Join(said, " ")
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

func seconds(s float64) string { return fmt.Sprintf("%.4g s", s) }

// times writes a factor.
func times(f float64) string {
	if f >= 10 {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprintf("%.2f", f)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
