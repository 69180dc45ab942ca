package web

import (
	"context"
	"encoding/json"
	"time"

	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/report"
	"auspex/store"
	job "auspex/training/kept"
	"auspex/whatif/kept"
)

// A diagnosis needs all times of all units. That of a large experiment is worked
// out when it is stored, while they are in memory, and kept beside it.
const (
	aheadName = "diagnosis.json"
	// aheadUnits is up to how many units: with more the kinds of units take longer
	// than anybody wants to wait for an import.
	aheadUnits = 20_000
	aheadFor   = time.Minute // and so long at most
)

// ahead is an answer that was worked out before anybody asked.
type ahead struct {
	Build      string          `json:"build"` // whose answer it is: another build asks anew
	Experiment string          `json:"experiment"`
	Diagnosis  json.RawMessage `json:"diagnosis"`
}

// Ahead works out of an experiment that is being stored what the page asks first
// and a digest does not say.
func Ahead(d *analyze.Dataset) []store.Attachment {
	if len(d.Units)*len(d.Regions) < manyValues || len(d.Units) > aheadUnits {
		return nil
	}
	return diagnosedAhead(d)
}

func diagnosedAhead(d *analyze.Dataset) []store.Attachment {
	if store.Build() == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), aheadFor)
	defer cancel()
	found, err := usualDiagnosis(ctx, d, analyze.ShippedWords(), diagnose.Options{})
	if err != nil {
		return nil // whoever asks is told
	}
	kept := ahead{Build: store.Build(), Experiment: d.Name}
	if kept.Diagnosis, err = json.Marshal(found); err != nil {
		return nil
	}
	data, err := json.Marshal(kept)
	if err != nil {
		return nil
	}
	return []store.Attachment{{Name: aheadName, Data: data}}
}

// ahead finds the diagnosis that was kept with an experiment; nil where there is
// none that holds.
func (s *Server) ahead(name string) any {
	e, err := analyze.Find(s.config.Store, name)
	if err != nil || kept.Has(e) || job.Has(e) { // the traces say more
		return nil
	}
	data, err := e.Attachment(aheadName)
	if err != nil {
		return nil
	}
	var kept ahead
	if json.Unmarshal(data, &kept) != nil || store.Build() == "" || kept.Build != store.Build() || kept.Experiment != e.Name {
		return nil
	}
	return kept.Diagnosis
}

// usualDiagnosis is one in words, cut to what a page can show.
func usualDiagnosis(ctx context.Context, d *analyze.Dataset, words analyze.Words, o diagnose.Options) (any, error) {
	found, err := diagnose.Run(ctx, d, words, o)
	if err != nil {
		return nil, err
	}
	found.Words = report.DiagnosisWords(found)
	return cutDiagnosis(found, shownRows), nil
}
