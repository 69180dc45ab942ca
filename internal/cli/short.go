package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"auspex/instrument"
	"auspex/model"
	"auspex/store"
)

// keepShort adds to what the store knows of a program: which of its regions are
// too short to be measured. The next auspex cc leaves them out, so that not even
// a switched-off probe is paid for. It gives a note on what is new, "" for nothing.
func keepShort(s *store.Store, e *model.Experiment, rules []instrument.Rule) string {
	program := filepath.Base(e.Program)
	if len(rules) == 0 || e.Program == "" {
		return ""
	}
	failed := func(err error) string { return "auspex cc will not know what was switched off: " + err.Error() }
	text, err := s.Filter(program)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return failed(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		known[strings.TrimSpace(line)] = true
	}
	if len(text) == 0 {
		text = fmt.Appendf(nil, "# Regions of %s that were switched off in a run, their calls being many and short.\n# auspex cc leaves them out; without this file it measures them again.\n", program)
	}
	added := 0
	for _, r := range rules {
		if line := r.String(); !known[line] {
			text = append(append(text, line...), '\n')
			added++
		}
	}
	if added == 0 {
		return ""
	}
	if err := s.PutFilter(program, text); err != nil {
		return failed(err)
	}
	return fmt.Sprintf("the next auspex cc leaves out what was switched off (%s)", s.FilterFile(program))
}

// leaveShort has what runs showed to be too short left out, unless the user says
// what is to be measured. Rules of the user's own come after and win.
func (a *app) leaveShort(options *instrument.Options) {
	if options.MinLines > 0 || len(options.Include) > 0 || options.Regions == instrument.All {
		return
	}
	s := a.storeAround()
	if s == nil {
		return
	}
	programs, _ := s.Filters() // a store that cannot be read keeps no build from its work
	var rules []instrument.Rule
	for _, program := range programs {
		text, err := s.Filter(program)
		if err != nil {
			continue // removed just now
		}
		filter, err := instrument.ReadFilter(s.FilterFile(program), bytes.NewReader(text))
		if err != nil {
			fmt.Fprintf(a.err, "auspex: %v; the file is not used\n", err)
			continue
		}
		for _, r := range filter.Rules {
			r.Why = "too short in a run of " + program
			rules = append(rules, r)
		}
	}
	if len(rules) == 0 {
		return
	}
	if options.Filter != nil {
		rules = append(rules, options.Filter.Rules...)
	}
	options.Filter = &instrument.Filter{Rules: rules}
}

// storeAround is the store that runs of what is being compiled here go to: the
// one that was named, or the nearest above, since builds go down into
// directories; nil where there is none.
func (a *app) storeAround() *store.Store {
	if a.site != nil {
		return nil
	}
	if a.storeDir != "" || os.Getenv("AUSPEX_STORE") != "" {
		return a.openStore()
	}
	dir, err := os.Getwd()
	for err == nil {
		place := filepath.Join(dir, ".auspex")
		if info, err := os.Stat(place); err == nil && info.IsDir() {
			return store.Open(place)
		}
		if above := filepath.Dir(dir); above != dir {
			dir = above
			continue
		}
		break
	}
	return nil
}
