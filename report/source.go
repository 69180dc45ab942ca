package report

import (
	"fmt"
	"strings"

	"auspex/depend"
	"auspex/source"
)

// SourceItem is a file, procedure, loop or MPI call, with those inside it.
type SourceItem struct {
	Kind    string       `json:"kind"` // file, function, subroutine, program, lambda, loop, call
	Name    string       `json:"name"`
	Line    int          `json:"line"`
	EndLine int          `json:"end_line"`
	Items   []SourceItem `json:"items,omitempty"`
	// Problems say what in it was not understood.
	Problems []string `json:"problems,omitempty"`
}

// SourceTree lists what matters in source files.
func SourceTree(files []*source.File) []SourceItem {
	items := []SourceItem{}
	for _, f := range files {
		item := SourceItem{Kind: "file", Name: f.Name, Line: 1, EndLine: f.Line(len(f.Text)), Problems: problems(f.Problems)}
		for _, u := range f.Units {
			item.Items = append(item.Items, unitItem(u))
		}
		items = append(items, item)
	}
	return items
}

func problems(list []source.Problem) []string {
	var lines []string
	for _, p := range list {
		lines = append(lines, fmt.Sprintf("line %d: %s", p.Line, p.Message))
	}
	return lines
}

func unitItem(u *source.Unit) SourceItem {
	item := SourceItem{Kind: u.Kind.String(), Name: u.Name, Line: u.Line, EndLine: u.EndLine, Problems: problems(u.Problems)}
	item.Items = stmtItems(u.Stmts)
	for _, inner := range u.Units {
		item.Items = append(item.Items, unitItem(inner))
	}
	return item
}

func stmtItems(list []*source.Stmt) []SourceItem {
	var items []SourceItem
	for _, s := range list {
		below := append(stmtItems(s.Body), stmtItems(s.Else)...)
		var calls []SourceItem
		for _, c := range s.MPI {
			calls = append(calls, SourceItem{Kind: "call", Name: c.Name, Line: c.Line, EndLine: c.EndLine})
		}
		if s.Kind == source.Loop && s.Loop != nil && !s.Loop.Once {
			items = append(items, SourceItem{Kind: "loop", Name: s.Loop.Kind.String(), Line: s.Line, EndLine: s.EndLine, Items: append(calls, below...)})
			continue
		}
		items = append(append(items, calls...), below...)
	}
	return items
}

// SourceTree writes the tree, a line an item.
func (p *Page) SourceTree(files []SourceItem) {
	var show func(item SourceItem, indent string)
	show = func(item SourceItem, indent string) {
		name := item.Name
		if item.Kind == "file" {
			p.Line("%s", p.Strong(name))
		} else {
			p.Line("%s%-*s %s", indent, max(0, 56-len(indent)), item.Kind+" "+name, lineRange(item.Line, item.EndLine))
		}
		for _, problem := range item.Problems {
			p.Line("%s  note: %s", indent, problem)
		}
		for _, below := range item.Items {
			show(below, indent+"  ")
		}
	}
	for _, f := range files {
		show(f, "")
	}
}

func lineRange(from, to int) string {
	if from == to {
		return fmt.Sprint(from)
	}
	return fmt.Sprintf("%d–%d", from, to)
}

// JudgedLoop is a loop with its verdict, and where asked for the answer whether
// it may be cut short.
type JudgedLoop struct {
	depend.Loop
	Safety *depend.Safety `json:"safety,omitempty"`
}

// SourceLoops writes the verdict on every loop and its reason.
func (p *Page) SourceLoops(loops []JudgedLoop) {
	if len(loops) == 0 {
		p.Line("There is no loop.")
		return
	}
	counts := map[depend.Verdict]int{}
	file := ""
	for _, l := range loops {
		counts[l.Verdict]++
		if l.File != file {
			file = l.File
			p.Line("%s", p.Strong(file))
		}
		what := l.Kind
		if l.Variable != "" {
			what += " " + l.Variable
		}
		indent := 2 * (l.Depth - 1)
		p.Line("%5d  %*s%-*s %-11s  %s", l.Line, indent, "", max(0, 16-indent), what, l.Verdict, l.Reason)
		if l.Safety != nil {
			p.safety(l.Safety)
		}
	}
	p.Line("")
	p.Line("%s: %d independent, %d reduction, %d carried, %d unknown", plural(len(loops), "loop"),
		counts[depend.Independent], counts[depend.Reduction], counts[depend.Carried], counts[depend.Unknown])
}

var boundWords = map[string]string{
	"constant": "a constant number of iterations",
	"same":     "as many iterations on every rank",
	"entry":    "the number of iterations may differ between ranks",
	"unknown":  "the number of iterations is not worked out",
}

func (p *Page) safety(s *depend.Safety) {
	may := "may be cut short"
	if !s.Safe {
		may = "must not be cut short"
	}
	p.Line("%7s%s; %s. %s", "", may, boundWords[s.Bound], s.Reason)
	for _, words := range s.Assumed {
		p.Line("%7sassumed: %s", "", words)
	}
	for _, note := range s.Notes {
		p.Line("%7snote: %s", "", note)
	}
}

// SourceSlice writes the lines of a slice as they stand in the files.
func (p *Page) SourceSlice(g *depend.Graph, files []*source.File) {
	for _, f := range files {
		lines := map[int]bool{}
		for _, n := range g.Nodes {
			if n.File == f.Name && n.Kind != "exit" {
				lines[n.Line] = true
			}
		}
		if len(lines) == 0 {
			continue
		}
		p.Line("%s", p.Strong(f.Name))
		number := 0
		for line := range strings.Lines(string(f.Text)) {
			if number++; lines[number] {
				p.Line("%5d  %s", number, strings.TrimRight(line, "\r\n"))
			}
		}
	}
}
