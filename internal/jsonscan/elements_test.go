package jsonscan

import (
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// inParts reads an array by its Elements.
func inParts(s *Scanner, size int) (elements []any, err error) {
	if _, err := s.Next(); err != nil {
		return nil, err
	}
	var text []byte
	for {
		var base int64
		text, base, err = s.Elements(text, size)
		if err != nil || len(text) == 0 {
			break
		}
		part := Of(text, base)
		some, err := tree(part)
		if err != nil {
			return elements, err
		}
		elements = append(elements, some.([]any)...)
	}
	if err == nil {
		_, err = s.Next()
	}
	return elements, err
}

// TestElements: an array in parts is the array, whatever the sizes of the parts
// and of what is read at once.
func TestElements(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Builder{}
		text.WriteString(rapid.SampledFrom([]string{"[", " [\n", "[ "}).Draw(t, "begin"))
		parts := rapid.SliceOfN(rapid.SampledFrom(documents[:11]), 0, 30).Draw(t, "elements")
		for i, part := range parts {
			if i > 0 {
				text.WriteString(rapid.SampledFrom([]string{",", " ,\n ", ", "}).Draw(t, "comma"))
			}
			text.WriteString(part)
		}
		if len(parts) > 0 && rapid.Bool().Draw(t, "comma at the end") {
			text.WriteString(",")
		}
		text.WriteString(rapid.SampledFrom([]string{"]", "\n]"}).Draw(t, "end"))
		want, err := tree(New(strings.NewReader(text.String())))
		if err != nil {
			t.Fatalf("%s: %v", text.String(), err)
		}
		var r io.Reader = strings.NewReader(text.String())
		if rapid.Bool().Draw(t, "by byte") {
			r = iotest.OneByteReader(r)
		}
		s := New(r)
		got, err := inParts(s, rapid.IntRange(1, 100).Draw(t, "size"))
		if err != nil || len(got) != len(want.([]any)) || len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: %v, %v; want %v", text.String(), got, err, want)
		}
		if s.Depth() != 0 {
			t.Fatalf("%s: %d brackets open at the end", text.String(), s.Depth())
		}
	})
}

func TestBrokenElements(t *testing.T) {
	for doc, want := range map[string]string{
		`[1,{"a":`: "ends early",
		`[1,2`:     "ends early",
		`[1 2]`:    "comma",
		`[1,,2]`:   "value",
		`[{"a":]}`: "closes",
		`[` + strings.Repeat(" ", 10) + `"` + strings.Repeat("x", maxElements+2*bufferSize): "longer than",
		`["` + strings.Repeat("x", maxToken+1) + `"]`:                                       "longer than",
	} {
		if _, err := inParts(New(strings.NewReader(doc)), 10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", doc, err, want)
		}
	}
}

// TestLongElement: what is skipped may be longer than what is returned, up to a
// bound.
func TestLongElement(t *testing.T) {
	s := New(strings.NewReader(`[{"a":"` + strings.Repeat("x", maxElements+2*bufferSize) + `"}]`))
	mustNext(t, s, ArrayStart)
	if _, _, err := s.Elements(nil, 10); err == nil || !strings.Contains(err.Error(), "an element longer") {
		t.Errorf("%v, want a bound", err)
	}
}
