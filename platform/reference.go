package platform

// referenceKey is the property of a zone that holds Platform.Reference, and
// ownPrefix what options of ours begin with, which are properties of a zone too:
// SimGrid passes over properties it does not know, but not over options.
const (
	ownPrefix    = "auspex/"
	referenceKey = ownPrefix + "reference-speed"
)

// ReferenceSpeed is the speed that a machine counts as on which traces are taken
// in ns: what the platform says, or else that of its first host.
func (p *Platform) ReferenceSpeed() float64 {
	if p.Reference > 0 {
		return p.Reference
	}
	return p.Hosts[0].Speed
}

// Timed is the platform for traces whose computation is in ns of a machine of
// the reference speed, 0 for the platform's own: a ns is a flop at 10⁹ flop/s,
// and hosts twice as fast as the reference take half of it.
func (p *Platform) Timed(reference float64) *Platform {
	if reference <= 0 {
		reference = p.ReferenceSpeed()
	}
	q := *p
	q.Hosts = append([]Host(nil), p.Hosts...)
	for i := range q.Hosts {
		q.Hosts[i].Speed *= 1e9 / reference
	}
	return &q
}
