package mistake

import "bytes"

// Packed says how a file is compressed, and with what it is unpacked, by its first
// bytes; nothing of one that is not.
func Packed(head []byte) string {
	for _, p := range []struct{ magic, words string }{
		{"\xfd7zXZ\x00", "compressed by xz: unpack it first (xz -d)"},
		{"\x28\xb5\x2f\xfd", "compressed by zstd: unpack it first (zstd -d)"},
		{"BZh", "compressed by bzip2: unpack it first (bzip2 -d)"},
		{"\x1f\x8b", "compressed by gzip: unpack it first (gzip -d)"},
	} {
		if bytes.HasPrefix(head, []byte(p.magic)) {
			return p.words
		}
	}
	return ""
}
