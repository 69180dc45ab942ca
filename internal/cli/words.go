package cli

import (
	"os"

	"github.com/spf13/cobra"

	"auspex/analyze"
	"auspex/fuzzy"
	"auspex/store"
)

// wordFlags are the flags of every command that speaks in words.
type wordFlags struct {
	vocabularies []string
	logic        string
}

func (w *wordFlags) register(cmd *cobra.Command) {
	w.registerVocabulary(cmd)
	cmd.Flags().StringVar(&w.logic, "logic", fuzzy.Minimum.String(), "how AND and OR join degrees: min, product or compensatory")
	offer(cmd, "logic", "min", "product", "compensatory")
}

// registerVocabulary is for commands that ask no questions in words.
func (w *wordFlags) registerVocabulary(cmd *cobra.Command) {
	w.logic = fuzzy.Minimum.String()
	cmd.Flags().StringArrayVar(&w.vocabularies, "vocabulary", nil, "TOML file of terms, factors and what regions are that take the place of the shipped ones (repeatable)")
}

// words merges the user's files over the shipped vocabulary.
func (w *wordFlags) words() (analyze.Words, error) {
	words := analyze.ShippedWords()
	for _, file := range w.vocabularies {
		data, err := os.ReadFile(file)
		if err != nil {
			return words, err
		}
		if data, err = store.CheckVocabulary(file, data); err != nil {
			return words, err
		}
		own, err := fuzzy.ReadVocabulary(file, data)
		if err != nil {
			return words, err
		}
		words.Vocabulary = words.Vocabulary.Merge(own)
	}
	logic, err := fuzzy.ParseLogic(w.logic)
	if err != nil {
		return words, usageError{err}
	}
	words.Logic = logic
	return words, nil
}

// opened gives an experiment and the words to speak of it with.
func (a *app) opened(name string, flags *wordFlags) (*analyze.Dataset, analyze.Words, error) {
	words, err := flags.words()
	if err != nil {
		return nil, words, err
	}
	d, err := a.dataset(name)
	if err != nil {
		return nil, words, err
	}
	d.Sort(words)
	return d, words, nil
}

// byFlag says whether regions are call paths or names.
func byFlag(cmd *cobra.Command, by *string) {
	cmd.Flags().StringVar(by, "by", "", "regions by call path or by function name: path or name (default: path; name where paths hide the heaviest function)")
	offer(cmd, "by", "path", "name")
}

// by looks at an experiment by path or by name; the note says what was chosen where
// nobody asked.
func by(d *analyze.Dataset, word string) (*analyze.Dataset, []string, error) {
	shown, note, err := d.By(word)
	if err != nil {
		return nil, nil, usageError{err}
	}
	if note == "" {
		return shown, nil, nil
	}
	return shown, []string{note}, nil
}

// datasets opens several experiments.
func (a *app) datasets(names []string) ([]*analyze.Dataset, error) {
	var opened []*analyze.Dataset
	for _, name := range names {
		d, err := a.dataset(name)
		if err != nil {
			return nil, err
		}
		opened = append(opened, d)
	}
	return opened, nil
}
