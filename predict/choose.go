package predict

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"auspex/depend"
	"auspex/instrument"
	"auspex/launch"
	"auspex/source"
)

// choose decides on the loops of the sources below root: the outermost that may
// be cut short are.
func (p *plan) choose(ctx context.Context, w *workshop, look *launch.Plan, names []string) error {
	var files []*source.File
	for _, name := range names {
		text, options, err := sourceText(look, name)
		if err != nil {
			return err
		}
		f, err := source.Parse(ctx, name, text, options)
		if err != nil {
			w.note("%s could not be read, so no loop of it is cut short: %v", name, err)
			continue
		}
		files = append(files, f)
	}
	program := depend.New(files...)
	known := procedures(files)
	work := newWork(program, files)
	byName := map[string]*source.File{}
	cuttable, boundable, numbers := map[string]map[int]string{}, map[string]map[int]bool{}, map[string]map[int][2]int{}
	for _, f := range files {
		byName[f.Name] = f
		cuttable[f.Name], boundable[f.Name], numbers[f.Name] = instrument.Cuttable(f), instrument.Boundable(f), instrument.LoopNumbers(f)
	}
	vouched := newVouched(w.Vouched)
	rules := depend.Rules{Strict: w.Strict, FixedCommunication: w.AssumeFixed}
	var open []source.Span // loops that are cut short, in the file at hand
	file := ""
	for _, l := range program.Loops() {
		if l.File != file {
			file, open = l.File, nil
		}
		if err := w.clock(program, l); err != nil {
			return err
		}
		use := LoopUse{File: l.File, Line: l.Line, Unit: l.Unit, Method: Simple, number: -1}
		number, own := numbers[l.File][l.Stmt.Start]
		if within(open, l.Stmt.Span) || !own {
			continue // a header's loops are in no file of their own
		}
		single := !heavy(byName[l.File], l.Stmt, known)
		word := vouched.speaksFor(l.File, l.Line)
		never, there := cuttable[l.File][l.Stmt.Start]
		if !there {
			never = "it is in code that cannot be"
		}
		switch {
		case single && (l.Depth > 1 || !boundable[l.File][l.Stmt.Start]):
			use.Reason = "It is one loop without calls: to ask in every iteration would change how it is compiled."
		case never != "":
			use.Reason = fmt.Sprintf("It cannot be rewritten: %s.", never)
		case word:
			use.Method, use.Reason = Threshold, "On your word (--vouch)."
		default:
			use.decide(program, l, rules, work)
		}
		if use.Method == Threshold {
			open = append(open, l.Stmt.Span)
			use.number = len(p.cuts)
			cut := instrument.LoopCut{File: l.File, Line: l.Line, Offset: l.Stmt.Start, Number: use.number, Bound: single, Last: word || l.Communication != ""}
			if p.preprocess && byName[l.File].Language != source.Fortran {
				cut.Nth = number[1]
			}
			if l.Communication != "" {
				cut.Communicates = 1
				if w.AssumeFixed || word {
					cut.Communicates = 2
				}
			}
			p.cuts = append(p.cuts, cut)
		}
		p.loops = append(p.loops, use)
	}
	return vouched.unheard(p.loops)
}

// clock refuses a loop that goes on until some time has passed: it takes that time on
// every platform, and what it does in it there is not known.
func (w *workshop) clock(program *depend.Program, l depend.Loop) error {
	ends := program.ByClock(l)
	switch {
	case ends == nil:
	case ends.Alone:
		return fmt.Errorf("%s:%d: the loop there goes on until some time has passed (line %d): it takes that time on every platform, and how much it does in it there is not known, so nothing is predicted; --method simple takes what it did here, by its CPU time",
			l.File, l.Line, ends.Line)
	default:
		w.note("%s:%d: the loop there may end because some time has passed (line %d). The prediction is of as many iterations as it did here.", l.File, l.Line, ends.Line)
	}
	return nil
}

// sourceText is a source as it was preprocessed, or else as it is written.
func sourceText(look *launch.Plan, name string) ([]byte, source.Options, error) {
	if look.Preprocess {
		if text, err := os.ReadFile(look.Preprocessed(name)); err == nil {
			return text, source.Options{Preprocessed: true}, nil
		}
	}
	text, err := os.ReadFile(filepath.Join(look.Root, name))
	return text, source.Options{}, err
}

func within(list []source.Span, s source.Span) bool {
	for _, o := range list {
		if o.Contains(s) {
			return true
		}
	}
	return false
}

// decide asks whether the rest of the program would notice if the loop were cut
// short, and whether its first iterations stand for all.
func (use *LoopUse) decide(program *depend.Program, l depend.Loop, rules depend.Rules, work *work) {
	safety := program.Safe(l, rules)
	use.Reason = safety.Reason
	if !safety.Safe {
		return
	}
	if line := work.alone(l); line > 0 && l.Communication != "" {
		use.Reason = fmt.Sprintf("It communicates, and line %d decides which ranks run it.", line)
		return
	}
	if uneven := program.Uneven(l); uneven != "" {
		if !rules.FixedCommunication || l.Communication == "" {
			use.Reason = fmt.Sprintf("Its iterations are not alike: %s.", uneven)
			return
		}
		safety.Assumed = append(safety.Assumed, fmt.Sprintf("Iterations are taken to cost the same although %s.", uneven))
	}
	use.Method = Threshold
	for _, a := range safety.Assumed {
		use.Reason += " Assumed: " + a
	}
}

// heavy tells whether an iteration holds a loop or a call of one of the
// program's own procedures.
func heavy(f *source.File, loop *source.Stmt, procedures map[string]bool) bool {
	for _, s := range loop.Body {
		if s.Kind == source.Loop || len(s.MPI) > 0 {
			return true
		}
		found := false
		for _, e := range f.Exprs(s) {
			e.Walk(func(k *source.Expr) {
				// A function of Fortran looks like an element of an array.
				found = found || k != nil && (k.Kind == source.CallOf || k.Kind == source.Apply) && procedures[lastPart(k.Name)]
			})
		}
		if found || heavy(f, &source.Stmt{Body: s.Body}, procedures) || heavy(f, &source.Stmt{Body: s.Else}, procedures) {
			return true
		}
	}
	return false
}

// lastPart is a name without the class or module it belongs to.
func lastPart(name string) string {
	if i := strings.LastIndexAny(name, ":.>%"); i >= 0 {
		name = name[i+1:]
	}
	return strings.ToLower(name)
}

// procedures are the names of all that the files define.
func procedures(files []*source.File) map[string]bool {
	names := map[string]bool{}
	var add func(list []*source.Unit)
	add = func(list []*source.Unit) {
		for _, u := range list {
			names[lastPart(u.Name)] = true
			add(u.Units)
		}
	}
	for _, f := range files {
		add(f.Units)
	}
	return names
}
