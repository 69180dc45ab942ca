package training

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Comparison sets two traces against each other by operator: kernels have other
// names on another device, operators have not.
type Comparison struct {
	A         string           `json:"a"`
	B         string           `json:"b"`
	Operators []OperatorChange `json:"operators"`
	Seconds   [2]float64       `json:"kernel_seconds"`
	Words     string           `json:"words"`
}

// OperatorChange is an operator in both traces, or in one of them.
type OperatorChange struct {
	Operator string   `json:"operator"`
	State    string   `json:"state"` // added, removed, slower, faster, same
	Calls    [2]int   `json:"calls"`
	Kernels  [2]int   `json:"kernels"`
	A        float64  `json:"a_seconds"` // of its kernels
	B        float64  `json:"b_seconds"`
	Ratio    *float64 `json:"ratio"` // b / a; null where one has none
}

// changed is from what ratio on an operator is slower or faster.
const changed = 1.1

// Compare sets trace b against trace a.
func Compare(a, b *DeviceResult, nameA, nameB string) *Comparison {
	c := &Comparison{A: nameA, B: nameB, Operators: []OperatorChange{}}
	by := map[string]*OperatorChange{}
	for side, r := range []*DeviceResult{a, b} {
		for _, o := range r.Operators {
			name := o.Name
			if name == "" {
				name = "(no operator)"
			}
			if by[name] == nil {
				by[name] = &OperatorChange{Operator: name}
			}
			change := by[name]
			change.Calls[side], change.Kernels[side] = o.Calls, o.Kernels
			c.Seconds[side] += o.Seconds
			if side == 0 {
				change.A = o.Seconds
			} else {
				change.B = o.Seconds
			}
		}
	}
	for _, change := range by {
		switch {
		case change.Kernels[0] == 0:
			change.State = "added"
		case change.Kernels[1] == 0:
			change.State = "removed"
		default:
			if change.A > 0 {
				ratio := change.B / change.A
				change.Ratio = &ratio
			}
			switch {
			case change.B > changed*change.A:
				change.State = "slower"
			case change.A > changed*change.B:
				change.State = "faster"
			default:
				change.State = "same"
			}
		}
		c.Operators = append(c.Operators, *change)
	}
	slices.SortFunc(c.Operators, func(x, y OperatorChange) int {
		return cmp.Or(cmp.Compare(max(y.B-y.A, y.A-y.B), max(x.B-x.A, x.A-x.B)), strings.Compare(x.Operator, y.Operator))
	})
	c.Words = c.words()
	return c
}

func (c *Comparison) words() string {
	if c.Seconds[0] == 0 || c.Seconds[1] == 0 {
		return "One of the traces has no kernels: there is nothing to compare."
	}
	words := fmt.Sprintf("Kernels take %s in %s and %s in %s", milli(c.Seconds[0]), c.A, milli(c.Seconds[1]), c.B)
	if ratio := c.Seconds[1] / c.Seconds[0]; ratio >= changed {
		words += fmt.Sprintf(", %.2f times as long", ratio)
	} else if ratio <= 1/changed {
		words += fmt.Sprintf(", %.2f times as fast", 1/ratio)
	}
	counts := map[string]int{}
	for _, o := range c.Operators {
		counts[o.State]++
	}
	words += fmt.Sprintf(". Of the operators that launch kernels %d are slower, %d faster, %d added and %d removed.", counts["slower"], counts["faster"], counts["added"], counts["removed"])
	for _, o := range c.Operators { // the largest difference first
		switch {
		case o.State == "slower":
			words += fmt.Sprintf(" The largest loss is %s: %s instead of %s.", o.Operator, milli(o.B), milli(o.A))
		case o.State == "added":
			words += fmt.Sprintf(" The largest loss is %s, which is added: %s.", o.Operator, milli(o.B))
		default:
			continue
		}
		break
	}
	return words
}
