package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"auspex/internal/scratch"
	"auspex/store"
)

// Folder is where all that is known of a study lies: sweeps/<name> in a store.
//
//	plan.json        the study as it was last asked for
//	results/*.jsonl  what came out, a line a point; each file has one writer
//	jobs.jsonl       the job arrays that were submitted
//	turns/           who had which piece of the work before
//	shares/*.json    which points each task of an array does
//	logs/            what the tasks printed
//	stop             there while nobody is to take another point
type Folder struct {
	Dir   string
	store *store.Store
}

// In finds the folder of a study in a store. It need not exist.
func In(s *store.Store, name string) (*Folder, error) {
	if err := store.CheckName(name); err != nil {
		return nil, err
	}
	if s.Remote() != nil {
		return nil, errors.New("a sweep is kept in a directory: give --store DIR, which all machines see")
	}
	escaped := url.PathEscape(name)
	if escaped[0] == '.' {
		escaped = "%2E" + escaped[1:]
	}
	dir, err := filepath.Abs(filepath.Join(s.Dir(), "sweeps", escaped))
	return &Folder{Dir: dir, store: s}, err
}

// Names lists the studies that a store knows.
func Names(s *store.Store) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(s.Dir(), "sweeps"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, entry := range entries {
		if name, bad := url.PathUnescape(entry.Name()); bad == nil && entry.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, err
}

// ErrUnknown tells that a store knows no study of the name.
var ErrUnknown = errors.New("there is no such sweep in the store")

// planVersion is raised when an earlier auspex could not do what a plan says.
const planVersion = 1

// plan is a study as it is kept.
type plan struct {
	Version  int                 `json:"version"`
	Name     string              `json:"name"`
	Kind     Kind                `json:"kind"`
	Dir      string              `json:"dir"`
	Axes     []Axis              `json:"axes"`
	Settings map[string][]string `json:"settings"`
}

// Plan keeps a study, in place of an earlier form of it: what came out of the
// points that both have stays.
func (f *Folder) Plan(s *Study) error {
	for _, dir := range []string{"results", "turns", "shares", "logs"} {
		if err := os.MkdirAll(filepath.Join(f.Dir, dir), 0o777); err != nil {
			return fmt.Errorf("the sweep cannot be kept: %w", err)
		}
	}
	data, err := json.MarshalIndent(plan{planVersion, s.Name, s.Kind, s.Dir, s.Axes, s.Settings}, "", "  ")
	if err != nil {
		return err
	}
	return f.replace("plan.json", append(data, '\n'))
}

// Study reads the study as it was last asked for.
func (f *Folder) Study() (*Study, error) {
	path := filepath.Join(f.Dir, "plan.json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	var p plan
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; run auspex sweep with the study's file again", path, err)
	}
	if p.Version > planVersion {
		return nil, fmt.Errorf("%s was written by a newer auspex: use that one, or a later", path)
	}
	s := &Study{Name: p.Name, Kind: p.Kind, Dir: p.Dir, Axes: p.Axes, Settings: p.Settings}
	if settings[s.Kind] == nil {
		return nil, fmt.Errorf("%s is damaged: it is of kind %q", path, p.Kind)
	}
	return s, s.check()
}

// replace writes a file so that others see all of it or what was there before.
func (f *Folder) replace(name string, data []byte) error {
	place := filepath.Join(f.Dir, name)
	temporary := filepath.Join(filepath.Dir(place), ".tmp-"+scratch.Self()+"-"+filepath.Base(name))
	file, err := os.Create(temporary)
	if err != nil {
		return err
	}
	defer os.Remove(temporary) // gone by then when all went well
	_, err = file.Write(data)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(temporary, place)
}

// Stop keeps every worker from taking another point, here and elsewhere, until
// Go.
func (f *Folder) Stop() error { return f.replace("stop", nil) }

// Go lets workers take points again.
func (f *Folder) Go() error {
	if err := os.Remove(filepath.Join(f.Dir, "stop")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Stopped tells whether Stop was called.
func (f *Folder) Stopped() bool {
	_, err := os.Stat(filepath.Join(f.Dir, "stop"))
	return err == nil
}

// groupOf is the piece of work that a point belongs to. Pieces are claimed, not
// points: a claim costs some calls to the file system, and a point may take
// milliseconds. Keys are sums, so each piece has a like share of every axis.
func groupOf(key string) string { return key[:2] }

// claim takes a piece of the study, or is store.ErrBusy.
func (f *Folder) claim(name, group string) (*store.Claim, error) {
	c, _, err := f.store.ClaimWork("sweep-" + name + "-" + group)
	return c, err
}
