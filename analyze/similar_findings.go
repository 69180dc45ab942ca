package analyze

import (
	"fmt"
	"strings"
)

// SensitivityToward tells what became of performance when one factor changed
// and the others stayed (Soft performance analysis, §6.4: "the network … is
// quite dissimilar while other factors are very similar, but the performance
// is very similar").
type SensitivityToward struct {
	Factor      string   `json:"factor"`
	Category    string   `json:"category"`
	Others      string   `json:"others"` // the factors that stayed, as name=value
	Region      string   `json:"region"` // "" for the whole program
	Experiments []string `json:"experiments"`
	// Of the two experiments that differ in the factor and are least alike in
	// performance: who they are, how alike the factor is and how alike they perform.
	Pair             [2]string `json:"pair"`
	FactorSimilarity Real      `json:"factor_similarity"`
	Performance      Real      `json:"performance_similarity"`
	// Same is how alike those perform, at the least, that have the same value of the
	// factor; missing where no two have.
	Same Real   `json:"same_value_similarity"`
	Word string `json:"word"` // the vocabulary's for Performance
	// Sensitive: performance is less than similar where the factor changes, and less
	// so than where it does not.
	Sensitive bool `json:"sensitive"`
	// Uncontrolled are factors that nobody controls and in which the two differ too.
	Uncontrolled []string `json:"uncontrolled"`
}

// Performance below this similarity counts as another one.
const similarEnough = 0.85

// subject is what findings are about: a region or the program.
type subject struct {
	region string
	values *across
}

// findings looks, for every factor that somebody controls, at the experiments that
// agree in all the others.
func (e *ExperimentSimilarity) findings(words Words, factors []comparedFactor, subjects []subject) {
	for _, f := range factors {
		if !f.Controllable {
			continue
		}
		groups := groupsFor(f, factors, len(e.Experiments))
		if len(groups) == 0 && varies(f) {
			e.Warnings = append(e.Warnings, fmt.Sprintf("no two experiments differ in %s alone, so its effect cannot be separated", f.Name))
		}
		for _, group := range groups {
			for _, s := range subjects {
				e.Findings = append(e.Findings, e.finding(words, f, factors, group, s))
			}
		}
	}
}

func varies(f comparedFactor) bool {
	for _, v := range f.Values {
		if v != nil && v != f.Values[0] {
			return true
		}
	}
	return false
}

// finding pairs the factor and the performance of the same two experiments.
func (e *ExperimentSimilarity) finding(words Words, f comparedFactor, factors []comparedFactor, g group, s subject) SensitivityToward {
	found := SensitivityToward{
		Factor: f.Name, Category: f.Category, Others: g.others, Region: s.region,
		FactorSimilarity: Missing, Performance: Missing, Same: Missing, Uncontrolled: []string{},
	}
	performance := s.values.compared(g.members)
	pair := [2]int{-1, -1}
	for i, m := range g.members {
		found.Experiments = append(found.Experiments, e.Experiments[m])
		for j, n := range g.members[:i] {
			p := performance(j, i)
			switch {
			case p.IsMissing():
			case f.Values[m] == f.Values[n]:
				if !(p >= found.Same) {
					found.Same = p
				}
			case !(p >= found.Performance):
				found.Performance, pair = p, [2]int{n, m}
			}
		}
	}
	if pair[0] < 0 {
		return found
	}
	found.FactorSimilarity = f.similarity(pair[0], pair[1])
	found.Pair = [2]string{e.Experiments[pair[0]], e.Experiments[pair[1]]}
	found.Sensitive = found.Performance < similarEnough && !(found.Same <= found.Performance+sameNoise)
	for _, other := range factors {
		if !other.Controllable && other.similarity(pair[0], pair[1]) < similarEnough {
			found.Uncontrolled = append(found.Uncontrolled, other.Name)
		}
	}
	if similarity := words.Variable("similarity"); similarity != nil {
		found.Word, _ = degreesIn(similarity, found.Performance).Best()
	}
	return found
}

// sameNoise is how much less alike than repeats experiments must be for a factor
// to be the reason.
const sameNoise = 0.02

// group is experiments that differ in one factor alone.
type group struct {
	others  string
	members []int
}

// groupsFor parts the experiments by the values of all controllable factors but f
// and keeps the parts in which f varies.
func groupsFor(f comparedFactor, factors []comparedFactor, experiments int) []group {
	var keys []string
	byKey := map[string]*group{}
	for i := range experiments {
		if f.Values[i] == nil {
			continue
		}
		var others []string
		for _, other := range factors {
			if other.Name != f.Name && other.Controllable {
				others = append(others, fmt.Sprintf("%s=%v", other.Name, other.Values[i]))
			}
		}
		key := strings.Join(others, ", ")
		if byKey[key] == nil {
			byKey[key] = &group{others: key}
			keys = append(keys, key)
		}
		byKey[key].members = append(byKey[key].members, i)
	}
	var groups []group
	for _, key := range keys {
		g := byKey[key]
		for _, m := range g.members {
			if f.Values[m] != f.Values[g.members[0]] {
				groups = append(groups, *g)
				break
			}
		}
	}
	return groups
}
