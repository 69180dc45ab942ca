package hpctoolkit

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// An HPCToolkit 2 database is a folder that holds experiment.xml, the call
// tree with every node numbered, and a .metric-db file per thread, the values
// of those nodes.
const (
	hpcExperiment  = "experiment.xml"
	metricDBEnding = ".metric-db"
	hpcRootElement = "HPCToolkitExperiment"
	hpcMaxColumns  = 4096 // no row of a metric-db is longer
)

func isHPCToolkit2(dir string, entries []os.DirEntry) bool {
	for _, e := range entries {
		if e.Name() == hpcExperiment {
			head, _, err := input.ReadHead(filepath.Join(dir, hpcExperiment))
			return err == nil && bytes.Contains(head, []byte(hpcRootElement))
		}
	}
	return false
}

func readHPCToolkit2(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	files, err := metricDBs(src)
	if err != nil {
		return nil, err
	}
	b := model.NewBuilder()
	tree, err := readHPCTree(ctx, src, b)
	if err != nil {
		return nil, err
	}
	columns := make([]int, len(tree.metrics))
	for m, metric := range tree.metrics {
		columns[m] = b.Metric(metric.Metric)
	}
	sums := &input.RegionSums{Metrics: len(columns), Idle: tree.root}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := file.read(src, tree, sums); err != nil {
			return nil, err
		}
		sums.Flush(b, b.Unit(file.unit), columns)
	}
	return b.Build(model.Header{Program: tree.program})
}

func readHPCTree(ctx context.Context, src *input.Source, b *model.Builder) (*hpcTree, error) {
	path := filepath.Join(src.Path, hpcExperiment)
	in, err := src.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return parseHPCTree(ctx, in.Reader, src.GivenFor(path), b)
}

// metricDB is the file of one thread.
type metricDB struct {
	path string
	unit model.Unit
	pid  string
}

// metricDBs lists the metric-db files, ordered by rank and thread. Processes
// that are not ranks of one MPI program all call themselves rank 0: those are
// numbered in the order of their files.
func metricDBs(src *input.Source) ([]metricDB, error) {
	entries, err := os.ReadDir(src.Path)
	if err != nil {
		return nil, mistake.InFile(src.Given, "cannot be listed: %v", err)
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return input.CompareNatural(a.Name(), b.Name()) })
	var files []metricDB
	seen := map[model.Unit]bool{}
	clash := false
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), metricDBEnding) {
			continue
		}
		path := filepath.Join(src.Path, e.Name())
		unit, pid, ok := metricDBUnit(e.Name())
		if !ok {
			return nil, mistake.InFile(src.GivenFor(path), "the name does not give rank and thread: expected program-rank-thread-host-process-number%s", metricDBEnding)
		}
		clash = clash || seen[unit]
		seen[unit] = true
		files = append(files, metricDB{path: path, unit: unit, pid: pid})
	}
	if len(files) == 0 {
		return nil, mistake.InFile(src.Given, "holds no %s files, only sums over all threads: make them with hpcprof-mpi --metric-db yes", metricDBEnding)
	}
	if clash {
		number := map[string]int{}
		for i := range files {
			process := files[i].unit.Node + "-" + files[i].pid
			if _, ok := number[process]; !ok {
				number[process] = len(number)
			}
			files[i].unit.Process = number[process]
		}
	}
	return files, nil
}

// metricDBUnit takes host, rank and thread from a name such as
// 1.osu_allgather-000003-001-a8c00471-152580-0.metric-db; the program's own
// name may hold dashes.
func metricDBUnit(name string) (unit model.Unit, pid string, ok bool) {
	parts := strings.Split(strings.TrimSuffix(name, metricDBEnding), "-")
	n := len(parts)
	if n < 6 {
		return unit, "", false
	}
	rank, err1 := strconv.Atoi(parts[n-5])
	thread, err2 := strconv.Atoi(parts[n-4])
	if err1 != nil || err2 != nil || rank < 0 || thread < 0 || rank > input.MaxUnitNumber || thread > input.MaxUnitNumber {
		return unit, "", false
	}
	return model.Unit{Node: parts[n-3], Process: rank, Thread: thread}, parts[n-2], true
}
