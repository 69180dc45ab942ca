package vcluster

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed leave/leave.c
var leaveSource string

// library is what tells when processes enter MPI_Finalize.
func (l *Lab) library() string { return l.file("leave.so") }

// buildLibrary compiles it. Without a C compiler there is none, and a program
// that never leaves MPI_Finalize has to be interrupted.
func (l *Lab) buildLibrary(ctx context.Context) {
	cc := exec.CommandContext(ctx, "cc", "-O1", "-shared", "-fPIC", "-DDIR=\""+l.dir()+"\"", "-x", "c", "-", "-o", l.library(), "-ldl")
	cc.Stdin = strings.NewReader(leaveSource)
	_ = cc.Run()
}

// preload is the library beside what the user preloads; empty where there is none.
func (l *Lab) preload() string {
	if _, err := os.Stat(l.library()); err != nil {
		return ""
	}
	if others := os.Getenv("LD_PRELOAD"); others != "" {
		return l.library() + ":" + others
	}
	return l.library()
}

// Patience is how long all processes of a program may be in MPI_Finalize.
const Patience = 20 * time.Second

// EndLeaving ends the processes of a program that is done but does not leave
// MPI_Finalize: MPICH over UCX may wait there for ever (docs/lab.md). It returns how
// many it ended, or 0 once ctx is done.
func (l *Lab) EndLeaving(ctx context.Context, patience time.Duration) int {
	for {
		select {
		case <-ctx.Done():
			return 0
		case <-time.After(min(patience, time.Second) / 2):
		}
		if stuck := l.stuck(patience); len(stuck) > 0 {
			for _, pid := range stuck {
				_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
			}
			return len(stuck)
		}
	}
}

// stuck are the processes in MPI_Finalize, where all of the lab's have been there
// for so long.
func (l *Lab) stuck(patience time.Duration) []int {
	if len(l.alive("running")) > 0 {
		return nil
	}
	leaving := l.alive("leaving")
	for _, pid := range leaving {
		// Renaming a file changes its inode, and so its time of change.
		info, err := os.Stat(l.mark("leaving", pid))
		if err != nil {
			return nil // it has just left
		}
		at := info.Sys().(*syscall.Stat_t).Ctim
		if time.Since(time.Unix(at.Sec, at.Nsec)) < patience {
			return nil
		}
	}
	return leaving
}

// mark is the file that a process leaves while it is in MPI.
func (l *Lab) mark(state string, pid int) string { return l.file(fmt.Sprintf("%s.%d", state, pid)) }

// alive lists the processes of a state; the marks of those that died are removed.
func (l *Lab) alive(state string) (pids []int) {
	files, _ := filepath.Glob(l.file(state + ".*"))
	for _, file := range files {
		pid, err := strconv.Atoi(strings.TrimPrefix(filepath.Ext(file), "."))
		if err != nil {
			continue
		}
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			os.Remove(file)
			continue
		}
		pids = append(pids, pid)
	}
	return pids
}
