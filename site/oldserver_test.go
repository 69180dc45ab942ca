package site

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// oldServer starts the ClickHouse server that Debian has, release 18.16, with its
// own directories, ports and certificate. Its dialect lacks the parameters and
// types that a site's tables want; its wire is ClickHouse's own.
func oldServer(t *testing.T) (plain, secure, ca string) {
	t.Helper()
	program, err := exec.LookPath("clickhouse-server")
	if err != nil {
		if program, err = exec.LookPath("/usr/sbin/clickhouse-server"); err != nil {
			t.Skip("no clickhouse-server: scripts/setup test installs it where Debian has it")
		}
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	certificate, key := serverCertificate(t)
	ca, private := write("server.crt", certificate), write("server.key", key)
	users := write("users.xml", "<yandex><profiles><default/></profiles><quotas><default/></quotas><users>"+
		"<default><password>niemand</password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>")
	example, err := os.ReadFile("../examples/site/users.xml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "users.d"), 0o777); err != nil {
		t.Fatal(err)
	}
	sum := func(password string) string { return fmt.Sprintf(">%x<", sha256.Sum256([]byte(password))) }
	write("users.d/auspex.xml", strings.NewReplacer(">PUSHER<", sum("geheim"), ">READER<", sum("lesen"),
		"clickhouse>", "yandex>").Replace(string(example))) // the root's name before ClickHouse was a company
	var ports []int
	var listeners []net.Listener
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		listeners = append(listeners, l)
	}
	for _, l := range listeners { // all at the end: no port comes twice
		l.Close()
	}
	config := write("config.xml", fmt.Sprintf(`<yandex><logger><level>error</level><log>%[1]s/log</log><errorlog>%[1]s/errors</errorlog></logger>
<http_port>%[2]d</http_port><https_port>%[3]d</https_port><tcp_port>%[4]d</tcp_port><listen_host>127.0.0.1</listen_host>
<openSSL><server><certificateFile>%[5]s</certificateFile><privateKeyFile>%[6]s</privateKeyFile><verificationMode>none</verificationMode><loadDefaultCAFile>false</loadDefaultCAFile></server></openSSL>
<path>%[1]s/data/</path><tmp_path>%[1]s/tmp/</tmp_path><users_config>%[7]s</users_config><default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>10000000</mark_cache_size></yandex>`,
		dir, ports[0], ports[1], ports[2], ca, private, users))
	// Its input ends with the test's process, whatever happens to that.
	cmd := exec.Command("sh", "-c", `"$1" --config-file="$2" >/dev/null 2>&1 </dev/null & read -r _; kill -9 $!; wait`, "sh", program, config)
	cmd.Dir = dir
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"data", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	plain, secure = fmt.Sprintf("%s127.0.0.1:%d/default", Scheme, ports[0]), fmt.Sprintf("%s127.0.0.1:%d/default?secure=1", Scheme, ports[1])
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(certificate))
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	alive := func(scheme string, port int) bool { // and no other has taken the port meanwhile
		answer, err := client.Get(fmt.Sprintf("%s://127.0.0.1:%d/ping", scheme, port))
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		return err == nil && string(text) == "Ok.\n"
	}
	for end := time.Now().Add(time.Minute); !alive("http", ports[0]) || !alive("https", ports[1]); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			log, _ := os.ReadFile(filepath.Join(dir, "errors"))
			t.Skipf("the server does not come up here: %.1000s", log)
		}
	}
	return plain, secure, ca
}

// serverCertificate makes one for this machine that signs itself.
func serverCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "site"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
}

// TestWireOfARealServer speaks to a real ClickHouse server, with and without
// TLS: login, errors and their codes, rows in binary both ways, a user who may
// only read.
func TestWireOfARealServer(t *testing.T) {
	plain, secure, ca := oldServer(t)
	ctx := context.Background()
	as := func(place, user, password string) *Site {
		t.Helper()
		t.Setenv(userVariable, user)
		t.Setenv(passwordVariable, password)
		s, err := Open(place)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if _, err := as(secure, "pusher", "geheim").do(ctx, "SELECT 1", nil, nil, nil); err == nil || !strings.Contains(err.Error(), caFile) {
		t.Errorf("a certificate that nobody knows: %v", err)
	}
	t.Setenv(caFile, ca)
	for i, place := range []string{plain, secure} {
		pusher, reader := as(place, "pusher", "geheim"), as(place, "reader", "lesen")
		if out, err := pusher.do(ctx, "SELECT version()", nil, nil, nil); err != nil || !strings.HasPrefix(string(out), "18.") {
			t.Fatalf("%s, %v", out, err)
		}
		table := fmt.Sprint("t", i)
		if _, err := pusher.do(ctx, "CREATE TABLE "+table+" (name String, n UInt64, x Float64) ENGINE = MergeTree ORDER BY name", nil, nil, nil); err != nil {
			t.Fatal(err)
		}
		var w writer
		for r := range 1000 {
			w.text(fmt.Sprint("row ", r))
			w.uint64(uint64(r))
			w.real(float64(r) / 8)
		}
		if _, err := pusher.do(ctx, "INSERT INTO "+table+" FORMAT RowBinary", nil, nil, w.data); err != nil {
			t.Fatal(err)
		}
		out, err := reader.do(ctx, "SELECT name, n, x FROM "+table+" ORDER BY n FORMAT RowBinary", nil, nil, nil)
		if err != nil || !slices.Equal(out, w.data) {
			t.Errorf("%d bytes come back of %d, %v", len(out), len(w.data), err)
		}
		var no *refusal
		for _, c := range []struct {
			s               *Site
			statement, code string
			say             string
		}{
			{pusher, "SELECT * FROM nowhere", codeNoTable, "auspex push"},
			{pusher, "SELECT * FROM no_base.nowhere", codeNoDatabase, "auspex push"},
			{pusher, "SELEKT 1", "62", "Syntax error"},
			{reader, "CREATE TABLE mine (x UInt8) ENGINE = Memory", codeReadOnly, "may only read"},
			{reader, "INSERT INTO " + table + " VALUES ('a', 1, 1)", codeReadOnly, "may only read"},
			{as(place, "pusher", "ganz-falsch"), "SELECT 1", "193", passwordFile},
			{as(place, "mallory", "geheim"), "SELECT 1", "192", passwordFile},
		} {
			_, err := c.s.do(ctx, c.statement, nil, nil, nil)
			if !errors.As(err, &no) || no.code != c.code || !strings.Contains(err.Error(), c.say) {
				t.Errorf("%s: %v", c.statement, err)
			}
			secrets(t, fmt.Sprint(err))
		}
		if _, err := pusher.List(); err == nil || !strings.Contains(err.Error(), "auspex push") {
			t.Errorf("a server without tables: %v", err)
		}
		if _, err := pusher.Header("x"); err == nil || !strings.Contains(err.Error(), "24.12") {
			t.Errorf("a server that is too old: %v", err)
		}
	}
}
