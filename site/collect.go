package site

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// Left is what broken pushes left at a site.
type Left struct {
	Pushes int  `json:"pushes"` // that never became visible, or were pushed again by another at the same time
	Rows   int  `json:"rows"`
	Gone   bool `json:"removed"`
}

// collectAge is how old a push must be to count as broken off: a push under way
// has a handful of statements left, each of which takes an hour at most.
const collectAge = 24 * time.Hour

// rowTables are those whose rows a push writes before it becomes visible.
var rowTables = []string{"units", "regions", "values", "totals", "attachments"}

// brokenOff chooses the rows of pushes that began before a time and are not
// visible. What is younger, or dated in the future by a clock that was wrong,
// stays.
const brokenOff = "bitShiftRight(push, 32) < {before:UInt64} AND push NOT IN (SELECT push FROM experiments FINAL)"

// Collect removes what pushes left that were broken off more than a day ago, or
// only counts it.
func (s *Site) Collect(ctx context.Context, remove bool) (*Left, error) {
	parameters := map[string]string{"before": strconv.FormatInt(s.now().Add(-collectAge).Unix(), 10)}
	left := &Left{Gone: remove}
	pushes := map[uint64]bool{}
	for _, table := range rowTables {
		out, err := s.do(ctx, "SELECT push, toUInt64(count()) FROM "+table+" WHERE "+brokenOff+" GROUP BY push FORMAT RowBinary", parameters, nil, nil)
		if err != nil {
			return nil, err
		}
		rows := 0
		r := &reader{data: out}
		for r.more() {
			pushes[r.uint64()] = true
			rows += int(r.uint64())
		}
		if r.err != nil {
			return nil, r.err
		}
		if rows > 0 && remove {
			if _, err := s.do(ctx, "ALTER TABLE "+table+" DELETE WHERE "+brokenOff, parameters, map[string]string{"mutations_sync": "1"}, nil); err != nil {
				return nil, fmt.Errorf("what broken pushes left in %s was not removed: %w", table, err)
			}
		}
		left.Rows += rows
	}
	left.Pushes = len(pushes)
	return left, nil
}
