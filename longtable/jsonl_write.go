package longtable

import (
	"bufio"
	"encoding/json"
	"strconv"

	"auspex/model"
)

// jsonLines writes JSON lines.
type jsonLines struct {
	out   *bufio.Writer
	t     *tableOf
	units []string
	paths []string
	names []string
	buf   []byte
}

func (j *jsonLines) start(head []entry, t *tableOf) error {
	j.t = t
	for i, e := range head {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		j.out.WriteByte(separator)
		j.out.WriteString(quote(e.key))
		j.out.WriteByte(':')
		j.out.WriteString(e.json())
	}
	for _, u := range t.e.Units {
		text := "{"
		if u.Node != "" {
			text += `"node":` + quote(u.Node) + ","
		}
		j.units = append(j.units, text+`"process":`+strconv.Itoa(u.Process)+`,"thread":`+strconv.Itoa(u.Thread))
	}
	for _, p := range t.paths {
		j.paths = append(j.paths, `,"region":`+quote(p))
	}
	for _, m := range t.columns {
		j.names = append(j.names, `,"metric":`+quote(m)+`,"value":`)
	}
	_, err := j.out.WriteString("}\n")
	return err
}

// json writes the value of an entry: a number where it is one, so that it is
// no word when it is read again.
func (e entry) json() string {
	keyword, name := splitNamed(e.key)
	switch {
	case e.object:
		return e.text
	case keyword == "factor" && !e.quoted:
		if f := model.NewFactor(name, e.text); f.Numeric {
			if json.Valid([]byte(e.text)) {
				return e.text
			}
			return strconv.FormatFloat(f.Number, 'g', -1, 64)
		}
	}
	return quote(e.text)
}

func (j *jsonLines) line(l *tableLine) error {
	b := append(j.buf[:0], j.units[l.unit]...)
	b = append(b, j.paths[l.region]...)
	b = append(b, j.names[l.metric]...)
	b = appendJSON(b, l.value)
	if j.t.withDeviation {
		b = appendJSON(append(b, `,"deviation":`...), l.deviation)
	}
	if j.t.counts {
		b = strconv.AppendInt(append(b, `,"count":`...), int64(l.count), 10)
	}
	j.buf = append(b, "}\n"...)
	_, err := j.out.Write(j.buf)
	return err
}

func appendJSON(b []byte, v float64) []byte {
	if v != v {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
