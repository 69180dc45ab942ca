package predict

import "auspex/simulate"

// Report is the answer to a request.
type Report struct {
	Program        string  `json:"program"`
	Build          string  `json:"build"`
	Run            string  `json:"run"`
	Method         Method  `json:"method"`
	ReferenceSpeed float64 `json:"reference_speed"`
	// Scaled is set where signatures take the place of the reference speed, on some
	// platform at least.
	Scaled      bool         `json:"scaled,omitempty"`
	Predictions []Prediction `json:"predictions"`
	// Loops are those of the program, where the threshold rule was asked for,
	// with what became of them.
	Loops []LoopUse `json:"loops"`
	// Alone tells which ranks were measured alone, by level and number of processes, where
	// that was asked for.
	Alone []AloneUse `json:"alone,omitempty"`
	// Best is the index of the shortest prediction; Words say so once report has
	// filled them.
	Best  int      `json:"best"`
	Words string   `json:"words"`
	Notes []string `json:"notes"`
}

// Prediction is the answer for one number of processes, compiler level and
// platform. Times are seconds.
type Prediction struct {
	NP       int    `json:"np"`
	Opt      string `json:"opt"`
	Platform string `json:"platform"`
	// Extrapolated is set where so many processes were not run.
	Extrapolated bool `json:"extrapolated,omitempty"`
	// Method is threshold where at least one loop was cut short.
	Method    Method  `json:"method"`
	Predicted float64 `json:"predicted_seconds"`
	// Low and High are the prediction's 90 % interval.
	Low  float64 `json:"low_seconds"`
	High float64 `json:"high_seconds"`
	// Bounds are what the run takes at least and at most, reckoned without a
	// replay; nil where the platform changes while the program runs.
	Bounds *simulate.Bounds `json:"bounds,omitempty"`
	// Measured is nil where nothing was run, and Error, which is relative, also
	// where what was run did not run on the platform; Command is the whole
	// command, start of MPI included.
	Measured *float64 `json:"measured_seconds"`
	Error    *float64 `json:"error"`
	Command  *float64 `json:"measured_command_seconds"`
	// Slowdown is equation 5 with the measured time as the normal one, Gain its
	// inverse; nil where no run was measured on processors as fast as those that
	// the prediction was made on.
	Slowdown *float64 `json:"slowdown"`
	Gain     *float64 `json:"gain"`
	Cost
	Runs    int                 `json:"runs"`
	Actions int64               `json:"actions"`
	Ranks   []simulate.RankTime `json:"ranks"`
	// Busiest is the link that was used most, of the first run's replay; nil where
	// no message crossed one.
	Busiest *simulate.LinkUse `json:"busiest_link,omitempty"`
}

// LoopUse is what became of a loop.
type LoopUse struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Unit   string `json:"unit"`
	Method Method `json:"method"`
	// Reason says why a loop was measured simply, or how it was cut short.
	Reason string `json:"reason"`
	// Cuts tell how far it ran, by level and count.
	Cuts []Cut `json:"cuts"`

	number int
}

// Cut is how far a loop ran, on the rank where it ran longest.
type Cut struct {
	NP         int     `json:"np"`
	Opt        string  `json:"opt"`
	Ran        int64   `json:"iterations_run"`
	Iterations int64   `json:"iterations"`
	Added      float64 `json:"seconds_added"`
	// Why says what kept it from being cut short, empty where it was.
	Why string `json:"why,omitempty"`
	// Deviation is by how much the sizes of messages differed at most from
	// those of the first iteration that stand for all.
	Deviation float64 `json:"deviation"`
	// Curve is the mean iteration over the number of iterations (Figure 3), and
	// Levels how many iterations each level of error would have taken.
	Curve  []CurvePoint `json:"curve,omitempty"`
	Levels []ErrorLevel `json:"levels,omitempty"`
}
