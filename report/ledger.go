package report

import (
	"fmt"

	"auspex/account"
	"auspex/analyze"
)

// ledger writes where units × run time went, the largest first.
func (p *Page) ledger(units int, seconds analyze.Real, lines []account.Line) {
	p.ledgerOf("time", "s", fmt.Sprintf("%s × %s", grouped(units), Seconds(seconds)), lines)
}

// ledgerOf writes where all of a metric went.
func (p *Page) ledgerOf(what, unit, all string, lines []account.Line) {
	if len(lines) == 0 {
		return
	}
	p.Heading(fmt.Sprintf("Where the %s went (%s; exclusive, summed over units)", what, all))
	const least, most = 0.002, 12
	write := quantitiesOf(unit, lines, func(l account.Line) []float64 { return []float64{l.Seconds} })
	var rows [][]string
	rest := 0.0
	for _, line := range lines {
		if line.Share < least || len(rows) == most {
			rest += line.Share
			continue
		}
		rows = append(rows, []string{ledgerWords[line.Kind], string(line.Region), Percent(analyze.Real(line.Share)), write(line.Seconds), line.Words})
	}
	p.table([]column{words("line"), region("region"), number("of the run"), number(what), words("")}, rows)
	if rest > 0 {
		p.Line("  all else: %s", percentOf(rest))
	}
}

// ledgerWords are the lines' names for people.
var ledgerWords = map[account.Kind]string{
	account.Useful: "useful", account.Imbalance: "imbalance", account.Waiting: "waiting", account.StartEnd: "start and end", account.IO: "input, output",
	account.SharedCores: "off the cores", account.Communication: "communication", account.Idle: "idle",
}
