package platform

import "io"

// Read reads a platform: SimGrid XML version 4.1, or the short TOML form. name
// is only used in messages.
func Read(name string, r io.Reader) (*Platform, error) {
	return readXML(name, r)
}
