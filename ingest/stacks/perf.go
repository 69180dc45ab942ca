package stacks

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/internal/lazyregexp"
	"auspex/model"
)

// perf script prints a line for each sample and, with -g, its call stack from
// the innermost function out, and an empty line:
//
//	prog  6723/6724 [001] 4927.851468:     500000 cpu-clock:u:
//	            116c work+0x33 (/home/me/prog)
//	            1240 main+0x12 (/home/me/prog)
//
// The processor, the process before the thread, the time or the event, and the
// period may be missing (-F). Without -g the function stands at the end of the
// sample's line, which then begins with blanks; -F +srcline puts a line with
// the place in the source behind each function. -F comm,ip,sym leaves of the
// sample's line the command alone, -F ip,sym nothing.
var (
	perfSample = lazyregexp.New(`^(\S.*?)\s+(?:(\d+)/)?(\d+)\s+(?:\[\d+\]\s+)?(?:[KUHGgMES]{1,3}\s+)?(?:(\d+\.\d+):\s*)?(?:(\d+)\s+)?([^\s:]\S*:)?(?:\s*(\S.*)|\s*)$`)
	perfFrame  = lazyregexp.New(`^\s*[0-9a-f]+\s+\S.*`)
	perfSource = lazyregexp.New(`^\s+(?:\S+:\d+|\S+\[[0-9a-f]+\])$`)
)

// perfRecord is in the lines of what is no sample, which perf script prints with
// --show-task-events and its like.
const perfRecord = ": PERF_RECORD_"

// sampleLine takes the parts of a sample's line; nil where it is none.
func sampleLine(line string) []string {
	if strings.HasPrefix(line, "\t") {
		return nil // of a stack
	}
	m := perfSample.FindStringSubmatch(strings.TrimLeft(line, " "))
	if m == nil || m[4] == "" && m[6] == "" {
		return nil
	}
	return m
}

func isFrame(line string) bool { return strings.HasPrefix(line, "\t") && perfFrame.MatchString(line) }

// isPadded tells a line of a stack by its address, which stands at the right of
// sixteen columns.
func isPadded(line string) bool {
	return isFrame(line) && len(line) > 18 && line[17] == ' ' && !strings.Contains(strings.TrimLeft(line[1:17], " "), " ")
}

// isPerf wants a sample first; without a time, which tells it from other text,
// a function as well, on the line or behind it.
func isPerf(_ string, head []byte) bool {
	timeless, bare := false, false
	for line := range strings.Lines(string(head)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case timeless:
			return isFrame(line) && (!bare || isPadded(line))
		case line == "" || line[0] == '#' || strings.Contains(line, perfRecord):
		case line[0] == ' ' && sampleLine(line) == nil:
			return false
		default:
			m := sampleLine(line)
			if m != nil && (m[4] != "" || perfFrame.MatchString(m[7])) {
				return true
			}
			// One without a time, or a command, or a function: a function follows.
			timeless, bare = true, m == nil
		}
	}
	return false
}

// perfSampleOf is a sample as its line tells it.
type perfSampleOf struct {
	command, event string
	process        int // -1 where it is not told
	thread         int
	period         float64
	counted        bool   // the period is there
	at             string // the function, where the line names it
}

func parseSample(line string) (perfSampleOf, error) {
	m := sampleLine(line)
	if m == nil {
		return perfSampleOf{}, fmt.Errorf("%q is no sample of perf script", input.Short([]byte(line)))
	}
	s := perfSampleOf{command: m[1], process: -1, period: 1, event: strings.TrimRight(m[6], ":")}
	var err error
	if m[2] != "" {
		if s.process, err = strconv.Atoi(m[2]); err != nil {
			return s, fmt.Errorf("%q is no process", m[2])
		}
	}
	if s.thread, err = strconv.Atoi(m[3]); err != nil {
		return s, fmt.Errorf("%q is no thread", m[3])
	}
	if m[5] != "" {
		s.counted = true
		if s.period, err = strconv.ParseFloat(m[5], 64); err != nil || s.period > model.MaxValue {
			return s, fmt.Errorf("%q is no period", m[5])
		}
	}
	if perfFrame.MatchString(m[7]) {
		s.at, err = frameName(m[7])
	}
	return s, err
}

// frameName takes the function off a line of a stack: address, function and
// distance, library.
func frameName(line string) (string, error) {
	_, rest, ok := strings.Cut(strings.TrimSpace(line), " ")
	if !ok {
		return "", fmt.Errorf("%q is no line of a stack", input.Short([]byte(line)))
	}
	name, library := strings.TrimSpace(rest), ""
	if at := strings.LastIndex(name, " ("); at > 0 && strings.HasSuffix(name, ")") {
		name, library = name[:at], strings.TrimSuffix(name[at+2:], ")")
	}
	if at := strings.LastIndex(name, "+0x"); at > 0 {
		name = name[:at]
	}
	if name == "[unknown]" && library != "" {
		name = "[unknown in " + library[strings.LastIndexByte(library, '/')+1:] + "]"
	}
	return name, nil
}

// perfUnits numbers processes and threads in the order they are met. Where samples do
// not name their process, the threads of one command are taken for one.
type perfUnits struct {
	processes map[perfProcess]int
	threads   map[perfThread]int
	count     map[perfProcess]int // threads of a process
	guessed   bool                // which threads are of one process
}

type perfProcess struct {
	number  int    // -1 where it is not told
	command string // then
}

type perfThread struct {
	perfProcess
	thread int
}

// threadsNote is said where samples name no process.
const threadsNote = "perf script names threads and not processes here: all of one command are taken for threads of one process; perf script -F +pid tells processes apart"

func (u *perfUnits) of(s perfSampleOf) model.Unit {
	process := perfProcess{number: s.process}
	if s.process < 0 {
		process.command = s.command
	}
	if _, ok := u.processes[process]; !ok {
		u.processes[process] = len(u.processes)
	}
	key := perfThread{process, s.thread}
	if _, ok := u.threads[key]; !ok {
		u.threads[key] = u.count[process]
		u.count[process]++
		u.guessed = u.guessed || s.process < 0 && len(u.threads) > 1
	}
	return model.Unit{Process: u.processes[process], Thread: u.threads[key]}
}

func readPerf(p *profile, l *lines) error {
	units := &perfUnits{processes: map[perfProcess]int{}, threads: map[perfThread]int{}, count: map[perfProcess]int{}}
	var sample *perfSampleOf
	var stack []string
	bare := -1 // whether samples are a command alone, or nothing: 0 or 1 once one is met
	finish := func() error {
		if sample == nil {
			return nil
		}
		if len(stack) == 0 && sample.at != "" {
			stack = append(stack, sample.at)
		}
		if len(stack) == 0 {
			stack = append(stack, sample.command)
		}
		for i, j := 0, len(stack)-1; i < j; i, j = i+1, j-1 {
			stack[i], stack[j] = stack[j], stack[i]
		}
		column, scale := p.event(sample)
		unit := p.b.Unit(units.of(*sample))
		err := p.add(unit, stack, column, sample.period*scale)
		if err == nil && column == p.clock {
			err = p.add(unit, stack, p.looks, 1)
		}
		sample, stack = nil, stack[:0]
		return err
	}
	for l.next() {
		line := l.Text()
		switch {
		case strings.HasPrefix(line, "#"), sample == nil && strings.Contains(line, perfRecord):
		case strings.TrimSpace(line) == "":
			if err := finish(); err != nil {
				return err
			}
		case line[0] != ' ' && line[0] != '\t' || sampleLine(line) != nil:
			if err := finish(); err != nil {
				return err
			}
			if bare < 0 {
				bare = 0
				if sampleLine(line) == nil {
					bare = 1
				}
			}
			s := perfSampleOf{command: strings.TrimSpace(line), process: -1, period: 1}
			if bare == 0 {
				var err error
				if s, err = parseSample(line); err != nil {
					return err
				}
			}
			if sample = &s; p.program == "" {
				p.program = s.command
			}
		case sample != nil && perfSource.MatchString(line):
		default:
			if sample == nil && (bare == 0 || !isFrame(line)) {
				return errors.New("a stack without a sample before it")
			}
			if sample == nil {
				bare, sample = 1, &perfSampleOf{process: -1, period: 1}
			}
			name, err := frameName(line)
			if err != nil {
				return err
			}
			if len(stack) < 4*input.MaxRegionDepth {
				stack = append(stack, name)
			}
		}
	}
	err := finish()
	if units.guessed {
		p.notes = append(p.notes, threadsNote)
	}
	return err
}

// event finds the metric of an event, and what brings its periods to the
// metric's unit: the clocks of software count nanoseconds.
func (p *profile) event(s *perfSampleOf) (column int, scale float64) {
	base, _, _ := strings.Cut(s.event, ":")
	isClock := s.counted && (base == "cpu-clock" || base == "task-clock")
	scale = 1
	if isClock {
		scale = 1e-9
	}
	if column, ok := p.columns[s.event]; ok {
		return column, scale
	}
	name := input.CounterNames[base]
	switch {
	case isClock:
		name = model.CPUTime
	case base == "":
		name = "samples"
	case !s.counted:
		name = base + "_samples"
	case name == "":
		name = base
	}
	column = p.b.Metric(p.names.Claim(model.NewMetric(name, s.event, model.Exclusive)))
	p.columns[s.event] = column
	if isClock && p.clock < 0 {
		p.clock = column
		p.looks = p.b.Metric(p.names.Claim(model.NewMetric(model.Samples, "", model.Exclusive)))
	}
	return column, scale
}
