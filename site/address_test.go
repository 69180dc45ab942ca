package site

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAddresses(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("geheim\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := func(name string) string {
		return map[string]string{userVariable: "ann", passwordFile: secret}[name]
	}
	for text, want := range map[string]address{
		"clickhouse://db/auspex":                  {base: "http://db:8123", database: "auspex", user: "ann", password: "geheim", timeout: defaultTimeout},
		"clickhouse://bob@db:99/auspex":           {base: "http://db:99", database: "auspex", user: "bob", password: "geheim", timeout: defaultTimeout},
		"clickhouse://db.site.org/aus_2?secure=1": {base: "https://db.site.org:8443", database: "aus_2", user: "ann", password: "geheim", timeout: defaultTimeout},
		"clickhouse://db/auspex?timeout=30s":      {base: "http://db:8123", database: "auspex", user: "ann", password: "geheim", timeout: 30 * time.Second},
	} {
		if got, err := parseAddress(text, env); err != nil || *got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"clickhouse://bob:geheim@db/x":  passwordVariable,
		"clickhouse:///x":               "no address of a site",
		"clickhouse://db":               "no address of a site",
		"clickhouse://db/a;drop":        "no address of a site",
		"clickhouse://db/x?password=aa": "secure=1",
		"clickhouse://db/x?timeout=2h":  "an hour at most",
		"clickhouse://db/x?timeout=-1s": "an hour at most",
	} {
		_, err := parseAddress(text, env)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestChanges(t *testing.T) {
	series := func(levels ...float64) []float64 {
		random := rand.New(rand.NewPCG(7, 7))
		var values []float64
		for _, l := range levels {
			for range 15 {
				values = append(values, l*(1+0.02*random.NormFloat64()))
			}
		}
		return values
	}
	if found := Changes(series(10)); len(found) != 0 {
		t.Errorf("noise changes: %+v", found)
	}
	found := Changes(series(10, 12, 9))
	if len(found) != 2 || found[0].At != 15 || found[1].At != 30 || found[0].After < 11.5 || found[0].After > 12.5 {
		t.Errorf("%+v", found)
	}
	for _, short := range [][]float64{nil, {1}, {1, 2, 3}, {1, 1, 1, 1, 9, 9}} {
		if found := Changes(short); len(found) != 0 {
			t.Errorf("%v has changes %+v", short, found)
		}
	}
}

// TestFalseAlarms counts the changes that are told of series without any.
func TestFalseAlarms(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	alarms := 0
	for range 200 {
		values := make([]float64, 30)
		for i := range values {
			values[i] = 5 * (1 + 0.05*random.NormFloat64())
		}
		if len(Changes(values)) > 0 {
			alarms++
		}
	}
	if alarms > 8 { // 2 are expected; the series are always the same
		t.Errorf("%d of 200 series without a change have one", alarms)
	}
}

func FuzzReader(f *testing.F) {
	var w writer
	w.text("abc")
	w.uint64(7)
	f.Add(w.data)
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &reader{data: data}
		for r.more() {
			r.text()
			r.uint32()
			r.real()
			r.take(1)
		}
	})
}
