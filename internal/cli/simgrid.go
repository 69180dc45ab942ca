package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"auspex/internal/scratch"
	"auspex/platform"
	"auspex/report"
	"auspex/trace"
)

// askSimGrid hands the same replay to an installed smpirun, for a second
// opinion. Inputs are written anew in SimGrid's own forms, so that both
// engines answer the same question whatever form the user's files have.
func askSimGrid(ctx context.Context, p *platform.Platform, t *trace.Trace, hosts []int, f simulateFlags) (*report.SecondOpinion, error) {
	program, err := exec.LookPath("smpirun")
	if err != nil {
		return nil, fmt.Errorf("--engine simgrid: no smpirun on the PATH (Debian package libsimgrid-dev)")
	}
	dir, err := scratch.Dir("simgrid")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := writeForSimGrid(dir, p, t, hosts, f.platform); err != nil {
		return nil, err
	}
	args := []string{
		"-np", strconv.Itoa(t.NP()), "-platform", "platform.xml", "-hostfile", "hostfile", "-replay", "list.txt",
		"--log=root.fmt:%.15r|%m%n",
	}
	for _, option := range f.config {
		args = append(args, "--cfg="+option)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	start := time.Now()
	out, err := cmd.CombinedOutput()
	wall := time.Since(start).Seconds()
	for line := range strings.Lines(string(out)) {
		clock, message, ok := strings.Cut(line, "|")
		if !ok || !strings.Contains(message, "Simulation time") {
			continue
		}
		seconds, err := strconv.ParseFloat(clock[strings.LastIndexByte(clock, ' ')+1:], 64)
		if err == nil {
			return &report.SecondOpinion{SimulatedSeconds: seconds, WallSeconds: wall}, nil
		}
	}
	return nil, fmt.Errorf("smpirun gave no simulated time (%v):\n%s", err, lastLines(string(out), 10))
}

func writeForSimGrid(dir string, p *platform.Platform, t *trace.Trace, hosts []int, platformPath string) error {
	err := writeWhole(filepath.Join(dir, "platform.xml"), func(w io.Writer) error {
		if strings.HasSuffix(platformPath, ".toml") {
			return platform.WriteXML(w, p)
		}
		original, err := os.Open(platformPath)
		if err != nil {
			return err
		}
		defer original.Close()
		_, err = io.Copy(w, original)
		return err
	})
	if err != nil {
		return err
	}
	if err := writeRanks(dir, t, trace.WriteText); err != nil {
		return err
	}
	return writeWhole(filepath.Join(dir, "hostfile"), func(w io.Writer) error {
		for _, host := range hosts {
			if _, err := fmt.Fprintln(w, p.Hosts[host].Name); err != nil {
				return err
			}
		}
		return nil
	})
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
