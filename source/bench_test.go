package source

import (
	"context"
	"os"
	"testing"
)

// BenchmarkParse parses the file named by AUSPEX_BENCH_SOURCE.
func BenchmarkParse(b *testing.B) {
	name := os.Getenv("AUSPEX_BENCH_SOURCE")
	if name == "" {
		b.Skip("set AUSPEX_BENCH_SOURCE to a source file")
	}
	text, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse(context.Background(), name, text, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
