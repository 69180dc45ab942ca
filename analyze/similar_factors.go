package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"auspex/fuzzy"
	"auspex/internal/mistake"
	"auspex/model"
)

// FactorInfo is how a factor was compared (Soft performance analysis, Table 1).
type FactorInfo struct {
	Name     string `json:"name"`
	Category string `json:"category"` // "" where the vocabulary does not know the factor
	Set      string `json:"set"`      // "" where only equal and different were told apart
	Values   []any  `json:"values"`   // by experiment; nil where not recorded
	// Controllable: somebody chose it. What nobody chose, such as the load of a
	// machine, explains differences but is never held the same.
	Controllable bool `json:"controllable"`
}

// comparedFactor is a factor with its values by experiment.
type comparedFactor struct {
	FactorInfo
	similarity func(i, j int) Real
}

// A factor that nobody recorded but that every experiment has.
const unitsFactor = "units"

// factorValue finds a factor of an experiment; CPUs, units and processes are
// counted where they were not recorded.
func factorValue(d *Dataset, name string) (model.Factor, bool) {
	for _, f := range d.Factors {
		if strings.EqualFold(f.Name, name) {
			return f, true
		}
	}
	processes, _, _ := CountUnits(d.Units)
	switch strings.ToLower(name) {
	case unitsFactor, "cpu", "cpus":
		return model.NumberFactor(name, float64(len(d.Units))), true
	case "processes", "ranks":
		return model.NumberFactor(name, float64(processes)), true
	}
	return model.Factor{}, false
}

// chooseFactors compares the factors asked for; without any, those that the
// vocabulary knows, else the numbers and words that vary, else the number of units.
func chooseFactors(words Words, datasets []*Dataset, names []string, e *ExperimentSimilarity) ([]comparedFactor, error) {
	asked := len(names) > 0
	if !asked {
		var together [][]string
		names, together = defaultFactors(words, datasets)
		for _, same := range together {
			e.Warnings = append(e.Warnings, fmt.Sprintf("%s vary together in these experiments, so it is not possible to say which of them matters; %s stands for all", strings.Join(same, ", "), same[0]))
		}
	}
	e.FactorInfo = []FactorInfo{}
	var chosen []comparedFactor
	for _, name := range names {
		f, err := compareFactor(words, datasets, name, e)
		if err != nil {
			return nil, err
		}
		if f == nil {
			if asked {
				return nil, mistake.Refuse("no experiment has a factor %q; `auspex ls` shows the factors", name)
			}
			continue
		}
		sims := make([]Real, len(datasets))
		for i := range sims {
			sims[i] = f.similarity(0, i)
		}
		e.Factors[f.Name] = sims
		e.FactorInfo = append(e.FactorInfo, f.FactorInfo)
		chosen = append(chosen, *f)
	}
	return chosen, nil
}

// measuredFactors are found in every profile; what somebody gave says more.
var measuredFactors = []string{"ranks", "processes", "threads", "nodes", "cores", "devices", "jobsize", "world_size", unitsFactor}

// defaultFactors also gives those that vary together, the one that stands for the
// others first.
func defaultFactors(words Words, datasets []*Dataset) (names []string, together [][]string) {
	for _, f := range words.Factors {
		if slices.ContainsFunc(datasets, func(d *Dataset) bool { _, ok := factorValue(d, f.Name); return ok }) {
			names = append(names, f.Name)
		}
	}
	if len(names) > 0 {
		return names, nil
	}
	var given, measured []string
	for _, f := range datasets[0].Factors {
		switch {
		case !numberThatVaries(datasets, f.Name) && !wordThatVaries(datasets, f.Name):
		case slices.Contains(measuredFactors, strings.ToLower(f.Name)):
			measured = append(measured, f.Name)
		default:
			given = append(given, f.Name)
		}
	}
	for _, name := range append(given, measured...) {
		at := slices.IndexFunc(names, func(other string) bool { return varyInStep(datasets, name, other) })
		if at < 0 {
			names, together = append(names, name), append(together, []string{name})
		} else {
			together[at] = append(together[at], name)
		}
	}
	if len(names) == 0 && numberThatVaries(datasets, unitsFactor) {
		names = []string{unitsFactor}
	}
	return names, slices.DeleteFunc(together, func(same []string) bool { return len(same) < 2 })
}

// varyInStep tells whether two factors part the experiments in the same way;
// then nobody can say which of them mattered.
func varyInStep(datasets []*Dataset, a, b string) bool {
	for i, d := range datasets {
		for _, e := range datasets[:i] {
			x, _ := factorValue(d, a)
			y, _ := factorValue(e, a)
			v, _ := factorValue(d, b)
			w, _ := factorValue(e, b)
			if (x.Word == y.Word) != (v.Word == w.Word) {
				return false
			}
		}
	}
	return true
}

func numberThatVaries(datasets []*Dataset, name string) bool {
	varies := false
	first, _ := factorValue(datasets[0], name)
	for _, d := range datasets {
		f, ok := factorValue(d, name)
		if !ok || !f.Numeric {
			return false
		}
		varies = varies || f.Number != first.Number
	}
	return varies
}

// VaryingFactors names what somebody may have set differently in experiments, apart
// from the numbers of processes and the like.
func VaryingFactors(datasets []*Dataset) []string {
	var names []string
	for _, f := range datasets[0].Factors {
		if !slices.Contains(measuredFactors, strings.ToLower(f.Name)) && (numberThatVaries(datasets, f.Name) || wordThatVaries(datasets, f.Name)) {
			names = append(names, f.Name)
		}
	}
	return names
}

// FactorValue is a number or a word; nil where it was not recorded.
func (d *Dataset) FactorValue(name string) any {
	f, ok := factorValue(d, name)
	if !ok {
		return nil
	}
	return f.Value()
}

// wordThatVaries tells of what somebody may have set, such as a network. Paths,
// dates and sizes with a unit are what a profile says of its run, and differ anyway.
func wordThatVaries(datasets []*Dataset, name string) bool {
	varies := false
	first, _ := factorValue(datasets[0], name)
	for _, d := range datasets {
		f, ok := factorValue(d, name)
		if !ok || f.Numeric || f.Word == "" || strings.ContainsAny(f.Word, "/:") || !unicode.IsLetter([]rune(f.Word)[0]) {
			return false
		}
		varies = varies || f.Word != first.Word
	}
	return varies
}

// compareFactor prepares one factor; nil where no experiment has it. A factor
// that the vocabulary does not know is compared linearly up to its largest
// value; words without numbers are equal or different.
func compareFactor(words Words, datasets []*Dataset, name string, e *ExperimentSimilarity) (*comparedFactor, error) {
	f := &comparedFactor{FactorInfo: FactorInfo{Name: name, Values: make([]any, len(datasets)), Controllable: true}}
	known := words.Factor(name)
	if known != nil {
		f.Controllable = known.Controllable
	}
	numbers := make([]float64, len(datasets))
	texts := make([]string, len(datasets))
	recorded, numeric := 0, true
	for i, d := range datasets {
		numbers[i] = math.NaN()
		value, ok := factorValue(d, name)
		if !ok {
			continue
		}
		recorded++
		f.Values[i], texts[i] = value.Value(), value.Word
		switch {
		case known != nil:
			var err error
			if numbers[i], err = known.Number(value.Word); err != nil {
				return nil, fmt.Errorf("experiment %q: %w", d.Name, err)
			}
		case value.Numeric:
			numbers[i] = value.Number
		default:
			numeric = false
		}
	}
	if recorded == 0 {
		return nil, nil
	}
	if missing := len(datasets) - recorded; missing > 0 {
		e.Warnings = append(e.Warnings, fmt.Sprintf("%d of %d experiments do not record the factor %s", missing, len(datasets), name))
	}
	if !numeric {
		e.Warnings = append(e.Warnings, fmt.Sprintf("the factor %s is a word that stands for no number: it can only be the same or different; a vocabulary can give numbers under [factor.%s.words]", name, name))
		f.similarity = func(i, j int) Real { return sameWord(f.Values, texts, i, j) }
		return f, nil
	}
	if known == nil {
		known = &fuzzy.Factor{Name: name}
		low, high := span(numbers)
		set, err := fuzzy.NewShape(fuzzy.Linear, low, high)
		if err != nil {
			return nil, err
		}
		known.Set = set
	}
	f.Category, f.Set = known.Category, known.Set.String()
	f.similarity = func(i, j int) Real { return Real(known.Similarity(numbers[i], numbers[j])) }
	return f, nil
}

// span is from zero to the largest number, or around what is not positive.
func span(numbers []float64) (low, high float64) {
	for _, n := range numbers {
		if n == n {
			low, high = min(low, n), max(high, n)
		}
	}
	if low == high {
		high = low + 1
	}
	return low, high
}

func sameWord(values []any, texts []string, i, j int) Real {
	switch {
	case values[i] == nil || values[j] == nil:
		return Missing
	case texts[i] == texts[j]:
		return 1
	}
	return 0
}
