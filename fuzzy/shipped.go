package fuzzy

import (
	_ "embed"
	"sync"
)

//go:embed shipped.toml
var shippedTOML []byte

// Shipped is the vocabulary for the common metrics, so that nobody needs a
// file to start. It is shared and must not be changed; Merge makes a new one.
var Shipped = sync.OnceValue(func() *Vocabulary {
	v, err := ReadVocabulary("shipped.toml", shippedTOML)
	if err != nil {
		panic(err) // a test reads the file that is compiled in
	}
	return v
})
