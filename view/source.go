package view

import (
	"cmp"
	"slices"

	"auspex/analyze"
	"auspex/model"
)

// SourceFile is a file that regions say they come from.
type SourceFile struct {
	File    string       `json:"file"`
	Share   analyze.Real `json:"share"` // of the run, exclusive; mean over units
	Regions int          `json:"regions"`
}

// SourceMark is what a region costs, at its line.
type SourceMark struct {
	Line      int          `json:"line"`
	Region    string       `json:"region"`
	Kind      model.Kind   `json:"kind"`
	Exclusive analyze.Real `json:"exclusive"` // mean over units
	Inclusive analyze.Real `json:"inclusive"`
	Share     analyze.Real `json:"share"` // exclusive, of the run time
}

// SourceFiles lists the files regions come from, those first that cost most.
func SourceFiles(d *analyze.Dataset) ([]SourceFile, error) {
	exclusive, _, runtime, err := sourceTimes(d)
	if err != nil {
		return nil, err
	}
	files := []SourceFile{}
	at := map[string]int{}
	for r, region := range d.Regions {
		if region.File == "" {
			continue
		}
		i, known := at[region.File]
		if !known {
			i = len(files)
			at[region.File] = i
			files = append(files, SourceFile{File: region.File})
		}
		files[i].Regions++
		if share := analyze.Ratio(exclusive[r], runtime); !share.IsMissing() {
			files[i].Share += share
		}
	}
	slices.SortStableFunc(files, func(a, b SourceFile) int { return cmp.Compare(b.Share, a.Share) })
	return files, nil
}

// SourceMarks lists the regions of one file by line.
func SourceMarks(d *analyze.Dataset, file string) ([]SourceMark, error) {
	exclusive, inclusive, runtime, err := sourceTimes(d)
	if err != nil {
		return nil, err
	}
	marks := []SourceMark{}
	for r, region := range d.Regions {
		if region.File == file && region.Line > 0 {
			marks = append(marks, SourceMark{
				Line: region.Line, Region: d.Paths[r], Kind: region.Kind, Exclusive: analyze.Real(exclusive[r]), Inclusive: analyze.Real(inclusive[r]),
				Share: analyze.Ratio(exclusive[r], runtime),
			})
		}
	}
	slices.SortStableFunc(marks, func(a, b SourceMark) int { return cmp.Compare(a.Line, b.Line) })
	return marks, nil
}

// sourceTimes are the times of regions, means over units.
func sourceTimes(d *analyze.Dataset) (exclusive, inclusive []float64, runtime float64, err error) {
	t, err := d.Times()
	if err != nil {
		return nil, nil, 0, err
	}
	if exclusive, err = d.RegionMeans(t.Metric + "." + string(model.Exclusive)); err != nil {
		return nil, nil, 0, err
	}
	inclusive, err = d.RegionMeans(t.Metric + "." + string(model.Inclusive))
	return exclusive, inclusive, t.Runtime, err
}
