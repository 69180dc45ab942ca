package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"auspex/internal/lazyregexp"
	"auspex/model"
	"auspex/store"
)

// shortID is how much of an id tells an experiment from others of its name.
const shortID = 8

// visible are the experiments that count: of one content pushed twice, the
// last.
const visible = "(SELECT * FROM experiments FINAL)"

// Names lists the names of all experiments, sorted.
func (s *Site) Names() ([]string, error) {
	out, err := s.do(context.Background(), "SELECT name, content FROM "+visible+" ORDER BY name, pushed DESC, content FORMAT RowBinary", nil, nil, nil)
	if err != nil {
		return nil, err
	}
	var names []string
	last := ""
	r := &reader{data: out}
	for r.more() {
		name, content := r.text(), r.text()
		names = append(names, addressed(name, content, name == last && len(names) > 0))
		last = name
	}
	slices.Sort(names)
	return names, r.err
}

// addressed is the name by which an experiment is found: that of the newest is
// enough, an older one has its id behind it.
func addressed(name, content string, older bool) string {
	if !older || len(content) < shortID {
		return name
	}
	return name + "@" + content[:shortID]
}

// List reads the headers of all experiments, sorted by name.
func (s *Site) List() ([]model.Header, error) {
	out, err := s.do(context.Background(), "SELECT name, content, header FROM "+visible+" ORDER BY name, pushed DESC, content FORMAT RowBinary", nil, nil, nil)
	if err != nil {
		return nil, err
	}
	var headers []model.Header
	var texts []string
	last, any := "", false
	r := &reader{data: out}
	for r.more() {
		name, content, text := r.text(), r.text(), r.text()
		if r.err != nil {
			return nil, r.err
		}
		headers = append(headers, model.Header{ID: content, Name: addressed(name, content, any && name == last)})
		texts = append(texts, text)
		last, any = name, true
	}
	if err := fill(headers, texts); err != nil {
		return nil, err
	}
	slices.SortStableFunc(headers, func(a, b model.Header) int { return strings.Compare(a.Name, b.Name) })
	return headers, r.err
}

// fill reads the headers' texts on all processors: of thousands of experiments
// that is most of a list's time.
func fill(headers []model.Header, texts []string) error {
	var wait sync.WaitGroup
	share := max(64, len(texts)/runtime.GOMAXPROCS(0)+1)
	failed := make([]error, len(texts)/share+1)
	for from := 0; from < len(texts); from += share {
		wait.Go(func() {
			for i := from; i < min(from+share, len(texts)); i++ {
				h, err := header(texts[i])
				if err != nil {
					failed[from/share] = err
					return
				}
				h.ID, h.Name = headers[i].ID, headers[i].Name
				headers[i] = h
			}
		})
	}
	wait.Wait()
	return errors.Join(failed...)
}

func header(text string) (model.Header, error) {
	var h model.Header
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return h, fmt.Errorf("a header at the site is damaged: %w", err)
	}
	return h, nil
}

var wholeID = lazyregexp.New(`^[0-9a-f]{32}$`)

// Header finds an experiment: the newest of the name, name@id, or an id.
func (s *Site) Header(name string) (model.Header, error) {
	find := func(condition string, parameters map[string]string) (model.Header, bool, error) {
		out, err := s.do(context.Background(), "SELECT content, header FROM "+visible+" WHERE "+condition+" ORDER BY pushed DESC, content LIMIT 1 FORMAT RowBinary", parameters, nil, nil)
		if err != nil || len(out) == 0 {
			return model.Header{}, false, err
		}
		r := &reader{data: out}
		content, text := r.text(), r.text()
		if r.err != nil {
			return model.Header{}, false, r.err
		}
		h, err := header(text)
		h.ID, h.Name = content, name
		return h, err == nil, err
	}
	h, found, err := find("name = {name:String}", map[string]string{"name": name})
	if err != nil || found {
		return h, err
	}
	if plain, id, ok := cutLast(name, "@"); ok {
		h, found, err = find("name = {name:String} AND startsWith(content, {id:String})", map[string]string{"name": plain, "id": id})
	} else if wholeID.MatchString(name) {
		h, found, err = find("content = {id:String}", map[string]string{"id": name})
	}
	if err != nil || found {
		return h, err
	}
	return model.Header{}, fmt.Errorf("experiment %q: %w", name, store.ErrNotFound)
}

func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}

// found is where an experiment's rows are.
type found struct {
	push     uint64
	where    string // over program, started and push: only one partition is read
	settings map[string]string
	header   model.Header
}

func (s *Site) find(ctx context.Context, id string) (*found, error) {
	out, err := s.do(ctx, "SELECT push, program, toString(toUnixTimestamp64Milli(started)), header FROM "+visible+" WHERE content = {id:String} FORMAT RowBinary", map[string]string{"id": id}, nil, nil)
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("experiment %q: %w", id, store.ErrNotFound)
	}
	r := &reader{data: out}
	f := &found{push: r.uint64()}
	f.settings = map[string]string{"push": strconv.FormatUint(f.push, 10), "program": r.text(), "started": r.text()}
	text := r.text()
	if r.err != nil {
		return nil, r.err
	}
	f.where = "program = {program:String} AND started = fromUnixTimestamp64Milli({started:Int64}, 'UTC') AND push = {push:UInt64}"
	f.header, err = header(text)
	return f, err
}

// Load reads a whole experiment.
func (s *Site) Load(id string) (*model.Experiment, error) {
	ctx := context.Background()
	f, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	e := &model.Experiment{Header: f.header}
	rows := func(columns, table, order string) *reader {
		out, failed := s.do(ctx, "SELECT "+columns+" FROM "+table+" WHERE "+f.where+" ORDER BY "+order+" FORMAT RowBinary", f.settings, map[string]string{packedAnswer: "1"}, nil)
		return &reader{data: out, err: failed}
	}
	r := rows("node, process, thread", "units", "unit")
	for r.more() {
		e.Units = append(e.Units, model.Unit{Node: r.text(), Process: int(r.int32()), Thread: int(r.int32())})
	}
	if r.err != nil {
		return nil, r.err
	}
	r = rows("parent, name, kind, file, line", "regions", "region")
	for r.more() {
		parent := int(r.int32())
		e.Regions = append(e.Regions, model.Region{Parent: parent, Name: r.text(), Kind: model.Kind(r.text()), File: r.text(), Line: int(r.int32())})
	}
	if r.err != nil {
		return nil, r.err
	}
	if err := readValues(e, rows("metric, unit, region, value, deviation, runs", "values", "metric, unit, region")); err != nil {
		return nil, err
	}
	if len(e.Units) != f.header.UnitCount || len(e.Regions) != f.header.RegionCount || e.Summaries.Rows() != f.header.SummaryCount {
		return nil, fmt.Errorf("experiment %q is damaged at the site: %d of %d units, %d of %d regions, %d of %d summaries", f.header.Name,
			len(e.Units), f.header.UnitCount, len(e.Regions), f.header.RegionCount, e.Summaries.Rows(), f.header.SummaryCount)
	}
	return e, nil
}

// readValues reads the metrics, each of which has the same rows.
func readValues(e *model.Experiment, r *reader) error {
	s := &e.Summaries
	rows := e.SummaryCount
	for range e.Metrics {
		s.Values = append(s.Values, make([]float64, 0, rows))
		if e.Runs > 1 {
			s.Deviation = append(s.Deviation, make([]float64, 0, rows))
		}
	}
	for r.more() {
		column := r.text()
		unit, region, value, deviation, runs := r.int32(), r.int32(), r.real(), r.real(), r.int32()
		m := slices.IndexFunc(e.Metrics, func(m model.Metric) bool { return m.Column() == column })
		if m < 0 {
			return fmt.Errorf("the site has values of %s, which %q does not have", column, e.Name)
		}
		if len(s.Values[m]) == len(s.Unit) { // the first metric tells the rows of all
			s.Unit, s.Region = append(s.Unit, unit), append(s.Region, region)
			if e.Runs > 1 {
				s.Count = append(s.Count, runs)
			}
		} else if i := len(s.Values[m]); s.Unit[i] != unit || s.Region[i] != region {
			return fmt.Errorf("%q is damaged at the site: its metrics have different rows", e.Name)
		}
		s.Values[m] = append(s.Values[m], value)
		if e.Runs > 1 {
			s.Deviation[m] = append(s.Deviation[m], deviation)
		}
	}
	for m := range s.Values {
		if r.err == nil && len(s.Values[m]) != len(s.Unit) {
			return fmt.Errorf("%q is damaged at the site: a metric lacks rows", e.Name)
		}
	}
	return r.err
}

// Attachment reads a file that was pushed with an experiment.
func (s *Site) Attachment(id, name string) ([]byte, error) {
	ctx := context.Background()
	f, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	f.settings["name"] = name
	out, err := s.do(ctx, "SELECT data FROM attachments WHERE "+f.where+" AND name = {name:String} LIMIT 1 FORMAT RowBinary", f.settings, nil, nil)
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("attachment %q: %w", name, store.ErrNotFound)
	}
	r := &reader{data: out}
	text := r.text()
	return []byte(text), r.err
}
