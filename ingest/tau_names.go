package ingest

import (
	"path"
	"strconv"
	"strings"

	"auspex/model"
)

// TAU writes all it knows of a function into the name:
//
//	main => solve [{solve.f} {4,7}-{34,9}] => MPI_Wait()
//	main => [CONTEXT] main => [UNWIND] a.c.7 [@] f [{a.c} {7}] => [SAMPLE] g [{a.c} {12}]
//
// tauNames takes names apart and numbers the parts.
type tauNames struct {
	parts  []tauPart
	partOf map[string]int32
}

// tauPart is one function of a call path.
type tauPart struct {
	text string // as TAU has it, which is what makes two functions differ
	tag  tauTag
	name string // without tag and place
	file string
	line int
	// label is the region's name: name, and the place with it where two
	// functions share the name.
	label string
	kind  model.Kind
	// flat is the number of the function that goes by this name alone, -1
	// where there is none.
	flat int32
}

// tauTag says which entries are not functions that TAU timed.
type tauTag uint8

const (
	tauTimed    tauTag = iota
	tauContext         // stands for the function in which samples were taken
	tauSummary         // sums up the samples of a function
	tauUnwind          // a caller found on the stack of a sample
	tauSample          // the place of a sample
	tauCallsite        // repeats a function for one place it is called from
)

var tauTags = []struct {
	prefix string
	tag    tauTag
}{
	{"[CONTEXT]", tauContext}, {"[INTERMEDIATE]", tauContext}, {"[SUMMARY]", tauSummary},
	{"[UNWIND]", tauUnwind}, {"[SAMPLE]", tauSample}, {"[CALLSITE]", tauCallsite},
}

// split numbers the parts of a name, outermost first.
func (n *tauNames) split(name string) []int32 {
	var path []int32
	for {
		text, rest, more := strings.Cut(name, " => ")
		if text = strings.TrimSpace(text); text != "" {
			path = append(path, n.part(text))
		}
		if !more {
			break
		}
		name = rest
	}
	if len(path) == 0 {
		path = append(path, n.part("(unnamed)"))
	}
	return path
}

func (n *tauNames) part(text string) int32 {
	i, ok := n.partOf[text]
	if !ok {
		i = int32(len(n.parts))
		n.parts = append(n.parts, parseTAUPart(text))
		n.partOf[text] = i
	}
	return i
}

// parseTAUPart takes tag and place off a name.
func parseTAUPart(text string) tauPart {
	p := tauPart{text: text, flat: -1}
	rest := strings.TrimSpace(strings.ReplaceAll(text, "[THROTTLED]", ""))
	for _, t := range tauTags {
		if after, ok := strings.CutPrefix(rest, t.prefix); ok {
			p.tag, rest = t.tag, strings.TrimSpace(after)
			break
		}
	}
	// Of "callee [@] caller" a stack entry is the caller, a call site the callee.
	if p.tag == tauUnwind {
		if i := strings.LastIndex(rest, "[@]"); i >= 0 {
			rest = strings.TrimSpace(rest[i+len("[@]"):])
		}
	} else if p.tag == tauCallsite {
		rest, _, _ = strings.Cut(rest, "[@]")
	}
	p.name, p.file, p.line = cutTAUPlace(strings.TrimSpace(rest))
	if p.tag != tauTimed {
		p.line = 0 // of the sample or call, not of the function
	}
	if p.name == "" {
		p.name = text
		if p.file != "" {
			p.name = path.Base(p.file)
		}
	}
	if strings.HasPrefix(p.name, "MPI_") {
		p.name = strings.TrimSuffix(p.name, "()") // as other tools call it
	}
	p.name = withoutSignature(p.name)
	p.label = p.name
	return p
}

// withoutSignature leaves the function's own name of a C signature, which TAU
// marks with a C at the end: "void solve(int, double *) C" is solve. C has no
// overloading, so the name says all; other languages keep their signature.
func withoutSignature(name string) string {
	signature, isC := strings.CutSuffix(name, " C")
	head, _, called := strings.Cut(signature, "(")
	if !isC || !called {
		return name
	}
	words := strings.FieldsFunc(head, func(r rune) bool { return r == ' ' || r == '*' })
	if len(words) == 0 {
		return name
	}
	return words[len(words)-1]
}

// cutTAUPlace takes the source place off a name: "[{file} {line,column}-…]",
// "[{file} {line}]", "[{file}]" or "[OpenMP location: file:name <line, line>]".
func cutTAUPlace(text string) (name, file string, line int) {
	body, ok := strings.CutSuffix(text, "]")
	if !ok {
		return text, "", 0
	}
	if i := strings.LastIndex(body, "[{"); i >= 0 {
		file, rest, closed := strings.Cut(body[i+2:], "}")
		if !closed {
			return text, "", 0
		}
		if _, after, ok := strings.Cut(rest, "{"); ok {
			line = leadingNumber(after)
		}
		return strings.TrimSpace(body[:i]), file, line
	}
	const openMP = "[OpenMP location: file:"
	if i := strings.LastIndex(body, openMP); i >= 0 {
		file, rest, _ := strings.Cut(body[i+len(openMP):], "<")
		return strings.TrimSpace(body[:i]), strings.TrimSpace(file), leadingNumber(rest)
	}
	return text, "", 0
}

func leadingNumber(text string) int {
	n, err := strconv.Atoi(text[:digits(text)])
	if err != nil {
		return 0
	}
	return n
}

// setLabels makes region names distinct: functions and loops that share a name
// but not a place get the place as well.
func (n *tauNames) setLabels() {
	byLabel := map[string][]int32{}
	collect := func() {
		clear(byLabel)
		for i, p := range n.parts {
			if p.tag == tauTimed {
				byLabel[p.label] = append(byLabel[p.label], int32(i))
			}
		}
	}
	collect()
	for _, same := range byLabel {
		if len(same) < 2 {
			continue
		}
		for _, i := range same {
			if p := &n.parts[i]; p.file != "" {
				p.label = p.name + " [" + path.Base(p.file) + ":" + strconv.Itoa(p.line) + "]"
			}
		}
	}
	collect()
	for _, same := range byLabel {
		if len(same) > 1 {
			for _, i := range same {
				n.parts[i].label = n.parts[i].text
			}
		}
	}
}

// setKinds takes the parts' kinds from the groups of the functions they end.
func (n *tauNames) setKinds(functions []tauFunction, entries []tauEntry) {
	for i, e := range entries {
		if e.role == tauFlat || e.role == tauPath {
			if p := &n.parts[e.path[len(e.path)-1]]; p.kind == "" {
				p.kind = tauGroupKind(functions[i].groups, p.name)
			}
		}
	}
	for i := range n.parts {
		if p := &n.parts[i]; p.kind == "" {
			p.kind = kindOf(p.name)
		}
	}
}

// tauGroupKind reads the kind off TAU's groups and its ways of naming; empty
// where they do not say.
func tauGroupKind(groups, name string) model.Kind {
	for group := range strings.SplitSeq(groups, "|") {
		switch strings.TrimSpace(group) {
		case "MPI":
			return model.MPI
		case "SHMEM", "TAU_SHMEM", "GASNET", "ARMCI":
			return model.Comm
		case "TAU_IO", "I/O":
			return model.IO
		case "TAU_PHASE":
			return model.User
		case "OpenMP", "TAU_OPENMP", "OMPT":
			lower := strings.ToLower(name)
			if strings.Contains(lower, "barrier") {
				return model.Barrier
			}
			if strings.Contains(lower, "idle") {
				return model.Idle
			}
		}
	}
	if strings.HasPrefix(name, "Loop: ") {
		return model.Loop
	}
	return ""
}
