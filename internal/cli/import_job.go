package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"auspex/analyze"
	"auspex/ingest"
	"auspex/model"
	"auspex/store"
	"auspex/web"
)

// importJob reads the sources of one import and stores all of them or none.
type importJob struct {
	*app
	flags   importFlags
	factors []model.Factor
	pattern *ingest.NamePattern
	bar     *progressBar
	matched int // sources whose name fitted the pattern
	traces  map[*ingest.Source]*readTrace
	held    int // values of the experiments kept in memory
	result  imported
}

// maxHeld is how many values are kept in memory while other sources are still
// read; sources beyond it are read again when they are stored.
const maxHeld = 50_000_000

// run reads every source before it stores anything.
func (j *importJob) run(ctx context.Context, sources []*ingest.Source) error {
	began := time.Now().Add(-time.Second)
	var parts []*model.Experiment
	for _, src := range sources {
		part, err := j.read(ctx, src)
		if err != nil {
			return err
		}
		if j.held += part.Summaries.Rows() * len(part.Metrics); j.flags.each && j.held > maxHeld {
			part.Summaries = model.Summaries{}
		}
		parts = append(parts, part)
	}
	if j.pattern != nil && j.matched == 0 {
		return usagef("no file or folder name fits --factors-from %q; the first is %s", j.flags.factorsFrom, sources[0].Given)
	}
	if !j.flags.each && !j.flags.join && !j.flags.repeats && len(parts) > 1 {
		if folders := ingest.Folders(parts); folders != nil {
			j.result.Notes = append(j.result.Notes, fmt.Sprintf("these are %d runs, an experiment each: every folder holds the ranks of one; --join makes one of them", len(folders)))
			return j.putFolders(ctx, sources, parts, folders)
		}
		if why := ingest.Separate(parts, began); why != "" {
			j.result.Notes = append(j.result.Notes, fmt.Sprintf("these are %d runs, an experiment each: %s; --join makes one of them", len(parts), why))
			j.flags.each = true
		}
	}
	if j.flags.each {
		var runs []run
		for i := range parts {
			runs = append(runs, run{sources[i : i+1], parts[i]})
		}
		return j.putEach(ctx, runs)
	}
	whole, err := combine(parts, j.flags.repeats)
	if err != nil {
		return err
	}
	if j.flags.name != "" {
		whole.Name = j.flags.name
	} else if len(sources) > 1 {
		whole.Name = commonName(sources)
	}
	attached, err := j.attachments(ctx, sources, whole)
	if err != nil {
		return err
	}
	return j.put(whole, attached...)
}

// attachments are what is kept of a run beside its profile.
func (j *importJob) attachments(ctx context.Context, sources []*ingest.Source, profile *model.Experiment) ([]store.Attachment, error) {
	attached, err := j.trainingAttachment(ctx, sources, profile)
	if err == nil && len(sources) == 1 {
		var spans []store.Attachment
		spans, err = j.spans(ctx, sources[0])
		attached = append(attached, spans...)
	}
	return attached, err
}

func (j *importJob) read(ctx context.Context, src *ingest.Source) (*model.Experiment, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	src.Progress = j.bar.add
	defer j.beside(src)()
	part, err := ingest.Read(ctx, src)
	if err != nil {
		return nil, err
	}
	j.nameFactors(part, src)
	return part, nil
}

// run is one of several that are imported together, with the files it is in.
type run struct {
	sources []*ingest.Source
	whole   *model.Experiment
}

// putFolders stores an experiment for each folder.
func (j *importJob) putFolders(ctx context.Context, sources []*ingest.Source, parts []*model.Experiment, folders [][]int) error {
	var runs []run
	for _, folder := range folders {
		var of []*ingest.Source
		var ranks []*model.Experiment
		for _, i := range folder {
			of, ranks = append(of, sources[i]), append(ranks, parts[i])
		}
		whole, err := ingest.Join(ranks)
		if err != nil {
			return err
		}
		whole.Name = commonName(of)
		runs = append(runs, run{of, whole})
	}
	return j.putEach(ctx, runs)
}

// putEach stores an experiment for each run. Names are settled before the first
// is stored; should one fail all the same, those stored are taken back.
func (j *importJob) putEach(ctx context.Context, runs []run) error {
	names, err := eachName(j.flags.name, runs)
	if err != nil {
		return err
	}
	s := j.openStore()
	there, err := s.Names()
	if err != nil {
		return err
	}
	for i, name := range names {
		if err := store.CheckName(name); err != nil {
			return fmt.Errorf("%s: %w; choose one with --name", runs[i].sources[0].Given, err)
		}
		if !j.flags.replace && slices.Contains(there, name) {
			return fmt.Errorf("%w: %q (%s); nothing was imported: choose another with --name, or give --replace", store.ErrExists, name, runs[i].sources[0].Given)
		}
	}
	for i, r := range runs {
		if r.whole.Summaries.Rows() == 0 { // put aside for want of memory
			if r.whole, err = j.read(ctx, r.sources[0]); err != nil {
				break
			}
		}
		r.whole.Name = names[i]
		var attached []store.Attachment
		if attached, err = j.attachments(ctx, r.sources, r.whole); err != nil {
			break
		}
		if err = j.put(r.whole, attached...); err != nil {
			break
		}
	}
	if err != nil {
		for i := range j.result.Experiments {
			if !slices.Contains(there, names[i]) {
				err = errors.Join(err, s.Remove(names[i]))
			}
		}
	}
	return err
}

func combine(parts []*model.Experiment, repeats bool) (*model.Experiment, error) {
	if repeats {
		return ingest.Repeats(parts)
	}
	return ingest.Join(parts)
}

func (j *importJob) nameFactors(e *model.Experiment, src *ingest.Source) {
	if j.pattern == nil {
		return
	}
	factors, err := j.pattern.Factors(src.Given)
	if err != nil {
		j.result.Notes = append(j.result.Notes, err.Error())
		return
	}
	j.matched++
	for _, factor := range factors {
		e.SetFactor(factor)
	}
}

func (j *importJob) put(e *model.Experiment, attached ...store.Attachment) error {
	for _, factor := range j.factors {
		e.SetFactor(factor)
	}
	for i, source := range e.Sources {
		if source == j.flags.piped {
			e.Sources[i] = standardInput
		}
	}
	if err := analyze.PutWith(j.openStore(), e, j.flags.replace, web.Ahead, attached...); err != nil {
		if errors.Is(err, store.ErrExists) {
			return fmt.Errorf("%w; choose another with --name, or give --replace", err)
		}
		return err
	}
	j.result.Experiments = append(j.result.Experiments, importedExperiment{
		Name: e.Name, ID: e.ID, Format: e.Format, Units: len(e.Units), Regions: len(e.Regions), Metrics: len(e.Metrics), Incomplete: e.Incomplete,
	})
	j.result.Notes = append(j.result.Notes, e.Notes...)
	return nil
}

// eachName names an experiment for each run: as its content does, else after
// its file, or its folder if it has several. Where several would have one name it is that of the file,
// and where the files are named alike too, that of the folders in which they
// differ: Score-P calls every profile profile.cubex.
func eachName(prefix string, runs []run) ([]string, error) {
	names, sources := make([]string, len(runs)), make([]*ingest.Source, len(runs))
	label := func(i int) string {
		if len(runs[i].sources) > 1 {
			return runs[i].whole.Name
		}
		return sources[i].Label
	}
	for i, r := range runs {
		sources[i] = r.sources[0]
		names[i] = r.whole.Name
		if prefix != "" {
			names[i] = label(i)
		}
	}
	for _, group := range sameNames(names) {
		for _, i := range group {
			names[i] = label(i)
		}
	}
	for _, group := range sameNames(names) {
		for k, name := range folderNames(sources, group) {
			names[group[k]] = name
		}
	}
	if prefix != "" {
		for i := range names {
			if names[i] = prefix + "-" + names[i]; len(names) == 1 {
				names[i] = prefix
			}
		}
	}
	if twins := sameNames(names); len(twins) > 0 {
		a, b := sources[twins[0][0]].Given, sources[twins[0][1]].Given
		return nil, fmt.Errorf("%s and %s would both be named %q; import one of them apart with --name", a, b, names[twins[0][0]])
	}
	return names, nil
}

// sameNames lists the places of names that are there more than once.
func sameNames(names []string) [][]int {
	at := map[string][]int{}
	for i, name := range names {
		at[name] = append(at[name], i)
	}
	var groups [][]int
	for _, name := range names {
		if len(at[name]) > 1 {
			groups = append(groups, at[name])
			delete(at, name)
		}
	}
	return groups
}

// folderNames tells the sources of a group apart by their folders, without
// the parts all of them share at the beginning and at the end.
func folderNames(sources []*ingest.Source, group []int) []string {
	var folders [][]string
	for _, i := range group {
		dir, _ := filepath.Abs(filepath.Dir(sources[i].Given))
		folders = append(folders, strings.Split(strings.Trim(filepath.ToSlash(dir), "/"), "/"))
	}
	shared := func(at func(path []string) string) bool {
		for _, f := range folders {
			if len(f) == 0 || at(f) != at(folders[0]) {
				return false
			}
		}
		return true
	}
	trim := func(cut func(path []string) []string) {
		for i := range folders {
			folders[i] = cut(folders[i])
		}
	}
	for shared(func(path []string) string { return path[0] }) {
		trim(func(path []string) []string { return path[1:] })
	}
	for shared(func(path []string) string { return path[len(path)-1] }) {
		trim(func(path []string) []string { return path[:len(path)-1] })
	}
	names := make([]string, len(group))
	for k, path := range folders {
		if names[k] = strings.Join(path, "-"); names[k] == "" {
			names[k] = sources[group[k]].Label
		}
	}
	return names
}

// commonName names an experiment of many files after the folder they share.
func commonName(sources []*ingest.Source) string {
	dir := filepath.Dir(sources[0].Given)
	for _, src := range sources[1:] {
		for !strings.HasPrefix(src.Given+"/", dir+"/") && dir != "." && dir != "/" {
			dir = filepath.Dir(dir)
		}
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return filepath.Base(dir)
}

func totalSize(sources []*ingest.Source) int64 {
	var total int64
	for _, src := range sources {
		filepath.Walk(src.Path, func(_ string, info os.FileInfo, err error) error {
			if err == nil && info.Mode().IsRegular() {
				total += info.Size()
			}
			return nil
		})
	}
	return total
}
