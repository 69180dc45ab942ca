package ingest

import (
	"path"
	"strconv"
	"strings"

	"auspex/model"
)

// hpcNames maps HPCToolkit's own metrics onto the canonical ones.
var hpcNames = map[string]string{
	"CPUTIME":   model.CPUTime,
	"REALTIME":  model.WallTime,
	"WALLCLOCK": model.WallTime,
}

// hpcMetric describes a metric HPCToolkit calls name, such as
// "CPUTIME (usec)", and the factor that brings its values to our unit.
func hpcMetric(name string) (m model.Metric, scale float64) {
	base, unit := splitUnit(name)
	canonical := hpcNames[base]
	if canonical == "" {
		canonical = counterNames[base]
	}
	if canonical == "" {
		canonical = base
	}
	m = model.NewMetric(canonical, name, model.Exclusive)
	scale = 1
	if seconds, ok := timeScales[strings.ToLower(unit)]; ok {
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

// hpcLoop makes the region of a loop, named loop@file:line. Where only the
// library is known, that stands for the file.
func hpcLoop(file string, line int, parent int) model.Region {
	r := model.Region{Kind: model.Loop, File: hpcFile(file), Line: line, Parent: parent}
	place := clip(path.Base(file), maxFileName)
	if r.File == "" {
		place = clip(file[strings.LastIndexByte(file, ' ')+1:], maxFileName)
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

// hpcFunction makes the region of a procedure.
func hpcFunction(name, file string, line int, parent int) model.Region {
	if name == "" {
		name = "<unknown procedure>"
	}
	name = clip(name, maxRegionName)
	r := model.Region{Name: name, Kind: kindOf(name), File: hpcFile(file), Line: line, Parent: parent}
	if strings.HasPrefix(name, "<gpu ") {
		r.Kind = model.Kernel
	}
	if r.File == "" {
		r.Line = 0
	}
	return r
}
