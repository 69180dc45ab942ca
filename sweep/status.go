package sweep

// Status is how far a study has come.
type Status struct {
	Name    string   `json:"name"`
	Kind    Kind     `json:"kind"`
	Points  int      `json:"points"`
	Done    int      `json:"done"`
	Failed  int      `json:"failed"`
	Missing int      `json:"missing"`
	Twice   int      `json:"twice"`   // points that succeeded more than once
	Wall    float64  `json:"wall"`    // seconds that the points took, added up
	Stopped bool     `json:"stopped"` // by cancel
	Jobs    []Job    `json:"jobs"`
	Running []string `json:"running"` // those of the jobs that Slurm knows
	Errors  []Fault  `json:"errors"`  // of the points that failed; the first few
}

// Fault is why points failed.
type Fault struct {
	Error  string `json:"error"`
	Points int    `json:"points"` // that failed so
	First  string `json:"first"`  // of them
}

// faults bounds how many are told.
const faults = 5

// Status reads how far a study has come.
func (f *Folder) Status(s *Study, points []Point) (*Status, error) {
	l := f.Ledger()
	if err := l.Refresh(); err != nil {
		return nil, err
	}
	st := &Status{Name: s.Name, Kind: s.Kind, Points: len(points), Stopped: f.Stopped(), Jobs: []Job{}, Running: []string{}, Errors: []Fault{}}
	for i := range points {
		e, known := l.find(points[i].Key)
		st.Wall += e.Wall
		switch {
		case !known:
			st.Missing++
		case e.Error != "":
			st.Failed++
			st.fault(e.Error, s.Label(&points[i]))
		default:
			st.Done++
			if l.times[points[i].Key] > 1 {
				st.Twice++
			}
		}
	}
	jobs, err := f.Jobs()
	st.Jobs = append(st.Jobs, jobs...)
	return st, err
}

func (st *Status) fault(why, point string) {
	for i := range st.Errors {
		if st.Errors[i].Error == why {
			st.Errors[i].Points++
			return
		}
	}
	if len(st.Errors) < faults {
		st.Errors = append(st.Errors, Fault{why, 1, point})
	}
}
