package symbols

import (
	"debug/elf"
	"os"
	"strings"
	"testing"
)

// The kernel's own object has a name, no file, and functions.
func TestKernelObject(t *testing.T) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil || !strings.Contains(string(maps), "[vdso]") {
		t.Skip("the kernel maps no object here")
	}
	file, err := openFile("linux-vdso.so.1")
	if err != nil {
		t.Fatal(err)
	}
	list, err := file.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	clock := -1
	for i, s := range list {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && strings.HasSuffix(s.Name, "clock_gettime") {
			clock = i
		}
	}
	if clock < 0 {
		t.Skip("the kernel reads no clocks here")
	}
	o := Open("linux-vdso.so.1")
	frames := o.Frames(list[clock].Value + 1)
	if len(frames) != 1 || !strings.HasSuffix(frames[0].Name, "clock_gettime") {
		t.Errorf("within clock_gettime there is %v", frames)
	}
	if ofKernel("/usr/lib/linux-vdso.so.1") {
		t.Error("a file of that name is taken for the kernel's")
	}
}
