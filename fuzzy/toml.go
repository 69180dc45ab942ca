package fuzzy

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"auspex/expr"
	"auspex/internal/mistake"
)

// maxFile bounds the file of a vocabulary, of rules or of a contract, in bytes.
const maxFile = 1 << 20

// fileTable, variableTable and factorTable are the TOML as it is written.
type fileTable struct {
	Variable map[string]variableTable `toml:"variable"`
	Factor   map[string]factorTable   `toml:"factor"`
	Time     map[string]string        `toml:"time"`
}

type variableTable struct {
	About     string            `toml:"about"`
	Metric    string            `toml:"metric"`
	Also      []string          `toml:"also"`
	InsteadOf []string          `toml:"instead_of"`
	Universe  []float64         `toml:"universe"`
	Terms     map[string]string `toml:"terms"`
	Global    map[string]string `toml:"global"`
}

type factorTable struct {
	About        string             `toml:"about"`
	Set          string             `toml:"set"`
	Range        []float64          `toml:"range"`
	Category     string             `toml:"category"`
	Controllable *bool              `toml:"controllable"`
	Words        map[string]float64 `toml:"words"`
}

// ReadVocabulary reads the TOML of a vocabulary. file is only used in errors,
// which are [mistake.Placed].
//
//	[variable.l2_miss_ratio]
//	metric = "l2_misses/l2_accesses"
//	universe = [0, 1]
//	[variable.l2_miss_ratio.terms]
//	low = "Z(0.1, 0.3)"
//	high = "S(0.5, 0.9)"
//	[variable.l2_miss_ratio.global]
//	POOR_CACHE_MISS = "very high"
//
//	[factor.network]
//	set = "S@9"
//	range = [0, 158.20]
//	category = "communication"
//	[factor.network.words]
//	P4 = 42.95
//	GM = 158.20
//
//	[time]
//	"spin_until_*" = "waiting"
func ReadVocabulary(file string, data []byte) (*Vocabulary, error) {
	var table fileTable
	r, err := decode(file, data, &table, []string{"variable", "factor", "time", "about", "metric", "also",
		"instead_of", "universe", "terms", "global", "set", "range", "category", "controllable", "words"})
	if err != nil {
		return nil, err
	}
	v := &Vocabulary{}
	for _, name := range r.places.keys("variable", keysOf(table.Variable)) {
		x, err := r.variable(name, table.Variable[name])
		if err != nil {
			return nil, err
		}
		v.Variables = append(v.Variables, x)
	}
	for _, name := range r.places.keys("factor", keysOf(table.Factor)) {
		f, err := r.factor(name, table.Factor[name])
		if err != nil {
			return nil, err
		}
		v.Factors = append(v.Factors, f)
	}
	for _, pattern := range r.places.keys("time", keysOf(table.Time)) {
		is := table.Time[pattern]
		if !slices.Contains(TimeWords, is) {
			return nil, r.fail([]string{"time", pattern}, "the time in %s cannot be %q; write one of %s", pattern, is, strings.Join(TimeWords, ", "))
		}
		v.Times = append(v.Times, Time{pattern, is})
	}
	return v, r.clashes(v)
}

func keysOf[T any](m map[string]T) []string {
	var ks []string
	for k := range m {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

// decode reads TOML into table; keys are the known ones, for suggestions.
func decode(file string, data []byte, table any, keys []string) (reader, error) {
	if len(data) > maxFile {
		return reader{}, mistake.InFile(file, "is larger than %d bytes, which nobody writes by hand", maxFile)
	}
	d := toml.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(table); err != nil {
		return reader{}, decodeError(file, err, keys)
	}
	return reader{file: file, places: findPlaces(data)}, nil
}

// decodeError keeps the place that the TOML reader found.
func decodeError(file string, err error, keys []string) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		first := &strict.Errors[0]
		line, col := first.Position()
		key := first.Key()
		hint := expr.DidYouMean(key[len(key)-1], keys)
		return mistake.At(mistake.Place{File: file, Line: line, Column: col}, "%s", joinHint("unknown key "+strings.Join(key, "."), hint))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, col := decode.Position()
		at := mistake.Place{File: file, Line: line, Column: col}
		if strings.Contains(decode.Error(), "cannot store an array table in a map") {
			key := strings.Join(decode.Key(), ".")
			return mistake.At(at, "[[%s]] has no name to tell it from others: write [%s.NAME]", key, key)
		}
		return mistake.At(at, "%s", strings.TrimPrefix(decode.Error(), "toml: "))
	}
	return mistake.InFile(file, "%s", strings.TrimPrefix(err.Error(), "toml: "))
}

func joinHint(message, hint string) string {
	if hint == "" {
		return message
	}
	return message + "; " + hint
}
