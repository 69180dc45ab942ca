package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestOddNamesAreShown: whatever names a table has, it can be stored, shown,
// asked, diagnosed and exported, and nothing of it reaches a terminal as an
// order.
func TestOddNamesAreShown(t *testing.T) {
	dir := t.TempDir()
	auspex := func(args ...string) string {
		t.Helper()
		var out, problems bytes.Buffer
		if status := Main(append(args, "--store", filepath.Join(dir, "store")), strings.NewReader(""), &out, &problems); status != 0 {
			t.Errorf("%q: status %d, %s", args, status, problems.String())
		}
		if all := out.String() + problems.String(); strings.ContainsAny(all, "\x00\x1b\a\x7f") || !utf8.ValidString(all) {
			t.Errorf("%q gives orders to the terminal: %q", args, all)
		}
		return out.String()
	}
	table := "process,region,metric,value\n"
	for i, region := range []string{"\x1b[31mmain\x1b[0m\a", "a\x00b", "\xff\xfe", "plain"} {
		for j, metric := range []string{"wtime", "unit", "region", "Region", "runs", "x\xffy", "esc\x1b[2J", "x.sd"} {
			for process := range 3 {
				table += string(rune('0'+process)) + "," + region + "," + metric + "," + string(rune('1'+(i+j*process)%9)) + "\n"
			}
		}
	}
	file := filepath.Join(dir, "odd\x1b[31m.csv")
	if err := os.WriteFile(file, []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	auspex("import", file, "--name", "odd")
	if shown := auspex("show", "odd"); !strings.Contains(shown, "␛[31mmain") {
		t.Errorf("the region is not shown: %s", shown)
	}
	auspex("show", "odd", "--regions")
	auspex("show", "odd", "--units")
	for _, metric := range []string{"unit", "region", "Region", "runs", "\"x.sd\""} {
		if answer := auspex("query", "odd", metric+" is S(0, 10)"); !strings.Contains(answer, "fit") {
			t.Errorf("%s: %s", metric, answer)
		}
	}
	auspex("diagnose", "odd")
	exported := auspex("export", "odd", "--to", "csv")
	again := filepath.Join(dir, "again.csv")
	if err := os.WriteFile(again, []byte(exported), 0o644); err != nil {
		t.Fatal(err)
	}
	auspex("import", again, "--name", "again")
	if twice := auspex("export", "again", "--to", "csv"); strings.ReplaceAll(twice, "again", "odd") != strings.ReplaceAll(exported, "again", "odd") {
		t.Errorf("the export changed on its way:\n%s\n%s", exported, twice)
	}
}

// TestLargeNumbersAreShort: no number is written with hundreds of digits.
func TestLargeNumbersAreShort(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "big.csv")
	if err := os.WriteFile(file, []byte("process,region,metric,value\n0,main,flops.exc,1e99\n1,main,flops.exc,3e99\n0,main,wtime,9e14\n1,main,wtime,1e14\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"import", file}, {"show", "big"}, {"show", "big", "--regions", "--metric", "flops"}, {"show", "big", "--units"}, {"diagnose", "big"}, {"query", "big", "flops is S(0, 1)"}} {
		var out, problems bytes.Buffer
		if status := Main(append(args, "--store", filepath.Join(dir, "store")), strings.NewReader(""), &out, &problems); status != 0 {
			t.Errorf("%q: status %d, %s", args, status, problems.String())
		}
		for _, word := range strings.Fields(out.String()) {
			digits := strings.Map(func(r rune) rune {
				if r < '0' || r > '9' {
					return -1
				}
				return r
			}, word)
			if len(digits) > 17 {
				t.Errorf("%q writes %s", args, word)
			}
		}
	}
}
