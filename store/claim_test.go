package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"auspex/internal/scratch"
)

// claimBy leaves a claim of another in a store.
func claimBy(t *testing.T, s *Store, name, owner string) string {
	t.Helper()
	dir := filepath.Join(s.claimsDir(), escapeName(name))
	err := errors.Join(os.MkdirAll(dir, 0o777),
		os.WriteFile(filepath.Join(dir, claimFile), []byte(newID()+" "+owner+" somewhere\n"), 0o666))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// deadOwner stands for a process of this machine that has ended.
func deadOwner(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Skip(err)
	}
	parts := strings.Split(scratch.Self(), ".")
	return strconv.Itoa(cmd.Process.Pid) + ".1." + parts[2]
}

func TestAClaimedNameIsLeftToItsOwner(t *testing.T) {
	dir := t.TempDir()
	mine, other := Open(dir), Open(dir)
	other.patience = 20 * time.Millisecond
	held, err := mine.Claim(Experiments, "x", false)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Put(small(t, "x"), true); !errors.Is(err, ErrBusy) || !errors.Is(err, ErrExists) {
		t.Errorf("the other's put: %v", err)
	}
	if _, err := other.Claim(Experiments, "x", true); !errors.Is(err, ErrBusy) {
		t.Errorf("the other's claim: %v", err)
	}
	if err := other.Put(small(t, "y"), false); err != nil {
		t.Errorf("another name: %v", err)
	}
	if _, err := other.Get("x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a claim is seen as a thing: %v", err)
	}
	if removed, err := other.Collect(); err != nil || len(removed) > 0 {
		t.Errorf("collected %q, %v", removed, err)
	}
	if err := mine.Put(small(t, "x"), false); err != nil {
		t.Error(err)
	}
	held.Release()
	held.Release()
	if err := other.Put(small(t, "x"), true); err != nil {
		t.Error(err)
	}
	if _, err := other.Claim(Experiments, "x", false); !errors.Is(err, ErrExists) || errors.Is(err, ErrBusy) {
		t.Errorf("a name that is there: %v", err)
	}
	if _, err := other.Claim(Predictions, "x", true); !errors.Is(err, ErrExists) {
		t.Errorf("an experiment's name for a prediction: %v", err)
	}
}

// What the dead claimed is free at once; what another machine claimed, when
// it has not been heard of for long.
func TestClaimsOfTheDeadAreBroken(t *testing.T) {
	s := Open(t.TempDir())
	s.patience = 20 * time.Millisecond
	claimBy(t, s, "dead", deadOwner(t))
	if err := s.Put(small(t, "dead"), false); err != nil {
		t.Error(err)
	}
	far := claimBy(t, s, "far", "12.34.01234567")
	if err := s.Put(small(t, "far"), false); !errors.Is(err, ErrBusy) {
		t.Errorf("a young claim from elsewhere: %v", err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(far, old, old); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(small(t, "far"), false); err != nil {
		t.Error(err)
	}
	left := claimBy(t, s, "left", deadOwner(t))
	if removed, err := s.Collect(); err != nil || len(removed) != 1 || removed[0] != left {
		t.Errorf("collected %q, %v", removed, err)
	}
	if entries, err := os.ReadDir(s.claimsDir()); err != nil || len(entries) > 0 {
		t.Errorf("left in claims: %v, %v", entries, err)
	}
}

// Many meet the claim of a dead one, and one of them had died while breaking
// it: only one at a time has the name.
func TestOneAtATimeHasAName(t *testing.T) {
	s := Open(t.TempDir())
	s.patience = time.Minute
	dead := claimBy(t, s, "x", deadOwner(t))
	token, _, _ := readOwner(dead)
	claimBy(t, s, "y", deadOwner(t)) // becomes the right to break the first
	if err := os.Rename(filepath.Join(s.claimsDir(), "y"), filepath.Join(s.claimsDir(), ".break-"+token)); err != nil {
		t.Fatal(err)
	}
	var inside atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				c, err := s.claim("x")
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d have the name", n)
				}
				inside.Add(-1)
				c.release()
			}
		})
	}
	wg.Wait()
}

func TestDirectoriesThatCannotBeSynced(t *testing.T) {
	for _, number := range []syscall.Errno{syscall.EINVAL, syscall.ENOTSUP} {
		if err := unlessUnsyncable(&fs.PathError{Op: "sync", Path: "x", Err: number}); err != nil {
			t.Errorf("%v fails a Put", err)
		}
	}
	if err := unlessUnsyncable(&fs.PathError{Op: "sync", Path: "x", Err: syscall.EIO}); !errors.Is(err, syscall.EIO) {
		t.Errorf("a failing disk is passed over: %v", err)
	}
}

// A reader sees what was there before a replacing or after it, by any way, and
// also when he opened it before; a collecting at the same time takes nothing.
func TestReadersDuringReplaceAndCollect(t *testing.T) {
	s := Open(t.TempDir())
	if err := s.Put(small(t, "x"), false); err != nil {
		t.Fatal(err)
	}
	engine, err := NewEngine(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	first, err := s.Get("x")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				e, err := s.Get("x")
				if err != nil {
					t.Error(err)
					return
				}
				_, err = e.Load()
				_, sqlErr := everyRow(engine, e)
				if err := errors.Join(err, sqlErr); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if removed, err := s.Collect(); err != nil || len(removed) > 0 {
				t.Errorf("collected %q, %v", removed, err)
				return
			}
		}
	})
	for range 10 {
		if err := Open(s.Dir()).Put(small(t, "x"), true); err != nil {
			t.Error(err)
		}
	}
	close(done)
	wg.Wait()
	if _, err := first.Load(); err != nil {
		t.Errorf("opened before: %v", err)
	}
}

// A name that somebody is giving another folder is not collected, though its
// folder is gone.
func TestCollectLeavesANameThatIsBeingWritten(t *testing.T) {
	s := Open(t.TempDir())
	if err := s.Put(small(t, "x"), false); err != nil {
		t.Fatal(err)
	}
	e, err := s.Get("x")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(e.folder.dir); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get("x"); err == nil || !strings.Contains(err.Error(), "auspex gc") {
		t.Errorf("a name without a folder: %v", err)
	}
	held, err := s.Claim(Experiments, "x", true)
	if err != nil {
		t.Fatal(err)
	}
	if removed, err := s.Collect(); err != nil || len(removed) > 0 {
		t.Errorf("collected %q, %v", removed, err)
	}
	if err := s.Put(small(t, "x"), true); err != nil {
		t.Error(err)
	}
	held.Release()
	if _, err := s.Get("x"); err != nil {
		t.Error(err)
	}
}
