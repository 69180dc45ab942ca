package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"auspex/internal/sample"
)

// What the traces of a training job tell comes before what its profile does, as
// in `auspex diagnose`; other experiments have nothing of it.
func TestTrainingJob(t *testing.T) {
	s := testStore(t)
	if err := s.Put(synthetic("trained", 8, 3), false, sample.TrainingJob(t)...); err != nil {
		t.Fatal(err)
	}
	l := serve(t, Config{Store: s, Loopback: true})
	get := func(path string, into any) {
		t.Helper()
		status, _, text := l.send("GET", "/api/v1/experiments/"+path, "")
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, text)
		}
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	var told struct{ Words string }
	get("trained/diagnose", &told)
	if !strings.HasPrefix(told.Words, "Rank 3 makes the others wait") {
		t.Errorf("the diagnosis says %q", told.Words)
	}
	status, _, text := l.send("GET", "/api/v1/experiments/trained/diagnose?details=true", "")
	if cause := text[strings.Index(text, `"causes":`):]; status != http.StatusOK || strings.Contains(cause[:strings.Index(cause, `"joint"`)], `:null,"reducts"`) ||
		strings.Contains(cause, `"evidence":null`) || strings.Contains(cause, `"excluded":null`) || strings.Contains(cause, `"balance":null`) || strings.Contains(text, `"reachability":{`) {
		t.Errorf("the page cannot draw %s", text)
	}
	var list struct {
		Glances []struct {
			Loss       *struct{ Line, Region string }
			Efficiency struct{ Parallel *float64 }
		}
	}
	if status, _, text = l.send("GET", "/api/v1/glances?experiment=trained&experiment=unbalanced", ""); status != http.StatusOK || json.Unmarshal([]byte(text), &list) != nil {
		t.Fatalf("glances: %d %s", status, text)
	}
	if g := list.Glances[0]; g.Loss == nil || g.Loss.Line != "late_rank" || g.Efficiency.Parallel != nil {
		t.Errorf("the list says of the training job %+v", g)
	}
	if g := list.Glances[1]; g.Loss == nil || g.Loss.Line != "imbalance" || g.Efficiency.Parallel == nil {
		t.Errorf("the list says of the other %+v", g)
	}
	get("trained/diagnose?units=threads", &told)
	if strings.HasPrefix(told.Words, "Rank 3") {
		t.Errorf("of threads it says %q", told.Words)
	}
	for name, want := range map[string]bool{"trained": true, "unbalanced": false} {
		var summary struct{ Training bool }
		get(name, &summary)
		var job, devices any
		get(name+"/stragglers", &job)
		get(name+"/devices", &devices)
		if summary.Training != want || (job != nil) != want || (devices != nil) != want {
			t.Errorf("%s: training %v, stragglers %v, devices %v", name, summary.Training, job != nil, devices != nil)
		}
	}
}
