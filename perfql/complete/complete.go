// Package complete lists what could stand at a place of a PERFQL query that is
// being written. It reads what is before the cursor as far as it goes: a query may
// be wrong or unfinished.
package complete

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"auspex/expr"
	"auspex/fuzzy"
)

// Completion is what could stand at a place of a PERFQL query.
type Completion struct {
	From    int      `json:"from"` // bytes of the query that an option replaces
	To      int      `json:"to"`
	Options []Option `json:"options"`
}

// Option is one word that fits.
type Option struct {
	Text  string `json:"text"` // as it is written in a query
	Kind  string `json:"kind"`
	About string `json:"about"`
}

// Experiment is what can be said of an experiment that is searched.
type Experiment struct {
	Metrics   []Metric
	BuiltIn   []string                    // metrics that are computed
	Known     func(name string) bool      // whether it is the name of a metric, stored or computed
	Able      func(expr.Node) bool        // whether an expression can be computed
	Canonical func(expr.Node) expr.Node   // metrics under the names the vocabulary uses
	Values    func(field string) []string // of a field of WHERE, in their order
}

// Metric is one that was measured.
type Metric struct{ Name, About string }

// maxOptions is how many words anybody reads.
const maxOptions = 50

// At lists the words that fit at a cursor, a byte of the query, those first that
// begin as what is written there does. The experiments are those searched; names
// are of all there are.
func At(query string, cursor int, words *fuzzy.Vocabulary, experiments []Experiment, names []string) Completion {
	cursor = min(max(cursor, 0), len(query))
	from := cursor
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(query[:from])
		if !nameRune(r) {
			break
		}
		from -= size
	}
	prefix := strings.ToLower(query[from:cursor])
	c := completer{words: words, experiments: experiments, names: names}
	c.read(query[:from])
	c.offer()
	done := Completion{From: from, To: cursor, Options: []Option{}}
	seen := map[string]bool{}
	for _, o := range c.options {
		if !seen[o.Kind+o.Text] && strings.Contains(strings.ToLower(o.Text), prefix) {
			seen[o.Kind+o.Text] = true
			done.Options = append(done.Options, o)
		}
	}
	begins := func(o Option) int {
		if strings.HasPrefix(strings.Trim(strings.ToLower(o.Text), `'"`), prefix) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(done.Options, func(a, b Option) int { return cmp.Compare(begins(a), begins(b)) })
	done.Options = done.Options[:min(maxOptions, len(done.Options))]
	return done
}

func nameRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(".#:%", r)
}

// expected is what may come next in a query.
type expected int

const (
	expectMetric     expected = iota
	expectIs                  // after a metric
	expectTerm                // after IS or a modifier
	expectMore                // after a term: AND, OR, or a clause
	expectEither              // after a term's AND or OR: a term or a metric
	expectExperiment          // after OVER
	expectField               // after WHERE
	expectOperator            // after a field
	expectValue               // after an operator
	expectRow                 // after BY
	expectDegree              // after WITH
	expectBy                  // after ORDER
	expectOrder               // after ORDER BY
	expectNothing
)

// completer reads a query up to the cursor, as far as it goes: it may be wrong
// or unfinished.
type completer struct {
	words       *fuzzy.Vocabulary
	experiments []Experiment
	names       []string

	next    expected
	clause  string   // the one the cursor is in, "" in the condition
	metric  []string // the tokens of the last metric
	field   string   // the last field of WHERE
	options []Option
}

// read walks over the tokens before the cursor.
func (c *completer) read(text string) {
	for _, token := range looseTokens(text) {
		word := strings.ToUpper(token)
		switch {
		case slices.Contains([]string{"OVER", "WHERE", "BY", "WITH", "ORDER", "LIMIT"}, word) && !(word == "BY" && c.clause == "ORDER"):
			c.clause = word
			c.next = map[string]expected{"OVER": expectExperiment, "WHERE": expectField, "BY": expectRow, "WITH": expectDegree,
				"ORDER": expectBy, "LIMIT": expectNothing}[word]
		case c.clause == "":
			c.condition(token, word)
		case c.clause == "WHERE":
			c.filter(token, word)
		case c.clause == "ORDER" && word == "BY":
			c.next = expectOrder
		case c.clause == "OVER" && word == ",":
			c.next = expectExperiment
		default:
			c.next = expectMore
		}
	}
}

// condition reads a token of the condition.
func (c *completer) condition(token, word string) {
	switch word {
	case "IS":
		c.next = expectTerm
	case "AND", "OR":
		if c.next == expectMore {
			c.next = expectEither
			return
		}
		c.next, c.metric = expectMetric, nil
	case "NOT":
		if c.next != expectTerm {
			c.next, c.metric = expectMetric, nil
		}
	case "+", "-", "*", "/":
		c.metric, c.next = append(c.metric, token), expectMetric
	case "(":
		if c.next == expectMetric || c.next == expectEither {
			c.next, c.metric = expectMetric, nil
		}
	case ")", ",":
	default:
		switch c.next {
		case expectTerm:
			if !slices.Contains(fuzzy.Modifiers(), fuzzy.Modifier(strings.ToLower(token))) {
				c.next = expectMore
			}
		case expectEither:
			// A word after AND is a metric if it is one, else another term.
			if c.isMetric(token) {
				c.metric, c.next = []string{token}, expectIs
			} else if !slices.Contains(fuzzy.Modifiers(), fuzzy.Modifier(strings.ToLower(token))) {
				c.next = expectMore
			} else {
				c.next = expectTerm
			}
		case expectMetric:
			c.metric, c.next = append(c.metric, token), expectIs
		}
	}
}

// filter reads a token of WHERE.
func (c *completer) filter(token, word string) {
	switch {
	case word == "AND" || word == "OR" || word == "NOT" && c.next != expectOperator || word == "(" && c.next == expectField:
		c.next = expectField
	case c.next == expectField:
		c.field, c.next = strings.ToLower(token), expectOperator
	case c.next == expectOperator && word != "NOT":
		c.next = expectValue
	case c.next == expectValue && word != "(":
		c.next = expectMore
	case word == ",":
		c.next = expectValue
	}
}

func (c *completer) isMetric(token string) bool {
	return slices.ContainsFunc(c.experiments, func(e Experiment) bool { return e.Known(strings.Trim(token, `"`)) })
}

// looseTokens parts a text into names, quoted texts and signs, never failing.
func looseTokens(text string) []string {
	var tokens []string
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		n := size
		switch {
		case unicode.IsSpace(r):
			text = text[size:]
			continue
		case r == '"' || r == '\'':
			if end := strings.IndexRune(text[size:], r); end >= 0 {
				n = 2*size + end
			} else {
				n = len(text)
			}
		case nameRune(r):
			n = strings.IndexFunc(text, func(r rune) bool { return !nameRune(r) })
			if n < 0 {
				n = len(text)
			}
		case strings.ContainsRune("<>!=", r):
			n = len(text) - len(strings.TrimLeft(text, "<>!="))
		}
		tokens = append(tokens, text[:n])
		text = text[n:]
	}
	return tokens
}
