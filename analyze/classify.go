package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"auspex/fuzzy"
	"auspex/internal/mistake"
)

// Classification is the degree of membership of every region (or unit) in
// every term of a metric (Soft performance analysis, §6.1 and Figure 2).
type Classification struct {
	Experiment string       `json:"experiment"`
	Metric     string       `json:"metric"`   // as asked for
	Quantity   string       `json:"quantity"` // what the words are said of
	Across     Across       `json:"across"`
	Terms      []string     `json:"terms"` // in the vocabulary's order
	Rows       []Classified `json:"rows"`  // the largest value first
	Warnings   []string     `json:"warnings"`
}

// Classified is one region, or one unit in it.
type Classified struct {
	Region string  `json:"region"`
	Unit   any     `json:"unit,omitempty"` // nil over all units
	Share  Real    `json:"share"`          // of the run, the region's own time; missing of single units
	Value  Real    `json:"value"`
	Terms  Degrees `json:"terms"`
}

// Across says what becomes of the units when regions are classified.
type Across string

// The ways across units.
const (
	AcrossMean Across = "mean" // summed up first: a ratio is the ratio of sums
	AcrossMax  Across = "max"  // the unit with the largest value stands for all
	AcrossEach Across = "each" // every unit for itself
)

// Classify says how far every region deserves each term of a metric, or each
// of the phrases given ("very high", "not slightly low"). Regions are paths, names
// or globs of either; none stands for all.
func Classify(d *Dataset, words Words, metric string, phrases, regions []string, across Across) (*Classification, error) {
	q, err := d.quantity(words, metric)
	if err != nil {
		return nil, err
	}
	names, sets, err := q.sets(words, phrases)
	if err != nil {
		return nil, err
	}
	c := &Classification{
		Experiment: d.Name, Metric: metric, Quantity: q.node.String(), Across: across,
		Terms: names, Rows: []Classified{}, Warnings: []string{},
	}
	if err := c.fill(d, q, sets); err != nil {
		return nil, err
	}
	if len(regions) > 0 {
		chosen, err := d.chooseRegions(regions)
		if err != nil {
			return nil, err
		}
		kept := map[string]bool{}
		for _, r := range chosen {
			kept[d.Paths[r]] = true
		}
		c.Rows = slices.DeleteFunc(c.Rows, func(r Classified) bool { return !kept[r.Region] })
	}
	c.warn(q)
	return c, nil
}

// sets binds the phrases, or all terms of the quantity's variable.
func (q quantity) sets(words Words, phrases []string) (names []string, sets []fuzzy.Set, err error) {
	if len(phrases) == 0 {
		if q.variable == nil {
			return nil, nil, noWords(q.text)
		}
		for _, t := range q.variable.Terms {
			names, sets = append(names, t.Name), append(sets, t.Set)
		}
		return names, sets, nil
	}
	for _, text := range phrases {
		phrase, err := fuzzy.ParsePhrase(text)
		if err != nil {
			return nil, nil, err
		}
		meaning, err := words.Resolve(q.node, phrase, words.Logic)
		if err != nil {
			return nil, nil, inText(err, text)
		}
		names, sets = append(names, phrase.String()), append(sets, meaning.Set)
	}
	return names, sets, nil
}

func (c *Classification) fill(d *Dataset, q quantity, sets []fuzzy.Set) error {
	by := map[Across]By{AcrossMean: ByRegion, AcrossMax: BySummary, AcrossEach: BySummary}[c.Across]
	if by == "" {
		return mistake.Refuse("regions are classified across units by %s, %s or %s, not by %q", AcrossMean, AcrossMax, AcrossEach, c.Across)
	}
	rows, err := d.Rows(by)
	if err != nil {
		return err
	}
	values, err := rows.Eval(q.node)
	if err != nil {
		return err
	}
	share := func(string) Real { return Missing }
	if c.Across != AcrossEach {
		share = d.shares()
	}
	degrees := make([]Real, 0, rows.Len()*len(sets)) // of all rows, one allocation
	add := func(region int, unit any, v float64) {
		from := len(degrees)
		for _, s := range sets {
			degrees = append(degrees, Real(s.Degree(v)))
		}
		c.Rows = append(c.Rows, Classified{Region: d.Paths[region], Unit: unit, Share: share(d.Paths[region]), Value: Real(v), Terms: Degrees{c.Terms, degrees[from:]}})
	}
	switch c.Across {
	case AcrossMean:
		for i, v := range values {
			add(rows.Region[i], nil, v)
		}
	case AcrossEach:
		units := make([]any, len(d.Units))
		for u := range units {
			units[u] = unitValue(d.Units[u])
		}
		c.Rows = make([]Classified, 0, rows.Len())
		for _, i := range descending(values) {
			v := values[i]
			add(rows.Region[i], units[rows.Unit[i]], v)
		}
	case AcrossMax:
		most := make([]float64, len(d.Regions))
		for r := range most {
			most[r] = math.NaN()
		}
		for i, v := range values {
			if r := rows.Region[i]; v == v && !(v <= most[r]) {
				most[r] = v
			}
		}
		for r, v := range most {
			add(r, nil, v)
		}
	}
	if c.Across != AcrossEach {
		slices.SortStableFunc(c.Rows, func(a, b Classified) int { return cmp.Compare(b.Value, a.Value) }) // missing last
	}
	return nil
}

// descending orders millions of values, the largest first, missing ones last
// and equal ones as they were: a radix sort, since comparing takes most of the
// time otherwise.
func descending(values []float64) []int32 {
	const digit = 11 // bits; six digits make a key
	type keyed struct {
		key uint64 // rises as the value falls
		at  int32
	}
	keys, sorted := make([]keyed, len(values)), make([]keyed, len(values))
	for i, v := range values {
		bits := math.Float64bits(v + 0) // one zero, not two
		switch {
		case v != v:
			bits = 0
		case bits>>63 == 0:
			bits |= 1 << 63
		default:
			bits = ^bits
		}
		keys[i] = keyed{^bits, int32(i)}
	}
	for shift := 0; shift < 64; shift += digit {
		var starts [1<<digit + 1]int32
		for _, k := range keys {
			starts[k.key>>shift&(1<<digit-1)+1]++
		}
		for d := range 1 << digit {
			starts[d+1] += starts[d]
		}
		for _, k := range keys {
			d := k.key >> shift & (1<<digit - 1)
			sorted[starts[d]] = k
			starts[d]++
		}
		keys, sorted = sorted, keys
	}
	order := make([]int32, len(keys))
	for i, k := range keys {
		order[i] = k.at
	}
	return order
}

// warn tells what the terms do not say.
func (c *Classification) warn(q quantity) {
	missing, uncovered, zeros := 0, 0, 0
	for _, row := range c.Rows {
		switch {
		case row.Value.IsMissing():
			missing++
		case q.variable != nil && !q.variable.Covers(float64(row.Value)):
			uncovered++
		case row.Value == 0:
			zeros++
		}
	}
	if missing == len(c.Rows) {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s has no value in any region", c.Quantity))
	} else if missing > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s has no value in %d of %d rows", c.Quantity, missing, len(c.Rows)))
	}
	if uncovered > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the terms of %s say nothing of %d of %d values", q.variable.Name, uncovered, len(c.Rows)))
	}
	if zeros == len(c.Rows) {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s is zero in every region", c.Quantity))
	}
}
