package simulate_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"auspex/platform"
	"auspex/simulate"
	"auspex/trace"
)

// Rank 0 computes for a second and sends 1 MB to rank 1, which waits for it.
func Example() {
	dir, err := os.MkdirTemp("", "traces")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "trace.txt")
	text := "0 init\n0 compute 1e9\n0 send 1 0 1e6 6\n0 finalize\n1 init\n1 recv 0 0 1e6 6\n1 finalize\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
	t, err := trace.Open(context.Background(), path, 2)
	if err != nil {
		log.Fatal(err)
	}
	p, err := platform.Read("pair.toml", strings.NewReader(`
[[cluster]]
name = "pair"
nodes = 2
speed = "1Gf"
bandwidth = "125MBps"
latency = "50us"
`))
	if err != nil {
		log.Fatal(err)
	}
	r, err := simulate.Run(context.Background(), t, p, []int{0, 1}, simulate.Defaults(), simulate.Hooks{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the program takes %.3f s\n", r.Seconds)
	fmt.Printf("rank 1 waits for %.3f s of them\n", r.Ranks[1].Recv)
	// Output:
	// the program takes 1.010 s
	// rank 1 waits for 1.010 s of them
}
