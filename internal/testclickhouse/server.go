// Package testclickhouse gives tests a ClickHouse to talk to: the engine of a
// current release as a shared library (chDB), in a process of its own, behind
// as much of ClickHouse's HTTP interface as auspex speaks. What is answered by
// SQL is ClickHouse's own answer; the wire is this package's.
package testclickhouse

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
)

//go:embed engine/engine.c
var engineSource []byte

// Library is where the engine is, "" where it is not installed.
func Library() string {
	path := os.Getenv("AUSPEX_CHDB")
	if path == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		path = filepath.Join(cache, "auspex-test", "chdb", "libchdb.so")
	}
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// Server is a ClickHouse in a test.
type Server struct {
	URL  string // http://…
	Host string // host:port

	// User and Password are wanted from all who ask, if set.
	User, Password string
	// Fail, if set, may break a request before (it is not done) or after (it is
	// done and nobody is told).
	Fail func(statement string, done bool) bool

	mu  sync.Mutex
	cmd *exec.Cmd
	in  io.WriteCloser
	out *os.File
	dir string
	// settings that were set for the statement before
	leftover []string
}

// Start starts a server, which the test's end stops, or skips the test with a
// clear word where the engine is not installed.
func Start(t testing.TB) *Server {
	t.Helper()
	library := Library()
	if library == "" {
		t.Skip("ClickHouse's engine is not installed; scripts/setup test installs it")
	}
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to build the engine's process with")
	}
	dir := t.TempDir()
	source, program := filepath.Join(dir, "engine.c"), filepath.Join(dir, "engine")
	if err := os.WriteFile(source, engineSource, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "-O1", "-o", program, source, "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := &Server{dir: dir}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.cmd = exec.Command(program, library, filepath.Join(dir, "data"))
	s.cmd.ExtraFiles = []*os.File{write}
	s.cmd.Stderr = io.Discard
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	s.out = read
	front := httptest.NewServer(s)
	t.Cleanup(func() {
		front.Close()
		s.in.Close()
		s.cmd.Process.Kill()
		s.cmd.Wait()
		read.Close()
	})
	s.URL, s.Host = front.URL, strings.TrimPrefix(front.URL, "http://")
	if _, err := s.SQL("SELECT 1"); err != nil {
		t.Skipf("the engine does not work here: %v", err)
	}
	return s
}

// SQL runs a statement, past the HTTP interface.
func (s *Server) SQL(statement string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ask(statement)
}

func (s *Server) ask(statement string) (string, error) {
	request := binary.NativeEndian.AppendUint32(nil, uint32(len(statement)))
	if _, err := s.in.Write(append(request, statement...)); err != nil {
		return "", err
	}
	var head [9]byte
	if _, err := io.ReadFull(s.out, head[:]); err != nil {
		return "", err
	}
	body := make([]byte, binary.NativeEndian.Uint64(head[1:]))
	if _, err := io.ReadFull(s.out, body); err != nil {
		return "", err
	}
	if head[0] != 0 {
		return "", errors.New(string(body))
	}
	return string(body), nil
}

// ServeHTTP answers as ClickHouse does: the statement is in the query string, or
// in the body; param_x are parameters, database and others are settings.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil && r.Header.Get("Content-Encoding") == "zstd" {
		var z *zstd.Decoder
		if z, err = zstd.NewReader(bytes.NewReader(body)); err == nil {
			body, err = io.ReadAll(z)
			z.Close()
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if r.Header.Get("X-ClickHouse-User") != s.User || r.Header.Get("X-ClickHouse-Key") != s.Password {
		refuse(w, http.StatusUnauthorized, "516", "Code: 516. DB::Exception: "+r.Header.Get("X-ClickHouse-User")+": Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)")
		return
	}
	out, err := s.statement(r, body)
	var broken brokenError
	if errors.As(err, &broken) {
		panic(http.ErrAbortHandler) // the connection is cut
	}
	if err != nil {
		code := regexp.MustCompile(`Code: (\d+)`).FindStringSubmatch(err.Error())
		if code == nil {
			code = []string{"", "1"}
		}
		refuse(w, http.StatusInternalServerError, code[1], err.Error())
		return
	}
	io.WriteString(w, out)
}

// brokenError stands for a connection that is cut.
type brokenError struct{}

func (brokenError) Error() string { return "the connection is cut" }

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("X-ClickHouse-Exception-Code", code)
	http.Error(w, message, status)
}

func (s *Server) statement(r *http.Request, body []byte) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	statement := query.Get("query")
	if statement == "" {
		statement, body = string(body), nil
	}
	for _, name := range s.leftover {
		if _, err := s.ask("SET " + name + " = DEFAULT"); err != nil {
			return "", err
		}
	}
	s.leftover = nil
	for name, values := range query {
		var set string
		switch {
		case name == "query":
			continue
		case name == "database":
			set = "USE `" + values[0] + "`"
		case name == "wait_end_of_query" || name == "default_format":
			continue // of the wire
		default:
			set = "SET " + name + " = '" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(values[0]) + "'"
			if !strings.HasPrefix(name, "param_") {
				s.leftover = append(s.leftover, name)
			}
		}
		if _, err := s.ask(set); err != nil {
			return "", err
		}
	}
	if s.Fail != nil && s.Fail(statement, false) {
		return "", brokenError{}
	}
	if body != nil {
		file := filepath.Join(s.dir, "body")
		if err := os.WriteFile(file, body, 0o666); err != nil {
			return "", err
		}
		into, format, found := strings.Cut(statement, " FORMAT ")
		if !found {
			return "", fmt.Errorf("a body without a format: %s", statement)
		}
		if strings.Contains(into, "FROM input('") {
			statement = strings.Replace(into, "FROM input('", "FROM file('"+file+"', '"+format+"', '", 1)
		} else {
			statement = into + " FROM INFILE '" + file + "' FORMAT " + format
		}
	}
	out, err := s.ask(statement)
	if err == nil && s.Fail != nil && s.Fail(statement, true) {
		return "", brokenError{}
	}
	return out, err
}
