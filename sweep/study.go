package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"auspex/internal/lazyregexp"
	"auspex/internal/mistake"
)

// Kind is what a point does.
type Kind string

// The kinds of points.
const (
	Predict  Kind = "predict"
	Simulate Kind = "simulate"
	Whatif   Kind = "whatif"
	Run      Kind = "run"
)

// settings are those that a kind knows; an axis may also have any name that
// stands in braces in one of them.
var settings = map[Kind][]string{
	Predict:  {"build", "cfg", "hostfile", "input", "level", "method", "np", "pin", "platform", "reference-speed", "run", "runs", "source", "timeout"},
	Simulate: {"cfg", "hostfile", "np", "platform", "reference-speed", "trace"},
	Whatif:   {"cfg", "change", "hostfile", "np", "platform", "trace"},
	Run:      {"command", "repeat", "timeout"},
}

// needed are the settings without which a kind does nothing.
var needed = map[Kind][]string{
	Predict:  {"platform", "build", "run"},
	Simulate: {"platform", "trace"},
	Whatif:   {"trace"},
	Run:      {"command"},
}

// Axis is a setting that the study varies.
type Axis struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// Study is a grid of points.
type Study struct {
	Name string
	Kind Kind
	// Dir is where its files lie: relative paths begin there.
	Dir  string
	Axes []Axis
	// Settings are those that stay, and those with {axis} in them.
	Settings map[string][]string
}

// maxPoints bounds a grid: more would be a slip of the pen.
const maxPoints = 1_000_000

// maxStudy bounds the file.
const maxStudy = 8 << 20

type tomlStudy struct {
	Name  string         `toml:"name"`
	Kind  string         `toml:"kind"`
	Point map[string]any `toml:"point"`
	Grid  map[string]any `toml:"grid"`
}

// ReadStudy reads a study from a TOML file.
func ReadStudy(path string) (*Study, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxStudy {
		return nil, mistake.InFile(path, "the study is larger than %d MiB", maxStudy>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return ParseStudy(path, dir, data)
}

// ParseStudy reads a study whose file lies in dir.
func ParseStudy(path, dir string, data []byte) (*Study, error) {
	var t tomlStudy
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&t); err != nil {
		return nil, tomlError(path, err)
	}
	s := &Study{Name: t.Name, Kind: Kind(t.Kind), Dir: dir, Settings: map[string][]string{}}
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	if settings[s.Kind] == nil {
		return nil, mistake.InFile(path, "kind is %q: write predict, simulate, whatif or run", t.Kind)
	}
	order := gridOrder(data)
	for name, value := range t.Point {
		values, err := texts(value)
		if err != nil {
			return nil, mistake.InFile(path, "point.%s: %v", name, err)
		}
		s.Settings[name] = values
	}
	for name, value := range t.Grid {
		values, err := axisValues(value)
		if err != nil {
			return nil, mistake.InFile(path, "grid.%s: %v", name, err)
		}
		s.Axes = append(s.Axes, Axis{name, values})
	}
	slices.SortFunc(s.Axes, func(a, b Axis) int { return slices.Index(order, a.Name) - slices.Index(order, b.Name) })
	if err := s.check(); err != nil {
		return nil, mistake.InFile(path, "%v", err)
	}
	return s, nil
}

func tomlError(path string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		e := &unknown.Errors[0]
		line, column := e.Position()
		return mistake.At(mistake.Place{File: path, Line: line, Column: column}, "unknown key %q: a study has name, kind, [point] and [grid]", strings.Join(e.Key(), "."))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, column := decode.Position()
		return mistake.At(mistake.Place{File: path, Line: line, Column: column}, "not well-formed TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return mistake.InFile(path, "%v", err)
}

// gridOrder lists the axes as they stand in the file, which a map forgets.
func gridOrder(data []byte) []string {
	var order []string
	var p unstable.Parser
	p.Reset(data)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		var key []string
		if e.Kind == unstable.Table || e.Kind == unstable.KeyValue {
			for k := e.Key(); k.Next(); {
				key = append(key, string(k.Node().Data))
			}
		}
		switch {
		case e.Kind == unstable.Table:
			table = strings.Join(key, ".")
			if name, ok := strings.CutPrefix(table, "grid."); ok {
				order = append(order, name)
			}
		case e.Kind == unstable.KeyValue && table == "grid" && len(key) > 0:
			order = append(order, key[0])
		case e.Kind == unstable.KeyValue && table == "" && len(key) > 1 && key[0] == "grid":
			order = append(order, key[1])
		}
	}
	return order
}

// text writes a value of TOML as the command line would.
func text(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case int64, float64, bool:
		return fmt.Sprint(v), nil
	}
	return "", fmt.Errorf("a value is a text, a number, true or false, not %v", value)
}

func texts(value any) ([]string, error) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var out []string
	for _, v := range list {
		t, err := text(v)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// axisValues reads a list, or a range {from, to, step} or {from, to, times}.
func axisValues(value any) ([]string, error) {
	if table, ok := value.(map[string]any); ok {
		return rangeValues(table)
	}
	values, err := texts(value)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, errors.New("the axis has no values")
	}
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return nil, fmt.Errorf("the value %q stands there twice", v)
		}
	}
	return values, nil
}

func rangeValues(table map[string]any) ([]string, error) {
	number := map[string]int64{"step": 1}
	for name, v := range table {
		n, ok := v.(int64)
		if !ok || !slices.Contains([]string{"from", "to", "step", "times"}, name) {
			return nil, errors.New("a range is written {from = 1, to = 10}, with step = 2 or times = 2 where wanted; whole numbers only")
		}
		number[name] = n
	}
	from, to, step, times := number["from"], number["to"], number["step"], number["times"]
	_, begins := number["from"]
	_, ends := number["to"]
	switch _, multiplied := number["times"]; {
	case !begins || !ends || from > to:
		return nil, errors.New("a range goes from a number to a larger one: {from = 1, to = 10}")
	case multiplied && (times < 2 || from < 1):
		return nil, errors.New("times needs a factor from 2 on, and from a number from 1 on")
	case step < 1:
		return nil, errors.New("step needs a number from 1 on")
	}
	var values []string
	for n := from; n <= to; {
		if len(values) == maxPoints {
			return nil, fmt.Errorf("the range has more than %d values", maxPoints)
		}
		values = append(values, fmt.Sprint(n))
		next := n + step
		if times > 0 {
			next = n * times
		}
		if next <= n {
			break // beyond what an integer holds
		}
		n = next
	}
	return values, nil
}

var braces = lazyregexp.New(`\{([a-z][a-z0-9_-]*)\}`)

// check finds what would only come to light after hours.
func (s *Study) check() error {
	known := settings[s.Kind]
	for name := range s.Settings {
		if !slices.Contains(known, name) {
			return fmt.Errorf("a point of kind %s has no setting %q; it has %s", s.Kind, name, strings.Join(known, ", "))
		}
	}
	used := map[string]bool{}
	for name, values := range s.Settings {
		for _, v := range values {
			for _, m := range braces.FindAllStringSubmatch(v, -1) {
				used[m[1]] = true
				if s.axis(m[1]) < 0 && !s.leaves(name, m[1]) {
					return fmt.Errorf("point.%s has {%s}, and the grid has no %s", name, m[1], m[1])
				}
			}
		}
	}
	points := 1
	for _, a := range s.Axes {
		if !slices.Contains(known, a.Name) && !used[a.Name] {
			return fmt.Errorf("grid.%s changes nothing: a point of kind %s has no setting of the name, and {%s} stands in none", a.Name, s.Kind, a.Name)
		}
		if _, twice := s.Settings[a.Name]; twice {
			return fmt.Errorf("%s stands in point and in grid: leave one out", a.Name)
		}
		if points *= len(a.Values); points > maxPoints {
			return fmt.Errorf("the grid has more than %d points", maxPoints)
		}
	}
	for _, name := range needed[s.Kind] {
		if s.axis(name) < 0 && len(s.Settings[name]) == 0 {
			return fmt.Errorf("a point of kind %s needs %s, in [point] or in [grid]", s.Kind, name)
		}
	}
	return nil
}

// leaves tells braces that the point's own command fills in: predict has {np}
// and {opt} of its own.
func (s *Study) leaves(setting, name string) bool {
	return s.Kind == Predict && (setting == "build" || setting == "run") && (name == "opt" || name == "np")
}

func (s *Study) axis(name string) int {
	return slices.IndexFunc(s.Axes, func(a Axis) bool { return a.Name == name })
}

// Size is the number of points.
func (s *Study) Size() int {
	n := 1
	for _, a := range s.Axes {
		n *= len(a.Values)
	}
	return n
}

// settingNames lists all settings of a point, sorted.
func (s *Study) settingNames() []string {
	names := maps.Clone(s.Settings)
	for _, a := range s.Axes {
		if slices.Contains(settings[s.Kind], a.Name) {
			names[a.Name] = nil
		}
	}
	return slices.Sorted(maps.Keys(names))
}
