package analyze

import "auspex/expr"

// Folding says what a row's value is of those behind it.
type Folding string

// The ways that tables tell of.
const (
	FoldedSum  Folding = "summed"
	FoldedMean Folding = "mean"
	FoldedAll  Folding = "" // neither, such as an imbalance
)

// foldedBy tells how a metric becomes one value: what adds up is summed, of ratios
// that were measured as such it is the mean.
func (d *Dataset) foldedBy(n expr.Node) Folding {
	how, first := FoldedAll, true
	for _, name := range expr.Names(n) {
		of := FoldedAll
		if m, err := d.Resolve(name); err == nil && d.Has(name) {
			if of = FoldedMean; m.Additive() {
				of = FoldedSum
			}
		}
		if !first && of != how {
			return FoldedAll
		}
		how, first = of, false
	}
	return how
}
