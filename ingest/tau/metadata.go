package tau

import (
	"bytes"
	"fmt"
	"html"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"auspex/model"
)

// Metadata become factors, so many and so long.
const (
	maxFactors     = 64
	maxFactorValue = 200
)

// describe fills the header from the metadata on which all threads agree.
func (d *data) describe(h *model.Header) {
	for _, a := range d.shared() {
		switch {
		case a.name == "Executable":
			h.Program = path.Base(a.value)
			if h.Command == "" {
				h.Command = a.value
			}
		case a.name == "Command Line":
			h.Command = a.value
		case isFactor(a) && len(h.Factors) < maxFactors:
			h.SetFactor(model.NewFactor(a.name, a.value))
		}
	}
	h.Created = d.started()
	h.Notes = append(h.Notes, d.notes...)
}

// shared lists the metadata that are the same wherever they are given: those
// of the run, then those of the threads.
func (d *data) shared() []attribute {
	value := map[string]string{}
	differs := map[string]bool{}
	var order []string
	add := func(attributes []attribute) {
		for _, a := range attributes {
			if have, ok := value[a.name]; !ok {
				value[a.name] = a.value
				order = append(order, a.name)
			} else if have != a.value {
				differs[a.name] = true
			}
		}
	}
	add(d.metadata)
	for _, t := range d.threads {
		add(t.metadata)
	}
	var shared []attribute
	for _, name := range order {
		if !differs[name] {
			shared = append(shared, attribute{name, value[name]})
		}
	}
	return shared
}

// isFactor tells whether an entry describes the run rather than the way TAU
// measured it, a single process, or the user.
func isFactor(a attribute) bool {
	switch {
	case a.name == "" || a.value == "" || len(a.name) > maxFactorValue || len(a.value) > maxFactorValue:
		return false
	case a.name == "TAU Version":
		return true
	case strings.HasPrefix(a.name, "TAU"), strings.HasPrefix(a.name, "File Type "),
		strings.HasPrefix(a.name, "BACKTRACE"), strings.HasSuffix(a.name, "Timestamp"):
		return false
	}
	switch a.name {
	case "Hostname", "Node Name", "MPI Processor Name", "Local Time", "UTC Time", "Metric Name", "pid", "tid", "username":
		return false
	}
	return true
}

// started is when the first thread started, zero where that is not known.
func (d *data) started() time.Time {
	var first time.Time
	note := func(at time.Time) {
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	for _, attributes := range d.allMetadata() {
		if text := value(attributes, "Starting Timestamp"); text != "" {
			if us, err := strconv.ParseInt(text, 10, 64); err == nil && us > 0 {
				note(time.UnixMicro(us))
			}
		}
	}
	if !first.IsZero() {
		return first
	}
	for _, attributes := range d.allMetadata() {
		if at, err := time.Parse(time.RFC3339, value(attributes, "UTC Time")); err == nil {
			note(at)
		}
	}
	return first
}

func (d *data) allMetadata() [][]attribute {
	all := [][]attribute{d.metadata}
	for _, t := range d.threads {
		all = append(all, t.metadata)
	}
	return all
}

func value(attributes []attribute, name string) string {
	for _, a := range attributes {
		if a.name == name {
			return a.value
		}
	}
	return ""
}

// units numbers the threads' units. A rank may have several contexts (address
// spaces); then every context is a process, numbered by rank and context.
func (d *data) units() []model.Unit {
	type process struct{ node, context int }
	var processes []process
	contexts := false
	host := map[process]string{}
	common := tauHost(d.metadata)
	for _, t := range d.threads {
		p := process{t.node, t.context}
		if _, ok := host[p]; !ok {
			processes = append(processes, p)
			host[p] = common
		}
		if name := tauHost(t.metadata); name != "" {
			host[p] = name
		}
		contexts = contexts || t.context > 0
	}
	number := map[process]int{}
	slices.SortFunc(processes, func(a, b process) int {
		if a.node != b.node {
			return a.node - b.node
		}
		return a.context - b.context
	})
	for i, p := range processes {
		number[p] = p.node
		if contexts {
			number[p] = i
		}
	}
	if contexts {
		d.notes = append(d.notes, fmt.Sprintf(
			"some ranks have several contexts: the processes, %d in all, are numbered by rank and context", len(processes)))
	}
	units := make([]model.Unit, len(d.threads))
	for i, t := range d.threads {
		p := process{t.node, t.context}
		units[i] = model.Unit{Node: host[p], Process: number[p], Thread: t.thread}
	}
	return units
}

func tauHost(attributes []attribute) string {
	if host := value(attributes, "Hostname"); host != "" {
		return host
	}
	return value(attributes, "Node Name")
}

// parseMetadata reads the XML that TAU puts into a comment line:
// <attribute><name>…</name><value>…</value></attribute>… Anything else in the
// line is passed over.
func parseMetadata(line []byte, intern func([]byte) string) []attribute {
	var attributes []attribute
	for {
		name, rest, ok := cutElement(line, "name")
		if !ok {
			return attributes
		}
		value, rest, ok := cutElement(rest, "value")
		if !ok {
			return attributes
		}
		attributes = append(attributes, attribute{intern(name), intern(value)})
		line = rest
	}
}

// cutElement returns the text of the next element of that name and what
// follows it.
func cutElement(text []byte, name string) (body, rest []byte, ok bool) {
	_, text, ok = bytes.Cut(text, []byte("<"+name+">"))
	if !ok {
		return nil, nil, false
	}
	body, rest, ok = bytes.Cut(text, []byte("</"+name+">"))
	return unescape(body), rest, ok
}

// unescape resolves the entities of a text, which are never more than
// single characters.
func unescape(text []byte) []byte {
	if bytes.IndexByte(text, '&') < 0 {
		return text
	}
	return []byte(html.UnescapeString(string(text)))
}
