package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"auspex/internal/figure"
)

// throttle is what the quotas of CPU time have kept control groups from running so far,
// by the group's directory.
type throttle map[string]quota

type quota struct {
	cores   float64 // that it is worth
	stopped float64 // seconds, added up over the cores
}

// throttled reads the quotas of the groups that a process is in. root is where control
// groups are mounted, and groups what the kernel says of the process in /proc/PID/cgroup.
func throttled(root, groups string) throttle {
	found := throttle{}
	for line := range strings.Lines(groups) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) != 3 {
			continue
		}
		mounts := []string{"", "unified"} // of the second version, in which all controllers are one tree
		if fields[1] != "" {
			mounts = nil
			for _, controller := range strings.Split(fields[1], ",") {
				if controller == "cpu" {
					mounts = []string{"cpu", fields[1]}
				}
			}
		}
		for _, mount := range mounts {
			top := filepath.Join(root, mount)
			for dir := filepath.Join(top, fields[2]); len(dir) >= len(top); dir = filepath.Dir(dir) {
				if cores := quotaOf(dir); cores > 0 {
					found[dir] = quota{cores, stoppedIn(dir)}
				}
			}
		}
	}
	return found
}

// quotaOf is how many cores a group's quota is worth; 0 where it has none.
func quotaOf(dir string) float64 {
	text := func(file string) string {
		data, _ := os.ReadFile(filepath.Join(dir, file))
		return strings.TrimSpace(string(data))
	}
	limit, period, _ := strings.Cut(text("cpu.max"), " ")
	if limit == "" {
		limit, period = text("cpu.cfs_quota_us"), text("cpu.cfs_period_us")
	}
	of, err := strconv.ParseFloat(limit, 64)
	in, err2 := strconv.ParseFloat(period, 64)
	if err != nil || err2 != nil || of <= 0 || in <= 0 { // "max", or -1
		return 0
	}
	return of / in
}

func stoppedIn(dir string) float64 {
	data, _ := os.ReadFile(filepath.Join(dir, "cpu.stat"))
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil:
		case name == "throttled_usec":
			return n / 1e6
		case name == "throttled_time":
			return n / 1e9
		}
	}
	return 0
}

// throttledHere are this process's quotas, which hold for what it starts on this machine.
func throttledHere() throttle {
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	return throttled("/sys/fs/cgroup", string(groups))
}

// since says in a note what the quota that stopped most has stopped since before, where
// that is a fiftieth of the run or more; "" otherwise.
func (t throttle) since(before throttle, run float64) string {
	const much = 0.02
	var most quota
	for dir, now := range t {
		if stopped := now.stopped - before[dir].stopped; stopped > most.stopped {
			most = quota{now.cores, stopped}
		}
	}
	if run <= 0 || most.stopped < much*run {
		return ""
	}
	return fmt.Sprintf("a quota of CPU time, worth %s, stopped what ran here for %s, added up over the cores: ask the container or the batch system for more", coresWorth(most.cores), figure.Seconds(most.stopped, 3))
}

func coresWorth(n float64) string {
	if n == 1 {
		return "1 core"
	}
	return figure.Number(n, 3) + " cores"
}
