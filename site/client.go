package site

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
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
	return &Site{address: a, text: text, client: &http.Client{Timeout: 10 * time.Minute}, now: time.Now}, nil
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
)

// nullable are the settings under which ClickHouse's joins and sums have NULL
// where DuckDB's do.
var nullable = map[string]string{"join_use_nulls": "1", "aggregate_functions_null_for_empty": "1"}

// small is below what size a body is not worth packing.
const small = 64 << 10

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
		encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			return nil, err
		}
		data = encoder.EncodeAll(data, nil)
		encoder.Close()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address.base+"/?"+query.Encode(), bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if packed {
		request.Header.Set("Content-Encoding", "zstd")
	}
	if s.address.user != "" {
		request.Header.Set("X-ClickHouse-User", s.address.user)
		request.Header.Set("X-ClickHouse-Key", s.address.password)
	}
	answer, err := s.client.Do(request)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) { // whose text holds the whole query
			err = of.Err
		}
		return nil, fmt.Errorf("the site %s cannot be reached: %w", s.text, err)
	}
	defer answer.Body.Close()
	out, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, fmt.Errorf("the answer of the site %s broke off: %w", s.text, err)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, refused(answer, out)
	}
	return out, nil
}

func refused(answer *http.Response, out []byte) error {
	message := strings.TrimSpace(string(out))
	if len(message) > 2000 {
		message = message[:2000] + "…"
	}
	if message == "" {
		message = answer.Status
	}
	e := &refusal{answer.Header.Get("X-ClickHouse-Exception-Code"), message}
	switch {
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
