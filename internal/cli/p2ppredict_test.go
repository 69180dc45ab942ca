package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/platform"
	"auspex/simulate/peers"
)

// What does not go together is refused: a flag that changes nothing would be taken
// to have been heard.
func TestPeersFlagsThatDoNotGoTogether(t *testing.T) {
	dir := t.TempDir()
	profile := filepath.Join(dir, "sync.json")
	peer := func(rank, to string) string {
		return `{"rank":` + rank + `,"steps":5,"compute":0.001,"sends":[{"to":` + to + `,"bytes":8}]}`
	}
	text := `{"scheme":"synchronous","clusters":[1,1],"seconds":0.01,"peers":[` + peer("0", "1") + "," + peer("1", "0") + `]}`
	if err := os.WriteFile(profile, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	site, err := platform.Read("two.toml", strings.NewReader(twoClusters))
	if err != nil {
		t.Fatal(err)
	}
	measured := p2pPredictFlags{measured: []string{profile}, coupling: usualCoupling}
	for name, k := range map[string]struct {
		change func(*p2pPredictFlags)
		want   string
	}{
		"as measured":    {func(*p2pPredictFlags) {}, ""},
		"clusters alike": {func(f *p2pPredictFlags) { f.clusters = "1,1" }, ""},
		"other clusters": {func(f *p2pPredictFlags) { f.clusters = "2" }, "were in clusters of 1,1"},
		"computing":      {func(f *p2pPredictFlags) { f.compute = time.Second }, "--compute and --bytes"},
		"bytes":          {func(f *p2pPredictFlags) { f.bytes = 1 }, "--compute and --bytes"},
		"negative": {func(f *p2pPredictFlags) {
			*f = p2pPredictFlags{clusters: "1,1", compute: -time.Second, steps: 1}
		}, "must not be negative"},
		"no steps": {func(f *p2pPredictFlags) { *f = p2pPredictFlags{clusters: "1,1", compute: time.Second} }, "--steps above 0"},
	} {
		f := measured
		k.change(&f)
		_, err := (&app{}).p2pProgram(context.Background(), &f, &peers.Options{Platform: site})
		if k.want == "" && err != nil || k.want != "" && (err == nil || !strings.Contains(err.Error(), k.want)) {
			t.Errorf("%s: %v, want %q", name, err, k.want)
		}
	}
}
