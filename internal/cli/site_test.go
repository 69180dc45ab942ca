package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/internal/testclickhouse"
)

// siteServer starts a site without experiments and gives its address.
func siteServer(t *testing.T) string {
	t.Helper()
	server := testclickhouse.Start(t)
	if _, err := server.SQL("CREATE DATABASE auspex"); err != nil {
		t.Fatal(err)
	}
	return "clickhouse://" + server.Host + "/auspex"
}

// said runs a command and gives what it prints, with its status.
func said(args ...string) string {
	var out bytes.Buffer
	status := Main(args, strings.NewReader(""), &out, &out)
	return fmt.Sprintf("%s[status %d]", out.String(), status)
}

// TestSiteAnswersAsFilesDo holds what every reading command prints of a site
// equal to what it prints of a directory.
func TestSiteAnswersAsFilesDo(t *testing.T) {
	site := siteServer(t)
	dir := filepath.Join(t.TempDir(), "store")
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	wide := wideTable(t)
	for _, args := range [][]string{
		{"import", examples + "/profiles/heat-before", "--name", "before"},
		{"import", examples + "/profiles/heat-after.csv", "--name", "after"},
		{"import", examples + "/diagnose/unbalanced.csv", "--name", "unbalanced"},
		{"import", examples + "/diagnose/balanced.csv", "--name", "balanced"},
		{"import", wide, "--name", "wide"},
		{"push", "--all", "--to", site},
	} {
		if text := said(append(args, "--store", dir)...); !strings.HasSuffix(text, "[status 0]") {
			t.Fatalf("%v: %s", args, text)
		}
	}
	contract := examples + "/soft/perf.toml"
	for _, args := range [][]string{
		{"ls"},
		{"show", "before"}, {"show", "unbalanced", "--regions"},
		{"compare", "before", "after"},
		{"query", "before", "wtime is high"},
		{"query", "before", "after", "(wtime is high) OR (imbalance is high) BY unit"},
		{"query", "wide", "wtime is high WHERE region ~ 'R[0-9]' BY region LIMIT 9"},
		{"query", "wide", "wtime is very high BY summary LIMIT 9"},
		{"query", "wide", "(wtime is high) AND (lost_share is high) BY unit LIMIT 9"},
		{"query", "wide", "time_share is high WHERE process IN 1..90 AND NOT region = r7 LIMIT 9"},
		{"query", "wide", "wtime is high BY name ORDER BY wtime DESC, region LIMIT 9"},
		{"query", "wide", "wtime is high BY unit ORDER BY unit DESC LIMIT 9"},
		{"query", "wide", "wtime is not low BY summary ORDER BY wtime, region, unit LIMIT 9"},
		{"classify", "before", "--metric", "wtime"}, {"rank", "before"}, {"rules", "before"},
		{"check", "after", "--contract", contract},
		{"diagnose", "unbalanced"},
		{"scaling", "before", "after"},
		{"show", "no such thing"},
	} {
		here, there := said(append(args, "--store", dir)...), said(append(args, "--store", site)...)
		if here != there {
			t.Errorf("auspex %s\nof files:\n%s\nof the site:\n%s", strings.Join(args, " "), here, there)
		}
	}
	if text := said("check", "after", "--contract", contract, "--against", "site", "--store", dir); !strings.Contains(text, "AUSPEX_SITE") || !strings.HasSuffix(text, "[status 2]") {
		t.Errorf("no site to hold it against: %s", text)
	}
	if text := said("import", wide, "--name", "x", "--store", site); !strings.Contains(text, "auspex push") {
		t.Errorf("a site was written to: %s", text)
	}
	testServeSite(t, site)
	testEverywhere(t, site)
	t.Run("against", func(t *testing.T) { testAgainst(t, site) })
}

// foundRow is a row of an answer as JSON has it.
type foundRow struct {
	Experiment string
	Region     *string
	Unit       any
	Degree     float64
	Metrics    map[string]*float64
}

func (r foundRow) String() string {
	region := ""
	if r.Region != nil {
		region = *r.Region
	}
	return fmt.Sprint(region, " ", r.Unit)
}

// testEverywhere holds a query about all experiments of a site equal to the
// same of each.
func testEverywhere(t *testing.T, site string) {
	read := func(args ...string) []foundRow {
		t.Helper()
		text := said(append(args, "--json", "--store", site)...)
		text, ok := strings.CutSuffix(text, "[status 0]")
		var found struct{ Rows []foundRow }
		if err := json.Unmarshal([]byte(text), &found); err != nil || !ok {
			t.Fatalf("%v: %v\n%s", args, err, text)
		}
		return found.Rows
	}
	for _, query := range []string{
		"wtime is high", "imbalance is high", "(lost_share is high) OR (time_share is very high)", "wtime is high WHERE region ~ '*MPI_*' OR NOT region ~ 'main*'",
		"wtime/lost is S(0, 10) WITH DEGREE > 0.1", "wtime is S(0, 20) BY unit", "(wtime is S(0, 200)) AND (time_share is high) BY unit WITH DEGREE > 0.1", "wtime is S(0, 3) WHERE region ~ '*MPI_*' OR region = r7 BY unit",
	} {
		all := map[string]string{}
		for _, r := range read("site", "query", query+" LIMIT 100000", "--days", "36500") {
			name, _, _ := strings.Cut(r.Experiment, "@")
			all[name+" "+r.String()] = fmt.Sprintf("%.9g", r.Degree)
		}
		for _, name := range []string{"before", "after", "balanced", "unbalanced", "wide"} {
			each := query
			if !strings.Contains(query, " BY ") {
				each += " BY region"
			}
			for _, r := range read("query", name, each+" LIMIT 100000") {
				key := name + " " + r.String()
				if got := all[key]; got != fmt.Sprintf("%.9g", r.Degree) {
					t.Errorf("%s: %s has the degree %v, and %q among all", query, key, r.Degree, got)
				}
				delete(all, key)
			}
		}
		if len(all) > 0 {
			t.Errorf("%s: only among all: %v", query, all)
		}
	}
	testOrders(t, read)
	for query, why := range map[string]string{
		"wtime is high BY name": "auspex query", "mpi_share is high": "auspex query", "wtime is high BY summary": "regions or units", "wtime is high WHERE process = 1": "filters on regions alone",
	} {
		if text := said("site", "query", query, "--store", site); !strings.Contains(text, why) || strings.HasSuffix(text, "[status 0]") {
			t.Errorf("%s: %s", query, text)
		}
	}
}

// testOrders holds the order of an answer to what the query asks for.
func testOrders(t *testing.T, read func(...string) []foundRow) {
	value := func(r foundRow, name string) float64 {
		if v := r.Metrics[name]; v != nil {
			return *v
		}
		return math.Inf(-1)
	}
	for query, before := range map[string]func(a, b foundRow) bool{
		"wtime is S(0, 3) ORDER BY wtime LIMIT 50":       func(a, b foundRow) bool { return value(a, "wtime") >= value(b, "wtime") },
		"wtime is S(0, 3) ORDER BY wtime ASC LIMIT 50":   func(a, b foundRow) bool { return value(a, "wtime") <= value(b, "wtime") },
		"wtime is S(0, 3) ORDER BY region LIMIT 50":      func(a, b foundRow) bool { return *a.Region <= *b.Region },
		"wtime is S(0, 3) ORDER BY region DESC LIMIT 50": func(a, b foundRow) bool { return *a.Region >= *b.Region },
		"wtime is S(0, 3) BY unit ORDER BY unit DESC LIMIT 50": func(a, b foundRow) bool {
			return fmt.Sprint(a.Unit) >= fmt.Sprint(b.Unit) || len(fmt.Sprint(a.Unit)) > len(fmt.Sprint(b.Unit))
		},
		"wtime is S(0, 99) BY unit ORDER BY degree ASC LIMIT 5": func(a, b foundRow) bool { return a.Degree <= b.Degree },
	} {
		rows := read("site", "query", query, "--days", "36500")
		if len(rows) < 5 {
			t.Errorf("%s: %d rows", query, len(rows))
		}
		for i := 1; i < len(rows); i++ {
			if !before(rows[i-1], rows[i]) {
				t.Errorf("%s: %+v comes before %+v", query, rows[i-1], rows[i])
			}
		}
	}
}

// wideTable is an experiment that is too large to be asked in memory.
func wideTable(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wide.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := csv.NewWriter(f)
	w.Write([]string{"process", "region", "metric", "value"})
	for u := range 100 {
		for r := range 700 {
			if (u+r)%13 > 0 {
				w.Write([]string{fmt.Sprint(u), fmt.Sprint("r", r), "wtime", fmt.Sprint(float64((u*31+r*17)%97) / 8)})
			}
		}
	}
	w.Flush()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// testServeSite looks at a site through the page's interface.
func testServeSite(t *testing.T, site string) {
	address, _ := startServe(t, site)
	root, token, _ := strings.Cut(address, "/?")
	for path, want := range map[string]string{"/experiments": `"unbalanced"`, "/experiments/before": `"before"`} {
		status, body := fetch(t, root+"/api/v1"+path+"?"+token)
		if status != 200 || !strings.Contains(string(body), want) {
			t.Errorf("%s: status %d, %.300s", path, status, body)
		}
	}
}
