package input

import (
	"strings"
	"testing"
)

// TestNotAProfile: of what is known and no profile it is said what to do with it.
func TestNotAProfile(t *testing.T) {
	for _, c := range []struct{ name, head, want string }{
		{"a.prv.xz", "\xfd7zXZ\x00\x00", "xz -d"},
		{"a.json.zst", "\x28\xb5\x2f\xfd\x00", "zstd -d"},
		{"a.json.bz2", "BZh91AY", "bzip2 -d"},
		{"perf.data", "PERFILE2\x68", "perf script"},
		{"a.csv", "\xff\xfer\x00a\x00", "UTF-16"},
		{"traces.def", "\x03B\x01", ".otf2"},
		{"a.txt", "# made\n\n0 init\n0 compute 5\n", "auspex simulate"},
		{"b.txt", "p0 Isend p1 7\n", "auspex simulate"},
		{"c.txt", "hello world\n", ""},
		{"d.txt", "12 apples\n", ""},
	} {
		if got := notAProfile(c.name, []byte(c.head)); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
