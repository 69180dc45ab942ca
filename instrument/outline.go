package instrument

import (
	"sort"
	"strings"

	"auspex/source"
)

// Outline is what could be measured in a file, without the parsed text, so
// that thousands of files fit in memory.
type Outline struct {
	File     string          `json:"file"`
	Language source.Language `json:"language"`
	Form     source.Form     `json:"form"`
	Bytes    int             `json:"bytes"`
	Regions  []*Candidate    `json:"regions"`
}

// NewOutline lists the candidates of a file and lets go of the rest.
func NewOutline(f *source.File, opt Options) *Outline {
	o := &Outline{File: f.Name, Language: f.Language, Form: f.Form, Bytes: len(f.Text), Regions: Candidates(f, opt)}
	if o.Regions == nil {
		o.Regions = []*Candidate{}
	}
	o.Each(func(c *Candidate) { c.unit, c.site = nil, nil })
	return o
}

// Each visits all regions, outer ones first.
func (o *Outline) Each(visit func(*Candidate)) { each(o.Regions, visit) }

// Function is the name of the function that a region is or is in, and the
// line of its loop, empty for the function itself.
func (c *Candidate) Function() (name, line string) {
	if c.Kind == FunctionRegion {
		return c.Name, ""
	}
	i := strings.LastIndex(c.Name, "/loop@")
	return c.Name[:i], c.Name[i+len("/loop@"):]
}

// Tally counts the functions of the files of one language.
type Tally struct {
	Language  source.Language `json:"language"`
	Form      source.Form     `json:"form"`
	Files     int             `json:"files"`
	Bytes     int             `json:"bytes"`
	Functions int             `json:"functions"` // of at least so many lines
	Chosen    int             `json:"chosen"`    // of those
	Barred    int             `json:"barred"`    // PURE, constexpr, device code and the like
	Loops     int             `json:"loops"`     // of any size
	// Impossible are those that no choice could have measured, for what their text is.
	Impossible int `json:"impossible"`
	// ChosenLoops are those of the loops that are measured.
	ChosenLoops int `json:"chosen_loops"`
}

// Count adds up files by language and form, looking at functions of at least
// minLines lines.
func Count(files []*Outline, minLines int) []Tally {
	type layout struct {
		language source.Language
		form     source.Form
	}
	at := map[layout]*Tally{}
	for _, o := range files {
		key := layout{o.Language, o.Form}
		if at[key] == nil {
			at[key] = &Tally{Language: o.Language, Form: o.Form}
		}
		at[key].add(o, minLines)
	}
	var list []Tally
	for _, t := range at {
		list = append(list, *t)
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].Language < list[j].Language || list[i].Language == list[j].Language && list[i].Form < list[j].Form
	})
	return list
}

func (t *Tally) add(o *Outline, minLines int) {
	t.Files++
	t.Bytes += o.Bytes
	o.Each(func(c *Candidate) {
		switch {
		case c.Kind == LoopRegion:
			t.Loops++
			if c.Chosen {
				t.ChosenLoops++
			}
			return
		case c.EndLine-c.Line+1 < minLines:
			return
		case c.Chosen:
			t.Chosen++
		case c.Barred:
			t.Barred++
		case !c.Possible:
			t.Impossible++
		}
		t.Functions++
	})
}
