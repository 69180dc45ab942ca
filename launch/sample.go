package launch

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Sample is how busy a node's processors were since the sample before.
type Sample struct {
	Node string
	At   time.Duration // since the run's start
	Busy float64       // share of all processors, 0 to 1
}

// CollectSamples reads the CPU utilisation that the processes of a run noted in
// dir, node by node in order of time.
func CollectSamples(dir string, started time.Time) ([]Sample, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.cpu"))
	if err != nil {
		return nil, err
	}
	var samples []Sample
	for _, file := range files {
		more, err := readSamples(file, started)
		if err != nil {
			return nil, err
		}
		samples = append(samples, more...)
	}
	return samples, nil
}

func readSamples(path string, started time.Time) ([]Sample, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	node := strings.TrimSuffix(filepath.Base(path), ".cpu")
	var samples []Sample
	var busyBefore, allBefore int64
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		var at, busy, all int64
		if _, err := fmt.Sscan(lines.Text(), &at, &busy, &all); err != nil {
			break // the last line of a node that was killed
		}
		if n > 1 && all > allBefore {
			share := float64(busy-busyBefore) / float64(all-allBefore)
			samples = append(samples, Sample{Node: node, At: time.Unix(0, at).Sub(started), Busy: min(max(share, 0), 1)})
		}
		if n == 1 || all > allBefore {
			busyBefore, allBefore = busy, all
		}
	}
	return samples, lines.Err()
}
