package predict

import (
	"context"
	"fmt"
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
		result, dir, output, err := w.launch(ctx, b, command, nil, false)
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
func (p *Prediction) compare(n *normal) {
	took := p.Predicted
	if n != nil && n.span > 0 {
		off := (p.Predicted - n.span) / n.span
		p.Measured, p.Error, p.Command = &n.span, &off, &n.command
		took = n.span
	}
	p.Slowdown = slowdown(p.total(), took, p.NP)
	p.Gain = gain(p.Slowdown)
}
