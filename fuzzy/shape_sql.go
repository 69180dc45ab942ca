package fuzzy

import "fmt"

// SQL renders the degree of x.
func (s *Shape) SQL(x string) (string, error) {
	if s.line.xs != nil {
		return bounded(s.line.sql(x))
	}
	missing, p := ignoreMissing(x), s.params
	switch s.kind {
	case SCurve:
		return missing + " " + riseSQL(x, p[0], p[1]) + " END", nil
	case ZCurve:
		return missing + " ELSE 1 - CASE " + riseSQL(x, p[0], p[1]) + " END END", nil
	case PiCurve:
		return fmt.Sprintf("%s WHEN %s <= %s THEN CASE %s END ELSE 1 - CASE %s END END", missing, x, num(p[0]),
			riseSQL(x, p[0]-p[1], p[0]), riseSQL(x, p[0], p[0]+p[1])), nil
	case Gaussian:
		return fmt.Sprintf("%s ELSE exp(-0.5e0 * pow((%s - %s) / %s, 2)) END", missing, x, num(p[0]), num(p[1])), nil
	}
	return fmt.Sprintf("%s WHEN %s = %s THEN 1e0 ELSE 0e0 END", missing, x, num(p[0])), nil
}

// riseSQL is the body of a CASE that computes what rise does.
func riseSQL(x string, a, c float64) string {
	width := num(c - a)
	return fmt.Sprintf("WHEN %[1]s <= %[2]s THEN 0e0 WHEN %[1]s >= %[3]s THEN 1e0 "+
		"WHEN %[1]s <= %[4]s THEN 2e0 * pow((%[1]s - %[2]s) / %[5]s, 2) "+
		"ELSE 1e0 - 2e0 * pow((%[1]s - %[3]s) / %[5]s, 2)", x, num(a), num(c), num(a+(c-a)/2), width)
}
