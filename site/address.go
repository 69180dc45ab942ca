package site

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
)

// Scheme begins the addresses of sites.
const Scheme = "clickhouse://"

// Where the login comes from. None of it stands in an address, which others
// see in lists of processes and in the shell's history.
const (
	userVariable     = "AUSPEX_SITE_USER"
	passwordVariable = "AUSPEX_SITE_PASSWORD"
	passwordFile     = "AUSPEX_SITE_PASSWORD_FILE"
)

// address is where a site is.
type address struct {
	base           string // http://host:8123
	database       string
	user, password string
}

var databaseName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parseAddress reads clickhouse://[user@]host[:port]/database[?secure=1].
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
	a := &address{database: database, user: u.User.Username()}
	scheme, port := "http", "8123"
	for key, values := range u.Query() {
		switch {
		case key == "secure" && (values[0] == "1" || values[0] == "true"):
			scheme, port = "https", "8443"
		case key == "secure" && (values[0] == "0" || values[0] == "false"):
		default:
			return nil, fmt.Errorf("%s: an address knows secure=1, not %s", text, key)
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
	return a, nil
}
