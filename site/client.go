package site

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"

	"auspex/internal/lazyregexp"
)

// Site is a site's store.
type Site struct {
	address *address
	text    string // the address as it was given
	client  *http.Client
	now     func() time.Time
}

// Open finds a site by its address. Nothing is asked yet.
func Open(text string) (*Site, error) {
	a, err := parseAddress(text, os.Getenv)
	if err != nil {
		return nil, err
	}
	transport, err := a.transport()
	if err != nil {
		return nil, err
	}
	client := &http.Client{Timeout: a.timeout, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }} // the login is for nobody else
	return &Site{address: a, text: text, client: client, now: time.Now}, nil
}

// Place is the address, which holds no secret.
func (s *Site) Place() string { return s.text }

// refusal is what ClickHouse says when it does not do a thing.
type refusal struct {
	code    string
	message string
}

func (e *refusal) Error() string { return "the site's ClickHouse says: " + e.message }

// Codes of ClickHouse that are told apart.
const (
	codeNoTable    = "60"
	codeNoDatabase = "81"
	codeNoSetting  = "115"
	codeReadOnly   = "164"
	codeNotGranted = "497"
)

// nullable are the settings under which ClickHouse's joins and sums have NULL
// where DuckDB's do.
var nullable = map[string]string{"join_use_nulls": "1", "aggregate_functions_null_for_empty": "1"}

// packedAnswer is the setting under which the answer may come packed.
const packedAnswer = "enable_http_compression"

// small is below what size a body is not worth packing.
const small = 64 << 10

// packer packs bodies, several at once. It is made once, since its tables are
// large.
var packer = sync.OnceValues(func() (*zstd.Encoder, error) { return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest)) })

// do sends a statement. Its parameters stand in it as {name:Type}; body is the
// data of an INSERT, nil for none.
func (s *Site) do(ctx context.Context, statement string, parameters, settings map[string]string, body []byte) ([]byte, error) {
	query := url.Values{"wait_end_of_query": {"1"}} // so that errors come as errors, not in the middle of an answer
	if s.address.database != "" {
		query.Set("database", s.address.database)
	}
	for name, value := range parameters {
		query.Set("param_"+name, escapeParameter(value))
	}
	for name, value := range settings {
		query.Set(name, value)
	}
	data := []byte(statement)
	if body != nil {
		query.Set("query", statement)
		data = body
	}
	packed := len(data) > small
	if packed {
		encoder, err := packer()
		if err != nil {
			return nil, err
		}
		data = encoder.EncodeAll(data, make([]byte, 0, len(data)/2))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address.base+"/?"+query.Encode(), bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if packed {
		request.Header.Set("Content-Encoding", "zstd")
	}
	if settings[packedAnswer] == "1" {
		request.Header.Set("Accept-Encoding", "zstd")
	}
	s.login(request)
	answer, err := s.client.Do(request)
	if err != nil {
		return nil, s.unreached(err)
	}
	defer answer.Body.Close()
	out, err := io.ReadAll(answer.Body)
	if err == nil && answer.Header.Get("Content-Encoding") == "zstd" {
		out, err = unpack(out)
	}
	if os.IsTimeout(err) {
		return nil, s.unreached(err)
	}
	if err != nil {
		return nil, fmt.Errorf("the answer of the site %s broke off: %w", s.text, err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, refused(answer, out)
	}
	return out, nil
}

func unpack(data []byte) ([]byte, error) {
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer decoder.Close()
	return decoder.DecodeAll(data, nil)
}

// login says who asks, in headers: an address is written to the server's log.
func (s *Site) login(request *http.Request) {
	if s.address.user == "" {
		return
	}
	request.Header.Set("X-ClickHouse-User", s.address.user)
	if s.address.cert != "" && s.address.password == "" {
		request.Header.Set("X-ClickHouse-SSL-Certificate-Auth", "on")
		return
	}
	request.Header.Set("X-ClickHouse-Key", s.address.password)
}

// unreached says why no answer came.
func (s *Site) unreached(err error) error {
	var of *url.Error
	timeout := os.IsTimeout(err)
	if errors.As(err, &of) { // whose text holds the whole query
		err = of.Err
	}
	var unknown x509.UnknownAuthorityError
	var other x509.HostnameError
	switch {
	case timeout:
		return fmt.Errorf("the site %s did not answer within %s; timeout=… in its address gives it longer", s.text, s.address.timeout)
	case errors.As(err, &unknown):
		return fmt.Errorf("the certificate of the site %s is signed by nobody that this machine knows: name a file with the certificate of who signed it in $%s: %w", s.text, caFile, err)
	case errors.As(err, &other):
		return fmt.Errorf("the certificate of the site %s is another's: %w", s.text, err)
	}
	return fmt.Errorf("the site %s cannot be reached: %w", s.text, err)
}

// codeInText is where a server that sends no code in a header writes it.
var codeInText = lazyregexp.New(`^Code: (\d+)`)

func refused(answer *http.Response, out []byte) error {
	message := strings.TrimSpace(string(out))
	if len(message) > 2000 {
		message = message[:2000] + "…"
	}
	if message == "" {
		message = answer.Status
	}
	e := &refusal{answer.Header.Get("X-ClickHouse-Exception-Code"), message}
	if found := codeInText.FindStringSubmatch(message); found != nil && e.code == "" {
		e.code = found[1]
	}
	switch {
	case e.code == codeNoSetting:
		return fmt.Errorf("%w; ClickHouse 24.12 or newer is needed", e)
	case e.code == codeReadOnly || e.code == codeNotGranted:
		return fmt.Errorf("%w; the site's user may only read, or not all that this needs", e)
	case answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%w; the login comes from $%s and $%s or $%s", e, userVariable, passwordVariable, passwordFile)
	case e.code == codeNoTable || e.code == codeNoDatabase:
		return fmt.Errorf("there is nothing at the site yet: `auspex push` makes its tables, in a database that must be there: %w", e)
	}
	return e
}

// escapeParameter writes a value as ClickHouse reads parameters.
func escapeParameter(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`).Replace(s)
}
