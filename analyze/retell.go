package analyze

import (
	"bytes"
	"fmt"

	"auspex/expr"
	"auspex/fuzzy"
	"auspex/internal/mistake"
)

// Retell gives words with other meanings for some terms of a variable.
func (words Words) Retell(variable string, meanings map[string]string) (Words, *fuzzy.Variable, error) {
	v := words.Variable(variable)
	if v == nil {
		var names []string
		for _, known := range words.Variables {
			names = append(names, known.Name)
		}
		return words, nil, mistake.Refuse("the vocabulary has no variable %q%s", variable, hinted(expr.DidYouMean(variable, names)))
	}
	changed := *v
	taken := 0
	retell := func(terms []*fuzzy.Term) ([]*fuzzy.Term, error) {
		var told []*fuzzy.Term
		for _, t := range terms {
			if text, ok := meanings[t.Name]; ok {
				taken++
				phrase, err := fuzzy.ParsePhrase(text)
				if err != nil {
					return nil, fmt.Errorf("the meaning of %s: %w", t.Name, err)
				}
				t = &fuzzy.Term{Name: t.Name, Definition: phrase}
			}
			told = append(told, t)
		}
		return told, nil
	}
	var err error
	if changed.Terms, err = retell(v.Terms); err != nil {
		return words, nil, err
	}
	if changed.Global, err = retell(v.Global); err != nil {
		return words, nil, err
	}
	if taken < len(meanings) {
		return words, nil, mistake.Refuse("%s has no such terms: %d of the %d given are unknown", variable, len(meanings)-taken, len(meanings))
	}
	// Reading back what was written checks it as any vocabulary is checked.
	var text bytes.Buffer
	if err := (&fuzzy.Vocabulary{Variables: []*fuzzy.Variable{&changed}}).WriteTOML(&text); err != nil {
		return words, nil, err
	}
	read, err := fuzzy.ReadVocabulary("the changed vocabulary", text.Bytes())
	if err != nil {
		return words, nil, err
	}
	return Words{Vocabulary: words.Merge(read), Logic: words.Logic}, read.Variables[0], nil
}

func hinted(hint string) string {
	if hint == "" {
		return ""
	}
	return "; " + hint
}
