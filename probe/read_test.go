package probe

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// sample measures a small program and returns the file it wrote.
func sample(t testing.TB) []byte {
	t.Helper()
	library := build(t, "cc", false)
	dir := t.TempDir()
	text := `struct auspex_region { const char *name, *file; int line, kind, id, off; };
extern int auspex_region_enter(struct auspex_region *), auspex_region_leave(struct auspex_region *), auspex_region_iterations(struct auspex_region *, unsigned long);
extern void auspex_probe_f_enter(const char *, __SIZE_TYPE__), auspex_probe_f_leave(const char *, __SIZE_TYPE__);
static struct auspex_region a = {"a", "x.c", 3, 1, -1}, b = {"b", "x.c", 7, 2, -1}, again = {"b", "x.c", 7, 2, -1};
int main(void)
{
    auspex_region_enter(&a);
    for (int i = 0; i < 100; i++) {
        auspex_region_enter(i % 2 ? &b : &again);
        auspex_region_iterations(i % 2 ? &b : &again, 5);
        auspex_region_leave(i % 2 ? &b : &again);
    }
    auspex_probe_f_enter("m::f|y.f90|12|1", 15);
    auspex_region_enter(&a); /* recursion */
    auspex_region_leave(&a);
    auspex_probe_f_leave("m::f|y.f90|12|1", 15);
    auspex_region_leave(&a);
    return 3;
}
`
	source, exe := filepath.Join(dir, "x.c"), filepath.Join(dir, "x")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-o", exe, source, library).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "AUSPEX_DIR="+dir)
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 3 {
		t.Fatalf("%v", err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.probe"))
	if len(files) != 1 {
		t.Fatalf("%d files", len(files))
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestReadWhatTheRuntimeWrites(t *testing.T) {
	data := sample(t)
	p, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if p.State != Finished || p.Code != 3 || p.Rank != -1 || p.Elapsed <= 0 || p.PeakMemory == 0 || len(p.Threads) != 1 {
		t.Errorf("%+v", p)
	}
	want := []struct {
		name, file        string
		kind              Kind
		line              int
		parent            int
		calls, iterations uint64
	}{
		{"x", "", Program, 0, -1, 1, 0},
		{"a", "x.c", Function, 3, 0, 2, 0},
		{"b", "x.c", Loop, 7, 1, 100, 500},
		{"m::f", "y.f90", Function, 12, 1, 1, 0},
	}
	nodes := p.Threads[0].Nodes
	if len(nodes) != len(want) {
		t.Fatalf("%d nodes", len(nodes))
	}
	for i, w := range want {
		n := nodes[i]
		r := p.Regions[n.Region]
		if r.Name != w.name || r.File != w.file || r.Kind != w.kind || r.Line != w.line || n.Parent != w.parent || n.Calls != w.calls || n.Iterations != w.iterations {
			t.Errorf("node %d is %+v of %+v, want %+v", i, n, r, w)
		}
		if n.Wall < 0 || n.Wall > 1 || n.CPU > n.Wall*1.0001+1e-6 {
			t.Errorf("node %d took %g s of wall and %g s of CPU time", i, n.Wall, n.CPU)
		}
	}
}

// Fields that are read one after the other are those of the struct.
func TestReadNode(t *testing.T) {
	body := make([]byte, nodeSize)
	for i := range body {
		body[i] = byte(i*i + 3*i)
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		var want rawNode
		if err := binary.Read(bytes.NewReader(body), order, &want); err != nil {
			t.Fatal(err)
		}
		if got := readNode(order, body); got != want {
			t.Errorf("%v: read %+v, want %+v", order, got, want)
		}
	}
}

// A region whose ticks came out below nothing took no time, not centuries.
func TestReadTicksBelowNothing(t *testing.T) {
	var body bytes.Buffer
	few := uint64(40)
	if err := binary.Write(&body, binary.LittleEndian, &rawNode{Parent: 1<<32 - 1, Wall: -few, CPU: 2e9, IOTime: -few}); err != nil {
		t.Fatal(err)
	}
	r := reader{order: binary.LittleEndian, seconds: 1e-9, threads: map[uint32]int{0: 0}, process: &Process{Threads: []Thread{{}}}}
	if err := r.nodes(0, body.Bytes()); err != nil {
		t.Fatal(err)
	}
	if n := r.process.Threads[0].Nodes[0]; n.Wall != 0 || n.CPU != 2 || n.IOTime != 0 {
		t.Errorf("%+v", n)
	}
}

// A process may be killed at any instant, and a file system may lose its end.
func TestReadCutAndBroken(t *testing.T) {
	data := sample(t)
	for _, n := range []int{0, 7, 100, headerSize - 1, headerSize, headerSize + 100, headerSize + chunkSize, len(data) - 1} {
		p, err := Parse(data[:min(n, len(data))])
		if n >= headerSize && err != nil {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
		if n < headerSize && err == nil {
			t.Errorf("cut to %d bytes: read as %+v", n, p)
		}
	}
	for at, value := range map[int]uint32{8: 99, headerSize: 77, headerSize + 8: 1 << 30} {
		broken := append([]byte{}, data...)
		binary.LittleEndian.PutUint32(broken[at:], value)
		if _, err := Parse(broken); err == nil {
			t.Errorf("%d at byte %d is read without a word", value, at)
		}
	}
}

// A file is mostly empty, and empty bytes teach a fuzzer nothing: squeeze keeps
// the head of the header and of each chunk, and swell makes a file of them again.
const headerKept = 128

func squeeze(file []byte) []byte {
	out := append([]byte{}, file[:headerKept]...)
	for at := headerSize; at+chunkSize <= len(file); at += chunkSize {
		chunk := bytes.TrimRight(file[at:at+chunkSize], "\x00")
		out = binary.LittleEndian.AppendUint16(out, uint16(len(chunk)))
		out = append(out, chunk...)
	}
	return out
}

func swell(data []byte) []byte {
	file := make([]byte, headerSize)
	data = data[copy(file[:headerKept], data):]
	for len(data) >= 2 && len(file) < 20*chunkSize {
		n := min(int(binary.LittleEndian.Uint16(data)), chunkSize, len(data)-2)
		chunk := make([]byte, chunkSize)
		copy(chunk, data[2:2+n])
		file, data = append(file, chunk...), data[2+n:]
	}
	return file
}

func TestSqueeze(t *testing.T) {
	data := sample(t)
	p, err := Parse(swell(squeeze(data)))
	if err != nil || len(p.Threads) != 1 || len(p.Regions) != 5 {
		t.Errorf("%+v, %v", p, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(squeeze(sample(f)))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(swell(data))
		if err != nil {
			return
		}
		for _, thread := range p.Threads {
			if thread.Current >= len(thread.Nodes) {
				t.Fatal("a thread in no node")
			}
			for i, n := range thread.Nodes {
				if n.Region < 0 || n.Region >= len(p.Regions) || n.Parent >= i || n.Parent < 0 && i > 0 {
					t.Fatalf("node %d: %+v", i, n)
				}
			}
		}
	})
}

func TestPrototypes(t *testing.T) {
	got := prototypes(`int MPI_Send(const void *buf, int count, MPI_Datatype t);
extern int MPI_Init(void); double MPI_Wtime(void); int MPI_Pcontrol(const int level, ...);
int MPI_Old(int, MPI_Comm, int[], const int counts [], int ranges[][3]);
int MPIX_Query(void); int MPIX_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request *request);`)
	if len(got) != 4 || got[3].prefix+"_"+got[3].name != "MPIX_Barrier_init" || got[0].name != "Send" || len(got[1].params) != 0 {
		t.Fatalf("%+v", got)
	}
	var names []string
	for _, p := range got[2].params {
		names = append(names, p.name+"="+p.text)
	}
	want := []string{"argument0=int argument0", "argument1=MPI_Comm argument1", "argument2=int argument2[]", "counts=const int counts []", "ranges=int ranges[][3]"}
	for i := range want {
		if names[i] != want[i] {
			t.Errorf("%q, want %q", names[i], want[i])
		}
	}
}

// TestWhatWasSeenSince: what a thread spent after its latest event counts where it is,
// unless an event came after it was noted.
func TestWhatWasSeenSince(t *testing.T) {
	for since, want := range map[uint64]float64{5e9: 3, 4e9: 1} {
		r := reader{order: binary.LittleEndian, process: &Process{Regions: []Region{{}}}, seconds: 1e-9, threads: map[uint32]int{}}
		body := make([]byte, chunkSize)
		n, err := binary.Encode(body[chunkHead:], binary.LittleEndian, &rawThread{ID: 1, Last: 5e9, Since: since, Wall: 2e9, CPU: 1e9, Blocked: 1e9, Own: 1})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range []uint32{threadChunk, 1, uint32(n)} {
			binary.LittleEndian.PutUint32(body[4*i:], v)
		}
		if err := r.chunk(body); err != nil {
			t.Fatal(err)
		}
		r.process.Threads[0].Nodes = []Node{{Parent: -1, Wall: 1, CPU: 1}}
		r.finish(0)
		got := r.process.Threads[0]
		if got.Nodes[0].Wall != want || !got.Left || got.Seen.Seconds() != 4+want {
			t.Errorf("noted at %d: %g s, seen after %v; want %g s", since, got.Nodes[0].Wall, got.Seen, want)
		}
	}
}
