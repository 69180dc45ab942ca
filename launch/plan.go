package launch

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"auspex/instrument"
	"auspex/source"
)

// Plan is what a compiler is to do about loops, for a prediction.
type Plan struct {
	// Root is the source tree that file names are relative to.
	Root string `json:"root"`
	// Record is a file that the names of compiled sources are added to, a line
	// each.
	Record string `json:"record,omitempty"`
	// Preprocess is set where C and C++ sources are read as their compiler's
	// preprocessor writes them, so that loops in macros and calls by them are
	// seen. The loops are then told by line (instrument.LoopCut.Nth).
	Preprocess bool `json:"preprocess,omitempty"`
	// Loops are cut short by the threshold rule.
	Loops []instrument.LoopCut `json:"loops,omitempty"`
}

// ReadPlan reads a plan from a file of JSON.
func ReadPlan(path string) (*Plan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Plan{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Write writes the plan into a file.
func (p *Plan) Write(path string) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

// name is a file's name below the root, or "".
func (p *Plan) name(file string) string {
	path, err := filepath.Abs(file)
	if err != nil {
		return ""
	}
	root := p.Root
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	name, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(name) {
		return ""
	}
	return name
}

// Preprocessed is where the preprocessed text of a source is kept beside the
// record; it is not there where the compiler could not write it.
func (p *Plan) Preprocessed(name string) string {
	return filepath.Join(p.Record+".texts", url.PathEscape(name))
}

// keep writes the preprocessed text of a source where the plan wants it.
func (p *Plan) keep(name, called string, text []byte) error {
	path := p.Preprocessed(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, source.Renamed(text, called, name), 0o666)
}

// record notes the sources of a command line.
func (p *Plan) record(line *commandLine) error {
	out, err := os.OpenFile(p.Record, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	for _, in := range line.inputs {
		if name := p.name(line.args[in.at]); in.isSource && name != "" {
			if _, err := fmt.Fprintln(out, name); err != nil {
				out.Close()
				return err
			}
		}
	}
	return out.Close()
}

// rewrite cuts those loops of a file short that the plan names.
func (p *Plan) rewrite(f *source.File) *instrument.Result {
	name := p.name(f.Name)
	var here []instrument.LoopCut
	for _, l := range p.Loops {
		if l.File == name {
			here = append(here, l)
		}
	}
	return instrument.CutShort(f, f.Name, here)
}
