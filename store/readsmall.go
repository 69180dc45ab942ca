package store

import (
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// readSmall reads a file that is most likely below 4 KiB with fewer system
// calls and less garbage than os.ReadFile: listing ten thousand experiments
// reads twice as many such files.
func readSmall(path string) ([]byte, error) {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	var buffer [4 << 10]byte
	for n := 0; n < len(buffer); {
		read, err := syscall.Read(fd, buffer[n:])
		if err != nil {
			break
		}
		if read == 0 {
			return slices.Clone(buffer[:n]), nil
		}
		n += read
	}
	return os.ReadFile(path) // larger, interrupted, or an error to be told properly
}
