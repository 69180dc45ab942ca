package web

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"auspex/internal/mistake"
)

// asked is a question: the request's parts that an endpoint looks at.
type asked struct {
	path  func(name string) string // {name} of the route
	query url.Values
	body  []byte
	stage *atomic.Value // string: what is being done, for those who wait
}

// endpoint answers one kind of question with what is written as JSON.
type endpoint func(ctx context.Context, q *asked) (any, error)

// badf is an error of the one who asks.
func badf(format string, args ...any) error { return mistake.Refuse(format, args...) }

// parsed marks the error of a parameter that could not be read, if there is one.
func parsed[T any](value T, err error) (T, error) {
	if err != nil {
		err = badf("%w", err)
	}
	return value, err
}

// tell says what is being done.
func (q *asked) tell(stage string) { q.stage.Store(stage) }

// text is a parameter, or a default.
func (q *asked) text(name, otherwise string) string {
	if v := q.query.Get(name); v != "" {
		return v
	}
	return otherwise
}

// only refuses parameters that the question does not have: a misspelt one
// would otherwise be answered as if it had not been there.
func (q *asked) only(params string) error {
	known := strings.Fields(params)
	for _, name := range slices.Sorted(maps.Keys(q.query)) {
		if slices.Contains(known, name) {
			continue
		}
		if len(known) == 0 {
			return badf("there is no parameter %q here; this question takes none", name)
		}
		return badf("there is no parameter %q here; known are %s", name, strings.Join(known, ", "))
	}
	return nil
}

// flag is a parameter that is there or not.
func (q *asked) flag(name string) (bool, error) {
	v := q.query.Get(name)
	if v == "" {
		return false, nil
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		return false, badf("%s is true or false, not %q", name, v)
	}
	return b, nil
}

func (q *asked) number(name string, otherwise float64) (float64, error) {
	v := q.query.Get(name)
	if v == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || n-n != 0 { // infinite or none
		return 0, badf("%s must be a number, not %q", name, v)
	}
	return n, nil
}

func (q *asked) whole(name string, otherwise int) (int, error) {
	v := q.query.Get(name)
	if v == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 {
		return 0, badf("%s must be a whole number from 0, not %q", name, v)
	}
	return n, nil
}

// json reads the body of a POST.
func (q *asked) json(into any) error {
	if err := json.Unmarshal(q.body, into); err != nil {
		return badf("the question is not the JSON that is expected here: %w", err)
	}
	return nil
}

// ask turns a request into a question.
func ask(r *http.Request) (*asked, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil { // such as a ; that would lose what follows it
		return nil, badf("the address cannot be read: %w; write ; as %%3B", err)
	}
	q := &asked{path: r.PathValue, query: query, stage: new(atomic.Value)}
	q.query.Del("token")
	q.tell("waiting")
	if r.Method != http.MethodPost {
		return q, nil
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		// Forms, which other pages could send without asking, cannot be of this type.
		return nil, statusError{http.StatusUnsupportedMediaType, "questions are posted as application/json"}
	}
	q.body, err = io.ReadAll(r.Body)
	return q, err
}
