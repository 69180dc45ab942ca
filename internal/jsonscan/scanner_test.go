package jsonscan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// tree reads one whole value as encoding/json would decode it.
func tree(s *Scanner) (any, error) {
	kind, err := s.Next()
	if err != nil {
		return nil, err
	}
	return treeOf(s, kind)
}

func treeOf(s *Scanner, kind Kind) (any, error) {
	switch kind {
	case ObjectStart:
		object := map[string]any{}
		for {
			kind, err := s.Next()
			if err != nil {
				return nil, err
			}
			if kind == ObjectEnd {
				return object, nil
			}
			key := string(s.Bytes())
			value, err := tree(s)
			if err != nil {
				return nil, err
			}
			object[key] = value
		}
	case ArrayStart:
		array := []any{}
		for {
			kind, err := s.Next()
			if err != nil {
				return nil, err
			}
			if kind == ArrayEnd {
				return array, nil
			}
			value, err := treeOf(s, kind)
			if err != nil {
				return nil, err
			}
			array = append(array, value)
		}
	case String:
		return string(s.Bytes()), nil
	case Number:
		return strconv.ParseFloat(string(s.Bytes()), 64)
	case True:
		return true, nil
	case False:
		return false, nil
	case Null:
		return nil, nil
	}
	return nil, fmt.Errorf("unexpected kind %d", kind)
}

var documents = []string{
	`{}`, `[]`, `null`, `"a"`, `-1.5e-3`, `[1,2,[3,{"a":"b"}]]`,
	`{"a":{"b":[true,false,null]},"c":"d\"e\\f\/\n\t\r\b\f"}`,
	"{ \"k\" :\n [ 1 ,\r\n2 ] , \"l\" : \"\\u00e9\\ud83d\\ude00\\ud800x\" }",
	`[[[[[[[[]]]]]]]]`, `{"":""}`, `"\ud800A"`,
	`{"long":"` + strings.Repeat("0123456789", 60000) + `"}`,
	`{"long":"\t` + strings.Repeat("0123456789", 60000) + `"}`,
}

func TestAgreesWithEncodingJSON(t *testing.T) {
	for _, doc := range documents {
		var want any
		if err := json.Unmarshal([]byte(doc), &want); err != nil {
			t.Fatalf("%.60s: %v", doc, err)
		}
		for name, r := range map[string]io.Reader{
			"whole":   strings.NewReader(doc),
			"by byte": iotest.OneByteReader(strings.NewReader(doc)),
		} {
			s := New(r)
			got, err := tree(s)
			if err != nil {
				t.Errorf("%s, %.60s: %v", name, doc, err)
				continue
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %.60s: got %.80v, want %.80v", name, doc, got, want)
			}
			if kind, err := s.Next(); kind != End || err != nil {
				t.Errorf("%s, %.60s: %v, %v after the end", name, doc, kind, err)
			}
		}
	}
}

func TestSkip(t *testing.T) {
	for _, doc := range documents {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole":   func(r io.Reader) io.Reader { return r },
			"by byte": iotest.OneByteReader,
		} {
			s := New(wrap(strings.NewReader(`{"skip":` + doc + `,` + "\n" + `"keep":[7]}`)))
			mustNext(t, s, ObjectStart)
			mustNext(t, s, Key)
			if err := s.Skip(); err != nil {
				t.Fatalf("%s, %.60s: %v", name, doc, err)
			}
			mustNext(t, s, Key)
			if string(s.Bytes()) != "keep" {
				t.Fatalf("%s, %.60s: came to %q", name, doc, s.Bytes())
			}
			if want := 2 + strings.Count(doc, "\n"); s.Line() != want {
				t.Errorf("%s, %.60s: line %d, want %d", name, doc, s.Line(), want)
			}
			mustNext(t, s, ArrayStart)
			if err := s.Skip(); err != nil {
				t.Fatal(err)
			}
			mustNext(t, s, ObjectEnd)
			mustNext(t, s, End)
		}
	}
}

func mustNext(t *testing.T, s *Scanner, want Kind) {
	t.Helper()
	got, err := s.Next()
	if err != nil || got != want {
		t.Fatalf("kind %d, %v; want %d", got, err, want)
	}
}

func TestLines(t *testing.T) {
	s := New(strings.NewReader("{\"a\":1}\n\n{\"a\":2}\n"))
	for _, line := range []int{1, 3} {
		mustNext(t, s, ObjectStart)
		if s.Line() != line {
			t.Errorf("line %d, want %d", s.Line(), line)
		}
		if err := s.Skip(); err != nil {
			t.Fatal(err)
		}
	}
	mustNext(t, s, End)
}

func TestLenient(t *testing.T) {
	s := New(strings.NewReader(`[1,NaN,-Infinity,{"a":2,},]`))
	for _, want := range []Kind{ArrayStart, Number, Null, Null, ObjectStart, Key, Number, ObjectEnd, ArrayEnd, End} {
		mustNext(t, s, want)
	}
}

func TestBroken(t *testing.T) {
	for doc, want := range map[string]string{
		`{"a"`:                          "ends early",
		`{"a":`:                         "ends early",
		`[1,`:                           "ends early",
		`"abc`:                          "ends early",
		`"abc\`:                         "ends early",
		`"\u12`:                         "ends early",
		`"\u12zz"`:                      "no escape",
		`"\q"`:                          "no escape",
		`{a:1}`:                         "key in quotes",
		`{"a" 1}`:                       "colon",
		`[1 2]`:                         "comma",
		`]`:                             "value",
		`tru`:                           "not a JSON value",
		`[}`:                            "value",
		`{]`:                            "key in quotes",
		strings.Repeat("[", maxDepth+1): "nested deeper",
		`"` + strings.Repeat("x", maxToken+bufferSize+2): "longer than",
	} {
		s := New(strings.NewReader(doc))
		_, err := tree(s)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", doc, err, want)
		}
	}
	s := New(strings.NewReader(`{"a":[{]}`))
	mustNext(t, s, ObjectStart)
	if err := s.Skip(); err == nil || !strings.Contains(err.Error(), "closes") {
		t.Errorf("crossed brackets: %v", err)
	}
}

func FuzzScanner(f *testing.F) {
	for _, doc := range documents[:11] {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		var want any
		valid := json.Unmarshal(doc, &want) == nil
		got, err := tree(New(bytes.NewReader(doc)))
		slow, slowErr := tree(New(iotest.OneByteReader(bytes.NewReader(doc))))
		if (err == nil) != (slowErr == nil) || !reflect.DeepEqual(got, slow) {
			t.Fatalf("whole %v %v, by byte %v %v", got, err, slow, slowErr)
		}
		if !valid {
			return
		}
		if err != nil {
			t.Fatalf("valid JSON refused: %v", err)
		}
		// Invalid UTF-8 is passed on as it is here.
		if a, b := fmt.Sprint(want), fmt.Sprint(got); a != strings.ToValidUTF8(b, "\ufffd") && bytes.Equal(doc, bytes.ToValidUTF8(doc, nil)) {
			t.Fatalf("got %s, want %s", b, a)
		}
	})
}

func BenchmarkNext(b *testing.B) { benchmark(b, false) }
func BenchmarkSkip(b *testing.B) { benchmark(b, true) }

func benchmark(b *testing.B, skip bool) {
	event := `{"ph": "X", "cat": "cpu_op", "name": "aten::div", "pid": 4037, "tid": 23695, "ts": 1682725898236575, "dur": 55.0, "args": {"External id": 41510, "Ev Idx": 27173, "Input Dims": [[2048], []], "Input type": ["float", "Scalar"]}},` + "\n"
	doc := "[" + strings.Repeat(event, 20000) + "]"
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		s := New(strings.NewReader(doc))
		for {
			kind, err := s.Next()
			if err != nil {
				b.Fatal(err)
			}
			if kind == End {
				break
			}
			if skip && kind == Key && string(s.Bytes()) == "args" {
				if err := s.Skip(); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
