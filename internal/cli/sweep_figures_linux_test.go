package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"auspex/internal/testslurm"
	"auspex/store"
	"auspex/sweep"
)

// TestSweepFigures does a study of $AUSPEX_SWEEP_POINTS points twice: here with
// --jobs 2, and as an array of $AUSPEX_SWEEP_TASKS tasks whose workers are
// killed, which is then cancelled without a warning and resumed. Each point must
// be done once and none lost. The processor time of the first is held against
// that of the second, with all that Slurm's own processes took.
func TestSweepFigures(t *testing.T) {
	points, _ := strconv.Atoi(os.Getenv("AUSPEX_SWEEP_POINTS"))
	tasks, _ := strconv.Atoi(os.Getenv("AUSPEX_SWEEP_TASKS"))
	if points == 0 || tasks == 0 {
		t.Skip("set AUSPEX_SWEEP_POINTS and AUSPEX_SWEEP_TASKS; scripts/sweep-slurm does")
	}
	program, err := exec.LookPath("auspex")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	study := figureStudy(t, dir, points)
	start := time.Now()
	here := exec.Command(program, "sweep", study, "--jobs", "2", "--store", filepath.Join(dir, "here"))
	if out, err := here.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	alone := here.ProcessState.UserTime() + here.ProcessState.SystemTime()
	t.Logf("--jobs 2: %d points in %.1f s, %.1f s of processor time", points, time.Since(start).Seconds(), alone.Seconds())

	adoptOrphans(t)
	before := childrenTime(t)
	start = time.Now()
	done := false
	t.Run("array", func(t *testing.T) { done = killedArray(t, program, study, filepath.Join(dir, "array"), tasks) })
	wall := time.Since(start)
	if !done {
		return
	}
	there := childrenTime(t) - before // Slurm has ended, so all of it is counted
	share := alone.Seconds() / there.Seconds()
	t.Logf("array of %d tasks, killed and resumed: %.1f s, %.1f s of processor time with Slurm's own: %.1f %% of it useful", tasks, wall.Seconds(), there.Seconds(), 100*share)
	if share < 0.9 {
		t.Errorf("%.1f %% of the processor time is useful work, below 90 %%", 100*share)
	}
	for _, name := range []string{"here", "array"} {
		if out, err := exec.Command(program, "sweep", "table", "figures", "--top", "3", "--store", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		} else {
			t.Logf("%s: %s", name, strings.SplitN(string(out), "\n", 2)[0])
		}
	}
}

// figureStudy writes a study of so many simulations of a stencil.
func figureStudy(t *testing.T, dir string, points int) string {
	t.Helper()
	const ranks, steps = 16, 1200
	platform, err := filepath.Abs("../../examples/platforms/site1.xml")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for r := range ranks {
		fmt.Fprintf(&b, "%d init\n", r)
		for s := range steps {
			fmt.Fprintf(&b, "%d compute %d\n%d sendRecv 65536 %d 65536 %d 1 1\n%d sendRecv 65536 %d 65536 %d 1 1\n", r, 1000000+(r*s)%7*100000,
				r, (r+1)%ranks, (r+ranks-1)%ranks, r, (r+ranks-1)%ranks, (r+1)%ranks)
			if s%4 == 0 {
				fmt.Fprintf(&b, "%d allreduce 1 1 1\n", r)
			}
		}
		fmt.Fprintf(&b, "%d finalize\n", r)
	}
	trace := filepath.Join(dir, "stencil.txt")
	if err := os.WriteFile(trace, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`kind = "simulate"
[point]
trace = %q
platform = %q
np = %d
cfg = ["smpi/coll-selector:{selector}", "smpi/bw-factor:0:0.{bandwidth}"]
[grid]
selector = ["ompi", "mpich"]
bandwidth = {from = 10001, to = %d}
`, trace, platform, ranks, 10000+(points+1)/2)
	path := filepath.Join(dir, "figures.toml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// killedArray does a study on a Slurm of its own.
func killedArray(t *testing.T, program, study, dir string, tasks int) bool {
	cluster := testslurm.Start(t, 2)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	auspex := func(args ...string) {
		t.Helper()
		cmd := cluster.Command(ctx, program, append(args, "--store", dir)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("auspex %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	s, err := sweep.ReadStudy(study)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := sweep.In(store.Open(dir), s.Name)
	if err != nil {
		t.Fatal(err)
	}
	points, err := s.Points()
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	note := func(format string, args ...any) {
		t.Logf("%5.1f s: "+format, append([]any{time.Since(begin).Seconds()}, args...)...)
	}
	status := func() *sweep.Status {
		t.Helper()
		st, err := folder.Status(s, points)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	await := func(what string, done func() bool) {
		t.Helper()
		for !done() {
			select {
			case <-ctx.Done():
				t.Fatalf("%s does not come: %+v", what, status())
			case <-time.After(time.Second):
			}
		}
	}
	submit := []string{"sweep", study, "--slurm", "--tasks", strconv.Itoa(tasks), "--mem", "1"}
	auspex(submit...)
	note("submitted")
	killed := 0
	for _, share := range []float64{0.2, 0.4} {
		await("the work", func() bool { s := status(); return float64(s.Done) >= share*float64(s.Points) })
		killed += killWorkers(t, cluster.Conf)
		note("%d workers killed so far", killed)
	}
	idle := func() bool {
		out, err := cluster.Command(ctx, "squeue", "--noheader").Output()
		return err == nil && len(out) == 0
	}
	if out, err := cluster.Command(ctx, "scancel", "--state=PENDING", "--user="+strconv.Itoa(os.Getuid())).CombinedOutput(); err != nil {
		t.Fatalf("scancel: %v: %s", err, out)
	}
	killed += killWorkers(t, cluster.Conf)
	await("the end of the cancelled array", idle)
	middle := status()
	note("%d points done, no task left", middle.Done)
	if middle.Done == middle.Points || middle.Twice > 0 {
		t.Fatalf("killed in the middle: %+v", middle)
	}
	auspex("sweep", "resume", "figures", "--slurm", "--tasks", strconv.Itoa(tasks), "--mem", "1")
	await("the last point", func() bool { s := status(); return s.Done == s.Points })
	await("the end of the array", idle)
	last := status()
	note("the end; Slurm's daemons took %.1f s of processor time themselves", daemonTime(cluster.Conf))
	t.Logf("%d workers killed, %d points done by then; at the end %d of %d done, %d missing, %d failed, %d done twice", killed, middle.Done, last.Done, last.Points, last.Missing, last.Failed, last.Twice)
	if last.Done != last.Points || last.Missing+last.Failed+last.Twice > 0 || killed == 0 || len(last.Jobs) != 2 {
		t.Errorf("%+v", last)
	}
	return !t.Failed()
}

// killWorkers kills the tasks' processes without a warning.
func killWorkers(t *testing.T, conf string) (killed int) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range processes {
		words, _ := os.ReadFile(p + "/cmdline")
		env, _ := os.ReadFile(p + "/environ")
		if !strings.Contains(string(words), "sweep\x00work\x00") || !strings.Contains(string(env), "SLURM_CONF="+conf+"\x00") {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(p))
		if err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	return killed
}

// daemonTime is the processor time in seconds of a cluster's two daemons, without
// that of their children.
func daemonTime(conf string) (seconds float64) {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		words, _ := os.ReadFile(p + "/cmdline")
		env, _ := os.ReadFile(p + "/environ")
		if daemon, _, _ := strings.Cut(string(words), "\x00"); !strings.HasSuffix(daemon, "slurmctld") && !strings.HasSuffix(daemon, "slurmd") || !strings.Contains(string(env), "SLURM_CONF="+conf+"\x00") {
			continue
		}
		stat, _ := os.ReadFile(p + "/stat")
		_, rest, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(rest); len(fields) > 12 {
			for _, ticks := range fields[11:13] { // utime and stime, see proc(5)
				n, _ := strconv.ParseFloat(ticks, 64)
				seconds += n / 100
			}
		}
	}
	return seconds
}

// adoptOrphans makes this process the parent of what its children leave behind,
// so that the kernel adds their time up here.
func adoptOrphans(t *testing.T) {
	t.Helper()
	const setChildSubreaper = 36
	if _, _, err := syscall.Syscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0); err != 0 {
		t.Fatal(err)
	}
}

// childrenTime is the processor time of all children that have ended, and theirs.
func childrenTime(t *testing.T) time.Duration {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != nil { // there is none left
			break
		}
		if pid == 0 {
			time.Sleep(50 * time.Millisecond)
		}
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		t.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
