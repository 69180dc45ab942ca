package sample

import (
	"testing"

	"auspex/store"
	"auspex/training"
	"auspex/training/kept"
)

// TrainingJob is what a training job of eight ranks keeps, of which rank 3 is
// late in every step, and all wait for the network and for saving.
func TrainingJob(t testing.TB) []store.Attachment {
	t.Helper()
	slowdown, ideal, no := 1.5, 2.0, 0.0
	job := &training.Result{Seconds: 3, Ideal: &ideal, Slowdown: &slowdown, World: 8, Present: 8, ClockResidual: &no,
		Words: "Rank 3 makes the others wait (persistent): it spends 1.2 s over 3 steps in load_batch, the others 200 ms."}
	job.Stragglers = append(job.Stragglers, training.Straggler{Rank: 3, Side: training.Host, Cause: "loading data", Region: "load_batch", Pattern: training.Persistent, Seconds: 1.2, Others: 0.2, Late: 1, Share: 1.0 / 3, Fix: "more loader workers"})
	job.Holds = []training.Hold{
		{Cause: "slow network", Seconds: 0.9, Share: 0.3, Fix: "send less"},
		{Cause: "saving", What: "save_checkpoint", When: "every third step", Seconds: 0.4, Share: 0.4 / 3, Fix: "save less often"},
	}
	var devices []*training.DeviceResult
	for rank := range 8 {
		own, late, total, kernels, collectives := 1.0, 0.01*float64(rank), 3.0, 1.5, 0.5
		if rank == 3 {
			own, late = slowdown, 1
		}
		job.Ranks = append(job.Ranks, training.RankResult{Rank: rank, Slowdown: &own, Late: &late, Seconds: &total, Kernels: &kernels, Collective: &collectives,
			Regions: []training.RegionTime{{Region: "load_batch", Seconds: 0.2 + late}}})
		overlap := 0.5
		parts := training.Breakdown{Computing: 0.5, Communicating: 0.2, Both: 0.1, Overlap: &overlap, Copying: 0.05, Idle: 0.35}
		d := &training.DeviceResult{Rank: rank, Device: "test", Seconds: 3, Words: "Of 3000 ms the device computed 50 %.",
			All: training.Breakdown{Computing: 1.5, Communicating: 0.6, Both: 0.3, Overlap: &overlap, Copying: 0.15, Idle: 1.05}}
		for step := range 3 {
			d.Steps = append(d.Steps, training.StepDevice{Step: step, Seconds: 1, Breakdown: parts})
		}
		d.Kernels = append(d.Kernels, training.KernelStat{Kernel: "void gemm<float, 128>(float*)", Kind: "computing", Count: 30, Seconds: 1.5, Share: 1, Mean: 0.05, Most: 0.06})
		d.Operators = append(d.Operators, training.OperatorStat{Name: "aten::mm", Kernels: 30, Seconds: 1.5})
		devices = append(devices, d)
	}
	last := 3
	for step := range 3 {
		job.Steps = append(job.Steps, training.StepWait{Step: step, Seconds: 1, LastRank: &last, Waited: 0.3})
	}
	attached, err := kept.Attachments(job, devices)
	if err != nil {
		t.Fatal(err)
	}
	return attached
}
