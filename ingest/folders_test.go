package ingest

import (
	"fmt"
	"reflect"
	"testing"

	"auspex/model"
)

// ranksOf are the files of a training job's ranks, a folder each.
func ranksOf(t *testing.T, folder string, size float64, ranks ...int) (list []*model.Experiment) {
	for _, rank := range ranks {
		e := part(t, fmt.Sprintf("%s/rank%d.json", folder, rank), map[int]float64{rank: 1})
		if size > 0 {
			e.SetFactor(model.NumberFactor("world_size", size))
		}
		list = append(list, e)
	}
	return list
}

func TestFolders(t *testing.T) {
	join := func(lists ...[]*model.Experiment) (all []*model.Experiment) {
		for _, list := range lists {
			all = append(all, list...)
		}
		return all
	}
	for name, c := range map[string]struct {
		parts []*model.Experiment
		want  [][]int
	}{
		"two jobs":                {join(ranksOf(t, "a", 2, 0, 1), ranksOf(t, "b", 2, 0, 1)), [][]int{{0, 1}, {2, 3}}},
		"one lacks a rank":        {join(ranksOf(t, "a", 3, 0, 1, 2), ranksOf(t, "b", 3, 0, 2)), [][]int{{0, 1, 2}, {3, 4}}},
		"one job on two nodes":    {join(ranksOf(t, "a", 4, 0, 1), ranksOf(t, "b", 4, 2, 3)), nil},
		"one folder":              {ranksOf(t, "a", 2, 0, 1), nil},
		"a folder for every rank": {join(ranksOf(t, "a", 2, 0), ranksOf(t, "b", 2, 0)), nil},
		"size not known":          {join(ranksOf(t, "a", 0, 0, 1), ranksOf(t, "b", 0, 0, 1)), nil},
		"a rank twice in one":     {join(ranksOf(t, "a", 3, 0, 0), ranksOf(t, "b", 3, 0, 1)), nil},
		"more than the job has":   {join(ranksOf(t, "a", 1, 0, 1), ranksOf(t, "b", 1, 0, 1)), nil},
	} {
		if got := Folders(c.parts); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
