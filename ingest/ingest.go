// Package ingest reads the profiles of other tools into experiments.
//
//  1. Find looks at the paths a user gave and, from content rather than
//     names, says which sources they hold and in which format.
//  2. Read turns one source into an experiment.
//  3. Join makes one experiment of several that are parts of one run, and
//     Repeats one of several runs of the same configuration.
//
// Each tool has a package of its own below this one, whose formats offer a
// test for the content and a reader; package input is what they share. A
// reader never panics, never trusts a length it read, and answers bad input
// with one error that names file and place.
package ingest

import (
	"context"
	"slices"

	"auspex/ingest/caliper"
	"auspex/ingest/callgrind"
	"auspex/ingest/chrome"
	"auspex/ingest/cprofile"
	"auspex/ingest/cube"
	"auspex/ingest/hpctoolkit"
	"auspex/ingest/input"
	"auspex/ingest/operations"
	"auspex/ingest/otf2"
	"auspex/ingest/paraver"
	"auspex/ingest/pprof"
	"auspex/ingest/stacks"
	"auspex/ingest/tau"
	"auspex/model"
)

// A Source is one file or directory that makes one experiment; Found is what
// Find returns.
type (
	Source = input.Source
	Found  = input.Found
)

// formats lists all formats, the most telling content first.
func formats() []input.Format {
	return slices.Concat(tau.Formats(), hpctoolkit.Formats(), cube.Formats(), otf2.Formats(), paraver.Formats(), caliper.Formats(), chrome.Formats(), callgrind.Formats(), cprofile.Formats(), pprof.Formats(), stacks.Formats(), operations.Formats(), tables())
}

// FormatInfo names a format for people.
type FormatInfo struct{ Name, About string }

// Formats lists the formats that can be read.
func Formats() []FormatInfo {
	var infos []FormatInfo
	for _, f := range formats() {
		infos = append(infos, FormatInfo{f.Name, f.About})
	}
	return infos
}

// Find lists the sources below the given paths, in a natural order. A format
// other than "" skips the look at the content.
func Find(paths []string, format string) (*Found, error) {
	return input.Find(formats(), paths, format)
}

// Read turns one source into an experiment.
func Read(ctx context.Context, src *Source) (*model.Experiment, error) {
	return src.Read(ctx, formats())
}
