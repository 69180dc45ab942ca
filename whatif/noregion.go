package whatif

import (
	"fmt"

	"auspex/trace"
)

// noOnes tells regions in which nobody can change anything: where threads wait, and
// where the trace does not tell which region it is.
func (c *Case) noOnes(region string) bool { return c.waits[region] || region == trace.NoRegion }

// muchWithout is the share of the computation from which on it is said that its regions
// are not told.
const muchWithout = 0.01

// withoutRegion says how much of the computation is in no region that the trace tells.
func (c *Case) withoutRegion() []string {
	r, ok := c.profile.Region(trace.NoRegion)
	if !ok {
		return nil
	}
	share := sum(c.profile.Seconds[r]) / sum(c.profile.Ranks())
	if !(share >= muchWithout) {
		return nil
	}
	return []string{fmt.Sprintf("the trace tells the regions of a rank's first million events: %.0f %% of the computation came after them, and changes of regions do not reach it", 100*share)}
}
