package sweep

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestPicture(t *testing.T) {
	table, _, _, _ := answered(t, answerStudy, func(v map[string]float64) float64 {
		slow := 1.0
		if v["n"] >= 16 {
			slow = 4
		}
		return slow * 100 / v["n"] * (1 + v["m"]/20) * v["k"]
	}, func(v map[string]float64) bool { return v["n"] == 2 && v["k"] == 2 })
	p := table.Picture
	if p == nil || p.X != "n" || p.Y != "k" || len(p.Cells) != 2 || len(p.Cells[0]) != 6 {
		t.Fatalf("%+v", p)
	}
	if p.Cells[1][1] != nil {
		t.Errorf("a cell of which no point is done: %+v", p.Cells[1][1])
	}
	if c := p.Cells[0][0]; c.Points != 3 || math.Abs(c.Seconds-105) > 1e-9 || math.Abs(c.Worst-115) > 1e-9 || !reflect.DeepEqual(c.Values, []string{"1", "1", "1"}) {
		t.Errorf("%+v", c)
	}
	if p.Best != (Place{0, 5}) && p.Best != (Place{0, 3}) || p.Cells[p.Best.Row][p.Best.Column].Seconds != table.Rows[0].Seconds {
		t.Errorf("the best is at %+v", p.Best)
	}
	if p.Cliff == nil || !p.Cliff.Across || p.Cliff.From != 3 || p.Cliff.To != 4 {
		t.Errorf("%+v", p.Cliff)
	}
	text, err := json.Marshal(table)
	if err != nil || !strings.Contains(string(text), `"picture":{"x":"n"`) {
		t.Errorf("%.300s, %v", text, err)
	}
}

func TestPictureOfOneAxis(t *testing.T) {
	table, _, _, _ := answered(t, "kind='simulate'\n[point]\ntrace='t'\nplatform='p-{n}'\n[grid]\nn=[1,2,4]", func(v map[string]float64) float64 { return v["n"] }, nil)
	if p := table.Picture; p == nil || p.X != "n" || p.Y != "" || len(p.Cells) != 1 || p.Cells[0][2].Seconds != 4 {
		t.Errorf("%+v", table.Picture)
	}
}

func TestOverview(t *testing.T) {
	folder, s, points := planned(t, t.TempDir())
	w := &Worker{Folder: folder, Study: s, Points: points, Do: product, Limit: 300}
	if _, err := w.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	o, err := folder.Overview(0)
	if err != nil || o.Status.Done != 300 || o.Table.Done != 300 || o.Table.Picture == nil {
		t.Errorf("%+v, %+v, %v", o.Status, o.Table, err)
	}
}
