package longtable

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"auspex/model"
)

// synthetic makes an experiment like those of large runs: a call tree, every
// unit in every region, all metrics measured.
func synthetic(units, regions, metrics int) *model.Experiment {
	b := model.NewBuilder()
	random := rand.New(rand.NewPCG(1, 2))
	for r := range regions {
		b.Region(model.Region{Name: fmt.Sprintf("region_%d(double*, int)", r), Parent: (r+1)/4 - 1, Kind: model.Function})
	}
	names := []string{"wtime", "cpu_time", "bytes_sent", "bytes_received", "instructions", "cycles", "l1_misses", "l2_misses"}
	for _, name := range names[:metrics] {
		b.Metric(model.NewMetric(name, "", model.Exclusive))
	}
	for u := range units {
		unit := b.Unit(model.Unit{Node: fmt.Sprintf("node%04d", u/64), Process: u})
		for r := range regions {
			for m := range metrics {
				v := float64(random.IntN(1e9))
				if m < 2 {
					v /= 1e6
				}
				b.Set(unit, r, m, v)
			}
		}
	}
	e, err := b.Build(model.Header{Name: "synthetic"})
	if err != nil {
		panic(err)
	}
	return e
}

func table(b *testing.B, format Format) []byte {
	b.Helper()
	var out bytes.Buffer
	if err := Write(context.Background(), &out, synthetic(256, 500, 8), format); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

func benchmarkRead(b *testing.B, format Format) {
	data := table(b, format)
	b.SetBytes(int64(len(data)))
	values := 0
	for b.Loop() {
		e, err := read(format, data)
		if err != nil {
			b.Fatal(err)
		}
		values += e.Summaries.Rows() * len(e.Metrics)
	}
	b.ReportMetric(float64(values)/b.Elapsed().Seconds(), "values/s")
}

func BenchmarkReadCSV(b *testing.B)     { benchmarkRead(b, CSV) }
func BenchmarkReadJSONL(b *testing.B)   { benchmarkRead(b, JSONL) }
func BenchmarkReadParquet(b *testing.B) { benchmarkRead(b, Parquet) }

// BenchmarkReadCSVByMetric reads a table sorted by metric, the worst order
// for what the reader remembers of the line before.
func BenchmarkReadCSVByMetric(b *testing.B) {
	var header []string
	byMetric := map[string][]string{}
	for line := range strings.Lines(string(table(b, CSV))) {
		if fields := strings.Split(line, `",`); len(fields) < 2 {
			header = append(header, line)
		} else {
			name, _, _ := strings.Cut(fields[1], ",")
			byMetric[name] = append(byMetric[name], line)
		}
	}
	data := strings.Join(header, "")
	for _, lines := range byMetric {
		data += strings.Join(lines, "")
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := ReadCSV(context.Background(), "t", strings.NewReader(data), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	e := synthetic(64, 500, 8)
	for _, format := range allFormats {
		b.Run(string(format), func(b *testing.B) {
			for b.Loop() {
				if err := Write(context.Background(), io.Discard, e, format); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*64*500*8/b.Elapsed().Seconds(), "values/s")
		})
	}
}
