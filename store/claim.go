package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"auspex/internal/scratch"
)

// A claim is a folder that is there while somebody writes under a name. It is
// made elsewhere, with a file that says who he is, and renamed into place.
// Renaming a folder over one that is not empty fails, on every file system
// and atomically on the server of one that is shared; so of many only one
// succeeds, and a claim is never seen without its owner. Neither locks nor
// links are needed.
//
// A claim whose owner is dead is broken by whoever meets it. Two could meet it
// at once, and the second break the claim of the first; so who wants to break
// a claim first claims the right to break that one.
const (
	claimWait  = 10 * time.Second // how long a name that is being written is waited for
	claimBeat  = 20 * time.Second // how often an owner shows that he lives
	claimStale = 3 * time.Minute  // without a sign of life from another machine
	claimFile  = "owner"
)

// claim is one that is held.
type claim struct {
	path, token string
	temporary   func() string
}

func (s *Store) claimsDir() string { return filepath.Join(s.dir, "claims") }

// claim waits for its turn to write under a name.
func (s *Store) claim(name string) (*claim, error) {
	if s.remote != nil {
		return nil, errRemote
	}
	if held := s.held.find(name); held != nil {
		return held, nil
	}
	if err := os.MkdirAll(s.claimsDir(), 0o777); err != nil {
		return nil, fmt.Errorf("the store cannot be made: %w", err)
	}
	for deadline := time.Now().Add(s.patience); ; time.Sleep(10 * time.Millisecond) {
		c, owner, err := s.tryClaim(escapeName(name))
		if !errors.Is(err, ErrBusy) {
			return c, err
		}
		if time.Now().After(deadline) {
			return nil, &namedError{fmt.Sprintf("the name %q is being written by another auspex (%s); choose another, or wait for it", name, owner), ErrBusy}
		}
	}
}

// tryClaim claims what is called file, or is ErrBusy and tells who has it.
func (s *Store) tryClaim(file string) (c *claim, owner string, err error) {
	c = &claim{path: filepath.Join(s.claimsDir(), file), token: newID()}
	c.temporary = func() string { return filepath.Join(s.claimsDir(), temporaryName(newID())) }
	mine := c.temporary()
	if err := os.Mkdir(mine, 0o777); err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(mine) // gone by then when all went well
	if err := os.WriteFile(filepath.Join(mine, claimFile), []byte(c.token+" "+scratch.Self()+" "+hostname()+"\n"), 0o666); err != nil {
		return nil, "", err
	}
	now, err := os.Stat(mine) // by the clock of the file system, which all share
	if err != nil {
		return nil, "", err
	}
	for range 2 {
		err := os.Rename(mine, c.path)
		if err == nil || c.holds() { // an answer that was lost on the way is no failure
			return c, "", nil
		}
		if !errors.Is(err, syscall.ENOTEMPTY) && !errors.Is(err, syscall.EEXIST) {
			return nil, "", err
		}
		token, who, host := readOwner(c.path)
		if !stale(c.path, who, now.ModTime()) {
			return nil, "process " + who + " on " + host, ErrBusy
		}
		if err := s.breakClaim(c.path, token); err != nil {
			return nil, "", err
		}
	}
	return nil, "", ErrBusy
}

// breakClaim removes a claim whose owner is dead, unless another did so.
func (s *Store) breakClaim(path, token string) error {
	right, _, err := s.tryClaim(".break-" + token)
	if err != nil {
		return err
	}
	defer right.release()
	if now, _, _ := readOwner(path); now != token {
		return nil
	}
	gone := right.temporary()
	if err := os.Rename(path, gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(gone)
}

// readOwner tells who made a claim; nothing where it is gone or unreadable.
func readOwner(path string) (token, who, host string) {
	data, _ := os.ReadFile(filepath.Join(path, claimFile))
	words := strings.Fields(string(data))
	if len(words) != 3 {
		return "", "", ""
	}
	return words[0], words[1], words[2]
}

// stale judges a claim. On this machine a process can be asked; elsewhere only
// time tells.
func stale(path, who string, now time.Time) bool {
	if alive, known := scratch.Alive(who); known {
		return !alive
	}
	info, err := os.Stat(path)
	return err == nil && now.Sub(info.ModTime()) > claimStale
}

// holds tells whether a claim is still ours: who was out of reach for long may
// have lost it.
func (c *claim) holds() bool {
	token, _, _ := readOwner(c.path)
	return token == c.token
}

func (c *claim) release() {
	if !c.holds() {
		return
	}
	gone := c.temporary()
	if os.Rename(c.path, gone) == nil {
		os.RemoveAll(gone)
	}
}

// Claim is a name held for what is still being made.
type Claim struct {
	claim *claim
	once  sync.Once
	free  func()
}

// Claim holds a name of a kind until Release, so that work of hours does not
// end with the news that the name is taken. It refuses at once what a Put
// would refuse in the end: a name already there, with ErrExists, unless
// replace is set. Puts of this Store under the name are let through.
func (s *Store) Claim(kind Kind, name string, replace bool) (*Claim, error) {
	shelf := s.shelf(kind)
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if err := shelf.refuse(name, replace); err != nil { // before waiting for anyone
		return nil, err
	}
	held, err := s.claim(name)
	if err != nil {
		return nil, err
	}
	if err := shelf.refuse(name, replace); err != nil {
		held.release()
		return nil, err
	}
	s.held.add(name, held)
	return held.kept(func() { s.held.remove(name) }), nil
}

// ClaimWork takes a piece of work that several processes could do, or is
// ErrBusy and tells who has it. Its claims lie beside those of names and never
// meet them: what begins with a dot is escaped in a name.
func (s *Store) ClaimWork(piece string) (c *Claim, owner string, err error) {
	if s.remote != nil {
		return nil, "", errRemote
	}
	if err := os.MkdirAll(s.claimsDir(), 0o777); err != nil {
		return nil, "", fmt.Errorf("the store cannot be made: %w", err)
	}
	held, owner, err := s.tryClaim(".work-" + escapeName(piece))
	if err != nil {
		return nil, owner, err
	}
	return held.kept(func() {}), "", nil
}

// kept shows that its owner lives until it is released.
func (c *claim) kept(released func()) *Claim {
	done := make(chan struct{})
	go c.beat(done)
	return &Claim{claim: c, free: func() {
		close(done)
		released()
		c.release()
	}}
}

// Release lets others have the name. It may be called again.
func (c *Claim) Release() { c.once.Do(c.free) }

// Holds tells whether the claim is still ours: who was out of reach for long
// may have lost it.
func (c *Claim) Holds() bool { return c.claim.holds() }

// beat shows other machines that the owner lives.
func (c *claim) beat(done <-chan struct{}) {
	ticker := time.NewTicker(claimBeat)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			if c.holds() {
				sign := filepath.Join(c.path, "alive") // a change that the server dates
				if os.WriteFile(sign, nil, 0o666) == nil {
					os.Remove(sign)
				}
			}
		}
	}
}

// heldClaims are the names that this Store's user claimed.
type heldClaims struct {
	mu     sync.Mutex
	byName map[string]*claim
}

func (h *heldClaims) find(name string) *claim {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.byName[name]
}

func (h *heldClaims) add(name string, c *claim) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.byName == nil {
		h.byName = map[string]*claim{}
	}
	h.byName[name] = c
}

func (h *heldClaims) remove(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.byName, name)
}
