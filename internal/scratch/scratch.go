package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// prefix begins the names of all that is made here.
const prefix = "auspex-"

// Dir makes a folder in the temporary directory for what is named, such as
// "predict". Whoever asked removes it; Collect does where he could not.
func Dir(what string) (string, error) { return os.MkdirTemp("", pattern(what)) }

// File makes a file in the temporary directory in the same way.
func File(what string) (*os.File, error) { return os.CreateTemp("", pattern(what)) }

func pattern(what string) string { return prefix + what + "-" + Self() + "-*" }

// Collect removes what processes that are gone left in the temporary
// directory, and returns the paths. What cannot be judged from here stays.
func Collect() (removed []string, err error) {
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name, ours := strings.CutPrefix(entry.Name(), prefix)
		parts := strings.Split(name, "-")
		if !ours || len(parts) != 3 {
			continue
		}
		if alive, known := Alive(parts[1]); alive || !known {
			continue
		}
		path := filepath.Join(os.TempDir(), entry.Name())
		switch failed := os.RemoveAll(path); {
		case errors.Is(failed, fs.ErrPermission): // another user's
		case failed != nil:
			err = errors.Join(err, failed)
		default:
			removed = append(removed, path)
		}
	}
	return removed, err
}
