package figure

import (
	"math"
	"strings"
	"testing"
)

func TestSeconds(t *testing.T) {
	for _, c := range []struct {
		seconds float64
		digits  int
		want    string
	}{
		{0, 3, "0 s"},
		{1.82e-5, 3, "18.2 µs"},
		{1e-7, 3, "0.1 µs"},
		{3.14159e-9, 3, "3.14 ns"},
		{0.00123456, 4, "1.235 ms"},
		{0.1, 3, "0.1 s"},
		{0.2709, 3, "0.271 s"},
		{-0.2709, 3, "-0.271 s"},
		{13.58, 4, "13.58 s"},
		{1234.5, 3, "1230 s"},
		{1.2346e7, 4, "12350000 s"},
		{1e30, 3, "1000000000000000000000000000000 s"},
		{math.Inf(1), 3, "+Inf s"},
		{math.MaxFloat64, 3, "179"},
	} {
		if got := Seconds(c.seconds, c.digits); !strings.HasPrefix(got, c.want) {
			t.Errorf("%g s with %d digits is %q, not %q", c.seconds, c.digits, got, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1e-5: "0.00001", 2.5: "2.5", 123456: "123000", 3.1999999: "3.2"} {
		if got := Number(v, 3); got != want {
			t.Errorf("%g is %q, not %q", v, got, want)
		}
	}
}
