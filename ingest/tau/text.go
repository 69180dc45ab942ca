package tau

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"

	"auspex/internal/mistake"
)

// A profile file is text:
//
//	23 templated_functions_MULTI_TIME
//	# Name Calls Subrs Excl Incl ProfileCalls # <metadata>…</metadata>
//	"main" 1 7 419 55329 0 GROUP="TAU_DEFAULT"
//	…
//	0 aggregates
//	2 userevents
//	# eventname numevents max min mean sumsqr
//	"Message size for broadcast" 1 4 4 4 16

// maxLine bounds a line; the metadata of a run are one line.
const maxLine = 4 << 20

// tauFile is the content of one profile file: one metric of one thread.
type tauFile struct {
	pool     *tauPool
	metric   string
	declared int // the number of functions the first line promises
	metadata []attribute
	function []int32 // numbers of the pool
	values   []values
	events   []textEvent
}

type values struct{ calls, exclusive, inclusive float64 }

type textEvent struct {
	name        string
	count, mean float64
}

// tauPool keeps one copy of the names and metadata that many files repeat. It
// serves one reading goroutine.
type tauPool struct {
	functions  []tauFunction
	functionOf map[string]int32
	strings    map[string]string
}

func newPool() *tauPool {
	return &tauPool{functionOf: map[string]int32{}, strings: map[string]string{}}
}

func (p *tauPool) function(name, groups []byte) int32 {
	i, ok := p.functionOf[string(name)]
	if !ok {
		i = int32(len(p.functions))
		p.functions = append(p.functions, tauFunction{string(name), p.string(groups)})
		p.functionOf[p.functions[i].name] = i
	}
	return i
}

func (p *tauPool) string(b []byte) string {
	s, ok := p.strings[string(b)]
	if !ok {
		s = string(b)
		p.strings[s] = s
	}
	return s
}

// parseHeader reads the first line: the number of functions and the metric.
func parseHeader(line []byte) (functions int, metric string, ok bool) {
	number, rest, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
	functions, err := strconv.Atoi(string(number))
	if err != nil || functions < 0 {
		return 0, "", false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte("templated_functions")); ok {
		rest, _ = bytes.CutPrefix(rest, []byte("_MULTI"))
		rest, named := bytes.CutPrefix(rest, []byte("_"))
		if len(rest) > 0 != named {
			return 0, "", false
		}
		if metric = "TIME"; named {
			metric = string(rest)
		}
		return functions, metric, true
	}
	return functions, "Hardware Counter", string(rest) == "hw_counters"
}

// parseProfile reads one profile file.
func parseProfile(r *bufio.Reader, name string, pool *tauPool) (*tauFile, error) {
	p := &textParser{r: r, name: name, file: &tauFile{pool: pool}}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.file, nil
}

type textParser struct {
	r    *bufio.Reader
	name string
	line int
	long []byte // a line that is longer than the reader's buffer
	file *tauFile
}

func (p *textParser) fail(format string, args ...any) error {
	return mistake.AtLine(p.name, p.line, format, args...)
}

// next returns the next line, valid until the call after, without its end.
// Whole is false for a last line that does not end with a newline.
func (p *textParser) next() (line []byte, whole bool, err error) {
	p.line++
	line, err = p.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		p.long = append(p.long[:0], line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = p.r.ReadSlice('\n')
			if p.long = append(p.long, line...); len(p.long) > maxLine {
				return nil, false, p.fail("the line is longer than %d bytes: this is no TAU profile", maxLine)
			}
		}
		line = p.long
	}
	if err != nil && !(errors.Is(err, io.EOF) && len(line) > 0) {
		if errors.Is(err, io.EOF) {
			return nil, false, io.EOF
		}
		return nil, false, p.fail("%v", err)
	}
	return bytes.TrimSpace(line), err == nil, nil
}

func (p *textParser) parse() error {
	line, _, err := p.next()
	if errors.Is(err, io.EOF) {
		return mistake.InFile(p.name, "the file is empty")
	}
	if err != nil {
		return err
	}
	var ok bool
	if p.file.declared, p.file.metric, ok = parseHeader(line); !ok {
		return p.fail("expected a line such as '12 templated_functions_MULTI_TIME', found %.40q", line)
	}
	return p.functions()
}

// functions reads the lines up to the aggregates, however many were promised.
func (p *textParser) functions() error {
	perCall := false // such lines of single calls may follow
	for {
		line, whole, err := p.next()
		if errors.Is(err, io.EOF) {
			if len(p.file.function) < p.file.declared {
				return p.fail("the profile ends early: %d of %d functions", len(p.file.function), p.file.declared)
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case len(line) == 0:
		case line[0] == '#':
			p.file.metadata = append(p.file.metadata, parseMetadata(line, p.file.pool.string)...)
		case line[0] == '"':
			if !whole {
				return p.fail("the profile ends early, within function %d of %d", len(p.file.function)+1, p.file.declared)
			}
			if perCall, err = p.function(line); err != nil {
				return err
			}
		case bytes.HasSuffix(line, []byte(" aggregates")):
			return p.userEvents()
		case !perCall:
			return p.fail("expected a function in quotes, found %.40q", line)
		}
	}
}

// function reads a line: "name" calls subroutines exclusive inclusive
// profileCalls GROUP="groups". The name may hold quotes itself.
func (p *textParser) function(line []byte) (perCall bool, err error) {
	var groups []byte
	if at := bytes.LastIndex(line, []byte(` GROUP="`)); at >= 0 {
		groups = bytes.TrimSuffix(line[at+len(` GROUP="`):], []byte(`"`))
		line = line[:at]
	}
	end := bytes.LastIndexByte(line, '"')
	if end == 0 {
		return false, p.fail("the quotes of the function's name are not closed")
	}
	var fields [5]float64
	if err := p.numbers(line[end+1:], fields[:]); err != nil {
		return false, err
	}
	f := p.file
	f.function = append(f.function, f.pool.function(bytes.TrimSpace(line[1:end]), groups))
	f.values = append(f.values, values{fields[0], fields[2], fields[3]})
	return fields[4] > 0, nil
}

// numbers reads the first fields of a line.
func (p *textParser) numbers(text []byte, into []float64) error {
	for i := range into {
		for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
			text = text[1:]
		}
		end := 0
		for end < len(text) && text[end] != ' ' && text[end] != '\t' {
			end++
		}
		if end == 0 {
			return p.fail("%d numbers after the name, expected %d", i, len(into))
		}
		v, ok := parseNumber(text[:end])
		if !ok {
			return p.fail("%.40q is no number", text[:end])
		}
		into[i], text = v, text[end:]
	}
	return nil
}

// parseNumber reads a number, mostly a whole one.
func parseNumber(text []byte) (v float64, ok bool) {
	whole := int64(0)
	for i, c := range text {
		if c < '0' || c > '9' || i == 15 { // 15 digits are exact in a float64
			v, err := strconv.ParseFloat(string(text), 64)
			return v, err == nil || errors.Is(err, strconv.ErrRange)
		}
		whole = 10*whole + int64(c-'0')
	}
	return float64(whole), len(text) > 0
}

// userEvents reads what follows the functions. Aggregates, which TAU has long
// ceased to write, are passed over.
func (p *textParser) userEvents() error {
	announced := false
	declared, found := 0, 0
	for {
		line, _, err := p.next()
		if errors.Is(err, io.EOF) {
			if found < declared {
				return p.fail("the profile ends early: %d of %d user events", found, declared)
			}
			return nil
		}
		if err != nil {
			return err
		}
		if number, ok := bytes.CutSuffix(line, []byte(" userevents")); ok && !announced {
			announced = true
			if declared, err = strconv.Atoi(string(number)); err != nil {
				return p.fail("%.40q is no number of user events", number)
			}
		}
		if !announced || len(line) == 0 || line[0] != '"' {
			continue
		}
		end := bytes.LastIndexByte(line, '"')
		if end == 0 {
			return p.fail("the quotes of the event's name are not closed")
		}
		var fields [5]float64
		if err := p.numbers(line[end+1:], fields[:]); err != nil {
			return err
		}
		found++
		p.file.events = append(p.file.events, textEvent{
			p.file.pool.string(bytes.TrimSpace(line[1:end])), fields[0], fields[3],
		})
	}
}
