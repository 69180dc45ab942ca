package symbols

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// openFile opens an executable or library, the kernel's own included.
func openFile(path string) (*elf.File, error) {
	if !ofKernel(path) {
		return elf.Open(path)
	}
	image, err := kernelObject()
	if err != nil {
		return nil, err
	}
	return elf.NewFile(bytes.NewReader(image))
}

// ofKernel tells the object that the kernel maps into every process (vdso(7)): with it
// clocks are read without a system call. It has a name and no file.
func ofKernel(path string) bool {
	return strings.HasPrefix(path, "linux-vdso") || strings.HasPrefix(path, "linux-gate.so")
}

// kernelObject is that of this machine, from this process's memory.
func kernelObject() ([]byte, error) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer maps.Close()
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var start, end uint64
		if !strings.HasSuffix(lines.Text(), "[vdso]") {
			continue
		}
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x", &start, &end); err != nil {
			return nil, err
		}
		memory, err := os.Open("/proc/self/mem")
		if err != nil {
			return nil, err
		}
		defer memory.Close()
		image := make([]byte, end-start)
		_, err = memory.ReadAt(image, int64(start))
		return image, err
	}
	return nil, fs.ErrNotExist
}
