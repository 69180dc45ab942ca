package sweep

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// onMounts mounts a directory several times and lets a worker loose on each: $1
// is the directory, $2 where to mount, $3 how, $4 the worker. All of it is in a
// mount namespace of its own, so nothing is left mounted whatever happens. Each
// worker is in a process namespace of its own too, and so takes the others for
// processes of other machines, which it cannot ask whether they live.
const onMounts = `
set -eu
mounts=
for i in 1 2 3 4; do
  mkdir -p "$2/$i"
  case $3 in
  bind) mount --bind "$1" "$2/$i" ;;
  # own caches of names and attributes, as clients of a network file system have
  fuse) bindfs -f -o attr_timeout=1,entry_timeout=1 "$1" "$2/$i" & mounts="$mounts $!" ;;
  esac
done
trap 'kill $mounts 2>/dev/null || true' EXIT
for i in 1 2 3 4; do
  n=0
  while ! [ -e "$2/$i/sweeps/wide/plan.json" ]; do n=$((n+1)); [ $n -lt 600 ] || { echo NOT MOUNTED; exit 0; }; sleep 0.1; done
done
workers=
for i in 1 2 3 4; do
  AUSPEX_SWEEP_WORKER="$2/$i" unshare --pid --fork "$4" & workers="$workers $!"
done
for w in $workers; do wait $w; done
`

// TestManyMounts lets workers do one study over several mounts of its store:
// each point once.
func TestManyMounts(t *testing.T) {
	if err := exec.Command("unshare", "--mount", "--pid", "--fork", "true").Run(); err != nil {
		t.Skipf("no mount namespaces here: %v", err)
	}
	for _, how := range []string{"bind", "fuse"} {
		t.Run(how, func(t *testing.T) {
			if how == "fuse" {
				if _, err := exec.LookPath("bindfs"); err != nil {
					t.Skip("bindfs is not installed: scripts/setup test installs it")
				}
				if _, err := os.Stat("/dev/fuse"); err != nil {
					t.Skip("no /dev/fuse here")
				}
			}
			dir := t.TempDir()
			folder, s, points := planned(t, filepath.Join(dir, "store"))
			cmd := exec.CommandContext(t.Context(), "timeout", "300", "unshare", "--mount", "sh", "-c", onMounts, "sh", filepath.Join(dir, "store"), filepath.Join(dir, "mounts"), how, os.Args[0])
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			err := cmd.Run()
			var ended *exec.ExitError
			if errors.As(err, &ended) && ended.ExitCode() == 124 {
				t.Skip("the workers have not ended after five minutes: this machine is too busy")
			}
			if strings.Contains(said.String(), "NOT MOUNTED") || strings.Contains(said.String(), "mount: ") {
				t.Skipf("mounting does not work here: %s", said.String())
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, said.String())
			}
			wantAll(t, folder, s, points)
			l := folder.Ledger()
			if err := l.Refresh(); err != nil {
				t.Fatal(err)
			}
			if len(l.read) < 2 {
				t.Logf("only %d of the workers did something", len(l.read))
			}
		})
	}
}
