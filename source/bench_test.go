package source

import (
	"bytes"
	"context"
	"os"
	"testing"
)

// BenchmarkParse measures bytes a second over files of about half a megabyte.
func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"exits.c", "exits.cpp", "exits.f90", "exits.f"} {
		b.Run(name, func(b *testing.B) {
			text, err := os.ReadFile("../instrument/testdata/" + name)
			if err != nil {
				b.Fatal(err)
			}
			text = bytes.Repeat(text, 1+500_000/len(text))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := Parse(context.Background(), name, text, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
