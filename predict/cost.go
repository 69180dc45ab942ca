package predict

// Cost is what a prediction took.
type Cost struct {
	// Build is not part of what the paper counts.
	Build float64 `json:"build_seconds"`
	// Obtain is static analysis, the run that was measured and the reading of
	// its traces; the mean where there were several runs.
	Obtain float64 `json:"obtain_traces_seconds"`
	// Simulation is the replay on this platform.
	Simulation float64 `json:"simulation_seconds"`
	// PerPrediction is equation 13: the traces serve all platforms.
	PerPrediction float64 `json:"seconds_per_prediction"`
}

// total is equation 6.
func (c Cost) total() float64 { return c.Obtain + c.Simulation }

// perPrediction is equation 13 for so many platforms.
func perPrediction(obtain, simulation float64, platforms int) float64 {
	return obtain/float64(platforms) + simulation
}

// slowdown is equation 5.
func slowdown(prediction, normal float64, processes int) float64 {
	if normal <= 0 {
		return 0
	}
	return prediction / (normal * float64(processes))
}

// gain is the inverse of the slowdown.
func gain(slowdown float64) float64 {
	if slowdown <= 0 {
		return 0
	}
	return 1 / slowdown
}
