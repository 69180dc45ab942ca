// Package caliper reads the profiles of Caliper: json-split and .cali.
package caliper

import "auspex/ingest/input"

// Formats lists what this package reads.
func Formats() []input.Format {
	return []input.Format{
		{Name: "caliper", About: "Caliper json-split", IsFile: isSplit, Reader: readSplit},
		{Name: "cali", About: "Caliper .cali stream", IsFile: isCali, Reader: readCali},
	}
}
