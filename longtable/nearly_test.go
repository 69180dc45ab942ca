package longtable

import (
	"context"
	"strings"
	"testing"
)

// A table that is nearly a long one is told what it lacks.
func TestNearlyCSV(t *testing.T) {
	for head, want := range map[string]string{
		"rank,region,metric\n0,main,wtime\n":                                          `there is no column "value"`,
		"# a comment\nrank;region;metric;value\n0;main;wtime;1,5":                     "the columns are separated by semicolons",
		"rank\tregion\tmetric\tvalue\n0\tmain\twtime\t1\n":                            "the columns are separated by tabs",
		"rank,region,wtime,instructions\n0,main,10,1e9\n":                             "the table is wide, with a column for each of wtime, instructions",
		"rank,region,metric,value\n":                                                  "",
		"process,rank,region,metric,value\n":                                          `columns "process" and "rank" both give the process`,
		"name,colour\nrose,red\n":                                                     "",
		"One region, and another one; of these no more is known, as has been said.\n": "",
	} {
		if got := NearlyCSV([]byte(head)); got != want && (want == "" || !strings.HasPrefix(got, want)) {
			t.Errorf("%q: %q, want %q", head, got, want)
		}
	}
}

// Rows in a list are told from lists of something else.
func TestNearlyJSONL(t *testing.T) {
	for head, list := range map[string]bool{
		`[{"process":0,"region":"main","metric":"wtime","value":1}]`: true,
		"\ufeff [\n {\"region\":\"main\",\"metric\":\"wtime\",\"val": false,
		`[{"name":"rose","colour":"red"}]`:                           false,
		`{"region":"main","metric":"wtime","value":1}`:               false,
	} {
		if got := NearlyJSONL([]byte(head)); strings.Contains(got, "in one list") != list {
			t.Errorf("%q: %q", head, got)
		}
	}
}

// Whole numbers with a point are whole, as pandas writes them; others are not.
func TestWholeNumbersWithAPoint(t *testing.T) {
	for rank, want := range map[string]int{"1.0": 1, "12.": 12, "3.00": 3, "1.5": -1, ".0": -1, "1.0.0": -1} {
		e, err := ReadCSV(context.Background(), "t.csv", strings.NewReader("rank,region,metric,value,\n"+rank+",main,wtime,1,\n"), Options{})
		if (err != nil) != (want < 0) {
			t.Errorf("%s: %v", rank, err)
			continue
		}
		if err == nil && (e.Units[0].Process != want || strings.Join(e.Notes, "") != "columns not read: one without a name") {
			t.Errorf("%s: %+v, %q", rank, e.Units[0], e.Notes)
		}
	}
}

// What is read, but surely not meant, is noted.
func TestNotesOfTables(t *testing.T) {
	for table, want := range map[string]string{
		"0,main,time,10\n":                          "metric time is not known to be a time; the wall time is called wtime",
		"0,main,TIME,10\n":                          "metric TIME is not known to be a time",
		"0,main,wtime,10\n0,main,runtime,12\n":      "",
		"0,main,wtime,10\n0,main,wtime.inc,5\n":     "wtime: the exclusive value is above the inclusive one in 1 of 1 rows, first in main of 0",
		"0,main,wtime,10\n0,main,wtime.inc,10\n":    "",
		"0,main,instructions,1\n0,main/f,calls,1\n": "",
	} {
		e, err := ReadCSV(context.Background(), "t.csv", strings.NewReader("rank,region,metric,value\n"+table), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(e.Notes, "; "); got != want && (want == "" || !strings.HasPrefix(got, want)) {
			t.Errorf("%q: %q, want %q", table, got, want)
		}
	}
}
