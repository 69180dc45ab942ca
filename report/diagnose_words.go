package report

import (
	"auspex/account"
	"auspex/analyze"
	"auspex/analyze/diagnose"
	"auspex/model"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// DiagnosisWords is the answer in a few sentences: what costs most, what is
// behind it, and how the units differ.
func DiagnosisWords(d *diagnose.Diagnosis) string {
	if d.UnitCount == 1 && d.Averaged {
		return strings.Join(append([]string{"The profile holds the mean of all processes: nothing to compare."}, dearWords(d)...), " ")
	}
	if d.UnitCount == 1 {
		sentences := append(lossWords(d), aloneWords(d))
		if len(sentences) == 1 && apart(d) == 0 {
			sentences = append(sentences, dearWords(d)...)
		}
		return strings.Join(sentences, " ")
	}
	if len(d.Idle) == d.UnitCount || d.Level1 == 0 {
		nothing := fmt.Sprintf("%s spent no %s%s: nothing to compare.", counted(d.UnitCount, d.Level), d.Metric, outside(d))
		if d.Asleep {
			nothing = fmt.Sprintf("%s do next to nothing: there is nothing to compare.", counted(d.UnitCount, d.Level))
		}
		return strings.Join(append(lossWords(d), nothing), " ")
	}
	sentences := headlineWords(d)
	if d.Headline.Kind != account.Useful && len(d.Causes) == 0 && isBalanced(d) {
		sentences = append(sentences, balancedWords(d))
	}
	sentences = append(append(sentences, orderWords(d)...), kindsWords(d))
	if apart(d) > 0 {
		sentences = append(sentences, apartWords(d))
	}
	if len(d.Idle) > 0 {
		sentences = append(sentences, idleWords(d))
		if len(d.Causes) == 0 && len(d.Kinds) == 2 && d.UnitCount-len(d.Idle) > 1 && !d.Mixed {
			sentences = append(sentences, "The others are alike.")
		}
	}
	if len(d.Causes) == 0 && d.Slower == nil {
		sentences = append(sentences, dearWords(d)...)
	}
	if d.Counts {
		sentences = append(sentences, fmt.Sprintf("Shares are of %s, taken for the time.", d.Metric))
	}
	return strings.Join(sentences, " ")
}

// lossWords says what costs most where nothing is compared; nothing where that is work.
func lossWords(d *diagnose.Diagnosis) []string {
	if len(d.Ledger) == 0 || d.Headline.Kind == account.Useful || d.Headline.Kind == account.Imbalance {
		return nil
	}
	out := lineWords(d, d.Headline)
	if d.Second != nil && d.Second.Kind != account.Imbalance {
		out = append(out, lineWords(d, *d.Second)...)
	}
	return out
}

// aloneWords says why a unit has none to be compared with.
func aloneWords(d *diagnose.Diagnosis) string {
	if apart(d) > 0 {
		return apartWords(d)
	}
	return fmt.Sprintf("There is only %s: nothing to compare it with.", counted(1, d.Level))
}

// apart is how many threads are compared with nobody.
func apart(d *diagnose.Diagnosis) int {
	if d.Level != diagnose.Threads {
		return 0
	}
	return d.Ledgered - d.UnitCount
}

func apartWords(d *diagnose.Diagnosis) string {
	in, is := "it", "it is"
	if apart(d) > 1 {
		in, is = "each", "they are"
	}
	return fmt.Sprintf("%s cannot be compared: several lived in %s one after the other, or %s of teams inside others.", plural(apart(d), "thread"), in, is)
}

// dearWords names what takes all units longest: the innermost dear region, or a function
// that takes longer by all its call paths; where it takes a tenth of the run. Of those
// that are idle nothing is told, so it is the time of the others that counts.
func dearWords(d *diagnose.Diagnosis) []string {
	in := &d.Internal
	most, some, times := "Together they spend most on %s, %s of the run.", "They spend %[2]s of the run in %[1]s.", 1.0
	if d.UnitCount == 1 && !d.Averaged {
		most, some = "It spends most on %s, %s of the run.", "It spends %[2]s of the run in %[1]s."
	}
	if busy := d.UnitCount - len(d.Idle); len(d.Idle) > 0 && busy > 0 {
		who, whose := "others spend", "their time"
		if busy == 1 {
			who, whose = "other spends", "its time"
		}
		if d.Ledgered == d.UnitCount {
			times = float64(d.UnitCount) / float64(busy)
		} else {
			whose = "the run"
		}
		most, some = "What the "+who+" most on is %s, %s of "+whose+".", "The "+who+" %[2]s of "+whose+" in %[1]s."
	}
	share := func(of analyze.Real) analyze.Real { return min(1, analyze.Real(times)*of) }
	off := ""
	if lineTotal(d, account.SharedCores) >= largePart {
		off = ", its time off the cores included"
	}
	most, some = strings.TrimSuffix(most, ".")+off+".", strings.TrimSuffix(some, ".")+off+"."
	best := -1
	for i, r := range in.Regions {
		if r.Core && (!r.Self || len(model.SplitPath(r.Region)) > 2) && lastName(r.Region) != model.Blocked && !startsOrEnds(lastName(r.Region)) && share(r.Share) >= 0.1 && (best < 0 || r.Share > in.Regions[best].Share) {
			best = i
		}
	}
	if f := in.Function; f != nil && f.Name != model.Blocked && !startsOrEnds(f.Name) && share(f.Share) >= 0.1 && (best < 0 || f.Share > in.Regions[best].Share) {
		how := " itself"
		if f.Paths > 1 {
			how = " on all its call paths together"
		}
		return []string{fmt.Sprintf(most, quoted(shortName(f.Name))+at(f.File, f.Line)+how, Percent(share(f.Share)))}
	}
	if best < 0 {
		return nil
	}
	dear := in.Regions[best]
	name := quoted(shortName(lastName(dear.Region))) + at(dear.File, dear.Line)
	if caller := nearestFunction(model.SplitPath(dear.Region)); dear.File == "" && caller != "" && caller != "main" && caller != "MAIN__" {
		name += ", inside " + quoted(shortName(caller)) // a library's: who calls it can be changed
	}
	if dear.Self { // what stands around the others; around all of them it is the program, of which that says nothing
		names := model.SplitPath(dear.Region)
		name = quoted(shortName(names[len(names)-2])) + at(dear.File, dear.Line) + " itself"
	}
	for _, r := range in.Regions { // many small parts of another region may take longer together
		if r.Share > dear.Share && !strings.HasPrefix(dear.Region, r.Region+"/") {
			return []string{fmt.Sprintf(some, name, Percent(share(dear.Share)))}
		}
	}
	return []string{fmt.Sprintf(most, name, Percent(share(dear.Share)))}
}

// startsOrEnds tells calls that start and end MPI, of which the ledger has a line.
func startsOrEnds(name string) bool {
	return strings.HasPrefix(name, "MPI_Init") || name == "MPI_Finalize"
}

// kindsWords says how the units fall into kinds.
func kindsWords(d *diagnose.Diagnosis) string {
	units := counted(d.UnitCount, d.Level)
	if n := apart(d); n > 0 {
		units = fmt.Sprintf("%d of %s", d.UnitCount, counted(d.Ledgered, d.Level))
	}
	severity := "severity " + Ratio(d.Severity, 2)
	if word, _ := d.Degrees.Best(); word != "" {
		severity += " (" + plainWord(word) + ")"
	}
	switch {
	case d.Scattered:
		first := fmt.Sprintf("%s scatter into %s, too many to tell apart; %s.", units, plural(len(d.Kinds), "kind"), severity)
		if len(d.Kinds) == d.UnitCount {
			first = fmt.Sprintf("%s, no two alike; %s.", units, severity)
		} else if len(d.Kinds) > d.UnitCount/2 {
			first = fmt.Sprintf("%s, almost no two alike; %s.", units, severity)
		}
		return first + " They are taken as a gradient."
	case d.Slower != nil && len(d.Kinds) == 1:
		if d.Slower.Alike {
			return fmt.Sprintf("But for that the %s are alike; %s.", units, severity)
		}
		return fmt.Sprintf("Of %s, none stands apart by its profile alone; %s.", units, severity)
	case d.Continuum:
		return fmt.Sprintf("%s form a continuum, without separate kinds; %s.", units, severity)
	case len(d.Kinds) > 1:
		return fmt.Sprintf("%s fall into %s; %s.", units, plural(len(d.Kinds), "kind"), severity)
	}
	if len(d.Causes) > 0 && float64(d.Causes[0].LostShare) >= account.Trouble {
		return fmt.Sprintf("But for that the %s are alike; %s.", units, severity)
	}
	return fmt.Sprintf("%s are of one kind; %s.", units, severity)
}

func outside(d *diagnose.Diagnosis) string {
	if d.WithMPI {
		return ""
	}
	return " outside communication"
}

// idleWords names units that do nothing for what they are.
func idleWords(d *diagnose.Diagnosis) string {
	how := "no time is spent in any region"
	if d.Asleep {
		how = "off the cores nearly all of the time"
	}
	if d.Level == diagnose.Threads {
		thread, processes := d.Idle[0].Thread, map[int]bool{}
		same := true
		for _, n := range d.Idle {
			same = same && n.Thread == thread
			processes[n.Process] = true
		}
		all := processesOf(d)
		if same && len(processes) == len(all) && len(all) > 1 {
			if !d.Asleep {
				how = "it spends no time in any region"
			}
			return fmt.Sprintf("Thread %d is idle on every process: %s.", thread, how)
		}
	}
	verb := "are"
	if one(d.Idle, d.Level) {
		verb = "is"
	}
	return capital(fmt.Sprintf("%s %s idle: %s.", members(d.Idle, d.Level), verb, how))
}

// attributeWords says in words what an attribute is about.
func attributeWords(attribute string) string {
	words := map[string]string{
		model.Instructions: "instructions", model.L1Misses: "L1 misses", model.L2Misses: "L2 misses", model.L3Misses: "L3 misses",
		model.IORead: "disk reads", model.IOWritten: "disk writes", model.IOTime: "disk time", model.BytesSent: "bytes sent",
		model.BytesReceived: "bytes received", model.Messages: "messages", model.PageFaults: "page faults",
		model.ContextSwitches: "context switches", model.Calls: "calls", model.Iterations: "iterations", "peak_memory": "peak memory",
		model.Cycles + "/" + model.Instructions: "cycles per instruction",
	}
	if w, ok := words[attribute]; ok {
		return w
	}
	base, isRate := strings.CutSuffix(attribute, "/"+model.Instructions)
	if w, ok := words[base]; ok {
		base = w
	}
	if isRate {
		return base + " per instruction"
	}
	return base
}

// subject is what an attribute is about, in fewer words.
func subject(attribute string) string {
	base, _ := strings.CutSuffix(attribute, "/"+model.Instructions)
	switch base {
	case model.IORead, model.IOWritten, model.IOTime:
		return "disk"
	case model.BytesSent, model.BytesReceived, model.Messages:
		return "network"
	}
	if base == model.Cycles {
		return attributeWords(attribute)
	}
	return attributeWords(base)
}

// members names units: "processes 5 and 7", "process 0", long lists cut.
func members(names []diagnose.Name, level diagnose.Level) string {
	noun := singular(level)
	if len(names) > 1 {
		noun = string(level)
	}
	if level == diagnose.Threads {
		if threads, processes := alikeInAll(names); len(processes) > 1 {
			if len(threads) == 1 {
				noun = singular(level)
			}
			return noun + " " + upTo(ranges(threads), 6) + " of each of " + members(processes, diagnose.Processes)
		}
	}
	return noun + " " + upTo(ranges(names), 6)
}

// one tells whether units are named in the singular.
func one(names []diagnose.Name, level diagnose.Level) bool {
	if level == diagnose.Threads {
		if threads, processes := alikeInAll(names); len(processes) > 1 {
			return len(threads) == 1
		}
	}
	return len(names) == 1
}

// alikeInAll are the threads and the processes where the same threads of each
// process are named; none where they are not.
func alikeInAll(names []diagnose.Name) (threads, processes []diagnose.Name) {
	of := map[int][]int{}
	for _, n := range names {
		if of[n.Process] == nil {
			processes = append(processes, diagnose.Name{Text: strconv.Itoa(n.Process), Process: n.Process})
		}
		of[n.Process] = append(of[n.Process], n.Thread)
	}
	for _, own := range of {
		if !slices.Equal(own, of[names[0].Process]) {
			return nil, nil
		}
	}
	for _, n := range of[names[0].Process] {
		threads = append(threads, diagnose.Name{Text: strconv.Itoa(n), Thread: n})
	}
	return threads, processes
}

// ranges writes runs of three and more process numbers as 3–7.
func ranges(names []diagnose.Name) []string {
	var out []string
	for i := 0; i < len(names); {
		j := i + 1
		for j < len(names) && consecutive(names[j-1], names[j]) {
			j++
		}
		if j-i >= 3 {
			out = append(out, names[i].String()+"–"+names[j-1].String())
		} else {
			for _, n := range names[i:j] {
				out = append(out, n.String())
			}
		}
		i = j
	}
	return out
}

func consecutive(a, b diagnose.Name) bool {
	x, errX := strconv.Atoi(a.Text)
	y, errY := strconv.Atoi(b.Text)
	return errX == nil && errY == nil && y == x+1
}

// upTo lists words, at most so many.
func upTo(words []string, most int) string {
	if len(words) > most {
		words = append(slices.Clone(words[:most-1]), fmt.Sprintf("%s more", grouped(len(words)-most+1)))
	}
	return listed(words)
}

func counted(n int, level diagnose.Level) string { return plural(n, singular(level)) }

func singular(level diagnose.Level) string {
	return map[diagnose.Level]string{diagnose.Processes: "process", diagnose.Threads: "thread", diagnose.Nodes: "node"}[level]
}

// shortName leaves out of a signature such as "void A<int, 2>::f(int *) C" what
// is returned and taken: A<int, 2>::f. What stands between < and > belongs to
// the name.
func shortName(name string) string {
	if strings.Contains(name, "operator") {
		return name
	}
	const nameless = "(anonymous namespace)::"
	depth, begin := 0, 0
	for i, c := range name {
		switch {
		case c == '<':
			depth++
		case c == '>' && depth > 0:
			depth--
		case depth > 0:
		case c == ' ':
			begin = i + 1
		case c == '(' && strings.HasPrefix(name[i:], nameless):
			return name[begin:i] + nameless + shortName(name[i+len(nameless):])
		case c == '(' && i > begin:
			return name[begin:i]
		case c == '(':
			return name // nothing it could be the arguments of
		}
	}
	return name
}

func quoted(region string) string { return "`" + region + "`" }

func at(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return " (" + file + ")"
	}
	return fmt.Sprintf(" (%s:%d)", file, line)
}

func lastName(path string) string {
	names := model.SplitPath(path)
	return names[len(names)-1]
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
