package tau

import (
	"path"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/model"
)

// TAU writes all it knows of a function into the name:
//
//	main => solve [{solve.f} {4,7}-{34,9}] => MPI_Wait()
//	main => [CONTEXT] main => [UNWIND] a.c.7 [@] f [{a.c} {7}] => [SAMPLE] g [{a.c} {12}]
//
// tauNames takes names apart and numbers the parts.
type names struct {
	parts  []part
	partOf map[string]int32
}

// part is one function of a call path.
type part struct {
	text string // as TAU has it, which is what makes two functions differ
	tag  tag
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

// tag says which entries are not functions that TAU timed.
type tag uint8

const (
	timed      tag = iota
	tauContext     // stands for the function in which samples were taken
	summary        // sums up the samples of a function
	unwind         // a caller found on the stack of a sample
	sample         // the place of a sample
	callsite       // repeats a function for one place it is called from
)

var tags = []struct {
	prefix string
	tag    tag
}{
	{"[CONTEXT]", tauContext}, {"[INTERMEDIATE]", tauContext}, {"[SUMMARY]", summary},
	{"[UNWIND]", unwind}, {"[SAMPLE]", sample}, {"[CALLSITE]", callsite},
}

// split numbers the parts of a name, outermost first.
func (n *names) split(name string) []int32 {
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

func (n *names) part(text string) int32 {
	i, ok := n.partOf[text]
	if !ok {
		i = int32(len(n.parts))
		n.parts = append(n.parts, parsePart(text))
		n.partOf[text] = i
	}
	return i
}

// parsePart takes tag and place off a name.
func parsePart(text string) part {
	p := part{text: text, flat: -1}
	rest := strings.TrimSpace(strings.ReplaceAll(text, "[THROTTLED]", ""))
	for _, t := range tags {
		if after, ok := strings.CutPrefix(rest, t.prefix); ok {
			p.tag, rest = t.tag, strings.TrimSpace(after)
			break
		}
	}
	// Of "callee [@] caller" a stack entry is the caller, a call site the callee.
	if p.tag == unwind {
		if i := strings.LastIndex(rest, "[@]"); i >= 0 {
			rest = strings.TrimSpace(rest[i+len("[@]"):])
		}
	} else if p.tag == callsite {
		rest, _, _ = strings.Cut(rest, "[@]")
	}
	p.name, p.file, p.line = cutPlace(strings.TrimSpace(rest))
	if p.tag != timed {
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

// cutPlace takes the source place off a name: "[{file} {line,column}-…]",
// "[{file} {line}]", "[{file}]" or "[OpenMP location: file:name <line, line>]".
func cutPlace(text string) (name, file string, line int) {
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
	n, err := strconv.Atoi(text[:input.Digits(text)])
	if err != nil {
		return 0
	}
	return n
}

// setLabels makes region names distinct: functions and loops that share a name
// but not a place get the place as well.
func (n *names) setLabels() {
	byLabel := map[string][]int32{}
	collect := func() {
		clear(byLabel)
		for i, p := range n.parts {
			if p.tag == timed {
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

// foldPhases gives the passes of a loop that TAU numbers, "loop [0]" to "loop
// [199]", the loop's name, so that they are one region. It returns how many
// such names there are. A name with one number only is left as it is, and so is
// one that would fall together with another function.
func (n *names) foldPhases() int {
	passes := map[string][]int32{}
	taken := map[string]bool{}
	for i, p := range n.parts {
		if loop, ok := cutPass(p.label); ok && p.tag == timed {
			passes[loop] = append(passes[loop], int32(i))
		} else {
			taken[p.label] = true
		}
	}
	folded := 0
	for loop, list := range passes {
		if len(list) < 2 || taken[loop] {
			continue
		}
		for _, i := range list {
			n.parts[i].label = loop
		}
		folded += len(list)
	}
	return folded
}

// cutPass takes the number of a pass off a loop's name.
func cutPass(name string) (loop string, ok bool) {
	body, closed := strings.CutSuffix(name, "]")
	loop, number, open := strings.Cut(body, " [")
	return loop, closed && open && loop != "" && number != "" && input.Digits(number) == len(number)
}

// setKinds takes the parts' kinds from the groups of the functions they end.
func (n *names) setKinds(functions []tauFunction, entries []entry) {
	for i, e := range entries {
		if e.role == flat || e.role == tauPath {
			if p := &n.parts[e.path[len(e.path)-1]]; p.kind == "" {
				p.kind = groupKind(functions[i].groups, p.name)
			}
		}
	}
	for i := range n.parts {
		if p := &n.parts[i]; p.kind == "" {
			p.kind = input.KindOf(p.name)
		}
	}
}

// groupKind reads the kind off TAU's groups and its ways of naming; empty
// where they do not say.
func groupKind(groups, name string) model.Kind {
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
