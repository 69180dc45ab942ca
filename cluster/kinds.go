package cluster

// Kinds groups points by label: each kind ascending, kinds ordered by their
// first member. A point labelled Noise is like no other and so a kind of its
// own, as the single processes of "Debugging SPMD programs",
// figure 4, are.
func Kinds(labels []int) [][]int {
	kinds := [][]int{}
	of := map[int]int{}
	for i, l := range labels {
		k, seen := of[l]
		if l == Noise || !seen {
			k = len(kinds)
			kinds = append(kinds, nil)
			of[l] = k
		}
		kinds[k] = append(kinds[k], i)
	}
	return kinds
}

// RandIndex is the adjusted Rand index of two labellings of the same points
// (Hubert and Arabie, "Comparing partitions", 1985): 1 for the same grouping,
// about 0 for unrelated ones. Noise counts as one kind per point. Labellings of
// different lengths have nothing in common.
func RandIndex(a, b []int) float64 {
	if len(a) != len(b) {
		return 0
	}
	type cell struct{ a, b int }
	both := map[cell]int{}
	inA, inB := map[int]int{}, map[int]int{}
	for i := range a {
		// Noise points make no pairs within their kind, so they add nothing.
		if a[i] != Noise {
			inA[a[i]]++
		}
		if b[i] != Noise {
			inB[b[i]]++
		}
		if a[i] != Noise && b[i] != Noise {
			both[cell{a[i], b[i]}]++
		}
	}
	pairs := func(n int) float64 { return float64(n) * float64(n-1) / 2 }
	var same, sumA, sumB float64
	for _, n := range both {
		same += pairs(n)
	}
	for _, n := range inA {
		sumA += pairs(n)
	}
	for _, n := range inB {
		sumB += pairs(n)
	}
	all := pairs(len(a))
	if all == 0 {
		return 1
	}
	expected, most := sumA*sumB/all, (sumA+sumB)/2
	if most == expected {
		return 1 // both all single, or both one kind
	}
	return (same - expected) / (most - expected)
}
