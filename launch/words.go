package launch

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// What the compiler says is to be about the user's own text. Of the instrumented form
// it says nearly the same: columns differ, and a probe may hide a warning or bring one
// about. So the original is compiled too, for its messages alone, where there may be
// some; most sources have none and are compiled once.

// refusesWarnings tells whether some warnings are errors.
func (j *compileJob) refusesWarnings() bool {
	return slices.ContainsFunc(j.line.args, func(arg string) bool {
		return strings.HasPrefix(arg, "-Werror") || strings.HasSuffix(arg, "-pedantic-errors")
	})
}

// asksForWarnings tells whether there are more than the compiler gives by itself.
func (j *compileJob) asksForWarnings() bool {
	return !slices.Contains(j.line.args, "-w") && slices.ContainsFunc(j.line.args, func(arg string) bool {
		return strings.HasPrefix(arg, "-W") && !strings.Contains(arg, ",") && !strings.HasPrefix(arg, "-Wno-")
	})
}

// strictly compiles where warnings may be errors: the original says whether they are,
// and its instrumented form is compiled without any.
func (j *compileJob) strictly(ctx context.Context) (int, error) {
	var out, errs bytes.Buffer
	if status, err := j.ownWords(ctx, &out, &errs); err != nil || status != 0 {
		return j.original(ctx, unasked)
	}
	quiet := slices.DeleteFunc(slices.Clone(j.args), func(arg string) bool { return strings.HasSuffix(arg, "-pedantic-errors") })
	if status, err := j.try(ctx, append(quiet, "-w", "-Wno-error"), io.Discard, io.Discard); err != nil || status != 0 {
		return j.otherwise(ctx)
	}
	return j.done(ctx, &out, &errs)
}

// unasked is why a source is not measured whose original compiles, but not elsewhere.
const unasked = "what the compiler says of it could not be asked for"

// ownWords compiles the original into files that nobody needs and keeps what the
// compiler says of it. Several sources are compiled one after the other: only one can be
// given a name for its object.
func (j *compileJob) ownWords(ctx context.Context, out, errs *bytes.Buffer) (int, error) {
	out.Reset()
	errs.Reset()
	if j.line.links {
		args := without(j.line, func(input) bool { return false })
		return j.compile(ctx, append(args, "-o", filepath.Join(j.dir, "own")), out, errs)
	}
	for _, in := range j.line.inputs {
		if !in.isSource {
			continue
		}
		args := append(preprocessing(j.line, in), "-c", "-o", filepath.Join(j.dir, "own.o"))
		if status, err := j.compile(ctx, args, out, errs); err != nil || status != 0 {
			return status, err
		}
	}
	return 0, nil
}
