package store

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Sample is how busy a node's processors were at one moment.
type Sample struct {
	Node    string
	Seconds float64 // since the run's start
	Busy    float64 // share of all processors, 0 to 1
}

// samplesFile is the attachment that holds them: node,seconds,busy.
const samplesFile = "cpu.csv"

// Samples reads the CPU utilisation that was noted while the program ran, in
// the order it was written; none where it was not.
func (e *Experiment) Samples() ([]Sample, error) {
	data, err := e.Attachment(samplesFile)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	reader := csv.NewReader(bytes.NewReader(data))
	reader.FieldsPerRecord, reader.ReuseRecord = 3, true
	damaged := func(err error) error { return fmt.Errorf("%s of %s is damaged: %w", samplesFile, e.Name, err) }
	if _, err := reader.Read(); err != nil {
		return nil, damaged(err)
	}
	var samples []Sample
	for {
		row, err := reader.Read()
		if err == io.EOF {
			return samples, nil
		}
		if err != nil {
			return nil, damaged(err)
		}
		s := Sample{Node: row[0]}
		var err1, err2 error
		s.Seconds, err1 = strconv.ParseFloat(row[1], 64)
		s.Busy, err2 = strconv.ParseFloat(row[2], 64)
		if err := errors.Join(err1, err2); err != nil {
			line, _ := reader.FieldPos(1)
			return nil, damaged(fmt.Errorf("line %d: %w", line, err))
		}
		samples = append(samples, s)
	}
}
