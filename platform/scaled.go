package platform

import "slices"

// Scaled returns the platform with hosts, bandwidths and latencies so many times
// as fast, as wide and as long. The original stays as it is.
func (p *Platform) Scaled(speed, bandwidth, latency float64) *Platform {
	q := *p
	q.Hosts, q.Links = slices.Clone(p.Hosts), slices.Clone(p.Links)
	for i := range q.Hosts {
		q.Hosts[i].Speed *= speed
	}
	for i := range q.Links {
		q.Links[i].Bandwidth *= bandwidth
		q.Links[i].Latency *= latency
	}
	return &q
}
