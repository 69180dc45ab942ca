package platform

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"auspex/internal/mistake"
)

// The short form, as it is decoded. Quantities are of type any so that a
// number without quotes and unit gets our own message.
type (
	tomlPlatform struct {
		// Reference is the speed of the machine that traces are taken on.
		Reference any            `toml:"reference"`
		Config    map[string]any `toml:"config"`
		Cluster   []tomlCluster  `toml:"cluster"`
		Host      []tomlHost     `toml:"host"`
		Peer      []tomlPeer     `toml:"peer"`
		Switches  []string       `toml:"switches"`
		Link      []tomlLink     `toml:"link"`
	}
	tomlCluster struct {
		Name      string         `toml:"name"`
		Nodes     any            `toml:"nodes"`  // 8 or "0-3,8-11"
		Prefix    *string        `toml:"prefix"` // of host names
		Speed     any            `toml:"speed"`  // one, or a list with one for each node
		Cores     *int           `toml:"cores"`
		Bandwidth any            `toml:"bandwidth"`
		Latency   any            `toml:"latency"`
		Sharing   string         `toml:"sharing"`
		Backbone  *tomlPipe      `toml:"backbone"`
		Loopback  *tomlPipe      `toml:"loopback"`
		Limiter   any            `toml:"limiter"`
		Torus     []int          `toml:"torus"`
		FatTree   *tomlFatTree   `toml:"fat-tree"`
		Dragonfly *tomlDragonfly `toml:"dragonfly"`
	}
	tomlFatTree struct {
		Down   []int `toml:"down"`
		Up     []int `toml:"up"`
		Cables []int `toml:"cables"`
	}
	tomlDragonfly struct {
		Groups       int  `toml:"groups"`
		Chassis      int  `toml:"chassis"`
		Blades       int  `toml:"blades"`
		Nodes        int  `toml:"nodes"`
		GroupLinks   *int `toml:"group-links"`
		ChassisLinks *int `toml:"chassis-links"`
		BladeLinks   *int `toml:"blade-links"`
	}
	tomlPipe struct {
		Bandwidth any    `toml:"bandwidth"`
		Latency   any    `toml:"latency"`
		Sharing   string `toml:"sharing"`
	}
	tomlHost struct {
		Name  string `toml:"name"`
		Speed any    `toml:"speed"`
		Cores *int   `toml:"cores"`
		// Files with profiles, as SimGrid's speed_file and state_file.
		SpeedFile string `toml:"speed-file"`
		StateFile string `toml:"state-file"`
	}
	// tomlPeer is a host that reaches all others over its own links alone.
	tomlPeer struct {
		tomlHost
		In          any       `toml:"in"` // bandwidths
		Out         any       `toml:"out"`
		Coordinates []float64 `toml:"coordinates"` // in ms
	}
	tomlLink struct {
		Name      string   `toml:"name"`
		Between   []string `toml:"between"`
		Ring      []string `toml:"ring"`
		Star      []string `toml:"star"`
		Full      []string `toml:"full"`
		Bandwidth any      `toml:"bandwidth"`
		Latency   any      `toml:"latency"`
		Sharing   string   `toml:"sharing"`

		BandwidthFile string `toml:"bandwidth-file"`
		LatencyFile   string `toml:"latency-file"`
		StateFile     string `toml:"state-file"`
	}
)

// tomlReader turns the decoded short form into a platform.
type tomlReader struct {
	file  string
	lines map[string]int // by path, such as "link[1].bandwidth"
	b     *builder
	net   *graph
	ends  map[string]end
}

// maxTOML bounds a platform in the short form.
const maxTOML = 8 << 20

func readTOML(name string, r io.Reader, b *builder) (*Platform, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxTOML+1))
	if err != nil {
		return nil, newError(name, 0, "%v", err)
	}
	if len(data) > maxTOML {
		return nil, newError(name, 0, "the file is larger than %d MiB; it starts with neither < nor a short TOML form", maxTOML>>20)
	}
	var t tomlPlatform
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&t); err != nil {
		return nil, tomlError(name, err)
	}
	x := &tomlReader{file: name, lines: tomlLines(data), b: b, ends: map[string]end{}}
	return x.platform(&t)
}

// tomlError puts the decoder's errors into our form.
func tomlError(name string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		e := &unknown.Errors[0]
		line, column := e.Position()
		return errorAt(mistake.Place{File: name, Line: line, Column: column}, "unknown key %q", strings.Join(e.Key(), "."))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		line, column := decode.Position()
		place := mistake.Place{File: name, Line: line, Column: column}
		if key := decode.Key(); len(key) > 0 && strings.Contains(err.Error(), "cannot") {
			return errorAt(place, "the value of %s is of the wrong kind", strings.Join(key, "."))
		}
		return errorAt(place, "not well-formed TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return newError(name, 0, "%v", err)
}

// fail makes an error of the line a path stands on, or the nearest around it.
func (x *tomlReader) fail(path, format string, args ...any) error {
	line := 0
	for at := path; at != "" && line == 0; {
		line = x.lines[at]
		at = at[:max(strings.LastIndexByte(at, '.'), 0)]
	}
	return newError(x.file, line, format, args...)
}

// quantity reads a value that must be there.
func (x *tomlReader) quantity(path string, v any, u unit) (float64, error) {
	key := path[strings.LastIndexByte(path, '.')+1:]
	if v == nil {
		return 0, x.fail(path, "%s is missing; write for example %s = %s", key, key, u.example())
	}
	text, ok := v.(string)
	if !ok {
		return 0, x.fail(path, "%s needs a unit, in quotes; write for example %s = %s", key, key, u.example())
	}
	value, bare, err := u.parse(text)
	switch {
	case err != nil:
		return 0, x.fail(path, "%s = %v", key, err)
	case bare:
		return 0, x.fail(path, "%s = %q has no unit; write for example %s", key, text, u.example())
	case value < 0 && u.plain == "s":
		return 0, x.fail(path, "%s = %q must be 0 or more", key, text)
	case value <= 0 && u.plain != "s":
		return 0, x.fail(path, "%s = %q must be above 0", key, text)
	}
	return value, nil
}

// pipe reads a bandwidth and a latency. A latency may be left out where the
// link is inside a node or a switch.
func (x *tomlReader) pipe(path string, bandwidth, latency any, inside bool) (bw, lat float64, err error) {
	if bw, err = x.quantity(path+".bandwidth", bandwidth, bandwidthUnit); err != nil {
		return 0, 0, err
	}
	if latency == nil && inside {
		return bw, 0, nil
	}
	lat, err = x.quantity(path+".latency", latency, timeUnit)
	return bw, lat, err
}

// cores reads a number of cores, 1 by default.
func (x *tomlReader) cores(path string, n *int) (int, error) {
	if n == nil {
		return 1, nil
	}
	if *n < 1 || *n > math.MaxInt32 {
		return 0, x.fail(path+".cores", "cores = %d: it must be 1 or more", *n)
	}
	return *n, nil
}

// config keeps SimGrid options as text.
func (x *tomlReader) config(values map[string]any) error {
	for key, v := range values {
		switch v := v.(type) {
		case string:
			x.b.p.Config[key] = v
		case int64:
			x.b.p.Config[key] = strconv.FormatInt(v, 10)
		case float64:
			x.b.p.Config[key] = strconv.FormatFloat(v, 'g', -1, 64)
		case bool:
			x.b.p.Config[key] = strconv.FormatBool(v)
		default:
			return x.fail("config."+key, "%s must be a text, a number or true or false", key)
		}
	}
	return nil
}
