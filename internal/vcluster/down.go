package vcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Down removes a lab with all that runs in it, however much of it is there. It
// goes by names alone, so that it also cleans up after a lab that was killed.
func Down(ctx context.Context, name string) error {
	if err := check(name); err != nil {
		return err
	}
	spaces, err := namespaces(name)
	if err != nil {
		return err
	}
	if err := end(ctx, spaces); err != nil {
		return err
	}
	errs := []error{removeSpaces(ctx, spaces)}
	for _, dir := range groups(name) {
		errs = append(errs, removeGroup(ctx, dir))
	}
	return errors.Join(append(errs, os.RemoveAll(filepath.Join(stateDir, name)))...)
}

// removeSpaces removes namespaces. One that somebody else removed meanwhile is
// no error, and a reason that keeps several is told once.
func removeSpaces(ctx context.Context, spaces []string) error {
	var first error
	kept := 0
	for _, ns := range spaces {
		err := feed(ctx, "", "ip", "netns", "del", ns)
		if _, gone := os.Lstat(filepath.Join(netnsDir, ns)); err == nil || errors.Is(gone, os.ErrNotExist) {
			continue
		}
		if kept++; first == nil {
			first = err
		}
	}
	if kept > 1 {
		return fmt.Errorf("lab: %d of %d namespaces could not be removed; the first: %w", kept, len(spaces), first)
	}
	return first
}

// end kills the processes inside namespaces, which are ours by their names, and
// waits until they are gone.
func end(ctx context.Context, spaces []string) error {
	for deadline := time.Now().Add(5 * time.Second); ; {
		running := 0
		for _, ns := range spaces {
			for _, pid := range processes(ctx, ns) {
				running++
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
			}
		}
		if running == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("lab: %d processes do not end", running)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func processes(ctx context.Context, ns string) []int {
	out, err := exec.CommandContext(ctx, "ip", "netns", "pids", ns).Output()
	if err != nil {
		return nil
	}
	var pids []int
	for _, field := range strings.Fields(string(out)) {
		if pid, err := strconv.Atoi(field); err == nil && pid > 1 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// removeGroup removes a control group; the kernel lets go of it a moment after
// its last process.
func removeGroup(ctx context.Context, dir string) error {
	for tries := 0; ; tries++ {
		err := os.Remove(dir)
		if err == nil || errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if tries == 50 {
			return fmt.Errorf("lab: %w", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
