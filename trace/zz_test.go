package trace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	dir := os.Getenv("ZZ_DIR")
	if dir == "" {
		t.Skip()
	}
	n, _ := strconv.Atoi(os.Getenv("ZZ_N"))
	best := time.Duration(1 << 60)
	size := 0
	for i := 0; i < max(n, 1); i++ {
		t0 := time.Now()
		tr, err := Open(context.Background(), filepath.Join(dir, "list.txt"), 0)
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(t0))
		size = 0
		for i := range tr.Programs {
			size += tr.Programs[i].Size()
		}
	}
	fmt.Println("read", best, "bytes", size)
}
