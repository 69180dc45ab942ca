package store

// vocabularySeal begins the last line of a stored vocabulary, a comment to
// TOML.
const vocabularySeal = "# stored by auspex; to change this file, remove this line: "

// VocabularyFile is where a vocabulary of that name is kept.
func (s *Store) VocabularyFile(name string) string { return s.shelf(Vocabularies).place(name) }

// Vocabularies lists the names of the vocabularies kept beside the
// experiments, sorted.
func (s *Store) Vocabularies() ([]string, error) { return s.shelf(Vocabularies).list() }

// Vocabulary reads one.
func (s *Store) Vocabulary(name string) ([]byte, error) {
	data, err := s.shelf(Vocabularies).read(name)
	if err != nil {
		return nil, err
	}
	return CheckVocabulary(s.VocabularyFile(name), data)
}

// CheckVocabulary gives the text of a vocabulary's file without what the store
// added to it, and is an error where it is not what the store wrote. Files that
// no store wrote are given as they are.
func CheckVocabulary(path string, data []byte) ([]byte, error) {
	text, _, err := unseal(path, data, vocabularySeal)
	return text, err
}

// PutVocabulary keeps one. A name already there is refused with ErrExists
// unless replace is set.
func (s *Store) PutVocabulary(name string, data []byte, replace bool) error {
	text := append([]byte{}, data...)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return s.shelf(Vocabularies).put(name, seal(text, vocabularySeal), replace, func() error { return nil })
}

// RemoveVocabulary deletes one.
func (s *Store) RemoveVocabulary(name string) error { return s.shelf(Vocabularies).remove(name) }
