// Package callgrind reads the profiles of Valgrind's callgrind. They hold a
// graph of calls and not a tree, so that an experiment has the functions side
// by side, each with its own costs and those with all it called.
package callgrind

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// Formats lists what this package reads.
func Formats() []input.Format {
	return []input.Format{{Name: "callgrind", About: "profile of Valgrind's callgrind (callgrind.out)", IsFile: isCallgrind, Reader: read}}
}

func isCallgrind(_ string, head []byte) bool {
	return bytes.HasPrefix(head, []byte("# callgrind format")) ||
		(bytes.HasPrefix(head, []byte("events: ")) || bytes.Contains(head, []byte("\nevents: "))) && (bytes.Contains(head, []byte("\nfn=")) || bytes.Contains(head, []byte("creator: callgrind")))
}

// Bounds on what is read.
const (
	maxLine      = 1 << 20
	maxEvents    = 64
	maxFunctions = 4 << 20
)

func read(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	in, err := src.Open(src.Path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return parse(ctx, in, src.Given)
}

func parse(ctx context.Context, r io.Reader, name string) (*model.Experiment, error) {
	p := &parser{names: map[string]map[string]string{}, functionOf: map[function]int{}, current: frame{function: -1}}
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxLine)
	line := 0
	for s.Scan() {
		if line++; line%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := p.line(strings.TrimRight(s.Text(), " \t\r")); err != nil {
			return nil, mistake.AtLine(name, line, "%w", err)
		}
	}
	if err := s.Err(); err != nil {
		return nil, mistake.AtLine(name, line+1, "%w", err)
	}
	e, err := p.build()
	if err != nil {
		return nil, mistake.InFile(name, "%w", err)
	}
	return e, nil
}

// function is what costs are summed for.
type function struct{ name, file string }

// frame is a function that costs are counted for. Callgrind numbers a function
// that is called while it is active already ("fib'2").
type frame struct {
	function int // -1 before the first
	again    bool
}

// sums are the costs of one thread, by function.
type sums struct {
	thread int
	own    [][]float64 // by function and event
	whole  [][]float64 // with what was called
	calls  []float64
}

type parser struct {
	events    []string
	positions int // numbers before the costs of a line
	command   string

	threads []*sums // a file may hold the parts of several
	thread  *sums   // of the part that is read; nil before the first

	names      map[string]map[string]string // by kind and number: names are written once
	functions  []function
	functionOf map[function]int

	file, calledFile string
	current          frame
	called           frame // of the calls= line met last
	calling          bool  // the costs of that call follow
	again            bool  // recursion is told apart
	callee           string
}

func (p *parser) line(line string) error {
	switch {
	case line == "" || line[0] == '#':
		return nil
	case line[0] >= '0' && line[0] <= '9' || line[0] == '+' || line[0] == '-' || line[0] == '*':
		return p.costs(line)
	}
	if key, value, ok := strings.Cut(line, "="); ok && !strings.Contains(key, " ") && !strings.Contains(key, ":") {
		return p.position(key, value)
	}
	if key, value, ok := strings.Cut(line, ":"); ok {
		return p.header(key, strings.TrimSpace(value))
	}
	return fmt.Errorf("%q is neither a header, a position nor costs", input.Short([]byte(line)))
}

func (p *parser) header(key, value string) error {
	switch key {
	case "events":
		events := strings.Fields(value)
		if len(events) == 0 || len(events) > maxEvents {
			return fmt.Errorf("%d events; from 1 to %d are read", len(events), maxEvents)
		}
		if p.events != nil && !slices.Equal(events, p.events) {
			return fmt.Errorf("a part with the events %q after one with %q", input.Short([]byte(value)), strings.Join(p.events, " "))
		}
		p.events = events
	case "positions":
		p.positions = len(strings.Fields(value))
	case "cmd":
		p.command = value
	case "thread":
		if n, err := strconv.Atoi(value); err == nil && n > 0 && n < input.MaxUnitNumber {
			p.to(n - 1)
		}
	case "version":
		if value != "1" {
			return fmt.Errorf("version %q of the format; this program reads version 1", input.Short([]byte(value)))
		}
	}
	return nil
}

// position notes where the costs that follow belong.
func (p *parser) position(key, value string) error {
	switch key {
	case "fl", "fi", "fe":
		p.file = p.name("file", value)
		return nil
	case "fn":
		return p.enter(p.name("function", value), p.file, &p.current)
	case "cfi", "cfl":
		p.calledFile = p.name("file", value)
	case "cfn":
		p.callee = p.name("function", value)
	case "calls":
		count, _, _ := strings.Cut(value, " ")
		n, err := strconv.ParseFloat(count, 64)
		if err != nil || n < 0 || n > model.MaxValue {
			return fmt.Errorf("%q is no number of calls", input.Short([]byte(count)))
		}
		file := p.calledFile
		if file == "" {
			file = p.file
		}
		p.calledFile = ""
		if err := p.enter(p.callee, file, &p.called); err != nil {
			return err
		}
		t := p.sums()
		t.calls = grown(t.calls, p.called.function)
		t.calls[p.called.function] += n
		p.calling = true
	}
	return nil
}

// name expands "(12) main": the name is written the first time only. A name may
// begin with a parenthesis itself: "(below main)".
func (p *parser) name(kind, value string) string {
	number, name, ok := strings.Cut(value, ")")
	if !ok || len(number) < 2 || number[0] != '(' || strings.Trim(number[1:], "0123456789") != "" {
		return value
	}
	known := p.names[kind]
	if known == nil {
		known = map[string]string{}
		p.names[kind] = known
	}
	if name = strings.TrimSpace(name); name != "" {
		known[number] = name
	}
	return known[number]
}

// enter finds or adds a function.
func (p *parser) enter(name, file string, at *frame) error {
	cut := strings.LastIndexByte(name, '\'')
	again := cut > 0 && cut+1 < len(name) && strings.Trim(name[cut+1:], "0123456789") == ""
	if again {
		name = name[:cut]
	}
	if name == "" {
		name = "(unnamed)"
	}
	f := function{input.Clip(name, input.MaxRegionName), input.Clip(file, input.MaxFileName)}
	i, ok := p.functionOf[f]
	if !ok {
		if len(p.functions) == maxFunctions {
			return fmt.Errorf("more than %d functions", maxFunctions)
		}
		i = len(p.functions)
		p.functions = append(p.functions, f)
		p.functionOf[f] = i
	}
	*at = frame{i, again}
	p.again = p.again || again
	return nil
}

// to turns to the costs of a thread.
func (p *parser) to(thread int) {
	for _, t := range p.threads {
		if t.thread == thread {
			p.thread = t
			return
		}
	}
	p.thread = &sums{thread: thread}
	p.threads = append(p.threads, p.thread)
}

// sums are the costs that the lines read now add to.
func (p *parser) sums() *sums {
	if p.thread == nil {
		p.to(0)
	}
	return p.thread
}

// costs reads a line of positions and costs. The time with callees is counted
// where a function was not active before: all it calls from there, itself
// included, lies within.
func (p *parser) costs(line string) error {
	if len(p.events) == 0 {
		return errors.New("costs before the line of events")
	}
	if p.current.function < 0 {
		return errors.New("costs before the first function")
	}
	fields := strings.Fields(line)
	skip := max(p.positions, 1)
	if len(fields) < skip {
		return fmt.Errorf("%d numbers; a line has %d positions", len(fields), skip)
	}
	fields = fields[skip:]
	if len(fields) > len(p.events) {
		return fmt.Errorf("%d costs of %d events", len(fields), len(p.events))
	}
	inCall := p.calling
	p.calling = false
	t := p.sums()
	for i, field := range fields {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil || v < 0 || v > model.MaxValue {
			return fmt.Errorf("%q is no cost", input.Short([]byte(field)))
		}
		if !inCall {
			t.own = added(t.own, p.current.function, i, v)
		}
		if !p.current.again && !(inCall && p.called == p.current) {
			t.whole = added(t.whole, p.current.function, i, v)
		}
	}
	return nil
}

func added(values [][]float64, function, event int, v float64) [][]float64 {
	values = grown(values, function)
	values[function] = grown(values[function], event)
	values[function][event] += v
	return values
}

// grown makes a list long enough to have an i-th value.
func grown[T any](list []T, i int) []T {
	if i < len(list) {
		return list
	}
	return append(list, make([]T, i+1-len(list))...)
}

// events of callgrind that have canonical names.
var eventNames = map[string]string{"Ir": model.Instructions, "Cycles": model.Cycles, "Bcm": "branch_misses", "D1mr": "l1_read_misses", "D1mw": "l1_write_misses"}

func (p *parser) build() (*model.Experiment, error) {
	b := model.NewBuilder()
	regions := regionNames(p.functions)
	region := func(f int) int {
		return b.Region(model.Region{Name: regions[f], Kind: input.KindOf(p.functions[f].name), File: known(p.functions[f].file), Parent: model.NoParent})
	}
	calls := b.Metric(model.NewMetric(model.Calls, "", model.Own))
	var exclusive, inclusive []int
	for _, event := range p.events {
		name := eventNames[event]
		if name == "" {
			name = event
		}
		exclusive = append(exclusive, b.Metric(model.NewMetric(name, event, model.Exclusive)))
		inclusive = append(inclusive, b.Metric(model.NewMetric(name, event, model.Inclusive)))
	}
	for f := range p.functions {
		region(f)
	}
	for _, t := range p.threads {
		unit := b.Unit(model.Unit{Thread: t.thread})
		totals := t.totals(len(p.events))
		for f, own := range t.own {
			for e, v := range own {
				b.Add(unit, region(f), exclusive[e], v)
			}
		}
		for f, whole := range t.whole {
			for e, v := range whole {
				// Where recursion is not told apart, a function within itself
				// would count twice: no more than all.
				b.Add(unit, region(f), inclusive[e], min(v, totals[e]))
			}
		}
		for f, n := range t.calls {
			if n > 0 {
				b.Add(unit, region(f), calls, n)
			}
		}
	}
	program, _, _ := strings.Cut(p.command, " ")
	if program != "" {
		program = path.Base(program)
	}
	notes := []string{"callgrind counts in a simulated processor: there is no time"}
	if !p.again {
		notes = append(notes, "of functions that call each other in a circle the inclusive costs are an upper bound")
	}
	return b.Build(model.Header{Command: p.command, Program: program, Notes: notes})
}

// totals are the costs of all functions.
func (t *sums) totals(events int) []float64 {
	totals := make([]float64, events)
	for _, own := range t.own {
		for e, v := range own {
			totals[e] += v
		}
	}
	return totals
}

func known(file string) string {
	if file == "???" {
		return ""
	}
	return file
}

// regionNames tells functions of one name apart by their files.
func regionNames(functions []function) []string {
	count := map[string]int{}
	for _, f := range functions {
		count[f.name]++
	}
	names := make([]string, len(functions))
	for i, f := range functions {
		if names[i] = f.name; count[f.name] > 1 && known(f.file) != "" {
			names[i] += " [" + path.Base(f.file) + "]"
		}
	}
	return names
}
