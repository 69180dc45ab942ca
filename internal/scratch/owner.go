// Package scratch names what a process writes before it is done, so that what
// a killed process left behind can be told from what a living one still needs.
//
//  1. Self is the text that stands for this process; Alive judges such a text.
//  2. Dir and File make folders and files in the temporary directory whose
//     names hold that text.
//  3. Collect removes those whose process is gone.
package scratch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// Self stands for this process: its number, when it started, and a short sum
// over the machine and the process numbers' name space. There is no dash in
// it. Numbers are used again and hosts share names; both together do not.
var Self = sync.OnceValue(func() string {
	pid := os.Getpid()
	return strconv.Itoa(pid) + "." + started(pid) + "." + machine()
})

// Alive tells whether the process that owner stands for still runs. known is
// false where that cannot be seen from here: it runs on another machine, or
// the text is none of Self's.
func Alive(owner string) (alive, known bool) {
	pid, rest, _ := strings.Cut(owner, ".")
	start, at, ok := strings.Cut(rest, ".")
	n, err := strconv.Atoi(pid)
	if !ok || err != nil || n <= 0 || at != machine() {
		return false, false
	}
	return Running(n) && started(n) == start, true
}

// Running tells whether a process of this machine has the number.
func Running(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// machine is the same for processes that see each other's numbers.
var machine = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256([]byte(host + "\x00" + string(boot) + "\x00" + space))
	return hex.EncodeToString(sum[:4])
})

// started is when a process began, in the kernel's ticks since it booted;
// "0" where there is no way to know, or it is a zombie: dead but not yet
// waited for.
func started(pid int) string {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return "0"
	}
	// The second field is the program's name in parentheses and may hold
	// anything; the state is the first field after it, the start the 20th.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return "0"
	}
	return fields[19]
}
