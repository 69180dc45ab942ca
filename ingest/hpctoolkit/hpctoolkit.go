// Package hpctoolkit reads the databases of HPCToolkit, old (experiment.xml) and
// new (meta.db).
package hpctoolkit

import (
	"path"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/model"
)

// Formats lists what this package reads.
func Formats() []input.Format {
	return []input.Format{
		{Name: "hpctoolkit", About: "HPCToolkit experiment.xml with metric-db files", IsDir: isHPCToolkit2, Reader: readHPCToolkit2},
		{Name: "hpctoolkit4", About: "HPCToolkit meta.db and profile.db", IsDir: isHPCToolkit4, Reader: readHPCToolkit4},
	}
}

// hpcNames maps HPCToolkit's own metrics onto the canonical ones.
var hpcNames = map[string]string{
	"CPUTIME":   model.CPUTime,
	"REALTIME":  model.WallTime,
	"WALLCLOCK": model.WallTime,
}

// hpcMetric describes a metric HPCToolkit calls name, such as
// "CPUTIME (usec)", and the factor that brings its values to our unit.
func hpcMetric(name string) (m model.Metric, scale float64) {
	base, unit := input.SplitUnit(name)
	canonical := hpcNames[base]
	if canonical == "" {
		canonical = input.CounterNames[base]
	}
	if canonical == "" {
		canonical = base
	}
	m = model.NewMetric(canonical, name, model.Exclusive)
	scale = 1
	if seconds, ok := input.TimeScales[strings.ToLower(unit)]; ok {
		m.Unit, scale = "s", seconds
	} else if unit != "" && !model.IsCanonical(canonical) {
		m.Unit = unit
	}
	return m, scale
}

// hpcFile drops what HPCToolkit writes where it knows no source file:
// "<unknown file> [libm.so]", "[libm.so]", "~unknown-file~".
func hpcFile(name string) string {
	if strings.HasPrefix(name, "<unknown") || strings.HasPrefix(name, "~unknown") || strings.HasPrefix(name, "[") {
		return ""
	}
	return name
}

// hpcLoop makes the region of a loop, named loop@file:line. Where no file is
// known it is named after the function it is in, and only where that has no
// name either after the library.
func hpcLoop(file string, line int, function string, parent int) model.Region {
	r := model.Region{Kind: model.Loop, File: hpcFile(file), Line: line, Parent: parent}
	if r.File == "" && function != "" && !strings.HasPrefix(function, "<") {
		r.Name, r.Line = "loop in "+function, 0
		return r
	}
	place := input.Clip(path.Base(file), input.MaxFileName)
	if r.File == "" {
		place = input.Clip(file[strings.LastIndexByte(file, ' ')+1:], input.MaxFileName)
		if place == "" {
			place = "unknown"
		}
	}
	r.Name = "loop@" + place
	if line > 0 {
		r.Name += ":" + strconv.Itoa(line)
	}
	if r.File == "" {
		r.Line = 0
	}
	return r
}

// functionAround names the function that a region is or lies in.
func functionAround(b *model.Builder, region int) string {
	for region != model.NoParent {
		r := b.RegionAt(region)
		if r.Kind != model.Loop {
			return r.Name
		}
		region = r.Parent
	}
	return ""
}

// hpcFunction makes the region of a procedure.
func hpcFunction(name, file string, line int, parent int) model.Region {
	if name == "" {
		name = "<unknown procedure>"
	}
	name = input.Clip(name, input.MaxRegionName)
	r := model.Region{Name: name, Kind: input.KindOf(name), File: hpcFile(file), Line: line, Parent: parent}
	if strings.HasPrefix(name, "<gpu ") {
		r.Kind = model.Kernel
	}
	if r.File == "" {
		r.Line = 0
	}
	return r
}
