package whatif

import (
	"context"

	"auspex/platform"
	"auspex/simulate"
)

// onPlatform replays on the platform.
func (c *Case) onPlatform(ctx context.Context, s setting) (*outcome, error) {
	t := c.trace
	if s.work.Scale != nil || s.given != nil || s.even || s.steps != nil || s.work.Pauses != nil || s.work.Unpaused != nil {
		var err error
		if t, _, err = c.rewrite(ctx, s); err != nil {
			return nil, err
		}
	}
	m := c.platform
	hosts := m.Hosts
	if s.perNode > 0 {
		hosts = make([]int, len(m.Hosts))
		for rank := range hosts {
			hosts[rank] = rank / s.perNode % len(m.Platform.Hosts)
		}
	}
	o := m.Options
	if s.eager >= 0 {
		o.EagerBelow = s.eager
	}
	for _, ch := range s.algorithms {
		if err := setAlgorithm(&o, ch); err != nil {
			return nil, err
		}
	}
	p := scaled(m.Platform, s)
	r, err := simulate.Run(ctx, t, p, hosts, o, simulate.Hooks{})
	if err != nil {
		return nil, err
	}
	out := &outcome{seconds: r.Seconds}
	for _, rank := range r.Ranks {
		out.compute, out.paused = append(out.compute, rank.Compute), append(out.paused, rank.Sleep)
	}
	return out, nil
}

// scaled is a platform with other hosts or links.
func scaled(p *platform.Platform, s setting) *platform.Platform {
	if s.latency == 1 && s.bandwidth == 1 && s.work.Speed == 0 {
		return p
	}
	speed := s.work.Speed
	if speed == 0 {
		speed = 1
	}
	return p.Scaled(speed, s.bandwidth, s.latency)
}
