// Package input is what the readers of other tools' profiles share: formats and
// sources, finding them below paths, opening files with bounds on what they
// may do, sums by region, the names of counters and kinds, and XML.
package input

import (
	"context"
	"os"

	"auspex/ingest/traceevent"
	"auspex/internal/mistake"
	"auspex/model"
)

// Source is one file or directory that makes one experiment.
type Source struct {
	Format string
	// Path is where to read; Given is how a person would name it, which
	// differs for what was unpacked from an archive.
	Path, Given string
	// Label is the name without folders and endings.
	Label string
	// Progress, where set, is told how many bytes more were read.
	Progress func(bytes int64)
	// Beside, where set, is told the events of a trace too, as they are read.
	Beside *traceevent.Reading
}

// Format is one kind of input.
type Format struct {
	Name  string // what --format takes
	About string
	// IsDir tells whether a directory as a whole is one experiment of this
	// format; nil for formats that are single files.
	IsDir func(dir string, entries []os.DirEntry) bool
	// IsFile tells from a file's name and its first bytes, decompressed
	// where it is gzip, whether it is this format; nil for formats that are
	// directories.
	IsFile func(name string, head []byte) bool
	// Archive: files of this format are archives themselves. What is in others is
	// looked at file by file.
	Archive bool
	// IsPart tells files that are read with another of the format and that nobody
	// needs to be told of; nil where there are none.
	IsPart func(path string) bool
	// Nearly says what keeps a file that looks like this format from being it;
	// nil where nobody writes it by hand.
	Nearly func(head []byte) string
	// Reader makes an experiment of a source. What every experiment has,
	// Read adds.
	Reader func(ctx context.Context, src *Source) (*model.Experiment, error)
}

// Read turns the source into an experiment with the reader of its format. The
// experiment's name is the source's label where the files do not say better.
func (src *Source) Read(ctx context.Context, formats []Format) (*model.Experiment, error) {
	for _, f := range formats {
		if f.Name != src.Format {
			continue
		}
		exp, err := f.Reader(ctx, src)
		if err != nil {
			return nil, err
		}
		exp.Format = src.Format
		exp.Sources = []string{model.CleanText(src.Given)}
		SetSizeFactors(exp)
		if exp.Name == "" {
			exp.Name = model.CleanText(src.Label)
		}
		if err := settleTimes(exp); err != nil {
			return nil, mistake.InFile(src.Given, "%w", err)
		}
		if err := exp.Check(); err != nil {
			return nil, mistake.InFile(src.Given, "%w", err)
		}
		return exp, nil
	}
	return nil, mistake.InFile(src.Given, "unknown format %q", src.Format)
}
