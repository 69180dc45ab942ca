package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
)

// The built page: `make page` writes it from page/src.
//
//go:embed bundle/index.html bundle/app.js bundle/app.css
var bundled embed.FS

// kinds are the types of the files; the machine's own table may say otherwise.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
}

// asset is a file of the page.
type asset struct {
	kind         string
	body, packed []byte
	tag          string
}

func loadBundle() (map[string]*asset, error) {
	entries, err := bundled.ReadDir("bundle")
	if err != nil {
		return nil, err
	}
	files := map[string]*asset{}
	for _, entry := range entries {
		body, err := bundled.ReadFile("bundle/" + entry.Name())
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(body)
		files[entry.Name()] = &asset{
			kind: kinds[path.Ext(entry.Name())], body: body, packed: pack(body),
			tag: `"` + hex.EncodeToString(sum[:12]) + `"`,
		}
	}
	if files["index.html"] == nil {
		return nil, fmt.Errorf("web: the page was not built into the program")
	}
	return files, nil
}

// page serves the files of the page.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("file")
	if name == "" {
		name = "index.html"
	}
	file := s.bundle[name]
	if file == nil {
		refuse(w, http.StatusNotFound, "the page has no such file")
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", file.tag)
	if r.Header.Get("If-None-Match") == file.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", file.kind)
	send(w, r, file.body, file.packed)
}
