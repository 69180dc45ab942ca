package expr

import (
	"slices"
	"strings"
)

// Suggest gives the known words that someone who wrote word may have meant,
// nearest first, at most three. Case does not count.
func Suggest(word string, known []string) []string {
	type candidate struct {
		word     string
		distance int
	}
	low := strings.ToLower(word)
	limit := (len([]rune(low)) + 2) / 3
	var near []candidate
	for _, k := range known {
		d := distance(low, strings.ToLower(k), limit)
		if d > limit && len(low) >= 3 && strings.HasPrefix(strings.ToLower(k), low) {
			d = limit // an unfinished word
		}
		if d <= limit {
			near = append(near, candidate{k, d})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.word, b.word)
	})
	var out []string
	for _, c := range near {
		if c.distance > near[0].distance+1 {
			break // much further than the best
		}
		if len(out) < 3 && !slices.Contains(out, c.word) {
			out = append(out, c.word)
		}
	}
	return out
}

// DidYouMean phrases what Suggest finds as a question, or gives "".
func DidYouMean(word string, known []string) string {
	near := Suggest(word, known)
	switch len(near) {
	case 0:
		return ""
	case 1:
		return "did you mean " + near[0] + "?"
	}
	last := len(near) - 1
	return "did you mean " + strings.Join(near[:last], ", ") + " or " + near[last] + "?"
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment). It gives up with
// limit+1 once the answer must be larger than limit.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > limit || len(y)-len(x) > limit {
		return limit + 1
	}
	before := make([]int, len(y)+1) // two rows back
	above := make([]int, len(y)+1)
	row := make([]int, len(y)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		before, above, row = above, row, before
	}
	return min(above[len(y)], limit+1)
}
