package cli

import (
	"bufio"
	"errors"
	"io"
	"os"

	"auspex/internal/mistake"
)

// writeWhole writes a file under a temporary name and renames it, so that a
// half one is never taken for the whole. What is no file, such as /dev/stdout, is
// written to as it is. Errors name the file that was asked for.
func writeWhole(path string, write func(io.Writer) error) error {
	temporary := path + ".part"
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		temporary = path
	}
	err := writeFile(temporary, write)
	if temporary != path {
		if err == nil {
			err = os.Rename(temporary, path)
		}
		if err != nil {
			os.Remove(temporary)
		}
	}
	if failed := (*os.PathError)(nil); errors.As(err, &failed) && failed.Path == temporary {
		return mistake.InFile(path, "cannot write: %v", failed.Err)
	}
	return err
}

func writeFile(path string, write func(io.Writer) error) error {
	// For writing alone: whoever could also read a pipe would not see its reader end.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(f)
	return errors.Join(write(buffered), buffered.Flush(), f.Close())
}
