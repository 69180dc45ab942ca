// Package ingest reads the profiles of other tools into experiments.
//
//  1. Find looks at the paths a user gave and, from content rather than
//     names, says which sources they hold and in which format.
//  2. Read turns one source into an experiment.
//  3. Join makes one experiment of several that are parts of one run, and
//     Repeats one of several runs of the same configuration.
//
// Each format lives in a file of its own that offers a test for the content
// and a reader. A reader never panics, never trusts a length it read, and
// answers bad input with one error that names file and place.
package ingest

import (
	"context"
	"os"

	"auspex/model"
)

// format is one kind of input.
type format struct {
	name  string // what --format takes
	about string
	// isDir tells whether a directory as a whole is one experiment of this
	// format; nil for formats that are single files.
	isDir func(dir string, entries []os.DirEntry) bool
	// isFile tells from a file's name and its first bytes, decompressed
	// where it is gzip, whether it is this format; nil for formats that are
	// directories.
	isFile func(name string, head []byte) bool
	read   func(ctx context.Context, src *Source) (*model.Experiment, error)
}

// formats lists all formats, the most telling content first.
func formats() []format {
	return []format{
		{"tau", "TAU profile.n.c.t files, MULTI__ directories", isTAUDir, isTAUFile, readTAU},
		{"tau-packed", "TAU packed profile (.ppk)", nil, isTAUPacked, readTAUPacked},
		{"tau-xml", "TAU merged profile (tauprofile.xml)", nil, isTAUXML, readTAUXML},
		{"hpctoolkit", "HPCToolkit experiment.xml with metric-db files", isHPCToolkit2, nil, readHPCToolkit2},
		{"hpctoolkit4", "HPCToolkit meta.db and profile.db", isHPCToolkit4, nil, readHPCToolkit4},
		{"cube", "Score-P and Scalasca profile (.cubex)", nil, isCube, readCube},
		{"otf2", "OTF2 trace archive, through otf2-print", isOTF2Dir, isOTF2File, readOTF2},
		{"caliper", "Caliper json-split", nil, isCaliperSplit, readCaliperSplit},
		{"cali", "Caliper .cali stream", nil, isCali, readCali},
		{"chrome", "Chrome and Kineto (PyTorch) trace JSON", nil, isChrome, readChrome},
		{"pprof", "pprof profile", nil, isPprof, readPprof},
		{"parquet", "long table in Parquet", nil, isParquetTable, readParquetTable},
		{"jsonl", "long table in JSON lines", nil, isJSONLTable, readJSONLTable},
		{"csv", "long table in CSV", nil, isCSVTable, readCSVTable},
	}
}

// FormatInfo names a format for people.
type FormatInfo struct{ Name, About string }

// Formats lists the formats that can be read.
func Formats() []FormatInfo {
	var infos []FormatInfo
	for _, f := range formats() {
		infos = append(infos, FormatInfo{f.name, f.about})
	}
	return infos
}

// Read turns one source into an experiment. The experiment's name is the
// source's label where the files do not say better.
func Read(ctx context.Context, src *Source) (*model.Experiment, error) {
	for _, f := range formats() {
		if f.name != src.Format {
			continue
		}
		exp, err := f.read(ctx, src)
		if err != nil {
			return nil, err
		}
		exp.Format = src.Format
		exp.Sources = []string{src.Given}
		setSizeFactors(exp)
		if exp.Name == "" {
			exp.Name = src.Label
		}
		return exp, exp.Check()
	}
	return nil, model.InFile(src.Given, "unknown format %q", src.Format)
}
