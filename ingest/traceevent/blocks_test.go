package traceevent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// many is a list of events that fills several blocks.
func many(n int) string {
	text := &strings.Builder{}
	text.WriteString(`{"traceEvents":[`)
	for i := range n {
		if i > 0 {
			text.WriteString(",\n ")
		}
		fmt.Fprintf(text, `{"ph":"X","name":"op%d","cat":"cpu_op","ts":%d,"dur":1,"args":{"External id":%d,"Input":[[%d],"]"]}}`, i, i, i, i)
	}
	text.WriteString(`],"traceName":"t"}`)
	return text.String()
}

const several = 30000 // a dozen blocks

func TestOrder(t *testing.T) {
	text := many(several)
	if len(text) < 8*blockSize {
		t.Fatalf("%d bytes are too few", len(text))
	}
	n, name := 0, ""
	err := Read(t.Context(), "t.json", strings.NewReader(text), Reading{
		Links: true,
		Event: func(e *Event) error {
			if string(e.Name) != fmt.Sprint("op", n) || e.Start != int64(n)*1000 || e.External != uint32(n) || string(e.Category) != "cpu_op" {
				return fmt.Errorf("event %d is %s at %d, %d", n, e.Name, e.Start, e.External)
			}
			n++
			return nil
		},
		Value: func(_, key, text string) { name = key + " " + text },
	})
	if err != nil || n != several || name != "traceName t" {
		t.Errorf("%d events, %q, %v", n, name, err)
	}
}

// TestFaultBehind: what is wrong is told at its place after the events before it,
// whoever finds it.
func TestFaultBehind(t *testing.T) {
	text := many(several)
	at := strings.Index(text, `"ts":25000,`)
	bad := text[:at] + `"ts":"x",` + text[at+len(`"ts":25000,`):]
	n := 0
	count := func(*Event) error { n++; return nil }
	err := Read(t.Context(), "t.json", strings.NewReader(bad), Reading{Event: count})
	if n != 25000 || err == nil || !strings.Contains(err.Error(), fmt.Sprintf("at byte %d: \"x\" is not a time", at+len(`"ts":"x"`))) {
		t.Errorf("%d events, %v", n, err)
	}

	n = 0
	cut := text[:at]
	err = Read(t.Context(), "t.json", strings.NewReader(cut), Reading{Event: count})
	if n != 25000 || err == nil || !strings.Contains(err.Error(), "ends early") {
		t.Errorf("cut: %d events, %v", n, err)
	}

	n = 0
	end := strings.Index(text, `,
 {"ph":"X","name":"op20000"`)
	enough := errors.New("enough")
	err = Read(t.Context(), "t.json", strings.NewReader(text), Reading{Event: func(*Event) error {
		if n++; n == 20000 {
			return enough
		}
		return nil
	}})
	if n != 20000 || !errors.Is(err, enough) || !strings.Contains(err.Error(), fmt.Sprintf("at byte %d:", end)) {
		t.Errorf("stopped: %d events, %v, want byte %d", n, err, end)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := Read(ctx, "t.json", strings.NewReader(many(several)), Reading{Event: func(*Event) error {
		if n++; n == 10 {
			cancel()
		}
		return nil
	}})
	if !errors.Is(err, context.Canceled) || n == several {
		t.Errorf("%d events, %v", n, err)
	}
}
