package stacks

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/model"
)

// Folded stacks are lines of functions from the outermost in, with semicolons
// between them, and a weight at the end:
//
//	prog;main;solve;work 42
//
// What the weight counts is not said: samples, as a rule; decimals occur, where
// a tool weighs samples. Lines with two weights set two profiles against each
// other (difffolded.pl).

// isFolded wants every whole line of the head to be of the form, and one to
// have a semicolon.
func isFolded(_ string, head []byte) bool {
	whole := len(head) < input.HeadSize
	nested := false
	for len(head) > 0 {
		line, rest, ended := bytes.Cut(head, []byte("\n"))
		if !ended && !whole {
			break // cut off
		}
		head = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		stack, _, err := splitFolded(string(line))
		if err != nil || strings.ContainsAny(string(line), "\x00\t") {
			return false
		}
		nested = nested || strings.Contains(stack, ";")
	}
	return nested
}

func splitFolded(line string) (stack string, weight float64, err error) {
	line = strings.TrimRight(line, " \r")
	at := strings.LastIndexByte(line, ' ')
	if at <= 0 {
		return "", 0, errors.New("a line of folded stacks ends with a blank and a number")
	}
	weight, ok := weightOf(line[at+1:])
	if !ok {
		return "", 0, fmt.Errorf("%q is no number of samples", input.Short([]byte(line[at+1:])))
	}
	return strings.TrimSpace(line[:at]), weight, nil
}

// weightOf reads digits, with decimals or without.
func weightOf(text string) (float64, bool) {
	if strings.Trim(text, "0123456789.") != "" {
		return 0, false // signs, exponents, words
	}
	weight, err := strconv.ParseFloat(text, 64)
	return weight, err == nil && weight <= model.MaxValue
}

func readFolded(p *profile, l *lines) error {
	unit := p.b.Unit(model.Unit{})
	metric := p.b.Metric(model.Metric{Name: "samples", Unit: "count", Scope: model.Exclusive})
	twice, read := 0, 0 // lines with two weights, lines
	for l.next() {
		if strings.TrimSpace(l.Text()) == "" {
			continue
		}
		stack, weight, err := splitFolded(l.Text())
		if err != nil {
			return err
		}
		read++
		if at := strings.LastIndexByte(stack, ' '); at > 0 {
			if _, ok := weightOf(stack[at+1:]); ok {
				twice++
			}
		}
		if err := p.add(unit, strings.Split(stack, ";"), metric, weight); err != nil {
			return err
		}
	}
	if read > 0 && twice == read {
		return errors.New("every line ends with two numbers, so that this compares two profiles: give one of them")
	}
	p.notes = append(p.notes, "folded stacks do not say what their numbers count: they are taken as samples, and no time is known")
	return nil
}
