package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// pagePolicy is the page's content security policy: scripts and styles are
// files of our own, nothing comes from elsewhere, nobody may frame it.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; " +
	"img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard decides who may ask: requests to this machine by its own name, from
// our own page or none, with the token.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		switch {
		case !s.hostAllowed(r.Host):
			refuse(w, http.StatusForbidden, "this server does not go by that name; open the address that auspex serve printed")
			return
		case !sameOrigin(r):
			refuse(w, http.StatusForbidden, "other pages may not ask this server")
			return
		}
		given := r.URL.Query().Get("token")
		if given != "" && !s.tokenFits(given) || given == "" && !s.authorised(r) {
			if strings.Contains(r.Header.Get("Accept"), "text/html") && !strings.HasPrefix(r.URL.Path, "/api/") {
				s.stranger(w)
				return
			}
			refuse(w, http.StatusUnauthorized, "the token is missing or wrong; open the whole address that auspex serve printed")
			return
		}
		if given != "" {
			http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Value: given, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
			if r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, "/api/") {
				clean := *r.URL
				query := clean.Query()
				query.Del("token") // out of the address bar and the history
				clean.RawQuery = query.Encode()
				http.Redirect(w, r, clean.RequestURI(), http.StatusSeeOther)
				return
			}
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

// strangerPage is for people who come with an old address: a server makes a new
// token when it starts, unless it was given a file to keep it in.
const strangerPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>auspex: which address?</title>
<body><main><h1>This address has no valid token</h1>
<p>The server was started anew, or part of the address is missing. Open the whole address that <code>auspex serve</code> printed last.</p>
<p><code>auspex serve --port 8080 --token-file FILE</code> keeps one address over restarts.</p></main></body></html>
`

// stranger tells a person what is missing.
func (s *Server) stranger(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusUnauthorized)
	io.WriteString(w, strangerPage)
}

// hostAllowed tells whether a Host header names this server. A page of another
// site can have its own name resolve to this machine (DNS rebinding), but the
// browser still sends that name.
func (s *Server) hostAllowed(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if host == "localhost" {
		return true
	}
	if address, err := netip.ParseAddr(host); err == nil {
		return !s.config.Loopback || address.IsLoopback()
	}
	return slices.ContainsFunc(s.config.Hosts, func(name string) bool { return name != "" && strings.EqualFold(name, host) })
}

// sameOrigin refuses what another page asks for. A link to the page itself may
// be followed from anywhere: the token still has to be right.
func sameOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.URL.Path == "/"
}

func (s *Server) tokenFits(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(s.config.Token)) == 1
}

// authorised looks for the token where it is not in the address.
func (s *Server) authorised(r *http.Request) bool {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.tokenFits(bearer)
	}
	cookie, err := r.Cookie(s.cookieName())
	return err == nil && s.tokenFits(cookie.Value)
}

// cookieName differs between servers: cookies do not tell ports apart.
func (s *Server) cookieName() string {
	sum := sha256.Sum256([]byte(s.config.Token))
	return "auspex-" + hex.EncodeToString(sum[:4])
}
