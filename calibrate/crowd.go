package calibrate

import (
	"context"
	"fmt"
	"io"
)

// MeasureCrowd runs a command that starts as many ranks as will run at once, and
// adds to a measurement what their messages take together.
func (m *Measurement) MeasureCrowd(ctx context.Context, command, binary string, l Limits, copyTo io.Writer) error {
	more, err := run(ctx, fmt.Sprintf("%s %s crowd %d", command, quote(binary), l.Largest), copyTo)
	if err != nil {
		return err
	}
	m.Samples = append(m.Samples, more.Samples...)
	return nil
}

// unhindered is by how much messages of all ranks at once may take longer than
// those of one pair before they count as hindering each other.
const unhindered = 1.1

// fitCrowd finds what all hosts send at once at most. One pair's messages both ways
// go at the rate that the links and the hosts' own limits leave them; those of n
// ranks that take s times as long share n/s of that.
func (c *Calibration) fitCrowd(m *Measurement) {
	alone, together, ranks := map[int64]float64{}, map[int64]float64{}, 0
	for _, s := range m.Samples {
		switch {
		case s.Kind == Crowd && s.From == 2:
			alone[s.Bytes] = s.Median
		case s.Kind == Crowd:
			together[s.Bytes], ranks = s.Median, max(ranks, s.From)
		}
	}
	var slower []float64
	for size, seconds := range together {
		if alone[size] > 0 {
			slower = append(slower, seconds/alone[size])
		}
	}
	times := median(slower)
	if times < unhindered {
		return
	}
	each := c.Bandwidth
	if c.BothWays > 0 {
		each = min(each, c.BothWays/2)
	}
	c.Backbone = float64(ranks) * each / times
}
