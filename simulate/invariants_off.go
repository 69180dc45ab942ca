//go:build !invariants

package simulate

// invariants turns the costly self-checks on (build with -tags invariants).
const invariants = false

func (s *solver) verify() {}
