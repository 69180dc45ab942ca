package vcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// period is how often a host's share of its core is renewed: short, so that a
// host that may not run now soon may.
const period = 10000 // µs

// groupDir is where the control group of a host lies, in the first or second
// version of control groups; empty where the system lets us make none.
func (l *Lab) groupDir(host int) (dir string, second bool) {
	name := l.namespace(host)
	if _, err := os.Stat("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"); err == nil {
		return filepath.Join("/sys/fs/cgroup/cpu", name), false
	}
	if _, err := os.Stat("/sys/fs/cgroup/cpu/tasks"); err == nil {
		return filepath.Join("/sys/fs/cgroup/cpu", name), false
	}
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.subtree_control"); err == nil {
		return filepath.Join("/sys/fs/cgroup", name), true
	}
	return "", false
}

// limitCPU gives hosts their share of a core where they do not have a whole one.
func (l *Lab) limitCPU() error {
	for i, h := range l.Hosts {
		if h.Share >= 1 {
			continue
		}
		dir, second := l.groupDir(i)
		if dir == "" {
			return errors.New("lab: more hosts than cores, and no cpu control groups are mounted to share them fairly")
		}
		if second {
			// Fails where it is on already through a parent; the limit below tells.
			_ = os.WriteFile("/sys/fs/cgroup/cgroup.subtree_control", []byte("+cpu"), 0o644)
		}
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("lab: a control group for the share of a core: %w", err)
		}
		quota := strconv.Itoa(int(h.Share * period))
		files := map[string]string{"cpu.cfs_period_us": strconv.Itoa(period), "cpu.cfs_quota_us": quota}
		if second {
			files = map[string]string{"cpu.max": quota + " " + strconv.Itoa(period)}
		}
		for file, value := range files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(value), 0o644); err != nil {
				return fmt.Errorf("lab: the share of a core: %w", err)
			}
		}
	}
	return nil
}

// groupFile is where a process enters its host's control group; empty where the
// host has none.
func (l *Lab) groupFile(host int) string {
	if l.Hosts[host].Share >= 1 {
		return ""
	}
	dir, second := l.groupDir(host)
	if second {
		return filepath.Join(dir, "cgroup.procs")
	}
	return filepath.Join(dir, "tasks")
}

// groups lists the control groups of a lab, from all places they may be in.
func groups(name string) []string {
	var found []string
	for _, dir := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/cpu"} {
		match, _ := filepath.Glob(filepath.Join(dir, prefix(name)+"*"))
		found = append(found, match...)
	}
	return found
}
