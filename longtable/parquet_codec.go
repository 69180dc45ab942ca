package longtable

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// codecs decompress pages. They never produce more than they were told to.
type codecs struct {
	zstd *zstd.Decoder
}

// unpack fills dst, whose length is the size that the page states.
func (c *codecs) unpack(dst, src []byte, codec format.CompressionCodec) error {
	err := c.decode(dst, src, codec)
	if err != nil {
		return fmt.Errorf("damaged page: %w", err)
	}
	return nil
}

func (c *codecs) decode(dst, src []byte, codec format.CompressionCodec) error {
	if len(dst) == 0 {
		return nil
	}
	switch codec {
	case format.Snappy:
		n, err := snappy.DecodedLen(src)
		if err != nil {
			return err
		}
		if n != len(dst) {
			return errSize
		}
		_, err = snappy.Decode(dst, src)
		return err
	case format.Lz4Raw:
		n, err := lz4.UncompressBlock(src, dst)
		if err == nil && n != len(dst) {
			err = errSize
		}
		return err
	case format.Zstd:
		return c.decodeZstd(dst, src)
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(src))
		if err != nil {
			return err
		}
		return fillFrom(r, dst)
	case format.Brotli:
		return fillFrom(brotli.NewReader(bytes.NewReader(src)), dst)
	}
	return fmt.Errorf("compressed with %s, which is not read", codec)
}

var errSize = errors.New("it decompresses to another size than it states")

func (c *codecs) decodeZstd(dst, src []byte) error {
	if c.zstd == nil {
		decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPageBytes))
		if err != nil {
			return err
		}
		c.zstd = decoder
	}
	if err := c.zstd.Reset(bytes.NewReader(src)); err != nil {
		return err
	}
	return fillFrom(c.zstd, dst)
}

func (c *codecs) close() {
	if c.zstd != nil {
		c.zstd.Close()
	}
}

// fillFrom reads exactly dst from r.
func fillFrom(r io.Reader, dst []byte) error {
	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}
	var beyond [1]byte
	switch _, err := io.ReadFull(r, beyond[:]); {
	case err == nil:
		return errSize
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}
