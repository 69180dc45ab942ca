package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"auspex/analyze"
	"auspex/view"
)

func TestErrorsSayWhere(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	for _, c := range []struct {
		method, path, body string
		status             int
		message            string
		column, offset     int // -1: none
	}{
		{"GET", "/experiments/unbalancd", "", 404, "did you mean unbalanced?", 0, -1},
		{"GET", "/experiments/unbalanced/heatmap?metric=cpu_tiem", "", 400, "cpu_tiem", 1, 0},
		{"GET", "/experiments/unbalanced/heatmap?rows=many", "", 400, "rows must be a whole number", 0, -1},
		{"GET", "/experiments/unbalanced/heatmap?scope=sideways", "", 400, "scope is exclusive or inclusive", 0, -1},
		{"GET", "/experiments/unbalanced/diagnose?units=planets", "", 400, "processes, threads or nodes", 0, -1},
		{"GET", "/experiments/unbalanced/diagnose?details=perhaps", "", 400, "details is true or false", 0, -1},
		{"GET", "/experiments/unbalanced/bottlenecks?threshold=NaN", "", 400, "threshold must be a number", 0, -1},
		{"GET", "/experiments/unbalanced/classify?vocabulary=none", "", 404, "no vocabulary", 0, -1},
		{"GET", "/compare?a=unbalanced", "", 400, "name an experiment", 0, -1},
		{"GET", "/compare?a=unbalanced&b=after", "", 400, "different programs", 0, -1},
		{"GET", "/similar", "", 400, "name the experiments", 0, -1},
		{"GET", "/predictions/none", "", 404, "no prediction", 0, -1},
		{"GET", "/simulations/none", "", 404, "no simulation", 0, -1},
		{"GET", "/nothing", "", 404, "no such address", 0, -1},
		{"POST", "/query", `{"experiments": ["unbalanced"], "query": "cpu_time is hihg"}`, 400, "unknown term hihg", 13, 12},
		// Beyond the first plane a browser counts two where we count one.
		{"POST", "/query", `{"experiments": ["unbalanced"], "query": "'𝕏𝕏' ="}`, 400, "", -1, -2},
		{"POST", "/query", `{"experiments": ["unbalanced"], "query": "cpu_time is high OVER nothing"}`, 400, "no experiment", 23, 22},
		{"POST", "/experiments/unbalanced/terms", `{"variable": "time_shar", "meanings": {}}`, 400, "did you mean time_share", 0, -1},
		{"POST", "/experiments/unbalanced/terms", `{"variable": "time_share", "meanings": {"high": "S(3, 1)"}}`, 400, "S(a, c) needs a < c", -1, -2},
		{"POST", "/experiments/unbalanced/terms", `{"variable": "time_share", "meanings": {"enormous": "S(1, 3)"}}`, 400, "no such terms", 0, -1},
		{"POST", "/experiments/unbalanced/check", `{"contract": "nonsense"}`, 400, "", -1, -2},
		{"POST", "/vocabularies", `{"name": "empty", "variables": []}`, 400, "nothing to save", 0, -1},
	} {
		status, _, text := l.send(c.method, "/api/v1"+c.path, c.body)
		var got struct {
			Error struct {
				Message, Hint string
				Column        int
				Offset        *int
			}
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %v in %s", c.path, err, text)
			continue
		}
		said := strings.ReplaceAll(got.Error.Message+" "+got.Error.Hint, "unknown metric ", "")
		if status != c.status || !strings.Contains(said, c.message) || c.column >= 0 && got.Error.Column != c.column {
			t.Errorf("%s %s: %d %s", c.path, c.body, status, text)
		}
		if c.offset >= -1 && (got.Error.Offset != nil) != (c.offset >= 0) || c.offset >= 0 && *got.Error.Offset != c.offset {
			t.Errorf("%s %s: the offset is not %d: %s", c.path, c.body, c.offset, text)
		}
	}
}

func TestOffsetsAreThoseOfBrowsers(t *testing.T) {
	for text, units := range map[string]int{"": 0, "a": 1, "é": 1, "高": 1, "𝕏": 2, "a𝕏b": 4} {
		if got := utf16Length(text); got != units {
			t.Errorf("%q has %d units, not %d", text, got, units)
		}
		if at := fromUTF16(text, units); at != len(text) {
			t.Errorf("unit %d of %q is byte %d", units, text, at)
		}
	}
	if at := fromUTF16("a𝕏b", 3); at != 5 {
		t.Errorf("after the letter is byte %d", at)
	}
}

// Dragging a control point changes the classification and nothing in the
// store; saving changes what the vocabulary says from then on.
func TestTryingAndSavingWords(t *testing.T) {
	s := testStore(t)
	l := serve(t, Config{Store: s, Loopback: true})
	var terms struct{ Variables []view.DrawnVariable }
	l.ask("/experiments/unbalanced/terms", &terms)
	if len(terms.Variables) == 0 || terms.Variables[0].Name != "time_share" {
		t.Fatalf("the words are %+v", terms.Variables)
	}
	total := terms.Variables[0].Histogram
	if n := total.Below + total.Above + total.Missing; n+sum(total.Counts) != 15 {
		t.Errorf("the histogram %+v is not of 15 regions", total)
	}
	degree := func(vocabulary string) float64 {
		var c struct {
			Rows []struct{ Terms map[string]float64 }
		}
		l.ask("/experiments/unbalanced/classify"+vocabulary, &c)
		return c.Rows[0].Terms["high"]
	}
	before := degree("")
	change := map[string]string{"high": "S(0.4, 2)"}
	var tried struct {
		Variable       view.DrawnVariable
		Classification struct {
			Rows []struct{ Terms map[string]float64 }
		}
	}
	l.post("/experiments/unbalanced/terms", map[string]any{"variable": "time_share", "meanings": change}, &tried)
	moved := tried.Classification.Rows[0].Terms["high"]
	if !(moved < before) || degree("") != before {
		t.Errorf("high was %v, is %v after a try and %v then", before, moved, degree(""))
	}
	save := map[string]any{"name": "mine", "variables": []any{map[string]any{"variable": "time_share", "meanings": change}}}
	var saved vocabulary
	l.post("/vocabularies", save, &saved)
	if got := degree("?vocabulary=mine"); got != moved {
		t.Errorf("saved words say %v, tried ones said %v", got, moved)
	}
	body, _ := json.Marshal(save)
	if status, _, _ := l.send("POST", "/api/v1/vocabularies", string(body)); status != http.StatusConflict {
		t.Errorf("saving under the same name: %d", status)
	}
	save["replace"], save["variables"] = true, []any{map[string]any{"variable": "time_share", "meanings": map[string]string{"high": "S(0, 0.01)"}}}
	l.post("/vocabularies", save, &saved)
	if got := degree("?vocabulary=mine"); got != 1 {
		t.Errorf("after words were replaced an old answer is given: %v", got)
	}
}

func sum(counts []int) (total int) {
	for _, n := range counts {
		total += n
	}
	return total
}

// A name may stand for another experiment from one moment to the next.
func TestReplacedExperimentsAreSeen(t *testing.T) {
	s := testStore(t)
	l := serve(t, Config{Store: s, Loopback: true})
	put(t, s, synthetic("x", 2, 3))
	var before, after analyze.Summary
	l.ask("/experiments/x", &before)
	if err := s.Put(synthetic("x", 5, 3), true); err != nil {
		t.Fatal(err)
	}
	l.ask("/experiments/x", &after)
	if before.Units != 2 || after.Units != 5 {
		t.Errorf("%d units, then %d", before.Units, after.Units)
	}
}

func TestAnswersAreTaggedAndPacked(t *testing.T) {
	l := serve(t, Config{Store: testStore(t), Loopback: true})
	path := "/api/v1/experiments/unbalanced/heatmap"
	_, plain, text := l.send("GET", path, "", "Accept-Encoding", "identity")
	_, packed, short := l.send("GET", path, "", "Accept-Encoding", "gzip")
	if plain.Get("Content-Encoding") != "" || packed.Get("Content-Encoding") != "gzip" || len(short) >= len(text) {
		t.Errorf("%d bytes plain, %d packed as %q", len(text), len(short), packed.Get("Content-Encoding"))
	}
	if status, _, body := l.send("GET", path, "", "If-None-Match", plain.Get("ETag")); status != http.StatusNotModified || body != "" {
		t.Errorf("asked again: %d %s", status, body)
	}
}

// Those who wait hear what is being done, then the answer.
func TestProgressIsStreamed(t *testing.T) {
	s, err := New(Config{Store: testStore(t), Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	for _, fails := range []bool{false, true} {
		told := make(chan struct{}, 1)
		slow := route{answer: func(ctx context.Context, q *asked) (any, error) {
			q.tell("pondering")
			for range 2 { // the first line may have been on its way
				select {
				case <-told:
				case <-time.After(time.Minute):
				}
			}
			if fails {
				return nil, errors.New("no luck")
			}
			return map[string]int{"answer": 42}, nil
		}}
		r, err := http.NewRequest("GET", "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "application/x-ndjson")
		var got recorder
		s.handle(slow)(flushable{&got, told}, r)
		lines := bufio.NewScanner(&got.body)
		stages, last := 0, ""
		for lines.Scan() {
			last = lines.Text()
			if strings.Contains(last, `{"progress":{"stage":"pondering"`) {
				stages++
			}
		}
		want := `{"answer":{"answer":42}}`
		if fails {
			want = `{"error":{"message":"no luck"}}`
		}
		if stages < 1 || last != want {
			t.Errorf("%d stages, then %s", stages, last)
		}
	}
}

// flushable tells when a line was sent.
type flushable struct {
	*recorder
	told chan struct{}
}

func (f flushable) Flush() {
	select {
	case f.told <- struct{}{}:
	default:
	}
}

// Many who ask the same share one computation; one that nobody waits for is
// given up.
func TestSharedAndAbandonedAnswers(t *testing.T) {
	k := newAnswers(1 << 20)
	q := &asked{stage: new(atomic.Value)}
	var computed atomic.Int32
	release := make(chan struct{})
	compute := func(ctx context.Context) ([]byte, error) {
		computed.Add(1)
		select {
		case <-release:
			return []byte("{}"), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	first, second := k.get("same", q, compute), k.get("same", q, compute)
	k.leave(first) // one of two: the other still waits
	close(release)
	<-second.done
	if first != second || computed.Load() != 1 || second.err != nil {
		t.Errorf("%d computations for two, %v", computed.Load(), second.err)
	}
	k.leave(second)
	if third := k.get("same", q, compute); third != second {
		t.Error("a finished answer was not kept")
	}

	release = make(chan struct{})
	alone := k.get("other", q, compute)
	k.leave(alone)
	select {
	case <-alone.done:
		if !errors.Is(alone.err, context.Canceled) {
			t.Errorf("nobody waits, and it ends with %v", alone.err)
		}
	case <-time.After(time.Minute):
		t.Error("nobody waits, and it goes on")
	}
	if again := k.get("other", q, compute); again == alone {
		t.Error("an answer that was given up is given")
	}
	close(release)
}

func TestKeptAnswersAreBounded(t *testing.T) {
	k := newAnswers(100_000)
	q := &asked{stage: new(atomic.Value)}
	for i := range 50 {
		a := k.get(strings.Repeat("k", i+1), q, func(context.Context) ([]byte, error) { return make([]byte, 10_000), nil })
		<-a.done
		k.leave(a)
	}
	if k.held > k.bound || k.recent.Len() != len(k.byKey) || k.recent.Len() < 5 {
		t.Errorf("%d bytes of %d in %d answers, %d by key", k.held, k.bound, k.recent.Len(), len(k.byKey))
	}
}

func TestKeptExperimentsAreBounded(t *testing.T) {
	s := testStore(t)
	for _, name := range []string{"p", "q", "r"} {
		put(t, s, synthetic(name, 100, 100))
	}
	l := serve(t, Config{Store: s, Loopback: true, Memory: 500_000})
	for _, name := range []string{"p", "q", "r", "p"} {
		var summary analyze.Summary
		l.ask("/experiments/"+name+"?top=3", &summary)
	}
	held := int64(0)
	for at := l.server.datasets.recent.Front(); at != nil; at = at.Next() {
		d, err := at.Value.(*opened).open()
		if err != nil {
			t.Fatal(err)
		}
		held += d.Held()
	}
	if held > 500_000 || held == 0 {
		t.Errorf("%d bytes are held of the 500000 allowed", held)
	}
}
