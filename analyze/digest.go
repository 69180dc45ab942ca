package analyze

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/gob"
	"encoding/hex"
	"io/fs"
	"maps"
	"sync"

	"auspex/account"
	"auspex/fuzzy"
	"auspex/model"
	"auspex/store"
)

// digest is what the first questions about an experiment need of its values: sums
// and extremes by region and by unit, and the ledger. A large experiment is stored
// with it, so that fifty million values need not be read to say where the time
// went. It holds numbers and no answers, and only for the code that worked them
// out; without it they are worked out from the values.
type digest struct {
	Code    string // what made it
	Times   *Times
	Alike   keptAlike
	Ledgers []*account.Ledger
	ByPath  map[string][]float64
	ByName  map[string][]float64
	Entered int // summaries by name; 0 where names were not asked for
}

// keptAlike is the part of Times that is not for other packages.
type keptAlike struct {
	Types    []UnitType
	Roles    []Role
	First    UnitType
	Averaged bool
	Asleep   []bool
}

const (
	digestName = "digest.gob"
	// digestFrom is from how many values of a metric on reading them takes longer
	// than anybody notices.
	digestFrom = 1 << 18
)

//go:embed *.go rules.toml
var sources embed.FS

// code names the program that works digests out, by its sources.
var code = sync.OnceValue(func() string {
	sum := sha256.New()
	for _, files := range []embed.FS{sources, account.Sources, model.Sources} {
		err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := files.ReadFile(path)
			sum.Write([]byte(path))
			sum.Write(data)
			return err
		})
		if err != nil {
			panic(err) // files that are part of the program
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
})

// Put stores an experiment as store.Put does, a large one with its digest.
func Put(s *store.Store, e *model.Experiment, replace bool, attached ...store.Attachment) error {
	return PutWith(s, e, replace, nil, attached...)
}

// PutWith stores an experiment, a large one with its digest and with what further
// works out of it: its values are at hand now, and are read again otherwise.
func PutWith(s *store.Store, e *model.Experiment, replace bool, further func(*Dataset) []store.Attachment, attached ...store.Attachment) error {
	if len(e.Units)*len(e.Regions) >= digestFrom && dense(e) && e.Check() == nil {
		attached = attached[:len(attached):len(attached)]
		d := inMemory(e)
		if data := digestOf(d); data != nil {
			attached = append(attached, store.Attachment{Name: digestName, Data: data})
			if further != nil {
				attached = append(attached, further(d)...)
			}
		}
	}
	return s.Put(e, replace, attached...)
}

// InMemory is a small experiment as a dataset that need not be read from a store; not
// one of several runs, the spread of which only the store gives, nor a large one, which
// is quicker with the digest that is stored.
func InMemory(e *model.Experiment) (d *Dataset, ok bool) {
	if e.Summaries.Deviation != nil || len(e.Units)*len(e.Regions) >= digestFrom {
		return nil, false
	}
	return inMemory(e), true
}

// inMemory is an experiment that is not stored as a dataset.
func inMemory(e *model.Experiment) *Dataset {
	h := e.Header
	h.UnitCount, h.RegionCount, h.SummaryCount = len(e.Units), len(e.Regions), e.Summaries.Rows()
	return newDataset(h, e.Units, e.Regions, unstored{e}, func() *digest { return nil })
}

// dense tells whether an experiment takes not much more memory as matrices.
func dense(e *model.Experiment) bool { return len(e.Units)*len(e.Regions) <= 4*e.Summaries.Rows() }

// digestOf asks what the page asks first and keeps what was worked out for it; nil
// where nothing can be said, as without times.
func digestOf(d *Dataset) []byte {
	by, _, err := d.By("")
	if err != nil {
		return nil
	}
	words := ShippedWords()
	if _, err := Summarise(by, 1); err != nil {
		return nil
	}
	if _, err := ApplyRules(by, words, ShippedRules(), nil, fuzzy.Centroid); err != nil {
		return nil
	}
	if _, err := Classify(by, words, TimeShare, nil, nil, AcrossMean); err != nil {
		return nil
	}
	if _, err := by.Heaviest(); err != nil {
		return nil
	}
	if _, name, err := Tree(d, "", 0); err != nil || spreadBoth(d, by, name) != nil {
		return nil
	}
	kept := digest{Code: code(), ByPath: d.vectors}
	if kept.Times, err = d.Times(); err != nil {
		return nil
	}
	t := kept.Times
	kept.Alike = keptAlike{t.alike.types, t.alike.roles, t.first, t.averaged, t.asleep}
	if kept.Ledgers, err = d.Ledgers(); err != nil {
		return nil
	}
	if by != d {
		kept.ByName, kept.Entered = by.vectors, by.SummaryCount
	}
	var data bytes.Buffer
	if gob.NewEncoder(&data).Encode(&kept) != nil {
		return nil
	}
	return data.Bytes()
}

// spreadBoth sums the time of regions up as call trees and lists of regions show it.
func spreadBoth(d, by *Dataset, time string) error {
	for _, of := range []*Dataset{d, by} {
		for _, scope := range []model.Scope{model.Exclusive, model.Inclusive} {
			if _, err := of.RegionSpread(time + "." + string(scope)); err != nil {
				return err
			}
		}
	}
	return nil
}

// readDigest finds the digest of an experiment; nil where there is none, or none
// that holds: the values say the same.
func readDigest(e *store.Experiment) *digest {
	if e.UnitCount*e.RegionCount < digestFrom {
		return nil
	}
	data, err := e.Attachment(digestName)
	if err != nil {
		return nil
	}
	return parseDigest(data, e.UnitCount)
}

func parseDigest(data []byte, units int) *digest {
	var kept digest
	if gob.NewDecoder(bytes.NewReader(data)).Decode(&kept) != nil || kept.Code != code() {
		return nil
	}
	t := kept.Times
	if t == nil || len(t.Useful) != units || len(t.Total) != units || len(kept.Alike.Types) != units || len(kept.Alike.Roles) != units || len(kept.Alike.Asleep) != units {
		return nil
	}
	t.alike, t.first, t.averaged = alikeness{kept.Alike.Types, kept.Alike.Roles}, kept.Alike.First, kept.Alike.Averaged
	t.asleep = kept.Alike.Asleep
	for _, l := range kept.Ledgers {
		if l.Lines == nil {
			l.Lines = []account.Line{} // which gob does not tell apart
		}
	}
	return &kept
}

func (d *Dataset) keptTimes() (*Times, error) {
	if kept := d.kept(); kept != nil {
		return kept.Times, nil
	}
	return d.sumTimes()
}

func (d *Dataset) keptLedgers() ([]*account.Ledger, error) {
	if kept := d.kept(); kept != nil {
		return kept.Ledgers, nil
	}
	return d.drawLedgers()
}

// remember gives a dataset by name what was kept for it, and its size.
func (d *Dataset) remember(paths *Dataset) error {
	if kept := paths.kept(); kept != nil && kept.Entered > 0 {
		maps.Copy(d.vectors, kept.ByName)
		d.SummaryCount = kept.Entered
		return nil
	}
	unit, _, err := d.stored.Index()
	d.SummaryCount = len(unit)
	return err
}

// vector works numbers by unit or region out once; those that were kept with the
// experiment are there already. The result is shared: do not change it.
func (d *Dataset) vector(key string, compute func() ([]float64, error)) ([]float64, error) {
	d.mu.Lock()
	v, known := d.vectors[key]
	d.mu.Unlock()
	if known {
		return v, nil
	}
	if kept := d.kept(); kept != nil && kept.ByPath[key] != nil {
		return kept.ByPath[key], nil
	}
	v, err := compute()
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.vectors[key] = v
	return v, nil
}
