package analyze

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"auspex/fuzzy"
	"auspex/model"
)

// world is an experiment made for one rule: regions below main with a value a
// metric, by unit.
type world struct {
	metrics []model.Metric
	regions map[string][][]float64 // by unit and metric
}

func (w world) dataset(t testing.TB) *Dataset {
	t.Helper()
	b := model.NewBuilder()
	var metrics []int
	for _, m := range w.metrics {
		metrics = append(metrics, b.Metric(m))
	}
	root := b.Region(model.Region{Name: "main", Parent: model.NoParent})
	for name, units := range w.regions {
		kind := model.Function
		if strings.HasPrefix(name, "MPI_") {
			kind = model.MPI
		}
		r := b.Region(model.Region{Name: name, Kind: kind, Parent: root})
		for p, values := range units {
			u := b.Unit(model.Unit{Process: p})
			for k, v := range values {
				b.Set(u, r, metrics[k], v)
			}
		}
	}
	e, err := b.Build(model.Header{Name: "world"})
	if err != nil {
		t.Fatal(err)
	}
	return dataset(t, e)
}

func exclusive(names ...string) []model.Metric {
	var metrics []model.Metric
	for _, name := range names {
		metrics = append(metrics, model.NewMetric(name, "", model.Exclusive))
	}
	return metrics
}

// Every shipped rule finds the problem it describes, and does not see it in a
// program without problems that has the same metrics.
func TestShippedRules(t *testing.T) {
	one := func(v ...float64) [][]float64 { return [][]float64{v, v, v, v} }
	times := exclusive(model.WallTime)
	calm := map[string][][]float64{"a": one(1), "b": one(1), "c": one(1), "d": one(1), "e": one(1), "f": one(1), "g": one(1), "h": one(1), "i": one(1), "j": one(1)}
	with := func(name string, values [][]float64) map[string][][]float64 {
		all := map[string][][]float64{name: values}
		for other, v := range calm {
			all[other] = v
		}
		return all
	}
	padded := func(metrics int, name string, values [][]float64) map[string][][]float64 {
		all := map[string][][]float64{name: values}
		for other := range calm {
			row := make([]float64, metrics)
			row[0] = 1
			all[other] = one(row...)
		}
		return all
	}
	// busyBut leaves the last unit nothing to do.
	busyBut := func(all map[string][][]float64) map[string][][]float64 {
		out := map[string][][]float64{}
		for name := range all {
			out[name] = [][]float64{{1}, {1}, {1}, {0}}
		}
		return out
	}
	worlds := map[string]world{
		"load_imbalance":            {times, with("work", [][]float64{{1}, {1}, {1}, {5}})},
		"unbalanced_program":        {times, with("work", [][]float64{{1}, {1}, {1}, {90}})},
		"shared_cores":              {exclusive(model.WallTime, model.CPUTime), padded(2, "work", one(4, 1))},
		"idle_units":                {times, busyBut(calm)},
		"serial_part":               {times, with("work", [][]float64{{12}, {0}, {0}, {0}})},
		"hot_spot":                  {times, with("work", one(20))},
		"communication_bound":       {times, with("MPI_Alltoall", one(20))},
		"inefficient_communication": {times, with("MPI_Recv", one(20))},
		"late_partner":              {times, with("MPI_Waitall", [][]float64{{1}, {1}, {1}, {5}})},
		"collective_bound":          {times, with("MPI_Allreduce", one(3))},
		"barrier_bound":             {times, with("MPI_Barrier", one(3))},
		"small_messages":            {exclusive(model.WallTime, model.BytesSent, model.Messages), padded(3, "MPI_Send", one(9, 64000, 1000))},
		"bandwidth_bound":           {exclusive(model.WallTime, model.BytesSent, model.Messages), padded(3, "MPI_Send", one(20, 4e9, 1000))},
		"slow_start":                {times, with("MPI_Init", one(3))},
		"io_bound":                  {exclusive(model.WallTime, model.IOTime), padded(2, "dump", one(4, 3.9))},
		"serial_io":                 {times, with("write_result", [][]float64{{12}, {0}, {0}, {0}})},
		"memory_bound":              {exclusive(model.WallTime, model.Instructions, model.L3Misses), padded(3, "work", one(4, 1e9, 2e7))},
		"poor_locality":             {exclusive(model.WallTime, model.Instructions, model.L1Misses), padded(3, "work", one(4, 1e9, 2e8))},
		"low_ipc":                   {exclusive(model.WallTime, model.Instructions, model.Cycles), padded(3, "work", one(4, 1e9, 4e9))},
		"idle_processor":            {exclusive(model.WallTime, model.CPUTime), padded(2, "work", one(4, 1))},
		"call_overhead":             {exclusive(model.WallTime, model.Calls), padded(2, "work", one(4, 8e7))},
		"oversubscribed":            {exclusive(model.WallTime, model.ContextSwitches), padded(2, "work", one(4, 1e6))},
		"paging":                    {exclusive(model.WallTime, model.PageFaults), padded(2, "work", one(4, 1e6))},
		"poor_scaling":              {times, with("work", one(6))},
	}
	// On half as many units it took a third of the time in all.
	baseline := world{times, map[string][][]float64{"work": {{4}, {4}}, "a": {{20}, {20}}}}.dataset(t)
	for _, rule := range ShippedRules() {
		t.Run(rule.Name, func(t *testing.T) {
			w, ok := worlds[rule.Name]
			if !ok {
				t.Fatal("no experiment shows this rule at work")
			}
			if rule.Advice == "" || rule.About == "" {
				t.Error("a rule comes with advice and what it is about")
			}
			d := w.dataset(t)
			p, err := ApplyRules(d, ShippedWords(), ShippedRules(), baseline, fuzzy.Centroid)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(p.Problems, func(found Problem) bool { return found.Problem == rule.Name })
			if i < 0 {
				t.Fatalf("not among %+v; unjudged %v", p.Problems, p.Unjudged)
			}
			found := p.Problems[i]
			if !(found.Degree > 0.5) || len(found.Places[0].Evidence) == 0 || found.Places[0].Severity.IsMissing() {
				t.Errorf("%+v", found)
			}
			for name := range w.regions {
				w.regions[name] = one(append([]float64{1}, make([]float64, len(w.metrics)-1)...)...)
				if strings.HasPrefix(name, "MPI_") {
					w.regions[name] = one(append([]float64{0.01}, make([]float64, len(w.metrics)-1)...)...)
				}
			}
			p, err = ApplyRules(w.dataset(t), ShippedWords(), ShippedRules(), nil, fuzzy.Centroid)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range p.Problems {
				if found.Problem != "idle_processor" && found.Problem != "shared_cores" { // no CPU time at all is idle indeed
					t.Errorf("%s in a program without problems: %+v", found.Problem, found.Places[0])
				}
			}
		})
	}
}

// Advice on code says nothing of the time outside all regions, however much it is.
func TestOutsideIsNoHotSpot(t *testing.T) {
	for name, want := range map[string]bool{"work": true, model.Outside: false} {
		w := world{exclusive(model.WallTime), map[string][][]float64{name: {{20}, {20}}}}
		for _, other := range strings.Fields("a b c d e f g h i j") {
			w.regions[other] = [][]float64{{1}, {1}}
		}
		found, err := ApplyRules(w.dataset(t), ShippedWords(), ShippedRules(), nil, fuzzy.Centroid)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(found.Problems, func(p Problem) bool { return p.Problem == "hot_spot" }); got != want {
			t.Errorf("%s: hot spot %v", name, got)
		}
	}
}

// A rule that needs what was not measured says so; an OR goes by what is there.
func TestRulesWithoutTheirMetrics(t *testing.T) {
	d := scored(t, 1)
	rules, err := fuzzy.ReadRules("r.toml", []byte(`
[rule.either]
rule = "IF time_share IS high OR ipc IS low THEN problem IS either"
[rule.both]
rule = "IF time_share IS high AND ipc IS low THEN problem IS both"`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ApplyRules(d, ShippedWords(), rules, nil, fuzzy.Centroid)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Problems) != 1 || p.Problems[0].Problem != "either" || len(p.Unjudged) != 1 || !strings.Contains(p.Unjudged[0].Why, "instructions/cycles") {
		t.Errorf("%+v", p)
	}
	merged := MergeRules(ShippedRules(), rules)
	if len(merged) != len(ShippedRules())+2 || len(MergeRules(merged, rules)) != len(merged) {
		t.Errorf("%d rules", len(merged))
	}
	wrong, err := fuzzy.ReadRules("r.toml", []byte(`rule.x = {rule = "IF time_share IS hihg THEN problem IS x"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ApplyRules(d, ShippedWords(), wrong, nil, fuzzy.Centroid); err == nil || !strings.Contains(err.Error(), "did you mean high") {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	base, slower := scored(t, 1), scored(t, 1.6)
	open := func(name string) (*Dataset, error) {
		if name == "base" {
			return base, nil
		}
		return nil, errors.New("there is no " + name)
	}
	for _, c := range []struct {
		name, contract string
		holds          string
		degree         float64
	}{
		{"slower", `clause.x = {region = "solve", require = "wtime IS NOT very high COMPARED WITH base"}`, "false", 0},
		{"not so slow", `clause.x = {region = "solve", require = "wtime IS S(1, 2) COMPARED WITH base"}`, "true", 1 - 2*0.4*0.4},
		{"the same misses", `clause.x = {region = "solve", require = "l2_misses IS same compared with base"}`, "true", 1},
		{"worst of all", `clause.x = {region = "*", require = "time_share IS NOT high"}`, "false", 0},
		{"a lower bar", `clause.x = {region = "solve", degree = 0.3, require = "wtime IS S(1.2, 2) COMPARED WITH base"}`, "true", 0.5},
		{"no such metric", `clause.x = {require = "ipc IS high"}`, "null", 0},
		{"no such region", `clause.x = {region = "sole", require = "wtime IS high"}`, "null", 0},
		{"no such baseline", `clause.x = {require = "wtime IS same COMPARED WITH moon"}`, "null", 0},
		{"no baseline", `clause.x = {require = "wtime IS same COMPARED WITH baseline"}`, "null", 0},
		{"broken and unknown", "clause.x = {require = \"ipc IS high\"}\nclause.y = {region = \"*\", require = \"time_share IS NOT high\"}", "false", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			contract, err := fuzzy.ReadContract("c.toml", []byte(c.contract))
			if err != nil {
				t.Fatal(err)
			}
			checked, err := Check(slower, ShippedWords(), contract, open)
			if err != nil {
				t.Fatal(err)
			}
			holds := "null"
			if checked.Holds != nil {
				holds = map[bool]string{true: "true", false: "false"}[*checked.Holds]
			}
			if holds != c.holds {
				t.Errorf("holds %s, want %s: %+v", holds, c.holds, checked)
			}
			if c.holds == "true" {
				wantReals(t, "degree", []Real{checked.Clauses[0].Degree}, c.degree)
			}
		})
	}
}

func TestLearnedTerms(t *testing.T) {
	d := flat(t, "learn", 1, 1.1, 0.9, 5, 5.2, 4.9, 20, 21, 19)
	for _, method := range []LearnMethod{FromQuantiles, FromCMeans} {
		l, err := LearnTerms(context.Background(), ShippedWords(), []*Dataset{d}, "wtime", "", []string{"low", "medium", "high"}, ByRegion, method)
		if err != nil {
			t.Fatal(err)
		}
		words := ShippedWords()
		words.Vocabulary = words.Merge(&fuzzy.Vocabulary{Variables: []*fuzzy.Variable{l.Variable}})
		c, err := Classify(d, words, "wtime", nil, nil, AcrossMean)
		if err != nil {
			t.Fatal(err)
		}
		if c.Quantity != "wtime" {
			t.Errorf("%s: words of %s", method, c.Quantity)
		}
		for i, want := range []string{"high", "high", "high", "medium", "medium", "medium", "low", "low", "low"} {
			if word, _ := c.Rows[i].Terms.Best(); word != want {
				t.Errorf("%s: %v is %s, want %s", method, c.Rows[i].Value, word, want)
			}
		}
	}
	for text, what := range map[string][]string{
		"two or more": {"low"}, "fewer": {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"},
	} {
		if _, err := LearnTerms(context.Background(), ShippedWords(), []*Dataset{flat(t, "few", 1, 2, 2)}, "wtime", "", what, ByRegion, FromCMeans); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v: %v, want %q", what, err, text)
		}
	}
}

func TestClustersOfScores(t *testing.T) {
	d := flat(t, "clusters", 10, 10.2, 9.9, 3, 3.1, 0.1, 0.1, 0.12, 0.09)
	s, err := Score(d, ShippedWords(), scoreMetrics(t, "wtime"), ScoreBase{}, ByRegion, Impact)
	if err != nil {
		t.Fatal(err)
	}
	c, err := FindClusters(context.Background(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	var members []int
	for _, cluster := range c.Clusters {
		members = append(members, cluster.Members)
	}
	if !slices.Equal(members, []int{3, 2, 4}) || !c.Suggested || !(c.PartitionCoefficient > 0.95) {
		t.Errorf("members %v, coefficient %v", members, c.PartitionCoefficient)
	}
	for _, r := range c.Rows {
		sum := Real(0)
		for _, degree := range r.Degrees {
			sum += degree
		}
		wantReals(t, "sum of degrees", []Real{sum}, 1)
	}
	for k, want := range map[int]string{1: "2 to 9", 10: "2 to 9"} {
		if _, err := FindClusters(context.Background(), s, k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d clusters: %v", k, err)
		}
	}
}

// GROMACS on 16 ranks: 6 of them only do PME (NOTES.md beside the data). They
// call fewer functions and communicate more.
func TestClustersOfRealUnits(t *testing.T) {
	d := realData(t, "tau-gromacs-scaling/16.ppk")
	s, err := Score(d, ShippedWords(), scoreMetrics(t, "calls", "mpi_share"), ScoreBase{}, ByUnit, Impact)
	if err != nil {
		t.Fatal(err)
	}
	c, err := FindClusters(context.Background(), s, 2)
	if err != nil {
		t.Fatal(err)
	}
	var pme []int
	for _, r := range c.Rows {
		if r.Cluster == 1 {
			pme = append(pme, r.Unit.(int))
		}
	}
	slices.Sort(pme)
	if !slices.Equal(pme, []int{2, 4, 7, 10, 12, 15}) {
		t.Errorf("%v", pme)
	}
}

// found are the problems of an experiment, with the regions they are in.
func found(t *testing.T, d, baseline *Dataset) (problems map[string][]string, p *Problems) {
	t.Helper()
	p, err := ApplyRules(d, ShippedWords(), ShippedRules(), baseline, fuzzy.Centroid)
	if err != nil {
		t.Fatal(err)
	}
	problems = map[string][]string{}
	for _, problem := range p.Problems {
		problems[problem.Problem] = []string{}
		for _, place := range problem.Places {
			problems[problem.Problem] = append(problems[problem.Problem], place.Region)
		}
	}
	return problems, p
}

// Threads that wait for one another send nothing.
func TestRulesOfThreads(t *testing.T) {
	b := model.NewBuilder()
	wall := b.Metric(model.NewMetric(model.WallTime, "s", model.Exclusive))
	root := b.Region(model.Region{Name: "prog", Kind: model.Block, Parent: model.NoParent})
	blocked := b.Region(model.Region{Name: model.Blocked, Parent: root})
	barrier := b.Region(model.Region{Name: "OpenMP barrier", Kind: model.Barrier, Parent: root})
	work := b.Region(model.Region{Name: "work", Parent: root})
	for thread := range 4 {
		u := b.Unit(model.Unit{Thread: thread})
		b.Set(u, work, wall, 3)
		b.Set(u, blocked, wall, 6)
		b.Set(u, barrier, wall, 1)
	}
	e, err := b.Build(model.Header{Name: "threads"})
	if err != nil {
		t.Fatal(err)
	}
	problems, _ := found(t, dataset(t, e), nil)
	for _, wrong := range []string{"communication_bound", "inefficient_communication"} {
		if _, ok := problems[wrong]; ok {
			t.Errorf("%s in %v", wrong, problems)
		}
	}
}

// What a rule advises is about the thing that it is said of.
func TestRulesOfTheRightThing(t *testing.T) {
	one := func(v float64) [][]float64 { return slices.Repeat([][]float64{{v}}, 8) }
	times := exclusive(model.WallTime)
	but := func(v, other float64) [][]float64 {
		all := one(v)
		all[3] = []float64{other}
		return all
	}

	starting, _ := found(t, world{times, map[string][][]float64{"w": one(8), "MPI_Init": one(3)}}.dataset(t), nil)
	if _, ok := starting["inefficient_communication"]; ok {
		t.Error("starting is no chain of messages")
	}
	writing, _ := found(t, world{times, map[string][][]float64{"w": one(8), "fwrite": one(8)}}.dataset(t), nil)
	if !slices.Equal(writing["hot_spot"], []string{"main/w"}) {
		t.Errorf("hot spots are in %v", writing["hot_spot"])
	}
	uneven, _ := found(t, world{times, map[string][][]float64{"w": but(10, 15), "x": one(10), "MPI_Barrier": but(5, 0.01)}}.dataset(t), nil)
	if !slices.Equal(uneven["load_imbalance"], []string{"main/w"}) {
		t.Errorf("17 %% of the run is lost in main/w: %v", uneven)
	}
	// One has hundred times as much, and all take part.
	more, _ := found(t, world{times, map[string][][]float64{"w": but(0.1, 10), "x": one(10), "MPI_Barrier": but(10, 0.01)}}.dataset(t), nil)
	if !slices.Equal(more["serial_part"], []string{"main/w"}) {
		t.Errorf("one has nearly all of main/w: %v", more)
	}
	all := [][]float64{}
	for range 100 {
		all = append(all, []float64{0.5})
	}
	all[7][0] = 10
	shared, _ := found(t, world{times, map[string][][]float64{"w": all, "x": slices.Repeat([][]float64{{10}}, 100)}}.dataset(t), nil)
	if _, ok := shared["serial_part"]; ok || !slices.Equal(shared["load_imbalance"], []string{"main/w"}) {
		t.Errorf("all 100 take part in main/w: %v", shared)
	}
}

// A baseline on as many units scales nothing, and without times nothing can be judged.
func TestRulesThatCannotBeJudged(t *testing.T) {
	one := func(v float64) [][]float64 { return slices.Repeat([][]float64{{v}}, 4) }
	after := world{exclusive(model.WallTime), map[string][][]float64{"a": one(20), "b": one(5)}}.dataset(t)
	before := world{exclusive(model.WallTime), map[string][][]float64{"a": one(10), "b": one(5)}}.dataset(t)
	problems, p := found(t, after, before)
	if _, ok := problems["poor_scaling"]; ok || !slices.ContainsFunc(p.Unjudged, func(u Unjudged) bool { return u.Problem == "poor_scaling" }) {
		t.Errorf("%v, unjudged %v", problems, p.Unjudged)
	}
	for _, metrics := range [][]model.Metric{exclusive(model.Instructions), exclusive(model.WallTime)} {
		_, p = found(t, world{metrics, map[string][][]float64{"a": one(0), "b": one(0)}}.dataset(t), nil)
		if len(p.Absent) > 0 {
			t.Errorf("%v judged by %v", p.Absent, metrics)
		}
	}
}
