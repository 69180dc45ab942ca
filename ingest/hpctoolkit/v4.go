package hpctoolkit

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"auspex/ingest/input"
	"auspex/internal/mistake"
	"auspex/model"
)

// An HPCToolkit 4 database is a folder that holds meta.db, the metrics and
// the tree of calling contexts, and profile.db, the values of each thread.
// The layout of both is told in HPCToolkit's doc/FORMATS.md.
const (
	hpcMeta    = "meta.db"
	hpcProfile = "profile.db"

	hpcMetaFooter    = "_meta.db"
	hpcProfileFooter = "_prof.db"
)

func isHPCToolkit4(dir string, entries []os.DirEntry) bool {
	for _, e := range entries {
		if e.Name() != hpcMeta {
			continue
		}
		head, _, err := input.ReadHead(filepath.Join(dir, hpcMeta))
		return err == nil && len(head) > 14 && string(head[:14]) == hpcMagic+"meta"
	}
	return false
}

func readHPCToolkit4(ctx context.Context, src *input.Source) (*model.Experiment, error) {
	b := model.NewBuilder()
	meta, err := readHPCMeta(src, b)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(src.Path, hpcProfile)
	file, err := os.Open(path)
	if err != nil {
		return nil, mistake.InFile(src.GivenFor(path), "cannot be opened: %v", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, mistake.InFile(src.GivenFor(path), "cannot be opened: %v", err)
	}
	db := &hpcProfileDB{
		file: file, size: uint64(info.Size()), name: src.GivenFor(path), progress: src.Progress,
	}
	if err := db.readInto(ctx, meta, b); err != nil {
		return nil, err
	}
	return b.Build(model.Header{Program: meta.title, Notes: append(meta.notes, db.notes...)})
}

// readHPCMeta reads meta.db as a whole: it is the tree, which is needed as a
// whole.
func readHPCMeta(src *input.Source, b *model.Builder) (*hpcMetaDB, error) {
	path := filepath.Join(src.Path, hpcMeta)
	in, err := src.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, mistake.InFile(src.GivenFor(path), "%v", err)
	}
	return parseHPCMeta(data, src.GivenFor(path), b)
}
