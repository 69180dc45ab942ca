package signature

import "golang.org/x/sys/unix"

// threadSeconds is the processor time of this thread. getrusage would not do: it
// moves on with the kernel's ticks, in steps of 4 ms on many systems, a third of what
// a kernel takes.
func threadSeconds() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // it cannot fail with these arguments
	}
	return float64(t.Sec) + 1e-9*float64(t.Nsec)
}
