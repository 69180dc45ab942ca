package predict

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"auspex/launch"
)

// normal is what the program as it is takes: medians over the runs, in seconds.
type normal struct{ span, command float64 }

// validate runs the program as it is.
func (w *workshop) validate(ctx context.Context, b *built, np int, platformName string) (*normal, error) {
	command := fill(w.Run, b.opt, np)
	if w.ValidateCommand != "" {
		command = strings.ReplaceAll(fill(w.ValidateCommand, b.opt, np), "{platform}", platformName)
	}
	var spans, commands []float64
	for range w.Validate {
		w.say("running it: %s", command)
		result, dir, output, err := w.launch(ctx, b, command, running{})
		if dir != "" {
			defer os.RemoveAll(dir)
		}
		if err != nil {
			return nil, err
		}
		if result.Status != 0 {
			return nil, fmt.Errorf("the program ended with status %d: %s\n%s", result.Status, command, tail(output, 30))
		}
		span, ranks, err := launch.Span(dir)
		if err != nil {
			return nil, err
		}
		if ranks < np {
			return nil, fmt.Errorf("%d of %d processes were seen in the run that validates, so its time is not known: %s\n(a program started by a script or a shell is not found: name the launcher and the program in the command itself)", ranks, np, command)
		}
		spans = append(spans, span)
		commands = append(commands, result.Wall.Seconds())
	}
	return &normal{span: median(spans), command: median(commands)}, nil
}

func median(values []float64) float64 {
	list := slices.Sorted(slices.Values(values))
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// compare completes a prediction with what the program took, if that is known.
// Times are held against one another only where they are of one machine: those
// measured here against the cost of predicting, which was spent here, and against
// the prediction only if that is for a processor as fast as this one and for no
// network; those that --validate-command measured are the platform's by the
// user's word, and are held against the cost if the processors are alike.
func (w *workshop) compare(p *Prediction, n *normal, on *Platform) {
	if n == nil || n.span <= 0 {
		return
	}
	p.Measured, p.Command = &n.span, &n.command
	alike := w.there[on] == nil
	for _, host := range on.place(p.NP) {
		alike = alike && math.Abs(on.Hosts[host].Speed/w.ReferenceSpeed-1) < 1e-9
	}
	there := w.ValidateCommand != ""
	if there || p.NP == 1 && alike {
		off := (p.Predicted - n.span) / n.span
		p.Error = &off
	}
	if alike || !there {
		s := slowdown(p.total(), n.span, p.NP)
		g := gain(s)
		p.Slowdown, p.Gain = &s, &g
	}
}
