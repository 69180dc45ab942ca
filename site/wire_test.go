package site

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"auspex/internal/testclickhouse"
	"auspex/store"
)

// testWire goes through login and TLS on a server that has tables.
func testWire(t *testing.T, server *testclickhouse.Server) {
	person := clientCertificate(t, "carol")
	pool := x509.NewCertPool()
	pool.AddCert(person.parsed)
	host, certificate := server.StartTLS(t, pool)
	server.Users = map[string]testclickhouse.User{
		"pusher": {Password: "geheim"}, "reader": {Password: "lesen", ReadOnly: true}, "carol": {Certificate: "carol"},
	}
	defer func() { server.Users = nil }()
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ca, secret := write("ca.pem", certificate), write("secret", []byte("geheim\n"))
	cert, key := write("cert.pem", person.certificate), write("key.pem", person.key)
	nonsense := write("nonsense.pem", []byte("geheim"))
	secure := Scheme + host + "/auspex?secure=1"
	list := func(s *Site) error { _, err := s.List(); return err }
	push := func(s *Site) error {
		_, err := s.Push(context.Background(), []Item{{run("wire", day, 9), nil}})
		return err
	}
	for _, c := range []struct {
		name, place string
		env         map[string]string
		ask         func(*Site) error
		want        string // in the error, "" for success
	}{
		{"password", secure, map[string]string{userVariable: "pusher", passwordVariable: "geheim", caFile: ca}, push, ""},
		{"password of a file", secure, map[string]string{userVariable: "pusher", passwordFile: secret, caFile: ca}, list, ""},
		{"wrong password", secure, map[string]string{userVariable: "pusher", passwordVariable: "ganz-falsch", caFile: ca}, list, passwordFile},
		{"no such user", secure, map[string]string{userVariable: "mallory", passwordVariable: "geheim", caFile: ca}, list, "Authentication failed"},
		{"nobody", secure, map[string]string{caFile: ca}, list, "Authentication failed"},
		{"no such file", secure, map[string]string{userVariable: "pusher", passwordFile: secret + "x", caFile: ca}, list, "the file with the site's password"},
		{"reader reads", secure, map[string]string{userVariable: "reader", passwordVariable: "lesen", caFile: ca}, list, ""},
		{"reader loads", secure, map[string]string{userVariable: "reader", passwordVariable: "lesen", caFile: ca}, func(s *Site) error {
			e, err := store.OpenRemote(s).Get("one")
			if err == nil {
				_, err = e.Load()
			}
			return err
		}, ""},
		{"reader asks", secure, map[string]string{userVariable: "reader", passwordVariable: "lesen", caFile: ca}, func(s *Site) error {
			_, err := s.Losses(context.Background(), "user", "", day.AddDate(-1, 0, 0), day.AddDate(1, 0, 0))
			return err
		}, ""},
		{"reader pushes", secure, map[string]string{userVariable: "reader", passwordVariable: "lesen", caFile: ca}, func(s *Site) error {
			_, err := s.Push(context.Background(), []Item{{run("reader's", day, 8), nil}})
			return err
		}, "may only read"},
		{"certificate instead of a password", secure, map[string]string{userVariable: "carol", certificateFile: cert, keyFile: key, caFile: ca}, list, ""},
		{"no certificate", secure, map[string]string{userVariable: "carol", passwordVariable: "geheim", caFile: ca}, list, "Authentication failed"},
		{"key alone", secure, map[string]string{userVariable: "carol", keyFile: key, caFile: ca}, list, "wanted together"},
		{"unreadable key", secure, map[string]string{userVariable: "carol", certificateFile: cert, keyFile: nonsense, caFile: ca}, list, keyFile},
		{"unknown signer", secure, map[string]string{userVariable: "pusher", passwordVariable: "geheim"}, list, caFile},
		{"no signer in the file", secure, map[string]string{userVariable: "pusher", passwordVariable: "geheim", caFile: nonsense}, list, "no certificate in PEM form"},
		{"another's certificate", Scheme + "localhost.localdomain:" + host[strings.LastIndex(host, ":")+1:] + "/auspex?secure=1",
			map[string]string{userVariable: "pusher", passwordVariable: "geheim", caFile: ca}, list, "the site"},
		{"no TLS here", Scheme + server.Host + "/auspex?secure=1", map[string]string{userVariable: "pusher", passwordVariable: "geheim", caFile: ca}, list, "cannot be reached"},
		{"TLS there", Scheme + host + "/auspex", map[string]string{userVariable: "pusher", passwordVariable: "geheim"}, list, "the site"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{userVariable, passwordVariable, passwordFile, caFile, certificateFile, keyFile} {
				t.Setenv(name, c.env[name])
			}
			s, err := Open(c.place)
			if err == nil {
				err = c.ask(s)
			}
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, not %q", err, c.want)
			}
			secrets(t, fmt.Sprint(err))
		})
	}
}

// secrets looks for a password in what people are told.
func secrets(t *testing.T, said string) {
	t.Helper()
	for _, word := range []string{"geheim", "ganz-falsch", "lesen", "PRIVATE KEY"} {
		if strings.Contains(said, word) {
			t.Errorf("it says %q: %s", word, said)
		}
	}
}

type certified struct {
	parsed           *x509.Certificate
	certificate, key []byte // in PEM form
}

// clientCertificate makes a certificate that signs itself.
func clientCertificate(t *testing.T, name string) certified {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return certified{parsed, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})}
}

// TestServersThatFail asks servers that die, stall, send elsewhere or answer with
// what is no answer: each is an error that says so, and none tells the password.
func TestServersThatFail(t *testing.T) {
	t.Setenv(userVariable, "pusher")
	t.Setenv(passwordVariable, "geheim")
	elsewhere := make(chan http.Header, 8)
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { elsewhere <- r.Header }))
	defer other.Close()
	over := make(chan struct{})
	for _, c := range []struct {
		name   string
		query  string
		answer http.HandlerFunc
		want   string
	}{
		{"dies before it answers", "", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached"},
		{"dies in the middle of its answer", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000000")
			w.Write(make([]byte, 100000))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "broke off"},
		{"never answers", "?timeout=200ms", func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-over:
			case <-r.Context().Done():
			}
		}, "did not answer within 200ms"},
		{"stalls in the middle", "?timeout=200ms", func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("x"))
			w.(http.Flusher).Flush()
			select {
			case <-over:
			case <-r.Context().Done():
			}
		}, "did not answer within 200ms"},
		{"sends elsewhere", "", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, "307"},
		{"is overloaded", "", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Code: 202. DB::Exception: Too many simultaneous queries. Maximum: 100. (TOO_MANY_SIMULTANEOUS_QUERIES)", http.StatusInternalServerError)
		}, "Too many simultaneous queries"},
		{"is no ClickHouse", "", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>hello</html>") }, "shorter than it says"},
		{"packs badly", "", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "zstd")
			io.WriteString(w, "not packed")
		}, "broke off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body) // only then it is noticed that nobody waits any more
				c.answer(w, r)
			}))
			defer server.Close()
			s, err := Open(Scheme + strings.TrimPrefix(server.URL, "http://") + "/auspex" + c.query)
			if err != nil {
				t.Fatal(err)
			}
			for name, ask := range map[string]func() error{
				"list": func() error { _, err := s.List(); return err },
				"load": func() error { _, err := s.Load("0123456789abcdef0123456789abcdef"); return err },
			} {
				err := ask()
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: %v, not %q", name, err, c.want)
				}
				secrets(t, fmt.Sprint(err))
			}
			if _, err := s.Push(t.Context(), []Item{{run("x", day, 1), nil}}); err == nil {
				t.Error("a push says that it succeeded")
			}
		})
	}
	close(over)
	select {
	case h := <-elsewhere:
		t.Errorf("another server was told %v", h)
	default:
	}
}
