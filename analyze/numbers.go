package analyze

import "math"

// Counting lists 0 to n − 1.
func Counting(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// Extremes are the least and the most; zeros of nothing.
func Extremes(values []float64) (least, most float64) {
	if len(values) == 0 {
		return 0, 0
	}
	least, most = values[0], values[0]
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	return least, most
}

// Mean is the average; zero of nothing.
func Mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Total adds up what is known.
func Total(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		if v == v {
			sum += v
		}
	}
	return sum
}

func largest(values []float64) float64 {
	most := math.NaN()
	for _, v := range values {
		if v == v && !(v <= most) {
			most = v
		}
	}
	return most
}

func meanKnown(values []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range values {
		if v == v {
			sum += v
			n++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// Quotients divides one by one; by zero is missing.
func Quotients(above, below []float64) []float64 {
	out := make([]float64, len(above))
	for i := range out {
		out[i] = float64(Ratio(above[i], below[i]))
	}
	return out
}
