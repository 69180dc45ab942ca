package longtable

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"auspex/model"
)

// version is the version of the form, the value of the head's first entry.
const version = "1"

// entry is one "key: value" of the head. A quoted text is meant as a word
// even where it looks like a number; an object is JSON.
type entry struct {
	key, text      string
	quoted, object bool
}

// regionEntry and unitEntry describe a region and a unit in the head.
type regionEntry struct {
	Kind model.Kind `json:"kind,omitempty"`
	File string     `json:"file,omitempty"`
	Line int        `json:"line,omitempty"`
}

type unitEntry struct {
	Node    string `json:"node,omitempty"`
	Process int    `json:"process"`
	Thread  int    `json:"thread"`
}

// headOf lists what the lines of the table do not say: the header, the order
// and description of metrics and regions, and units that entered no region.
func headOf(e *model.Experiment) ([]entry, error) {
	list := []entry{{key: "auspex", text: version}, {key: "name", text: e.Name}}
	add := func(key, text string) {
		if text != "" {
			list = append(list, entry{key: key, text: text})
		}
	}
	add("program", e.Program)
	add("command", e.Command)
	add("created", e.Created.UTC().Format(time.RFC3339))
	if e.Runs > 1 {
		add("runs", strconv.Itoa(e.Runs))
	}
	add("incomplete", e.Incomplete)
	for i, note := range e.Notes {
		list = append(list, entry{key: "note " + strconv.Itoa(i+1), text: note})
	}
	for _, f := range e.Factors {
		word := model.NewFactor(f.Name, f.Word)
		list = append(list, entry{
			key: named("factor", f.Name), text: f.Word, quoted: !f.Numeric && word.Numeric,
		})
	}
	describe := func(key string, what any) error {
		text, err := json.Marshal(what)
		list = append(list, entry{key: key, text: string(text), object: true})
		return err
	}
	for _, m := range e.Metrics {
		if err := describe(named("metric", m.Column()), m); err != nil {
			return nil, err
		}
	}
	paths := model.Paths(e.Regions)
	for i, r := range e.Regions {
		if err := describe(named("region", paths[i]), regionEntry{r.Kind, r.File, r.Line}); err != nil {
			return nil, err
		}
	}
	entered := make([]bool, len(e.Units))
	for _, u := range e.Summaries.Unit {
		entered[u] = true
	}
	for i, u := range e.Units {
		if !entered[i] {
			if err := describe("unit "+strconv.Itoa(i+1), unitEntry(u)); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// named joins a keyword and a name, in quotes where the name would not survive
// a line of text.
func named(keyword, name string) string {
	if name == "" || strings.ContainsAny(name, `:"`) || !plain(name) {
		name = quote(name)
	}
	return keyword + " " + name
}

// splitNamed is the inverse of named.
func splitNamed(key string) (keyword, name string) {
	keyword, name, _ = strings.Cut(key, " ")
	name = strings.TrimSpace(name)
	if strings.HasPrefix(name, `"`) {
		var unquoted string
		if json.Unmarshal([]byte(name), &unquoted) == nil {
			name = unquoted
		}
	}
	return strings.ToLower(keyword), name
}

// plain tells whether a text survives as the rest of a line.
func plain(text string) bool {
	if text != strings.TrimSpace(text) || strings.HasPrefix(text, `"`) || strings.HasPrefix(text, `{`) {
		return false
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == '\u0085' || r == '\u2028' || r == '\u2029'
	})
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil { // a string always marshals
		return `""`
	}
	return string(quoted)
}

// line writes the entry as one line of text.
func (e entry) line() string {
	switch {
	case e.object:
		return e.key + ": " + e.text
	case e.quoted || !plain(e.text):
		return e.key + ": " + quote(e.text)
	}
	return e.key + ": " + e.text
}

// parseEntry reads what line wrote. Other lines give ok false.
func parseEntry(line string) (e entry, ok bool) {
	line = strings.TrimSpace(line)
	end := strings.IndexByte(line, ':')
	if q := strings.IndexByte(line, '"'); q >= 0 && q < end { // a name in quotes may hold colons
		decoder := json.NewDecoder(strings.NewReader(line[q:]))
		var name string
		if decoder.Decode(&name) != nil {
			return e, false
		}
		end = q + int(decoder.InputOffset())
		if end >= len(line) || line[end] != ':' {
			return e, false
		}
	}
	if end < 0 {
		return e, false
	}
	e.key, e.text = strings.TrimSpace(line[:end]), strings.TrimSpace(line[end+1:])
	switch {
	case strings.HasPrefix(e.text, "{"):
		e.object = true
	case strings.HasPrefix(e.text, `"`):
		var text string
		if json.Unmarshal([]byte(e.text), &text) == nil {
			e.text, e.quoted = text, true
		}
	}
	return e, true
}

// readEntry applies one entry of the head. Unknown keys are comments.
func (a *assembler) readEntry(e entry) error {
	keyword, name := splitNamed(e.key)
	switch keyword {
	case "auspex":
		if e.text != version {
			return fmt.Errorf("long table of version %s; this program reads version %s", e.text, version)
		}
		a.ours = true
	case "name":
		a.header.Name = e.text
	case "program":
		a.header.Program = e.text
	case "command":
		a.header.Command = e.text
	case "created":
		created, err := time.Parse(time.RFC3339, e.text)
		if err != nil {
			return fmt.Errorf("created: %q is not a time such as 2026-01-31T12:00:00Z", e.text)
		}
		a.header.Created = created
	case "runs":
		runs, err := strconv.Atoi(e.text)
		if err != nil || runs < 1 || runs > 1<<30 {
			return fmt.Errorf("runs: %q is not a number of runs", e.text)
		}
		a.header.Runs = runs
	case "incomplete":
		a.header.Incomplete = e.text
	case "note":
		a.header.Notes = append(a.header.Notes, e.text)
	case "factor":
		factor := model.NewFactor(name, e.text)
		if e.quoted {
			factor = model.Factor{Name: name, Word: e.text}
		}
		a.header.SetFactor(factor)
	case "metric", "region", "unit":
		if e.object {
			return a.describe(keyword, name, e)
		}
	}
	return nil
}

// describe reads the entry of a metric, region or unit, whose value is JSON.
func (a *assembler) describe(keyword, name string, e entry) error {
	var err error
	switch keyword {
	case "metric":
		m := model.Metric{}
		if err = json.Unmarshal([]byte(e.text), &m); err == nil {
			err = a.describeMetric(name, m)
		}
	case "region":
		r := regionEntry{}
		if err = json.Unmarshal([]byte(e.text), &r); err == nil {
			var index int
			if index, err = a.region([]byte(name)); err == nil {
				a.describeRegion(index, r.Kind, r.File, r.Line)
			}
		}
	case "unit":
		u := unitEntry{}
		if err = json.Unmarshal([]byte(e.text), &u); err == nil {
			_, err = a.unit(model.Unit(u))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", e.key, err)
	}
	return nil
}
