//go:build !unix

package trace

import (
	"io"
	"os"
)

// mapFile reads the file where files cannot be mapped.
func mapFile(f *os.File, size int64) ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(f, 0, size))
}

func unmap([]byte) {}
