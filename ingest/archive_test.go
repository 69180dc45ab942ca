package ingest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"auspex/ingest/input"
	"auspex/ingest/inputtest"
)

// tarOf makes a tar archive with one file, gzipped on request.
func tarOf(t *testing.T, name string, content []byte, zipped bool) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := tar.NewWriter(&buffer)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), Format: tar.FormatUSTAR}); err != nil {
		t.Fatal(err)
	}
	w.Write(content)
	w.Close()
	if !zipped {
		return buffer.Bytes()
	}
	return inputtest.Gzipped(t, buffer.Bytes())
}

func zipOf(t *testing.T, name string, content []byte) []byte {
	t.Helper()
	var buffer bytes.Buffer
	w := zip.NewWriter(&buffer)
	f, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	f.Write(content)
	w.Close()
	return buffer.Bytes()
}

func find(t *testing.T, content []byte) (*input.Found, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return Find([]string{path}, "")
}

const aProfile = "1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n\"main\" 1 0 5 5 0 GROUP=\"TAU_USER\"\n0 aggregates\n"

func TestProfilesAreFoundInsideArchives(t *testing.T) {
	for name, content := range map[string][]byte{
		"tar": tarOf(t, "run/profile.0.0.0", []byte(aProfile), false),
		"tgz": tarOf(t, "run/profile.0.0.0", []byte(aProfile), true),
		"zip": zipOf(t, "run/profile.0.0.0", []byte(aProfile)),
	} {
		found, err := find(t, content)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(found.Sources) != 1 || found.Sources[0].Format != "tau" || found.Sources[0].Label != "run" {
			t.Errorf("%s: %+v", name, found.Sources)
		}
		dir := found.UnpackDir
		found.Close()
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s: what was unpacked is still there", name)
		}
	}
}

// A table that stands in an archive as it is can be read in the archive's own bytes, where
// its first column has another name: the archive is opened all the same.
func TestTablesInsideArchives(t *testing.T) {
	table := []byte("process,region,metric,value\n0,main,wtime,1\n1,main,wtime,2\n")
	var stored bytes.Buffer
	w := zip.NewWriter(&stored)
	f, err := w.CreateHeader(&zip.FileHeader{Name: "d/table.csv", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	f.Write(table)
	w.Close()
	for name, content := range map[string][]byte{
		"tar": tarOf(t, "x/table.csv", table, false),
		"tgz": tarOf(t, "x/table.csv", table, true),
		"zip": stored.Bytes(),
	} {
		for _, format := range []string{"", "csv"} {
			path := filepath.Join(t.TempDir(), "input")
			if err := os.WriteFile(path, content, 0o666); err != nil {
				t.Fatal(err)
			}
			found, err := Find([]string{path}, format)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if len(found.Sources) != 1 || found.Sources[0].Format != "csv" || filepath.Base(found.Sources[0].Path) != "table.csv" {
				t.Errorf("%s: %+v", name, *found.Sources[0])
			}
			found.Close()
		}
	}
}

// Links to files elsewhere are files; what a link shows that is in the folder anyway, and
// links to folders and to nothing, are passed over.
func TestLinksInFolders(t *testing.T) {
	elsewhere, dir := t.TempDir(), t.TempDir()
	for _, path := range []string{filepath.Join(elsewhere, "far.csv"), filepath.Join(dir, "near.csv")} {
		if err := os.WriteFile(path, []byte("process,region,metric,value\n0,main,wtime,1\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"far-link.csv": filepath.Join(elsewhere, "far.csv"), "near-link.csv": "near.csv", "circle": ".", "nothing": "gone"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	found, err := Find([]string{dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	var names []string
	for _, s := range found.Sources {
		names = append(names, filepath.Base(s.Given))
	}
	if strings.Join(names, " ") != "far-link.csv near.csv" {
		t.Errorf("%q", names)
	}
}

func TestArchivesThatClimbOutAreRefused(t *testing.T) {
	for name, content := range map[string][]byte{
		"tar up":       tarOf(t, "../../profile.0.0.0", []byte(aProfile), false),
		"tar absolute": tarOf(t, "/tmp/profile.0.0.0", []byte(aProfile), true),
		"zip up":       zipOf(t, "a/../../profile.0.0.0", []byte(aProfile)),
	} {
		if _, err := find(t, content); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDamagedArchives(t *testing.T) {
	for name, whole := range map[string][]byte{
		"tar": tarOf(t, "run/profile.0.0.0", bytes.Repeat([]byte(aProfile), 50), false),
		"tgz": tarOf(t, "run/profile.0.0.0", bytes.Repeat([]byte(aProfile), 50), true),
		"zip": zipOf(t, "run/profile.0.0.0", bytes.Repeat([]byte(aProfile), 50)),
	} {
		for cut := 0; cut < len(whole)-1024; cut += 97 {
			if found, err := find(t, whole[:cut]); err == nil {
				t.Errorf("%s cut to %d bytes: found %d sources", name, cut, len(found.Sources))
				found.Close()
			}
		}
	}
}

func TestDecompressionBombIsStopped(t *testing.T) {
	if testing.Short() {
		t.Skip("decompresses 256 MiB")
	}
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	w.Write([]byte("process,region,metric,value\n"))
	line := bytes.Repeat([]byte("0,main,wtime,1\n"), 1<<16)
	for n := 0; n < 2*input.BombSize; n += len(line) {
		w.Write(line)
	}
	w.Close()
	path := filepath.Join(t.TempDir(), "bomb.csv.gz")
	os.WriteFile(path, bomb.Bytes(), 0o666)
	src := &input.Source{Path: path, Given: "bomb.csv.gz"}
	in, err := src.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	n, err := in.WriteTo(discard{})
	if err == nil || !strings.Contains(err.Error(), "bomb") {
		t.Fatalf("%d bytes came out of %d: %v", n, bomb.Len(), err)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
