package site

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"auspex/internal/lazyregexp"
)

// Scheme begins the addresses of sites.
const Scheme = "clickhouse://"

// Where the login comes from. None of it stands in an address, which others
// see in lists of processes and in the shell's history.
const (
	userVariable     = "AUSPEX_SITE_USER"
	passwordVariable = "AUSPEX_SITE_PASSWORD"
	passwordFile     = "AUSPEX_SITE_PASSWORD_FILE"
	caFile           = "AUSPEX_SITE_CA_FILE"   // who signed the site's certificate, if it is nobody that this machine knows
	certificateFile  = "AUSPEX_SITE_CERT_FILE" // a certificate to log in with, and its key
	keyFile          = "AUSPEX_SITE_KEY_FILE"
)

// How long a statement may take. The most is far below the age at which what a
// push left behind is removed.
const (
	defaultTimeout = 10 * time.Minute
	mostTimeout    = time.Hour
)

// address is where a site is.
type address struct {
	base           string // http://host:8123
	database       string
	user, password string
	timeout        time.Duration // of a statement
	ca             string        // files for TLS, "" for none
	cert, key      string
}

var databaseName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parseAddress reads clickhouse://[user@]host[:port]/database[?secure=1&timeout=30s].
func parseAddress(text string, getenv func(string) string) (*address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("the address of the site cannot be read: write it as clickhouse://host/database")
	}
	if _, given := u.User.Password(); given {
		return nil, fmt.Errorf("the address holds a password, which others could read: leave it out and set $%s, or $%s to a file with it", passwordVariable, passwordFile)
	}
	database := strings.Trim(u.Path, "/")
	if u.Host == "" || !databaseName.MatchString(database) {
		return nil, fmt.Errorf("%s is no address of a site: write clickhouse://host/database", text)
	}
	a := &address{database: database, user: u.User.Username(), timeout: defaultTimeout}
	scheme, port := "http", "8123"
	for key, values := range u.Query() {
		switch {
		case key == "secure" && (values[0] == "1" || values[0] == "true"):
			scheme, port = "https", "8443"
		case key == "secure" && (values[0] == "0" || values[0] == "false"):
		case key == "timeout":
			if a.timeout, err = time.ParseDuration(values[0]); err != nil || a.timeout <= 0 || a.timeout > mostTimeout {
				return nil, fmt.Errorf("%s: timeout is a time such as 30s, and an hour at most", text)
			}
		default:
			return nil, fmt.Errorf("%s: an address knows secure=1 and timeout=30s, not %s", text, key)
		}
	}
	a.base = scheme + "://" + u.Host
	if u.Port() == "" {
		a.base += ":" + port
	}
	if a.user == "" {
		a.user = getenv(userVariable)
	}
	a.password = getenv(passwordVariable)
	if file := getenv(passwordFile); file != "" && a.password == "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("the file with the site's password: %w", err)
		}
		a.password = strings.TrimRight(string(data), "\r\n")
	}
	a.ca, a.cert, a.key = getenv(caFile), getenv(certificateFile), getenv(keyFile)
	if (a.cert == "") != (a.key == "") {
		return nil, fmt.Errorf("$%s and $%s are wanted together", certificateFile, keyFile)
	}
	return a, nil
}

// transport is how the site is spoken to. A machine that does not answer is given
// up long before a statement that takes its time.
func (a *address) transport() (*http.Transport, error) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: min(15*time.Second, a.timeout), KeepAlive: 30 * time.Second}).DialContext
	t.TLSHandshakeTimeout = min(15*time.Second, a.timeout)
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if a.ca != "" {
		data, err := os.ReadFile(a.ca)
		if err != nil {
			return nil, fmt.Errorf("$%s: %w", caFile, err)
		}
		roots, err := x509.SystemCertPool()
		if err != nil {
			roots = x509.NewCertPool()
		}
		if !roots.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("$%s: %s holds no certificate in PEM form", caFile, a.ca)
		}
		t.TLSClientConfig.RootCAs = roots
	}
	if a.cert != "" {
		pair, err := tls.LoadX509KeyPair(a.cert, a.key)
		if err != nil {
			return nil, fmt.Errorf("$%s and $%s: %w", certificateFile, keyFile, err)
		}
		t.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}
