package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestQuotas(t *testing.T) {
	root := t.TempDir()
	put := func(dir string, files map[string]string) {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(root, dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	second := func(max, stopped string) map[string]string {
		return map[string]string{"cpu.max": max + "\n", "cpu.stat": "usage_usec 5\nnr_throttled 3\nthrottled_usec " + stopped + "\n"}
	}
	put("pod", second("150000 100000", "2000000"))
	put("pod/job", second("max 100000", "0"))
	put("cpu/old", map[string]string{"cpu.cfs_quota_us": "50000\n", "cpu.cfs_period_us": "100000\n", "cpu.stat": "nr_periods 9\nnr_throttled 4\nthrottled_time 3000000000\n"})
	put("cpu/free", map[string]string{"cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n", "cpu.stat": "throttled_time 0\n"})
	for groups, want := range map[string]quota{
		"0::/pod/job\n":                     {1.5, 2}, // the group above has it
		"5:memory:/pod\n1:cpu:/old\n0::/\n": {0.5, 3},
		"1:cpu:/free\n0::/\n":               {},
		"3:cpuset:/pod\n":                   {},
		"0::/nowhere\n":                     {},
		"nonsense\n0:\n":                    {},
	} {
		found := throttled(root, groups)
		var got quota
		for _, q := range found {
			got = q
		}
		if got != want || len(found) > 1 {
			t.Errorf("%q: %v, want %v", groups, found, want)
		}
	}

	before := throttle{"a": {1.5, 10}, "b": {1, 0}}
	for _, c := range []struct {
		after throttle
		want  string
	}{
		{throttle{"a": {1.5, 13}, "b": {1, 0.5}}, "worth 1.5 cores, stopped what ran here for 3 s"},
		{throttle{"a": {1.5, 10.1}, "b": {1, 0.5}}, "worth 1 core, stopped what ran here for 0.5 s"},
		{throttle{"a": {1.5, 10.1}}, ""}, // a hundredth of the run
		{before, ""},
		{nil, ""},
	} {
		if got := c.after.since(before, 10); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%v: %q, want %q", c.after, got, c.want)
		}
	}
}
