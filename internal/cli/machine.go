package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"auspex/signature"
	"auspex/simulate/loggp"
	"auspex/trace"
	"auspex/whatif"
	"auspex/whatif/kept"
)

// readMachine reads a platform and puts ranks on it.
func readMachine(f platformFlags, np int) (*whatif.Machine, error) {
	p, err := readPlatform(f.platform)
	if err != nil {
		return nil, err
	}
	options, err := simulateOptions(p, f.config)
	if err != nil {
		return nil, err
	}
	hosts, err := placeRanks(p, f.hostfile, np)
	if err != nil {
		return nil, err
	}
	return &whatif.Machine{Name: filepath.Base(f.platform), Platform: p, Hosts: hosts, Options: options}, nil
}

// elsewhere says that computation is not scaled where a platform was measured on
// another machine than this: a replay does not know where its trace was taken. It is
// "" where that is not so.
func elsewhere(platform, own string) string {
	s, err := signature.Read(strings.NewReader(own))
	if err != nil || s.Here() {
		return ""
	}
	return fmt.Sprintf("%s was measured on another machine than this (%s, %d cores): a trace taken here counts as if this one were as fast; auspex predict scales it, simulate --reference-speed says how fast it is", platform, s.Processor, s.Cores)
}

// hostWork is the speed of each rank's host as a factor of its computation. Ranks
// that share cores are taken to compute at the same time.
func hostWork(ctx context.Context, t *trace.Trace, m *whatif.Machine) (loggp.Options, error) {
	row := make([]float64, t.NP())
	p := m.Platform
	if t.Nanoseconds {
		p = p.Timed(m.Options.ReferenceSpeed)
	}
	on := make([]int, len(p.Hosts))
	for rank := range row {
		on[m.Hosts[rank]]++
	}
	for rank := range row {
		host := p.Hosts[m.Hosts[rank]]
		row[rank] = 1e9 / host.Speed * max(1, float64(on[m.Hosts[rank]])/float64(max(host.Cores, 1)))
	}
	profile, err := loggp.NewProfile(ctx, t)
	if err != nil {
		return loggp.Options{}, err
	}
	return kept.Scaled(profile, row), nil
}
