package fuzzy

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"auspex/expr"
)

// WriteTOML writes a vocabulary that ReadVocabulary reads back.
func (v *Vocabulary) WriteTOML(w io.Writer) error {
	var b strings.Builder
	for _, x := range v.Variables {
		x.writeTOML(&b)
	}
	for _, f := range v.Factors {
		f.writeTOML(&b)
	}
	if len(v.Times) > 0 {
		b.WriteString("\n[time]\n")
	}
	for _, t := range v.Times {
		fmt.Fprintf(&b, "%s = %s\n", tomlKey(t.Pattern), tomlString(t.Is))
	}
	_, err := io.WriteString(w, strings.TrimPrefix(b.String(), "\n"))
	return err
}

func (x *Variable) writeTOML(b *strings.Builder) {
	head := "variable." + tomlKey(x.Name)
	fmt.Fprintf(b, "\n[%s]\n", head)
	if x.About != "" {
		fmt.Fprintf(b, "about = %s\n", tomlString(x.About))
	}
	fmt.Fprintf(b, "metric = %s\n", tomlString(x.Metric.String()))
	writeNodes(b, "also", x.Also)
	writeNodes(b, "instead_of", x.InsteadOf)
	fmt.Fprintf(b, "universe = [%s, %s]\n", tomlFloat(x.Low), tomlFloat(x.High))
	writeTerms(b, head+".terms", x.Terms)
	writeTerms(b, head+".global", x.Global)
}

func writeNodes(b *strings.Builder, key string, nodes []expr.Node) {
	if len(nodes) == 0 {
		return
	}
	var texts []string
	for _, n := range nodes {
		texts = append(texts, tomlString(n.String()))
	}
	fmt.Fprintf(b, "%s = [%s]\n", key, strings.Join(texts, ", "))
}

func writeTerms(b *strings.Builder, head string, terms []*Term) {
	if len(terms) == 0 {
		return
	}
	fmt.Fprintf(b, "[%s]\n", head)
	for _, t := range terms {
		fmt.Fprintf(b, "%s = %s\n", tomlKey(t.Name), tomlString(t.Definition.String()))
	}
}

func (f *Factor) writeTOML(b *strings.Builder) {
	head := "factor." + tomlKey(f.Name)
	fmt.Fprintf(b, "\n[%s]\n", head)
	if f.About != "" {
		fmt.Fprintf(b, "about = %s\n", tomlString(f.About))
	}
	fmt.Fprintf(b, "set = %s\nrange = [%s, %s]\n", tomlString(f.Set.String()), tomlFloat(f.Low), tomlFloat(f.High))
	if f.Category != "" {
		fmt.Fprintf(b, "category = %s\n", tomlString(f.Category))
	}
	if !f.Controllable {
		b.WriteString("controllable = false\n")
	}
	if len(f.Words) > 0 {
		fmt.Fprintf(b, "[%s.words]\n", head)
		for _, w := range f.Words {
			fmt.Fprintf(b, "%s = %s\n", tomlKey(w.Word), tomlFloat(w.Number))
		}
	}
}

// tomlKey writes a key bare where it can be.
func tomlKey(s string) string {
	bare := func(r rune) bool {
		return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !bare(r) }) < 0 {
		return s
	}
	return tomlString(s)
}

// tomlString writes a basic string; bytes that are no text are replaced.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, "\\u%04X", r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// tomlFloat writes a number that TOML reads as one: 1e+06 and 10 both are.
func tomlFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
