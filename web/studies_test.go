package web

import (
	"context"
	"net/http"
	"strconv"
	"testing"

	"auspex/store"
	"auspex/sweep"
)

// putStudy does a study, with times that grow beyond four ranks.
func putStudy(t *testing.T, s *store.Store) {
	t.Helper()
	study, err := sweep.ReadStudy("../examples/sweep/intsort.toml")
	if err != nil {
		t.Fatal(err)
	}
	study.Axes[0].Values = study.Axes[0].Values[:1]
	folder, err := sweep.In(s, study.Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.Plan(study); err != nil {
		t.Fatal(err)
	}
	points, err := study.Points()
	if err != nil {
		t.Fatal(err)
	}
	work := sweep.Worker{Folder: folder, Study: study, Points: points, Jobs: 1, Do: func(_ context.Context, _ *sweep.Study, p *sweep.Point) (sweep.Outcome, error) {
		np, err := strconv.ParseFloat(p.Values[1], 64)
		return sweep.Outcome{Seconds: 8/np + np*np/16}, err
	}}
	if tally, err := work.Run(t.Context()); err != nil || tally.Done != len(points) {
		t.Fatal(tally, err)
	}
}

// The page is told of a study what the terminal is.
func TestAStudyIsToldAsInTheTerminal(t *testing.T) {
	s := testStore(t)
	putStudy(t, s)
	l := serve(t, Config{Store: s})
	var told struct {
		Table sweep.Table
		Total int
	}
	l.ask("/studies/intsort", &told)
	folder, err := sweep.In(s, "intsort")
	if err != nil {
		t.Fatal(err)
	}
	want, err := folder.Overview(proposals)
	if err != nil {
		t.Fatal(err)
	}
	if told.Total != want.Table.Done || told.Table.Words != want.Table.Words || told.Table.Picture == nil || told.Table.Picture.Best != want.Table.Picture.Best {
		t.Errorf("%+v, rather than %+v", told, want.Table)
	}
	if status, _, text := l.send("GET", "/api/v1/studies/nothing", ""); status != http.StatusNotFound {
		t.Errorf("a study that is not there: %d %s", status, text)
	}
}
