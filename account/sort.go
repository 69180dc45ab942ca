package account

import (
	"path"
	"slices"
	"strings"

	"auspex/model"
)

// Class is what the time in a region is.
type Class uint8

// The classes of regions.
const (
	Work Class = iota
	Communicating
	Waits      // moves no data: all of it is waiting
	InOut      // input and output
	InOutOfAll // input and output that all make together: one may wait in it for others
	Beginning  // starting and ending of the program
	Sending    // communication in which a unit waits for nobody, and others for it
	Asleep     // a thread that has given its core up: it waits for another one, or for nobody
)

// Table says what regions are by their names, in lower case; * stands for
// anything. The first entry that fits counts.
type Table []Entry

// Entry is one line of a Table.
type Entry struct {
	Pattern string
	Class   Class
}

// Shipped is the table that comes with auspex. A pattern without * is a whole
// name.
var Shipped = Table{
	{"mpi_init*", Beginning}, {"mpi_finalize", Beginning}, {"mpi_finalized", Beginning}, {"mpi_comm_spawn*", Beginning},
	{"mpi_barrier", Waits}, {"mpi_ibarrier", Waits}, {"mpi_probe", Waits}, {"mpi_mprobe", Waits},
	{"mpi_file_*_all", InOutOfAll}, {"mpi_file_*_all_*", InOutOfAll}, {"mpi_file_*_ordered*", InOutOfAll}, {"mpi_file_open", InOutOfAll}, {"mpi_file_close", InOutOfAll},
	{"mpi_file_set_view", InOutOfAll}, {"mpi_file_set_size", InOutOfAll}, {"mpi_file_preallocate", InOutOfAll}, {"mpi_file_sync", InOutOfAll},
	{"mpi_file_*", InOut},
	{"fopen", InOut}, {"fopen64", InOut}, {"fclose", InOut}, {"fread", InOut}, {"fread_unlocked", InOut}, {"fwrite", InOut}, {"fwrite_unlocked", InOut},
	{"fflush", InOut}, {"fsync", InOut}, {"fdatasync", InOut}, {"__read", InOut}, {"__write", InOut}, {"readv", InOut}, {"writev", InOut},
	{"pread", InOut}, {"pread64", InOut}, {"preadv*", InOut}, {"pwrite", InOut}, {"pwrite64", InOut}, {"pwritev*", InOut}, {"lseek", InOut}, {"lseek64", InOut},
	{"h5dread*", InOut}, {"h5dwrite*", InOut}, {"h5fopen", InOut}, {"h5fcreate", InOut}, {"h5fclose", InOut}, {"h5fflush", InOut},
	{"nc_get_*", InOut}, {"nc_put_*", InOut}, {"nc_open*", InOut}, {"nc_create*", InOut}, {"nc_close", InOut}, {"nc_sync", InOut},
	{"nf90_*", InOut}, {"ncmpi_*", InOut}, {"nfmpi_*", InOut}, {"adios_*", InOut}, {"adios2_*", InOut},
	{"*synchronize", Waits}, {"*synchronize()", Waits}, {"*waitforsingleobject*", Waits},
	{"waitpid", Waits}, {"wait4", Waits}, {"ppoll", Waits}, {"pselect*", Waits},
	{"epoll_wait*", Waits}, {"epoll_pwait*", Waits}, {"usleep", Waits}, {"nanosleep", Waits}, {"clock_nanosleep*", Waits},
	{"futex*", Waits}, {"sched_yield", Waits}, {"__gi___sched_yield", Waits}, {"ucs_event_set_wait", Waits}, {"pthread_join", Waits}, {"pthread_cond_wait*", Waits}, {"pthread_cond_timedwait*", Waits},
	{"pthread_mutex_lock*", Waits}, {"pthread_spin_lock*", Waits}, {"pthread_rwlock_*rdlock*", Waits}, {"pthread_rwlock_*wrlock*", Waits}, {"pthread_barrier_wait*", Waits},
	{"sem_wait*", Waits}, {"sem_timedwait*", Waits}, {"*lll_lock_wait*", Waits}, {"omp_set_lock", Waits}, {"omp_set_nest_lock", Waits},
	{"gomp_barrier_wait*", Waits}, {"gomp_team_barrier_wait*", Waits}, {"gomp_mutex_lock*", Waits}, {"__kmp_wait*", Waits}, {"kmp_flag_*::wait*", Waits},
	{"*!$omp *barrier*", Waits}, {"*omp_barrier*", Waits}, {"*openmp*barrier*", Waits}, {"*openmp_wait*", Waits}, {"*cond*wait*", Waits},
}

// onCores are calls in which a thread that waits gives its core up. Where time in which
// threads were blocked is apart, what is left of them is what taking a free lock costs.
var onCores = Table{{"pthread_mutex_lock*", Work}, {"pthread_rwlock_*lock*", Work}}

// ShippedFor is the shipped table for a run of which it is known, or not, when its
// threads were blocked.
func ShippedFor(blockedApart bool) Table {
	if blockedApart {
		return slices.Concat(onCores, Shipped)
	}
	return Shipped
}

// asks tells calls by which a program looks whether something is there, over and over
// as long as it waits for it.
func asks(region string) bool {
	switch region[strings.LastIndexByte(region, model.PathSeparator)+1:] {
	case "MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status", "MPI_Parrived":
		return true
	}
	return false
}

// system are calls of the operating system that are common words. A program may be
// called so, and functions of its own.
var system = Table{{"read", InOut}, {"write", InOut}, {"wait", Waits}, {"poll", Waits}, {"select", Waits}, {"sleep", Waits}}

// ofProgram tells what the program itself has named: what was run, and what stands in
// a source that is neither the C library's nor one of Python's in which threads wait.
func ofProgram(region model.Region) bool {
	switch path.Base(region.File) {
	case "threading.py", "selectors.py", "subprocess.py":
		return false
	}
	return region.Parent == model.NoParent && region.Kind == model.Block || region.File != "" && !strings.Contains(region.File, "sysdeps/")
}

// Sort gives every region its class: by name where the table knows it, else
// by the kind that its reader saw; what is nested in anything but work is part
// of it. Libraries for input and output call MPI, which is what it is all the same.
func Sort(regions []model.Region, table Table) []Class {
	out := make([]Class, len(regions))
	known := map[named]Class{}
	table = table.lower()
	for r, region := range regions {
		if p := region.Parent; p != model.NoParent && out[p] != Work && !(out[p] == InOut && region.Kind == model.MPI && regions[p].Kind != model.MPI) {
			out[r] = out[p]
			continue
		}
		key := named{region.Name, region.Kind, ofProgram(region)}
		class, ok := known[key]
		if !ok {
			class = classOf(key, table)
			known[key] = class
		}
		out[r] = class
	}
	return out
}

// named is what the class of a region depends on.
type named struct {
	name      string
	kind      model.Kind
	ofProgram bool
}

// Names tells whether the table has an entry for a region's name.
func (t Table) Names(region string) bool {
	_, ok := t.lower().find(bareName(region))
	return ok
}

// lower is the table for find.
func (t Table) lower() Table {
	out := slices.Clone(t)
	for i := range out {
		out[i].Pattern = strings.ToLower(out[i].Pattern)
	}
	return out
}

// find gives the class of the first entry that fits.
func (t Table) find(name string) (Class, bool) {
	i := slices.IndexFunc(t, func(e Entry) bool { return fits(e.Pattern, name) })
	if i < 0 {
		return Work, false
	}
	return t[i].Class, true
}

func classOf(region named, table Table) Class {
	name := bareName(region.name)
	if class, ok := table.find(name); ok {
		return class
	}
	if class, ok := system.find(name); ok && !region.ofProgram {
		return class
	}
	switch region.kind {
	case model.MPI, model.Comm:
		return Communicating
	case model.Barrier, model.Idle:
		return Waits
	case model.IO:
		return InOut
	}
	return Work
}

// bareName leaves out of a name what tools put around it: arguments, files.
func bareName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if i := strings.IndexByte(name, '('); i > 0 && !strings.Contains(name, "$omp") {
		name = strings.TrimSpace(name[:i])
	}
	if i := strings.Index(name, " ["); i > 0 {
		name = name[:i]
	}
	if strings.HasPrefix(name, "pmpi_") {
		name = name[1:]
	}
	return strings.TrimSuffix(name, "_")
}

// fits matches a pattern in which * stands for any text.
func fits(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	if !strings.HasPrefix(name, parts[0]) {
		return false
	}
	name = name[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(name, p)
		if i < 0 {
			return false
		}
		name = name[i+len(p):]
	}
	return strings.HasSuffix(name, parts[len(parts)-1])
}
