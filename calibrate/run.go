package calibrate

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

//go:embed program
var program embed.FS

// Build compiles the ping-pong program into dir with an MPI compiler, such as
// "mpicc", and returns its path.
func Build(ctx context.Context, dir, compiler string) (string, error) {
	if err := os.CopyFS(dir, program); err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "pingpong")
	sources, err := filepath.Glob(filepath.Join(dir, "program", "*.c"))
	if err != nil {
		return "", err
	}
	words := strings.Fields(compiler)
	if len(words) == 0 {
		return "", fmt.Errorf("calibrate: no compiler is named")
	}
	out, err := exec.CommandContext(ctx, words[0], append(words[1:], append([]string{"-O2", "-o", binary}, sources...)...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("calibrate: %s: %w\n%s", compiler, err, bytes.TrimSpace(out))
	}
	return binary, nil
}

// Limits bound how long measuring takes.
type Limits struct {
	Largest int64         // message in bytes
	Budget  time.Duration // for one kind and size
}

// Measure runs a command, such as "mpirun -n 2 -host a,b", with the program and
// its arguments appended. The command is one for the shell. What the program
// prints also goes to copyTo, if that is not nil.
func Measure(ctx context.Context, command, binary string, l Limits, copyTo io.Writer) (*Measurement, error) {
	line := fmt.Sprintf("%s %s %d %s", command, quote(binary), l.Largest, strconv.FormatFloat(l.Budget.Seconds(), 'g', -1, 64))
	return run(ctx, line, copyTo)
}

// Reference measures the kernels on the processor this program runs on.
func Reference(ctx context.Context, binary string) (Rounds, error) {
	m, err := run(ctx, quote(binary)+" kernels", nil)
	if err != nil {
		return nil, err
	}
	return m.Kernels[0], nil
}

// patience is how long a command may take to end once the program is done: some
// MPIs now and then never come out of MPI_Finalize.
const patience = 5 * time.Second

func run(ctx context.Context, line string, copyTo io.Writer) (*Measurement, error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(limited, "sh", "-c", line)
	var said bytes.Buffer
	out := &output{done: func() { time.AfterFunc(patience, cancel) }}
	cmd.Stdout, cmd.Stderr = out, &said
	if copyTo != nil {
		cmd.Stdout = io.MultiWriter(out, copyTo)
	}
	// The shell's children end with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 3 * time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !out.complete:
		return nil, fmt.Errorf("calibrate: %s: %w\n%s", line, err, strings.TrimSpace(said.String()))
	}
	m, err := Read(&out.text)
	if err != nil {
		return nil, fmt.Errorf("%w\ncommand: %s\n%s", err, line, strings.TrimSpace(said.String()))
	}
	return m, nil
}

// output collects what the program prints and tells when it is done; what a
// launcher prints after that is not the program's.
type output struct {
	text     bytes.Buffer
	done     func()
	complete bool
}

func (o *output) Write(p []byte) (int, error) {
	if o.complete {
		return len(p), nil
	}
	n, err := o.text.Write(p)
	if _, _, found := bytes.Cut(o.text.Bytes(), []byte("\ndone\n")); found {
		o.complete = true
		o.done()
	}
	return n, err
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
