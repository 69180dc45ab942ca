package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"auspex/model"
	"auspex/store"
)

// callPaths is an experiment like a profile of a large program's call paths:
// many regions, forty and more deep, with long names.
func callPaths(name string, regions int) *model.Experiment {
	e := &model.Experiment{Header: model.Header{Name: name, Runs: 1}, Units: []model.Unit{{}}}
	e.Metrics = append(e.Metrics, model.NewMetric(model.WallTime, "", model.Exclusive))
	random := rand.New(rand.NewPCG(1, 2))
	s := &e.Summaries
	s.Values = make([][]float64, 1)
	depth := make([]int, regions)
	for r := range regions {
		parent := r - 1
		if r > 0 && depth[parent] > 40+random.IntN(20) {
			for depth[parent] > 10 {
				parent = e.Regions[parent].Parent
			}
		}
		if parent >= 0 {
			depth[r] = depth[parent] + 1
		}
		e.Regions = append(e.Regions, model.Region{
			Name: fmt.Sprintf("example.org/project/package%d.(*Receiver).Method%d", r%70, r), Kind: model.Function,
			File: fmt.Sprintf("/home/user/src/project/package%d/file.go", r%70), Line: r + 1, Parent: parent,
		})
		s.Unit, s.Region = append(s.Unit, 0), append(s.Region, int32(r))
		s.Values[0] = append(s.Values[0], 0.01*float64(1+random.IntN(5)))
	}
	return e
}

// A report of many thousand call paths holds what a page can show of them, and
// every answer that was cut says how many rows there are.
func TestAReportOfManyCallPathsIsBounded(t *testing.T) {
	s := store.Open(filepath.Join(t.TempDir(), "store"))
	put(t, s, callPaths("before", 20_000))
	put(t, s, callPaths("after", 20_000))
	l := serve(t, Config{Store: s})
	var out bytes.Buffer
	if notes, err := l.server.WriteReport(context.Background(), &out, []string{"before", "after"}); err != nil {
		t.Fatal(err, notes)
	}
	if size := out.Len(); size > 20<<20 {
		t.Errorf("the report has %d MB", size>>20)
	}
	for path, list := range map[string]string{
		"/experiments/before/regions":     "tree",
		"/experiments/before/bottlenecks": "rows",
		"/experiments/before/classify":    "rows",
		"/compare?a=before&b=after":       "regions",
	} {
		status, _, body := l.send("GET", "/api/v1"+path, "")
		var answer map[string]json.RawMessage
		var rows []json.RawMessage
		var total int
		if status != 200 || json.Unmarshal([]byte(body), &answer) != nil || json.Unmarshal(answer[list], &rows) != nil || json.Unmarshal(answer["total"], &total) != nil {
			t.Fatalf("%s: %d %.200s", path, status, body)
		}
		if len(rows) > shownRegions || total < 19_000 && path != "/experiments/before/bottlenecks" || total < len(rows) {
			t.Errorf("%s: %d rows of %d", path, len(rows), total)
		}
	}
}

// A cut tree is still a tree: the parents of all that is kept are kept.
func TestACutTreeKeepsParents(t *testing.T) {
	s := store.Open(filepath.Join(t.TempDir(), "store"))
	put(t, s, callPaths("deep", 3000))
	l := serve(t, Config{Store: s})
	_, _, body := l.send("GET", "/api/v1/experiments/deep/regions?top=200", "")
	var answer struct {
		Total int
		Tree  []struct{ Depth int }
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Tree) != 200 || answer.Total != 3000 {
		t.Fatalf("%d of %d", len(answer.Tree), answer.Total)
	}
	for i, n := range answer.Tree {
		if i == 0 && n.Depth != 0 || i > 0 && n.Depth > answer.Tree[i-1].Depth+1 {
			t.Fatalf("node %d has depth %d after %d", i, n.Depth, answer.Tree[max(0, i-1)].Depth)
		}
	}
}
