package store

// Filters lists the programs of which a run showed regions to be too short to be
// measured, sorted.
func (s *Store) Filters() ([]string, error) { return s.shelf(Filters).list() }

// Filter is the rules that leave these regions out, a line each, as auspex cc
// reads them.
func (s *Store) Filter(program string) ([]byte, error) { return s.shelf(Filters).read(program) }

// FilterFile is where the rules for a program are kept. Whoever removes the file
// has its regions measured again.
func (s *Store) FilterFile(program string) string { return s.shelf(Filters).place(program) }

// PutFilter keeps the rules for a program in place of those that there were.
func (s *Store) PutFilter(program string, rules []byte) error {
	return s.shelf(Filters).put(program, rules, true, func() error { return nil })
}
