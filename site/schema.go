package site

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// schemaVersion is raised when an earlier auspex could not use the tables.
const schemaVersion = 1

// tables in the order they are made. experiments is the one that makes a push
// visible; of the same content pushed twice, one row counts.
var tables = []string{
	`CREATE TABLE IF NOT EXISTS auspex_version (version UInt32) ENGINE = ReplacingMergeTree ORDER BY version`,
	`CREATE TABLE IF NOT EXISTS experiments (
		content String, push UInt64, name String, program LowCardinality(String), user LowCardinality(String), commit String, module String,
		started DateTime64(3, 'UTC'), pushed DateTime64(3, 'UTC'), units UInt32, nodes UInt32, seconds Float64, lost Float64, header String CODEC(ZSTD(3)))
		ENGINE = ReplacingMergeTree(pushed) PARTITION BY (program, toYYYYMM(started)) ORDER BY (program, started, content)`,
	`CREATE TABLE IF NOT EXISTS units (program LowCardinality(String), started DateTime64(3, 'UTC'), push UInt64, unit UInt32, node LowCardinality(String), process Int32, thread Int32)
		ENGINE = MergeTree PARTITION BY (program, toYYYYMM(started)) ORDER BY (push, unit)`,
	`CREATE TABLE IF NOT EXISTS regions (program LowCardinality(String), started DateTime64(3, 'UTC'), push UInt64, region UInt32, parent Int32, name String, path String, kind LowCardinality(String), file LowCardinality(String), line Int32)
		ENGINE = MergeTree PARTITION BY (program, toYYYYMM(started)) ORDER BY (push, region)`,
	`CREATE TABLE IF NOT EXISTS values (program LowCardinality(String), started DateTime64(3, 'UTC') CODEC(ZSTD(1)), push UInt64 CODEC(ZSTD(1)), metric LowCardinality(String), unit UInt32 CODEC(ZSTD(1)), region UInt32 CODEC(ZSTD(1)), value Float64 CODEC(ZSTD(1)), deviation Float64 CODEC(ZSTD(1)), runs UInt32 CODEC(ZSTD(1)))
		ENGINE = MergeTree PARTITION BY (program, toYYYYMM(started)) ORDER BY (metric, push, unit, region)`,
	`CREATE TABLE IF NOT EXISTS totals (program LowCardinality(String), started DateTime64(3, 'UTC'), push UInt64, metric LowCardinality(String), region UInt32, path String, name String, total Float64, most Float64, entered UInt32)
		ENGINE = MergeTree PARTITION BY (program, toYYYYMM(started)) ORDER BY (metric, path, started, push)`,
	`CREATE TABLE IF NOT EXISTS attachments (program LowCardinality(String), started DateTime64(3, 'UTC'), push UInt64, name LowCardinality(String), data String CODEC(ZSTD(3)))
		ENGINE = MergeTree PARTITION BY (program, toYYYYMM(started)) ORDER BY (push, name)`,
}

// prepare makes the tables where they are missing, and refuses a site that a
// newer auspex has changed.
func (s *Site) prepare(ctx context.Context) error {
	version, err := s.version(ctx)
	var no *refusal
	switch {
	case errors.As(err, &no) && no.code == codeNoTable:
	case err != nil:
		return err
	case version == schemaVersion:
		return nil
	}
	for _, create := range tables {
		if _, err := s.do(ctx, strings.Join(strings.Fields(create), " "), nil, nil, nil); err != nil {
			return err
		}
	}
	_, err = s.do(ctx, "INSERT INTO auspex_version VALUES ({version:UInt32})", map[string]string{"version": strconv.Itoa(schemaVersion)}, nil, nil)
	return err
}

// version is that of the site's tables, 0 where none was noted.
func (s *Site) version(ctx context.Context) (int, error) {
	out, err := s.do(ctx, "SELECT max(version) FROM auspex_version FORMAT TabSeparated", nil, nil, nil)
	if err != nil {
		return 0, err
	}
	version, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return 0, fmt.Errorf("the site's version of its tables is %q", out)
	}
	if version > schemaVersion {
		return 0, fmt.Errorf("the site's tables are of a newer auspex (form %d; this one knows up to %d): use that one, or a later", version, schemaVersion)
	}
	return version, nil
}
