package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"auspex/internal/sample"
	"auspex/predict"
	"auspex/replay"
	"auspex/simulate"
	"auspex/store"
	"auspex/trace"
)

// question and answer types of the contract in page/src/api.ts.
var contract = []struct{ answer, method, path, body string }{
	{"About", "GET", "/about", ""},
	{"Listing", "GET", "/experiments", ""},
	{"Summary", "GET", "/experiments/unbalanced", ""},
	{"Glances", "GET", "/glances?experiment=unbalanced&experiment=balanced", ""},
	{"RegionTable", "GET", "/experiments/unbalanced/table?find=region&top=3", ""},
	{"RegionPage", "GET", "/experiments/unbalanced/region?region=region+11", ""},
	{"CallTree", "GET", "/experiments/unbalanced/calltree?against=balanced", ""},
	{"Scaling", "GET", "/scaling?experiment=unbalanced&experiment=3dpic&force=true", ""},
	{"RegionTree", "GET", "/experiments/unbalanced/regions", ""},
	{"RegionTree", "GET", "/experiments/unbalanced/regions?metric=instructions&least=0.1", ""},
	{"UnitTimes", "GET", "/experiments/unbalanced/units", ""},
	{"Metrics", "GET", "/experiments/unbalanced/metrics", ""},
	{"Heatmap", "GET", "/experiments/unbalanced/heatmap", ""},
	{"Heatmap", "GET", "/experiments/unbalanced/heatmap?scope=inclusive&normalise=unit&rows=3&cols=2&depth=1", ""},
	{"Heatmap", "GET", "/experiments/unbalanced/heatmap?arrange=tree&closed=1&opened=0", ""},
	{"Heatmap", "GET", "/experiments/3dpic/heatmap?metric=L2_TCM%2FL2_TCA&normalise=region", ""},
	{"Diagnosis", "GET", "/experiments/unbalanced/diagnose", ""},
	{"Diagnosis", "GET", "/experiments/unbalanced/diagnose?details=true", ""},
	{"Diagnosis", "GET", "/experiments/balanced/diagnose?details=true&with_mpi=true", ""},
	{"Samples", "GET", "/experiments/unbalanced/samples", ""},
	{"Samples", "GET", "/experiments/sampled/samples", ""},
	{"Rules", "GET", "/experiments/unbalanced/rules", ""},
	{"Rules", "GET", "/experiments/unbalanced/rules?baseline=balanced", ""},
	{"Checked", "POST", "/experiments/unbalanced/check", `{"contract": "[clause.even]\nrequire = \"imbalance is low\"\n"}`},
	{"Classification", "GET", "/experiments/unbalanced/classify", ""},
	{"Classification", "GET", "/experiments/unbalanced/classify?across=each&term=very+high&top=3", ""},
	{"Bottlenecks", "GET", "/experiments/unbalanced/bottlenecks", ""},
	{"Bottlenecks", "GET", "/experiments/3dpic/bottlenecks?metric=L2_TCM%2FL2_TCA&threshold=0.7&severity=high%3DS(0.9,1)&no_negligible=true", ""},
	{"Terms", "GET", "/terms", ""},
	{"Terms", "GET", "/experiments/3dpic/terms", ""},
	{"Tried", "POST", "/experiments/unbalanced/terms", `{"variable": "time_share", "meanings": {"high": "S(0.2, 0.6)"}}`},
	{"Vocabulary", "POST", "/vocabularies", `{"name": "mine", "variables": [{"variable": "time_share", "meanings": {"high": "S(0.2, 0.6)"}}]}`},
	{"Vocabularies", "GET", "/vocabularies", ""},
	{"Comparison", "GET", "/compare?a=unbalanced&b=balanced", ""},
	{"Similar", "GET", "/similar?experiment=unbalanced&experiment=balanced", ""},
	{"Similar", "GET", "/similar?experiment=unbalanced&region=region+11", ""},
	{"Similar", "GET", "/similar?experiment=unbalanced&region=region+11&region=region+14", ""},
	{"Answer", "POST", "/query", `{"experiments": ["unbalanced"], "query": "cpu_time is high BY summary", "top": 3}`},
	{"Completion", "POST", "/complete", `{"experiments": ["unbalanced"], "query": "cpu_time is ", "cursor": 12}`},
	{"SourceFiles", "GET", "/experiments/sampled/sources", ""},
	{"Source", "GET", "/experiments/sampled/source?file=main.c", ""},
	{"TracePicture", "GET", "/experiments/traced/trace?cols=50", ""},
	{"Stragglers", "GET", "/experiments/trained/stragglers", ""},
	{"Devices", "GET", "/experiments/trained/devices", ""},
	{"Opportunities", "GET", "/experiments/traced/opportunities", ""},
	{"Priced", "GET", "/experiments/traced/whatif?balance=all", ""},
	{"Studies", "GET", "/studies", ""},
	{"Study", "GET", "/studies/intsort", ""},
	{"Predictions", "GET", "/predictions", ""},
	{"Prediction", "GET", "/predictions/guess", ""},
	{"Simulations", "GET", "/simulations", ""},
	{"Simulation", "GET", "/simulations/replay", ""},
	{"Timeline", "GET", "/simulations/replay/timeline?cols=10", ""},
}

// contractServer has an answer to everything in the contract.
func contractServer(t *testing.T) *live {
	s := testStore(t)
	if err := s.Put(synthetic("sampled", 4, 5), false, store.Attachment{Name: "cpu.csv", Data: []byte("node,seconds,busy\nn0,0.1,0.5\nn0,0.2,1\nn1,0.1,0\n")}); err != nil {
		t.Fatal(err)
	}
	putTraced(t, s, "traced")
	if err := s.Put(synthetic("trained", 8, 3), false, sample.TrainingJob(t)...); err != nil {
		t.Fatal(err)
	}
	putStudy(t, s)
	putSimulation(t, s, "replay")
	putSimulation(t, s, replay.Name("guess", "site1", 2, "3"))
	putPrediction(t, s, "guess")
	sources := t.TempDir()
	if err := os.WriteFile(filepath.Join(sources, "main.c"), []byte("int main(void)\n{\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return serve(t, Config{Store: s, Sources: []string{sources}, Loopback: true})
}

// The answers fit the types the page is written against; needs the page's
// compiler, which `make page` installs.
func TestAnswersFitTheContract(t *testing.T) {
	compiler, err := filepath.Abs("page/node_modules/.bin/tsc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(compiler); err != nil {
		t.Skip("the TypeScript compiler is not installed; `make page` does")
	}
	l := contractServer(t)
	var code strings.Builder
	types, err := filepath.Abs("page/src/api")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&code, "import type * as api from %q;\n", types)
	for i, c := range contract {
		status, _, text := l.send(c.method, "/api/v1"+c.path, c.body)
		if status != http.StatusOK {
			t.Errorf("%s %s: %d %s", c.method, c.path, status, text)
			continue
		}
		fmt.Fprintf(&code, "// %s\nexport const a%d: api.%s = %s;\n", c.path, i, c.answer, strings.TrimSpace(text))
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "answers.ts")
	if err := os.WriteFile(file, []byte(code.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(compiler, "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--module", "esnext", "--moduleResolution", "bundler", "--types", "", file).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%.4000s", err, out)
	}
}

func putPrediction(t *testing.T, s *store.Store, name string) {
	t.Helper()
	measured, wrong := 2.1, 0.05
	r := predict.Report{Program: "heat", Build: "mpicc -O{opt}", Run: "mpirun -n {np}", Method: predict.Simple, Notes: []string{}, Words: "It takes 2 s."}
	r.Predictions = append(r.Predictions,
		predict.Prediction{NP: 2, Opt: "3", Platform: "site1", Method: predict.Simple, Predicted: 2, Low: 1.9, High: 2.1, Measured: &measured, Error: &wrong, Ranks: make([]simulate.RankTime, 2)},
		predict.Prediction{NP: 4, Opt: "3", Platform: "site1", Method: predict.Simple, Predicted: 1, Ranks: make([]simulate.RankTime, 4)})
	r.Loops = append(r.Loops, predict.LoopUse{File: "heat.c", Line: 7, Unit: "main", Method: predict.Simple, Reason: "it communicates"},
		predict.LoopUse{File: "heat.c", Line: 19, Unit: "main", Method: predict.Threshold, Cuts: []predict.Cut{{NP: 2, Opt: "3", Ran: 16, Iterations: 1000, Added: 1.5,
			Curve:  []predict.CurvePoint{{Iterations: 1, Seconds: 0.002}, {Iterations: 4, Seconds: 0.0016}, {Iterations: 16, Seconds: 0.0015}},
			Levels: []predict.ErrorLevel{{Epsilon: 0.1, Iterations: 4}}}}})
	body, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutPrediction(&store.Prediction{Name: name, Body: body}, false); err != nil {
		t.Fatal(err)
	}
}

func putSimulation(t *testing.T, s *store.Store, name string) {
	t.Helper()
	spans := &replay.Spans{}
	for i := range 20 {
		from := float64(i) / 10
		spans.Action(i%2, trace.Compute, from, from+0.15)
		spans.Action(i%2, trace.Wait, from+0.15, from+0.2)
	}
	spans.Sort()
	k := &replay.Record{Name: name, Timeline: spans, Platform: "site1.xml", SimulatedSeconds: 2.1, Hosts: []string{"a", "b"}, Notes: []string{}}
	k.Graph = &replay.PlatformGraph{Hosts: 2, Nodes: []replay.PlatformNode{{ID: "host a", Name: "a", Kind: "host", Ranks: []int{0}, LinkLoad: replay.LinkLoad{Links: []string{}}}}, Edges: []replay.PlatformEdge{}}
	k.Ranks, k.Links = make([]simulate.RankTime, 2), []simulate.LinkUse{}
	if err := s.PutSimulation(k, false); err != nil {
		t.Fatal(err)
	}
}
