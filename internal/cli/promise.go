package cli

import (
	"encoding/json"
	"errors"

	"auspex/analyze"
	"auspex/store"
	"auspex/whatif"
	"auspex/whatif/kept"
)

// promise keeps what a change should bring beside the experiment.
func (a *app) promise(t *traced, c *whatif.Case, answer *whatif.Answer, changes []whatif.Change) error {
	p, err := c.Promise(answer, changes)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return a.openStore().PutPromise(t.Data.ID, append(data, '\n'))
}

// compared is what compare prints with --json.
type compared struct {
	*analyze.Comparison
	Promise *whatif.Kept `json:"promise,omitempty"`
}

// kept holds what was promised for the first experiment against the second; nil
// where nothing was promised.
func (a *app) kept(before, after *analyze.Dataset) (*whatif.Kept, error) {
	data, err := a.openStore().Promise(before.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := &whatif.Promise{}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, nil // of another version, or damaged: it is no reason not to compare
	}
	seconds, err := kept.Seconds(after)
	if err != nil {
		return nil, err
	}
	times, err := kept.Took(after)
	if err != nil {
		return nil, err
	}
	return p.Check(seconds, times), nil
}
