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
	// The lowest similarities with the first of Experiments, the factor's and
	// that of performance.
	FactorSimilarity Real   `json:"factor_similarity"`
	Performance      Real   `json:"performance_similarity"`
	Word             string `json:"word"`      // the vocabulary's for Performance
	Sensitive        bool   `json:"sensitive"` // performance is less than similar
}

// Performance below this similarity counts as another one.
const similarEnough = 0.85

// subject is what findings are about: a region or the program.
type subject struct {
	region string
	values *across
}

// findings looks, for every factor, at the experiments that agree in all other
// factors.
func (e *ExperimentSimilarity) findings(words Words, factors []comparedFactor, subjects []subject) {
	similarity := words.Variable("similarity")
	for _, f := range factors {
		for _, group := range groupsFor(f, factors, len(e.Experiments)) {
			for _, s := range subjects {
				found := SensitivityToward{
					Factor: f.Name, Category: f.Category, Others: group.others, Region: s.region,
					FactorSimilarity: 1, Performance: Missing,
				}
				performance := s.values.similarity(group.members)
				for i, m := range group.members {
					found.Experiments = append(found.Experiments, e.Experiments[m])
					found.FactorSimilarity = min(found.FactorSimilarity, f.similarity(group.members[0], m))
					if p := performance[i]; !p.IsMissing() && !(p >= found.Performance) {
						found.Performance = p
					}
				}
				found.Sensitive = found.Performance < similarEnough
				if similarity != nil {
					found.Word, _ = degreesIn(similarity, found.Performance).Best()
				}
				e.Findings = append(e.Findings, found)
			}
		}
	}
}

// group is experiments that differ in one factor alone.
type group struct {
	others  string
	members []int
}

// groupsFor parts the experiments by the values of all factors but f and keeps
// the parts in which f varies.
func groupsFor(f comparedFactor, factors []comparedFactor, experiments int) []group {
	var keys []string
	byKey := map[string]*group{}
	for i := range experiments {
		if f.Values[i] == nil {
			continue
		}
		var others []string
		for _, other := range factors {
			if other.Name != f.Name {
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
