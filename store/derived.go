package store

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// What is worked out of an experiment after it was stored, and takes long to work
// out again, is kept in its folder and vanishes with it. It is no part of what was
// measured: no receipt has its sum, so that it ends in one, and begins with the build
// that worked it out. What is missing, damaged or another build's is worked out again.

const derivedEnding = ".derived"

// Derived reads what this build worked out of an experiment and kept; nil where there
// is nothing of the name that can be relied on.
func (e *Experiment) Derived(name string) []byte {
	if e.folder == nil {
		return nil
	}
	path := filepath.Join(e.folder.dir, name+derivedEnding)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	text, sealed, err := unseal(path, text, "sum ")
	by, data, _ := bytes.Cut(text, []byte("\n"))
	if err != nil || !sealed || Build() == "" || string(by) != Build() {
		return nil
	}
	return data
}

// KeepDerived keeps what was worked out of an experiment, in place of what was kept
// by that name. Where the store cannot be written, nothing is lost but time.
func (e *Experiment) KeepDerived(name string, data []byte) error {
	if e.folder == nil {
		return errRemote
	}
	if Build() == "" {
		return errNoBuild
	}
	text := append([]byte(Build()+"\n"), data...)
	// Beside the folders, where Collect finds what a killed process left.
	draft := filepath.Join(e.folder.shelf.folders, temporaryName(newID()))
	err := os.WriteFile(draft, seal(append(text, '\n'), "sum "), 0o666)
	if err == nil {
		err = os.Rename(draft, filepath.Join(e.folder.dir, name+derivedEnding))
	}
	if err != nil {
		os.Remove(draft)
	}
	return err
}

var errNoBuild = errors.New("this program does not tell which build it is")

// Build names this program by the identity that Go's linker gave it; empty where
// it cannot be read.
var Build = sync.OnceValue(func() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	file, err := elf.Open(self)
	if err != nil {
		return ""
	}
	defer file.Close()
	note := file.Section(".note.go.buildid")
	if note == nil {
		return ""
	}
	data, err := note.Data()
	if err != nil {
		return ""
	}
	return hex.EncodeToString(data)
})
