// Package otf2 reads OTF2 trace archives through otf2-print.
package otf2

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// Name is what --format takes.
const Name = "otf2"

// Formats lists what this package reads.
func Formats() []input.Format {
	return []input.Format{
		{Name: Name, About: "OTF2 trace archive, through otf2-print", IsDir: isDir, IsFile: isFile, Reader: read},
	}
}

// An OTF2 archive is an anchor file (traces.otf2), a file of definitions
// (traces.def) and a folder with the events of each location (traces/). Its
// records are read through otf2-print, the reader of the OTF2 project, as
// text: first the definitions, then the events of all locations in the order
// of time.
const (
	otf2Program = "otf2-print"
	ending      = ".otf2"
)

func isDir(dir string, entries []os.DirEntry) bool {
	anchor, err := otf2Anchor(dir)
	if err != nil {
		return false
	}
	head, _, err := input.ReadHead(anchor)
	return err == nil && isFile(anchor, head)
}

func isFile(name string, head []byte) bool {
	return strings.HasSuffix(name, ending) && bytes.Contains(head[:min(len(head), 16)], []byte("OTF2"))
}

// otf2Anchor finds the anchor file in a folder.
func otf2Anchor(dir string) (string, error) {
	anchors, err := filepath.Glob(filepath.Join(globEscape(dir), "*"+ending))
	if err != nil {
		return "", err
	}
	switch len(anchors) {
	case 0:
		return "", errors.New("no *.otf2 file here")
	case 1:
		return anchors[0], nil
	}
	return "", fmt.Errorf("%d *.otf2 files here: name the one to read", len(anchors))
}

// globEscape protects a folder's name from being taken for a pattern.
func globEscape(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

func read(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	anchor := src.Path
	if info, err := os.Stat(src.Path); err == nil && info.IsDir() {
		if anchor, err = otf2Anchor(src.Path); err != nil {
			return nil, mistake.InFile(src.Given, "%v", err)
		}
	}
	program, err := exec.LookPath(otf2Program)
	if err != nil {
		return nil, mistake.InFile(src.Given, "reading OTF2 traces needs the program %s, which is not installed here: install the package otf2-tools (Debian, Ubuntu: apt install otf2-tools)", otf2Program)
	}
	definitions := newDefinitions()
	run := otf2Run{program: program, anchor: anchor, given: src.GivenFor(anchor)}
	if err := run.print(ctx, definitions.read, "-G"); err != nil {
		return nil, err
	}
	if err := definitions.finish(); err != nil {
		return nil, mistake.InFile(run.given, "%v", err)
	}
	events := newEvents(definitions)
	if err := run.print(ctx, events.read); err != nil {
		return nil, err
	}
	exp, err := events.build()
	if err != nil {
		return nil, mistake.InFile(run.given, "%v", err)
	}
	return exp, nil
}

// otf2Run runs otf2-print on one archive.
type otf2Run struct {
	program, anchor, given string
}

// print streams the program's output into parse. The program is stopped when
// parse fails or the context ends; where it fails itself, its own words are
// the error.
func (run otf2Run) print(ctx context.Context, parse func(context.Context, *otf2Records) error, flags ...string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, run.program, append(flags, "--", run.anchor)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.WaitDelay = 5 * time.Second
	complaints := &firstBytes{limit: 4096}
	cmd.Stderr = complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		return mistake.InFile(run.given, "%s cannot be run: %v", otf2Program, err)
	}
	if err := cmd.Start(); err != nil {
		return mistake.InFile(run.given, "%s cannot be run: %v", otf2Program, err)
	}
	records := newRecords(bufio.NewReaderSize(out, 256<<10))
	parseErr := parse(ctx, records)
	if parseErr != nil {
		cancel()
	} else {
		_, _ = io.Copy(io.Discard, out)
	}
	runErr := cmd.Wait()
	switch {
	case parseErr != nil && records.failure == "":
		if ctx.Err() != nil && errors.Is(parseErr, ctx.Err()) {
			return parseErr
		}
		return mistake.InFile(run.given, "%s, line %d of its output: %w", otf2Program, records.line, parseErr)
	case ctx.Err() != nil && parseErr == nil:
		return ctx.Err()
	case runErr != nil || records.failure != "":
		return mistake.InFile(run.given, "%s could not read the archive: %s", otf2Program, complaints.reason(records.failure, runErr))
	}
	return nil
}

// firstBytes keeps the beginning of what is written to it.
type firstBytes struct {
	limit int
	kept  []byte
}

func (f *firstBytes) Write(p []byte) (int, error) {
	f.kept = append(f.kept, p[:min(len(p), f.limit-len(f.kept))]...)
	return len(p), nil
}

// reason puts the program's first complaint, which is nearest to the cause,
// and its verdict together.
func (f *firstBytes) reason(verdict string, err error) string {
	for line := range strings.Lines(string(f.kept)) {
		line = strings.TrimSpace(line)
		if _, message, found := strings.Cut(line, " error: "); found {
			if verdict != "" {
				return message + " (" + verdict + ")"
			}
			return message
		}
	}
	if verdict != "" {
		return verdict
	}
	if text := strings.TrimSpace(string(f.kept)); text != "" {
		return text
	}
	return fmt.Sprint(err)
}
