package analyze

// Held is roughly how many bytes the dataset keeps in memory for the next
// question: the metrics that were loaded, and what tells their rows apart.
func (d *Dataset) Held() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	bytes := int64(len(d.Units)+2*len(d.Regions)) * 64
	for _, m := range d.loaded {
		bytes += 8 * int64(len(m.Data))
	}
	for _, v := range d.vectors {
		bytes += 8 * int64(len(v))
	}
	if len(d.loaded) > 0 {
		bytes += 8 * int64(d.SummaryCount)
	}
	return bytes
}
