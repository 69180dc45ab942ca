package probe

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"auspex/internal/builtonce"
)

// multiarch are the names that Debian and its kin give an architecture's libraries.
var multiarch = map[string]string{"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu", "ppc64le": "powerpc64le-linux-gnu", "riscv64": "riscv64-linux-gnu", "s390x": "s390x-linux-gnu"}

// Preload is how LD_PRELOAD names a shared object that Build or BuildChooser made.
// The object needs the loader of the GNU C library, and the loader of musl, which a
// child of the program may have, ends a program whose preloaded object it cannot
// load. So the name has $LIB in it, which the one loader replaces by the folder of its
// libraries, and the other takes for a file that is not there, without a word.
func Preload(object string) string {
	dir, name := filepath.Split(object)
	if findsByLIB(dir) {
		return dir + "$LIB/" + name
	}
	return object
}

// findsByLIB tells whether the loader here finds what is in a folder by $LIB; it does
// not where its libraries are in a folder of another name. What came out is kept.
func findsByLIB(dir string) bool {
	kept, err := builtonce.At(filepath.Join(dir, "found-by-lib"), func(room string) (string, error) {
		for _, folder := range []string{"lib", "lib64", multiarch[runtime.GOARCH]} {
			if folder != "" {
				os.Symlink(".", filepath.Join(dir, folder)) // and lib/x86_64-linux-gnu leads there too
			}
		}
		empty, answer := filepath.Join(dir, "empty"), filepath.Join(room, "answer")
		if err := os.WriteFile(empty, nil, 0o666); err != nil {
			return "", err
		}
		cmd := exec.Command("true")
		cmd.Env = []string{"LD_PRELOAD=" + dir + "$LIB/empty", "PATH=" + os.Getenv("PATH")}
		said, _ := cmd.CombinedOutput()
		return answer, os.WriteFile(answer, said, 0o666)
	})
	if err != nil {
		return false
	}
	said, err := os.ReadFile(kept)
	return err == nil && strings.Contains(string(said), "too short") // no library, but there
}
