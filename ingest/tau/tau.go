// Package tau reads the profiles of TAU: profile.n.c.t files, packed and merged
// profiles.
package tau

import "auspex/ingest/input"

// Formats lists what this package reads.
func Formats() []input.Format {
	return []input.Format{
		{Name: "tau", About: "TAU profile.n.c.t files, MULTI__ directories", IsDir: isDir, IsFile: isFile, Reader: read},
		{Name: "tau-packed", About: "TAU packed profile (.ppk)", IsFile: isPacked, Reader: readPacked},
		{Name: "tau-xml", About: "TAU merged profile (tauprofile.xml)", IsFile: isXML, Reader: readXML},
	}
}
