package launch

import (
	"debug/elf"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// unloadable says why no measurement can be loaded into a program, as far as that is
// known beforehand; "" where nothing speaks against it.
func unloadable(program string) string {
	file, err := elf.Open(program)
	if err != nil {
		return ""
	}
	defer file.Close()
	name := filepath.Base(program)
	loader, _ := loaderOf(program)
	machines := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64, "ppc64le": elf.EM_PPC64, "riscv64": elf.EM_RISCV, "s390x": elf.EM_S390}
	here, known := machines[runtime.GOARCH]
	switch {
	case known && (file.Machine != here || file.Class != elf.ELFCLASS64):
		return name + " is built for another architecture than the measurement (" + strings.TrimPrefix(file.Machine.String(), "EM_") + ")"
	case loader == "":
		return name + " is linked statically, so that no measurement can be loaded into it; link it with the C library as a shared one (without -static)"
	case strings.HasPrefix(filepath.Base(loader), "ld-musl"):
		return name + " is linked with musl, and the measurement with the GNU C library: build it with that"
	}
	if why := privileged(program); why != "" {
		return name + " " + why + ", and no measurement is loaded into such a program; run a copy without"
	}
	return ""
}

// privileged says which rights a program gets that its user does not have: the loader
// loads nothing into it that the environment names.
func privileged(program string) string {
	info, err := os.Stat(program)
	if err != nil {
		return ""
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	size, _ := syscall.Getxattr(program, "security.capability", nil)
	switch {
	case ok && info.Mode()&os.ModeSetuid != 0 && int(is.Uid) != os.Getuid():
		return "runs as its owner (setuid)"
	case ok && info.Mode()&os.ModeSetgid != 0 && int(is.Gid) != os.Getgid():
		return "runs as its group (setgid)"
	case size > 0 && os.Getuid() != 0:
		return "has capabilities of its own"
	}
	return ""
}

// hasThreadSanitizer tells whether a program is built with ThreadSanitizer, by its
// library or with it inside. It keeps track of every thread and signal itself, and
// crashes where another makes some.
func hasThreadSanitizer(program string) bool {
	file, err := elf.Open(program)
	if err != nil {
		return false
	}
	defer file.Close()
	needed, _ := file.ImportedLibraries()
	for _, name := range needed {
		if strings.HasPrefix(name, "libtsan.") || strings.Contains(name, "clang_rt.tsan") {
			return true
		}
	}
	dynamic, _ := file.DynamicSymbols()
	all, _ := file.Symbols()
	for _, s := range append(dynamic, all...) {
		if s.Name == "__tsan_init" && s.Section != elf.SHN_UNDEF {
			return true
		}
	}
	return false
}

// whyNothing is why no process of a command was measured, as far as that is known;
// else which reasons there are left.
func whyNothing(command []string, t target) string {
	for i, word := range command {
		if t.launcher == slurm && (word == "--export=NONE" || word == "--export" && i+1 < len(command) && command[i+1] == "NONE") {
			return "srun --export=NONE keeps the settings of the measurement from the ranks; leave it out, or use --export=ALL"
		}
	}
	for _, word := range command {
		if libraries, ok := strings.CutPrefix(word, "LD_PRELOAD="); ok && t.program != "" && unloadable(t.program) == "" {
			return "the command sets LD_PRELOAD, by which the measurement is loaded; write LD_PRELOAD=" + libraries + " before auspex run"
		}
	}
	const scripts = "what a script runs is measured where it is linked with MPI or was compiled with auspex cc, and else where the script becomes it; put exec before the program, or auspex run"
	if t.program == "" {
		return "the command is a script or runs no program that could be found; " + scripts
	}
	if t.shell {
		return filepath.Base(t.program) + " runs other programs; " + scripts
	}
	if why := unloadable(t.program); why != "" {
		return why
	}
	name := filepath.Base(t.program)
	if t.launcher != noLauncher && t.mpi != "" {
		return name + " was not started, or ended before it called MPI and was not compiled with auspex cc"
	}
	return name + " was not started, or its environment was cleared on the way, or its user may not write to the store or finds no room there"
}
