package web

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"auspex/store"
)

// large puts an experiment of that many units × 500 regions × 8 metrics into a
// store.
func large(t testing.TB, units int) *store.Store {
	t.Helper()
	s := store.Open(filepath.Join(t.TempDir(), "store"))
	put(t, s, synthetic("large", units, 500))
	return s
}

// firstView is what the page asks when an experiment is opened.
var firstView = []string{"/experiments", "/experiments/large", "/experiments/large/rules", "/experiments/large/classify", "/experiments/large/diagnose"}

// BenchmarkFirstView opens an experiment of 4,096 units × 500 regions with
// nothing in memory yet; the goal is 1 s.
func BenchmarkFirstView(b *testing.B) {
	s := large(b, 4096)
	used := 0.0
	for b.Loop() {
		b.StopTimer()
		l := serve(b, Config{Store: s})
		debug.FreeOSMemory()
		start := cpu(b)
		b.StartTimer()
		together(firstView, func(path string) {
			if status, _, text := l.send("GET", "/api/v1"+path, ""); status != http.StatusOK {
				b.Errorf("%s: %d %s", path, status, text)
			}
		})
		used += cpu(b) - start
	}
	b.ReportMetric(used/float64(b.N), "cpu-ms/op")
}

// BenchmarkQuestion times the questions of the first view one by one, each
// with nothing in memory.
func BenchmarkQuestion(b *testing.B) {
	s := large(b, 4096)
	for _, path := range append(firstView[1:], "/experiments/large/regions", "/experiments/large/heatmap?cols=300&rows=100", "/experiments/large/units", "/experiments/large/diagnose?details=true", "/experiments/large/terms", "/experiments/large/bottlenecks") {
		b.Run(path[1:], func(b *testing.B) {
			used := 0.0
			for b.Loop() {
				b.StopTimer()
				l := serve(b, Config{Store: s})
				debug.FreeOSMemory()
				start := cpu(b)
				b.StartTimer()
				if status, _, text := l.send("GET", "/api/v1"+path, ""); status != http.StatusOK {
					b.Errorf("%s: %d %s", path, status, text)
				}
				used += cpu(b) - start
			}
			b.ReportMetric(used/float64(b.N), "cpu-ms/op")
		})
	}
}

// BenchmarkZoom asks for parts of the heat map of 10,000 units × 500 regions,
// never the same twice; the goal is 150 ms at the server.
func BenchmarkZoom(b *testing.B) {
	s := large(b, 10_000)
	l := serve(b, Config{Store: s})
	for _, metric := range []string{"wtime", "count0/count1"} {
		b.Run(strings.ReplaceAll(metric, "/", " over "), func(b *testing.B) {
			start := cpu(b)
			for i := 0; b.Loop(); i++ {
				path := fmt.Sprintf("/api/v1/experiments/large/heatmap?cols=300&rows=100&from_unit=%d&metric=%s&normalise=region", i%4000, strings.ReplaceAll(metric, "/", "%2F"))
				if status, _, text := l.send("GET", path, ""); status != http.StatusOK {
					b.Fatalf("%d %s", status, text)
				}
			}
			b.ReportMetric((cpu(b)-start)/float64(b.N), "cpu-ms/op")
		})
	}
}

// BenchmarkVeryLarge opens and zooms an experiment of 10,000 units × 5,000 regions,
// 50 million values of time and as many of a counter; the goals are the same: 1 s
// and 150 ms. AUSPEX_LARGE names a folder that keeps it for the next time.
func BenchmarkVeryLarge(b *testing.B) {
	s := store.Open(filepath.Join(cmp.Or(os.Getenv("AUSPEX_LARGE"), b.TempDir()), "store"))
	if _, err := s.Get("large"); err != nil {
		put(b, s, syntheticOf("large", 10_000, 5000, 2))
	}
	ask := func(b *testing.B, l *live, path string) {
		if status, _, text := l.send("GET", "/api/v1"+path, ""); status != http.StatusOK {
			b.Fatalf("%s: %d %s", path, status, text)
		}
	}
	for _, path := range append(firstView[1:], "/experiments/large/heatmap?cols=500&rows=30", "/experiments/large/table", "/glances?experiment=large") {
		b.Run(path[1:], func(b *testing.B) {
			used := 0.0
			for b.Loop() {
				b.StopTimer()
				l := serve(b, Config{Store: s})
				debug.FreeOSMemory()
				start := cpu(b)
				b.StartTimer()
				ask(b, l, path)
				used += cpu(b) - start
			}
			b.ReportMetric(used/float64(b.N), "cpu-ms/op")
		})
	}
	l := serve(b, Config{Store: s})
	ask(b, l, "/experiments/large/heatmap?cols=500&rows=30")
	b.Run("zoom", func(b *testing.B) {
		start := cpu(b)
		for i := 0; b.Loop(); i++ {
			ask(b, l, fmt.Sprintf("/experiments/large/heatmap?cols=500&rows=30&from_unit=%d", i%5000+1))
		}
		b.ReportMetric((cpu(b)-start)/float64(b.N), "cpu-ms/op")
	})
}

// cpu is the processor time this process has used, in milliseconds: on a busy
// machine it tells more than the clock.
func cpu(t testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
}

func together(paths []string, ask func(string)) {
	var wg sync.WaitGroup
	for _, path := range paths {
		wg.Go(func() { ask(path) })
	}
	wg.Wait()
}

// TestManyReaders has 200 readers ask at once, each of them once at least: for 2 s of a
// small experiment, and with AUSPEX_LOAD=30s for that long of 4,096 units × 500 regions,
// when memory is held to 500 MiB as well.
func TestManyReaders(t *testing.T) {
	long, units := 2*time.Second, 64
	if text := os.Getenv("AUSPEX_LOAD"); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		units = 4096
	}
	s := large(t, units)
	debug.FreeOSMemory()
	before := resident(t)
	l := serve(t, Config{Store: s, Loopback: true})
	var asked, failed, most atomic.Int64
	stop := time.Now().Add(long)
	var wg sync.WaitGroup
	for reader := range 200 {
		wg.Go(func() {
			for i := reader; i == reader || time.Now().Before(stop); i++ {
				path := append(firstView, "/experiments/large/regions", fmt.Sprintf("/experiments/large/heatmap?cols=200&rows=60&from_unit=%d", i%(units/2)))[i%7]
				if status, _, text := l.send("GET", "/api/v1"+path, ""); status != http.StatusOK {
					failed.Add(1)
					t.Errorf("%s: %d %.200s", path, status, text)
					return
				}
				asked.Add(1)
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		case <-time.After(100 * time.Millisecond):
			most.Store(max(most.Load(), resident(t)))
		}
	}
	t.Logf("%d answers in %v to 200 readers, %d failed; at most %d MiB resident, %d MiB before", asked.Load(), long, failed.Load(), most.Load()>>20, before>>20)
	if asked.Load() < 200 {
		t.Errorf("only %d answers", asked.Load())
	}
	// Both sides of the connections live in this process.
	if most.Load() > 500<<20 {
		t.Errorf("%d MiB resident", most.Load()>>20)
	}
}

// BenchmarkLightBesideHeavy asks light questions while 200 readers ask heavy ones,
// never the same twice, of 4,096 units × 500 regions; the goals are 200 ms at the
// 99th percentile and 1 GiB.
func BenchmarkLightBesideHeavy(b *testing.B) {
	const units = 4096
	l := serve(b, Config{Store: large(b, units), Loopback: true})
	stop := make(chan struct{})
	var readers sync.WaitGroup
	var heavy atomic.Int64
	for reader := range 200 {
		readers.Go(func() {
			for i := reader; ; i += 200 {
				select {
				case <-stop:
					return
				default:
				}
				path := []string{"heatmap?cols=200&rows=60&normalise=region&from_unit=%d", "diagnose?details=true&units=processes&metric=count%d", "table?top=%d", "calltree?top=%d"}[i/200%4]
				n := i % (units / 2)
				if strings.HasPrefix(path, "diagnose") {
					n = i % 7
				}
				l.send("GET", "/api/v1/experiments/large/"+fmt.Sprintf(path, n), "")
				heavy.Add(1)
			}
		})
	}
	for l.server.waiting.Load() < 100 {
		time.Sleep(time.Millisecond)
	}
	var took []time.Duration
	most := int64(0)
	light := []string{"about", "experiments", "terms", "studies"}
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		if status, _, text := l.send("GET", "/api/v1/"+light[i%len(light)], ""); status != http.StatusOK {
			b.Fatalf("%d %s", status, text)
		}
		took = append(took, time.Since(began))
		most = max(most, resident(b))
	}
	close(stop)
	readers.Wait()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(most>>20), "MiB")
	b.ReportMetric(float64(heavy.Load()), "heavy-answers")
}

// resident is the memory of this process that is in use.
func resident(t testing.TB) int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.Sys - m.HeapReleased)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(data))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
