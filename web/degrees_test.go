package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"auspex/analyze"
)

// Nothing is said of anything to a degree of 0.00: by the shipped rules, by every
// word of the vocabulary asked as a query, by bottlenecks from lax to strict.
func TestNoWordHasADegreeOfNothing(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	asked := 0
	ask := func(method, path string, body any) {
		text := ""
		if body != nil {
			data, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			text = string(data)
		}
		status, _, answer := l.send(method, "/api/v1"+path, text)
		var told struct {
			Words   any
			Because [][]string
		}
		if status == http.StatusBadRequest { // a metric that this experiment has not
			return
		}
		if err := json.Unmarshal([]byte(answer), &told); status != http.StatusOK || err != nil {
			t.Fatalf("%s: %d %s", path, status, answer)
		}
		asked++
		if said := fmt.Sprint(told.Words, told.Because); strings.Contains(said, "degree 0.00") {
			t.Errorf("%s %s says %s", path, text, said)
		}
	}
	words := analyze.ShippedWords()
	for _, name := range []string{"unbalanced", "balanced", "after", "3dpic"} {
		at := "/experiments/" + name
		ask("GET", at+"/rules", nil)
		ask("GET", at+"/classify", nil)
		for _, metric := range []string{"time_share", "imbalance", "instructions", "wtime"} {
			for _, threshold := range []string{"0", "0.01", "0.1", "0.5"} {
				ask("GET", at+"/bottlenecks?metric="+url.QueryEscape(metric)+"&threshold="+threshold, nil)
			}
		}
		for _, v := range words.Variables {
			for _, term := range v.Terms {
				for _, modified := range []string{"", "very ", "not "} {
					ask("POST", "/query", map[string]any{"experiments": []string{name}, "query": v.Name + " IS " + modified + term.Name})
				}
			}
		}
	}
	if asked < 100 {
		t.Errorf("only %d questions could be asked", asked)
	}
}
