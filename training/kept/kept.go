// Package kept is what an experiment keeps of the traces of a training job that
// a profile does not tell: which ranks are late and why, and what the devices
// did.
//
// Attachments makes it when the traces are imported; Stragglers and Devices find
// it again, for the terminal and for the page.
package kept

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"auspex/store"
	"auspex/training"
)

// The attachments.
const (
	stragglersName = "stragglers.json"
	devicesName    = "devices.json"
)

// What is kept of a device, the longest first; of jobs with more ranks × steps
// than that, what each rank's device did in all.
const (
	mostRows  = 50
	mostSteps = 50_000
)

// Devices is what the accelerators of a job did.
type Devices struct {
	Devices []*training.DeviceResult `json:"devices"`
	Across  []training.KernelAcross  `json:"across_ranks"`
}

// NewDevices puts the devices of a job together.
func NewDevices(list []*training.DeviceResult) *Devices {
	return &Devices{list, training.Across(list)}
}

// Attachments are what is kept; nothing for what there is not.
func Attachments(job *training.Result, devices []*training.DeviceResult) ([]store.Attachment, error) {
	var list []store.Attachment
	add := func(name string, what any) error {
		data, err := json.Marshal(what)
		list = append(list, store.Attachment{Name: name, Data: data})
		return err
	}
	if job != nil {
		if err := add(stragglersName, job); err != nil {
			return nil, err
		}
	}
	if len(devices) > 0 {
		if err := add(devicesName, cut(NewDevices(devices))); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// cut leaves out what takes room and nobody looks for in an experiment.
func cut(d *Devices) *Devices {
	steps := 0
	for _, one := range d.Devices {
		steps += len(one.Steps)
	}
	for _, one := range d.Devices {
		one.Kernels, one.Operators, one.Modules = first(one.Kernels), first(one.Operators), first(one.Modules)
		one.Annotations, one.Patterns = first(one.Annotations), first(one.Patterns)
		if steps > mostSteps {
			one.Steps = []training.StepDevice{}
		}
	}
	d.Across = first(d.Across)
	return d
}

func first[T any](list []T) []T { return list[:min(mostRows, len(list))] }

// Stragglers is what an experiment keeps of who is late; nil where it does not
// come from a training job.
func Stragglers(e *store.Experiment) (*training.Result, error) {
	return read[training.Result](e, stragglersName)
}

// DevicesOf is what an experiment keeps of what its devices did; nil where its
// traces have none.
func DevicesOf(e *store.Experiment) (*Devices, error) { return read[Devices](e, devicesName) }

// Has tells whether an experiment keeps anything of a training job.
func Has(e *store.Experiment) bool {
	local := e.Attached() // a site's store does not list them
	for _, name := range []string{stragglersName, devicesName} {
		if slices.Contains(local, name) {
			return true
		}
		if _, err := e.Attachment(name); local == nil && err == nil {
			return true
		}
	}
	return false
}

func read[T any](e *store.Experiment, name string) (*T, error) {
	data, err := e.Attachment(name)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found := new(T)
	if err := json.Unmarshal(data, found); err != nil {
		return nil, fmt.Errorf("experiment %s: %s: %w; import its traces again", e.Name, name, err)
	}
	return found, nil
}
