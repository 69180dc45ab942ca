// Package testclickhouse gives tests a ClickHouse to talk to: the engine of a
// current release as a shared library (chDB), in a process of its own, behind
// as much of ClickHouse's HTTP interface as auspex speaks. What is answered by
// SQL is ClickHouse's own answer; the wire is this package's.
package testclickhouse

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
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

	// Users are those who may ask, by name; nil lets everybody.
	Users map[string]User

	mu   sync.Mutex
	fail func(statement string, done bool) bool
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *os.File
	dir  string
	// settings that were set for the statement before
	leftover []string
}

// User is somebody who may ask.
type User struct {
	Password    string
	Certificate string // the common name of the certificate that he logs in with, instead
	ReadOnly    bool   // as readonly = 2
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

// Fail sets what may break a request before (it is not done) or after (it is done
// and nobody is told); nil for nothing. It waits for the request in hand.
func (s *Server) Fail(at func(statement string, done bool) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = at
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
	user, known := s.user(r)
	if !known {
		refuse(w, http.StatusForbidden, "516", "Code: 516. DB::Exception: "+r.Header.Get("X-ClickHouse-User")+": Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)")
		return
	}
	out, err := s.statement(r, body, user.ReadOnly)
	var broken brokenError
	if errors.As(err, &broken) {
		panic(http.ErrAbortHandler) // the connection is cut
	}
	if err != nil {
		code := regexp.MustCompile(`Code: (\d+)`).FindStringSubmatch(err.Error())
		if code == nil {
			code = []string{"", "1"}
		}
		status := http.StatusInternalServerError
		if code[1] == "60" || code[1] == "81" {
			status = http.StatusNotFound
		}
		refuse(w, status, code[1], err.Error())
		return
	}
	if r.URL.Query().Get("enable_http_compression") == "1" && strings.Contains(r.Header.Get("Accept-Encoding"), "zstd") {
		w.Header().Set("Content-Encoding", "zstd")
		packed, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err == nil {
			io.WriteString(packed, out)
			packed.Close()
		}
		return
	}
	io.WriteString(w, out)
}

// user finds who asks.
func (s *Server) user(r *http.Request) (User, bool) {
	if s.Users == nil {
		return User{}, true
	}
	user, known := s.Users[r.Header.Get("X-ClickHouse-User")]
	if user.Certificate != "" {
		known = known && r.Header.Get("X-ClickHouse-SSL-Certificate-Auth") == "on" && r.TLS != nil && len(r.TLS.PeerCertificates) > 0 &&
			r.TLS.PeerCertificates[0].Subject.CommonName == user.Certificate
		return user, known
	}
	return user, known && r.Header.Get("X-ClickHouse-Key") == user.Password
}

// StartTLS lets the same server be asked by https, with a certificate of its own
// making. It gives the host and the certificate, in PEM form. Clients may have a
// certificate that was signed by clients.
func (s *Server) StartTLS(t testing.TB, clients *x509.CertPool) (host string, certificate []byte) {
	t.Helper()
	front := httptest.NewUnstartedServer(s)
	front.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that are meant to fail
	front.TLS = &tls.Config{ClientCAs: clients, ClientAuth: tls.VerifyClientCertIfGiven, MinVersion: tls.VersionTLS12}
	front.StartTLS()
	t.Cleanup(front.Close)
	return front.Listener.Addr().String(), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw})
}

// exception is an error in ClickHouse's words.
type exception string

func (e exception) Error() string { return string(e) }

// brokenError stands for a connection that is cut.
type brokenError struct{}

func (brokenError) Error() string { return "the connection is cut" }

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("X-ClickHouse-Exception-Code", code)
	http.Error(w, message, status)
}

func (s *Server) statement(r *http.Request, body []byte, readOnly bool) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	statement := query.Get("query")
	if statement == "" {
		statement, body = string(body), nil
	}
	if readOnly && !strings.HasPrefix(statement, "SELECT") && !strings.HasPrefix(statement, "WITH") {
		return "", exception("Code: 164. DB::Exception: Cannot execute query in readonly mode. (READONLY)")
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
		case name == "wait_end_of_query" || name == "enable_http_compression":
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
	if s.fail != nil && s.fail(statement, false) {
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
	if err == nil && s.fail != nil && s.fail(statement, true) {
		return "", brokenError{}
	}
	return out, err
}
