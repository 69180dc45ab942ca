package site

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"auspex/account"
	"auspex/model"
	"auspex/store"
)

// Pushed is what became of an experiment.
type Pushed struct {
	Name   string `json:"name"`
	ID     string `json:"id"`    // at the site
	There  bool   `json:"there"` // it was there before
	Values int    `json:"values"`
}

// Item is an experiment to be pushed.
type Item struct {
	Experiment *model.Experiment
	Attached   []store.Attachment
}

// batchValues is how many values go in one insert at most, about: large ones
// are what ClickHouse likes.
const batchValues = 2_000_000

// batchPartitions is half of what ClickHouse takes in one insert by default.
const batchPartitions = 50

// batchesAtOnce is how many are on their way at the same time: while the server
// works on one, the next is made ready.
const batchesAtOnce = 2

// Push writes experiments. What is there already stays as it is. After an error,
// what it gives became visible; more may have.
func (s *Site) Push(ctx context.Context, items []Item) ([]Pushed, error) {
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var batches []*batch
	var sending sync.WaitGroup
	free := make(chan struct{}, batchesAtOnce)
	send := func(b *batch) {
		batches = append(batches, b)
		free <- struct{}{}
		sending.Go(func() {
			defer func() { <-free }()
			if b.err = ctx.Err(); b.err == nil {
				b.pushed, b.err = s.insert(ctx, b)
			}
			if b.pushes = nil; b.err != nil {
				cancel()
			}
		})
	}
	var wrong error
	b := newBatch()
	for _, item := range items {
		p, err := newPush(item, s.now())
		if err != nil {
			wrong = err
			break
		}
		if len(b.partitions) == batchPartitions || b.values > 0 && b.values+p.values() > batchValues {
			send(b)
			b = newBatch()
		}
		b.partitions[p.partition()] = true
		b.pushes = append(b.pushes, p)
		b.values += p.values()
	}
	if wrong == nil && len(b.pushes) > 0 {
		send(b)
	}
	sending.Wait()
	var done []Pushed
	for _, b := range batches {
		done = append(done, b.pushed...)
		if wrong == nil || errors.Is(wrong, context.Canceled) && b.err != nil {
			wrong = b.err // what another stopped for is not why
		}
	}
	return done, wrong
}

type batch struct {
	partitions map[string]bool
	pushes     []*push
	values     int

	pushed []Pushed
	err    error
}

func newBatch() *batch { return &batch{partitions: map[string]bool{}} }

// push is one experiment on its way.
type push struct {
	Item
	number  uint64 // of this try
	content string // what it is, whoever pushes it whenever
	header  []byte
	started time.Time
	pushed  time.Time
}

func newPush(item Item, now time.Time) (*push, error) {
	e := item.Experiment
	if err := e.Check(); err != nil {
		return nil, err
	}
	p := &push{Item: item, started: e.Created.UTC(), pushed: now}
	if e.Created.Year() < 1970 || e.Created.Year() > 2100 {
		p.started = time.Unix(0, 0).UTC() // what a DateTime64 holds for sure
	}
	p.number = newNumber(now)
	h := e.Header
	h.ID = ""
	h.UnitCount, h.RegionCount, h.SummaryCount = len(e.Units), len(e.Regions), e.Summaries.Rows()
	var err error
	if p.header, err = json.Marshal(h); err != nil {
		return nil, err
	}
	p.content = p.sum()
	return p, nil
}

// newNumber makes the number of a push: when it began, in its upper half, so that
// what it leaves behind when it is broken off can be told from what is under way;
// the rest is chance.
func newNumber(now time.Time) uint64 {
	var chance [4]byte
	rand.Read(chance[:])
	return uint64(uint32(now.Unix()))<<32 | uint64(binary.LittleEndian.Uint32(chance[:]))
}

// sum stands for all of an experiment's content.
func (p *push) sum() string {
	e, s := p.Experiment, &p.Experiment.Summaries
	sum := sha256.New()
	var w writer
	spill := func() {
		sum.Write(w.data)
		w.data = w.data[:0]
	}
	w.text(string(p.header))
	for _, u := range e.Units {
		w.text(u.Node)
		w.int32(int32(u.Process))
		w.int32(int32(u.Thread))
	}
	for _, r := range e.Regions {
		w.text(r.Name)
		w.text(string(r.Kind))
		w.text(r.File)
		w.int32(int32(r.Line))
		w.int32(int32(r.Parent))
	}
	spill()
	for i := range s.Unit {
		w.int32(s.Unit[i])
		w.int32(s.Region[i])
	}
	for _, columns := range [][][]float64{s.Values, s.Deviation} {
		for _, column := range columns {
			spill()
			for _, v := range column {
				w.real(v)
			}
		}
	}
	spill()
	for _, n := range s.Count {
		w.int32(n)
	}
	for _, a := range p.Attached {
		w.text(a.Name)
		w.text(string(a.Data))
	}
	spill()
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// partition is what the tables are partitioned by.
func (p *push) partition() string {
	return p.Experiment.Program + "\x00" + p.started.Format("200601")
}

func (p *push) values() int {
	return p.Experiment.Summaries.Rows() * len(p.Experiment.Metrics)
}

// insert writes a batch: the rows of the experiments that are not there yet,
// and last the rows that make them visible.
func (s *Site) insert(ctx context.Context, b *batch) ([]Pushed, error) {
	there, err := s.there(ctx, b.pushes)
	if err != nil {
		return nil, err
	}
	var fresh []*push
	var done []Pushed
	seen := map[string]bool{}
	for _, p := range b.pushes {
		known := there[p.content] || seen[p.content]
		done = append(done, Pushed{Name: p.Experiment.Name, ID: p.content, There: known, Values: p.values()})
		if !known {
			fresh, seen[p.content] = append(fresh, p), true
		}
	}
	if len(fresh) == 0 {
		return done, nil
	}
	slices.SortFunc(fresh, func(a, b *push) int { return cmp.Compare(a.number, b.number) })
	each := func(rows func(*writer, *push)) func(*writer, []*push) {
		return func(w *writer, fresh []*push) {
			for _, p := range fresh {
				rows(w, p)
			}
		}
	}
	for _, t := range []struct {
		into string
		rows func(*writer, []*push)
	}{
		{"units (program, started, push, unit, node, process, thread)", each(unitRows)},
		{"regions (program, started, push, region, parent, name, path, kind, file, line)", each(regionRows)},
		{"values (program, started, push, metric, unit, region, value, deviation, runs) " + unpackValues, valueRows},
		{"totals (program, started, push, metric, region, path, name, total, most, entered)", each(totalRows)},
		{"attachments (program, started, push, name, data)", each(attachmentRows)},
		{"experiments (content, push, name, program, user, commit, module, started, pushed, units, nodes, seconds, lost, header)", each(experimentRow)},
	} {
		var w writer
		t.rows(&w, fresh)
		if len(w.data) == 0 {
			continue
		}
		if _, err := s.do(ctx, "INSERT INTO "+t.into+" FORMAT RowBinary", nil, nil, w.data); err != nil {
			return nil, err
		}
	}
	return done, nil
}

// there tells which contents the site has.
func (s *Site) there(ctx context.Context, pushes []*push) (map[string]bool, error) {
	var quoted []string
	for _, p := range pushes {
		quoted = append(quoted, "'"+p.content+"'") // hexadecimal digits, as an array is written
	}
	out, err := s.do(ctx, "SELECT DISTINCT content FROM experiments WHERE content IN {contents:Array(String)} FORMAT RowBinary",
		map[string]string{"contents": "[" + strings.Join(quoted, ",") + "]"}, nil, nil)
	there := map[string]bool{}
	for r := (&reader{data: out}); r.more(); {
		there[r.text()] = true
	}
	return there, err
}

func (p *push) head(w *writer) {
	w.text(p.Experiment.Program)
	w.time(p.started)
	w.uint64(p.number)
}

func unitRows(w *writer, p *push) {
	for i, u := range p.Experiment.Units {
		p.head(w)
		w.uint32(uint32(i))
		w.text(u.Node)
		w.int32(int32(u.Process))
		w.int32(int32(u.Thread))
	}
}

func regionRows(w *writer, p *push) {
	paths := model.Paths(p.Experiment.Regions)
	for i, r := range p.Experiment.Regions {
		p.head(w)
		w.uint32(uint32(i))
		w.int32(int32(r.Parent))
		w.text(r.Name)
		w.text(paths[i])
		w.text(string(r.Kind))
		w.text(r.File)
		w.int32(int32(r.Line))
	}
}

// unpackValues makes rows of values of what valueRows sends: a metric of an
// experiment in one piece, which is fast to read and little to send.
const unpackValues = "SELECT program, fromUnixTimestamp64Milli(started, 'UTC'), push, metric, u, r, v, d, n " +
	"FROM input('program String, started Int64, push UInt64, metric String, unit Array(UInt32), region Array(UInt32), value Array(Float64), deviation Array(Float64), runs Array(UInt32)') " +
	"ARRAY JOIN unit AS u, region AS r, value AS v, arrayResize(deviation, length(unit), nan) AS d, arrayResize(runs, length(unit)) AS n"

// valueRows writes the metrics of a batch in the order in which the table has them:
// what comes sorted the server need not sort.
func valueRows(w *writer, fresh []*push) {
	type column struct {
		name   string
		of     *push
		metric int
	}
	var columns []column
	values := 0
	for _, p := range fresh {
		values += p.values()
		for m, metric := range p.Experiment.Metrics {
			columns = append(columns, column{metric.Column(), p, m})
		}
	}
	slices.SortStableFunc(columns, func(a, b column) int { return strings.Compare(a.name, b.name) })
	w.data = slices.Grow(w.data, values*17)
	for _, c := range columns {
		s := &c.of.Experiment.Summaries
		c.of.head(w)
		w.text(c.name)
		w.int32s(s.Unit)
		w.int32s(s.Region)
		w.reals(s.Values[c.metric])
		if s.Deviation == nil {
			w.reals(nil)
		} else {
			w.reals(s.Deviation[c.metric])
		}
		w.int32s(s.Count)
	}
}

// totalRows sum each metric up over the units of a region.
func totalRows(w *writer, p *push) {
	e, s := p.Experiment, &p.Experiment.Summaries
	paths := model.Paths(e.Regions)
	for m, metric := range e.Metrics {
		total, most, entered := make([]float64, len(paths)), make([]float64, len(paths)), make([]uint32, len(paths))
		for i, v := range s.Values[m] {
			if r := s.Region[i]; !math.IsNaN(v) && !math.IsInf(v, 0) {
				total[r] += v
				if entered[r] == 0 || v > most[r] {
					most[r] = v
				}
				entered[r]++
			}
		}
		for r := range paths {
			if entered[r] == 0 {
				continue
			}
			p.head(w)
			w.text(metric.Column())
			w.uint32(uint32(r))
			w.text(paths[r])
			w.text(e.Regions[r].Name)
			w.real(total[r])
			w.real(most[r])
			w.uint32(entered[r])
		}
	}
}

func attachmentRows(w *writer, p *push) {
	for _, a := range p.Attached {
		p.head(w)
		w.text(a.Name)
		w.text(string(a.Data))
	}
}

func experimentRow(w *writer, p *push) {
	e := p.Experiment
	word := func(names ...string) string {
		for _, f := range e.Factors {
			if slices.Contains(names, strings.ToLower(f.Name)) {
				return f.Word
			}
		}
		return ""
	}
	nodes := map[string]bool{}
	for _, u := range e.Units {
		nodes[u.Node] = true
	}
	seconds, lost := efficiency(e)
	w.text(p.content)
	w.uint64(p.number)
	w.text(e.Name)
	w.text(e.Program)
	w.text(word("user"))
	w.text(word("commit", "revision", "version"))
	w.text(word("module", "modules", "compiler"))
	w.time(p.started)
	w.time(p.pushed)
	w.uint32(uint32(len(e.Units)))
	w.uint32(uint32(len(nodes)))
	w.real(seconds)
	w.real(lost)
	w.text(string(p.header))
}

// efficiency is how long a run took, and the share of its units' time that was
// not computation: communication, waiting, and being done before the last. NaN
// where the experiment has no exclusive times.
func efficiency(e *model.Experiment) (seconds, lost float64) {
	at := slices.IndexFunc(e.Metrics, func(m model.Metric) bool { return m.Name == "wtime" && m.Scope == model.Exclusive })
	if at < 0 || len(e.Units) == 0 {
		return math.NaN(), math.NaN()
	}
	communication, classes := model.Communication(e.Regions), account.Sort(e.Regions, account.ShippedFor(e.BlockedApart))
	all := make([]float64, len(e.Units))
	useful := 0.0
	for i, v := range e.Summaries.Values[at] {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		all[e.Summaries.Unit[i]] += v
		if r := e.Summaries.Region[i]; !communication[r] && classes[r] != account.Waits {
			useful += v
		}
	}
	seconds = slices.Max(all)
	if seconds <= 0 {
		return seconds, math.NaN()
	}
	return seconds, 1 - useful/(seconds*float64(len(e.Units)))
}
