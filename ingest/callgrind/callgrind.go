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
		bytes.Contains(head, []byte("\nevents: ")) && (bytes.Contains(head, []byte("\nfn=")) || bytes.Contains(head, []byte("creator: callgrind")))
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
	p := &parser{names: map[string]map[string]string{}, functionOf: map[function]int{}, current: -1}
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

type parser struct {
	events    []string
	positions int // numbers before the costs of a line
	command   string
	thread    int

	names      map[string]map[string]string // by kind and number: names are written once
	functions  []function
	functionOf map[function]int
	own        [][]float64 // by function and event
	whole      [][]float64 // with what was called, but for recursion
	calls      []float64

	file, calledFile string
	current          int  // function, -1 before the first
	called           int  // function of the calls= line met last
	calling          bool // the costs of that call follow
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
		if p.events = strings.Fields(value); len(p.events) == 0 || len(p.events) > maxEvents {
			return fmt.Errorf("%d events; from 1 to %d are read", len(p.events), maxEvents)
		}
	case "positions":
		p.positions = len(strings.Fields(value))
	case "cmd":
		p.command = value
	case "thread":
		if n, err := strconv.Atoi(value); err == nil && n > 0 && n < input.MaxUnitNumber {
			p.thread = n - 1
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
		p.calls[p.called] += n
		p.calling = true
	}
	return nil
}

// name expands "(12) main": the name is written the first time only.
func (p *parser) name(kind, value string) string {
	number, name, ok := strings.Cut(value, ")")
	if !ok || !strings.HasPrefix(number, "(") {
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

// enter finds or adds a function. Cycles are numbered ("fib'2"): those are the
// same function further in.
func (p *parser) enter(name, file string, at *int) error {
	if cut := strings.LastIndexByte(name, '\''); cut > 0 && strings.Trim(name[cut+1:], "0123456789") == "" {
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
		p.own = append(p.own, nil)
		p.whole = append(p.whole, nil)
		p.calls = append(p.calls, 0)
	}
	*at = i
	return nil
}

// costs reads a line of positions and costs.
func (p *parser) costs(line string) error {
	if len(p.events) == 0 {
		return errors.New("costs before the line of events")
	}
	if p.current < 0 {
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
	for i, field := range fields {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil || v < 0 || v > model.MaxValue {
			return fmt.Errorf("%q is no cost", input.Short([]byte(field)))
		}
		if !inCall {
			p.own[p.current] = added(p.own[p.current], i, len(p.events), v)
		}
		if !inCall || p.called != p.current {
			p.whole[p.current] = added(p.whole[p.current], i, len(p.events), v)
		}
	}
	return nil
}

func added(values []float64, i, n int, v float64) []float64 {
	if values == nil {
		values = make([]float64, n)
	}
	for len(values) <= i {
		values = append(values, 0)
	}
	values[i] += v
	return values
}

// events of callgrind that have canonical names.
var eventNames = map[string]string{"Ir": model.Instructions, "Bcm": "branch_misses", "D1mr": "l1_read_misses", "D1mw": "l1_write_misses"}

func (p *parser) build() (*model.Experiment, error) {
	b := model.NewBuilder()
	unit := b.Unit(model.Unit{Thread: p.thread})
	regions := regionNames(p.functions)
	totals := make([]float64, len(p.events))
	for _, own := range p.own {
		for i, v := range own {
			if i < len(totals) {
				totals[i] += v
			}
		}
	}
	calls := b.Metric(model.NewMetric(model.Calls, "", model.Own))
	for e, event := range p.events {
		name := eventNames[event]
		if name == "" {
			name = event
		}
		exclusive := b.Metric(model.NewMetric(name, event, model.Exclusive))
		inclusive := b.Metric(model.NewMetric(name, event, model.Inclusive))
		for f := range p.functions {
			region := b.Region(model.Region{Name: regions[f], Kind: input.KindOf(p.functions[f].name), File: known(p.functions[f].file), Parent: model.NoParent})
			if e < len(p.own[f]) {
				b.Add(unit, region, exclusive, p.own[f][e])
			}
			if e < len(p.whole[f]) {
				// A function within itself would count twice: no more than all.
				b.Add(unit, region, inclusive, min(p.whole[f][e], totals[e]))
			}
			if e == 0 {
				b.Add(unit, region, calls, p.calls[f])
			}
		}
	}
	program, _, _ := strings.Cut(p.command, " ")
	if program != "" {
		program = path.Base(program)
	}
	return b.Build(model.Header{Command: p.command, Program: program, Notes: []string{
		"callgrind counts in a simulated processor: there is no time, and of recursive functions the inclusive costs are an upper bound",
	}})
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
