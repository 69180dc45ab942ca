package platform

import "fmt"

// ParseSpeed reads a speed as platform files write it, such as 2.8Gf; without a
// unit it is in flop/s.
func ParseSpeed(text string) (float64, error) {
	v, _, err := speedUnit.parse(text)
	if err == nil && !(v > 0) {
		err = fmt.Errorf("%q: the speed must be above 0", text)
	}
	return v, err
}
