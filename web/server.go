package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"auspex/store"
)

// Config is what a server needs to know. Zero values of the bounds stand for
// sensible ones.
type Config struct {
	Store   *store.Store
	Version string
	// Sources are the directories under which source files may be shown.
	Sources []string
	// Token has to come with every request. NewToken makes one.
	Token string
	// Hosts are the names, besides numbers and localhost, by which clients may
	// call the server; "" in front of a port makes no sense and is ignored.
	Hosts []string
	// Loopback refuses requests that name this machine otherwise than as
	// itself: a page from elsewhere may have had its name pointed here.
	Loopback bool

	// Defects is told where an analysis panicked; nil throws that away.
	Defects io.Writer

	// Cache is a folder in which answers that took long are kept for the next
	// server; "" keeps none.
	Cache string

	Memory  int64         // bytes of experiments kept for the next question
	Answers int64         // bytes of answers kept
	Timeout time.Duration // the longest a question may take
}

// The bounds where none are given.
const (
	defaultMemory  = 192 << 20
	defaultAnswers = 32 << 20
	defaultTimeout = 2 * time.Minute
)

// Limits of the HTTP side.
const (
	maxConnections = 1024
	maxWaiting     = 4096 // questions that wait for their turn
	maxHeader      = 64 << 10
	maxBody        = 256 << 10
)

// Server answers questions about a store.
type Server struct {
	config  Config
	sources []string // absolute, links resolved
	// sourceIndex lists what lies below the sources, once.
	sourceIndex func() map[string][]foundSource
	datasets    *datasets
	answers     *answers
	timelines   lastTimeline
	traced      lastTraced
	heats       lastHeats
	shelf       shelf
	work        chan struct{} // a place for every heavy question being answered
	waiting     atomic.Int64  // questions without a place yet
	seen        sync.Map      // *view.Glance by the experiment's ID
	engine      func() (*store.Engine, error)
	api         *http.ServeMux
	bundle      map[string]*asset
}

// NewToken makes a token that nobody can guess.
func NewToken() string {
	var random [24]byte
	rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

// New makes a server. It opens nothing and listens nowhere yet.
func New(c Config) (*Server, error) {
	if c.Token == "" {
		return nil, errors.New("web: a server needs a token")
	}
	if c.Memory == 0 {
		c.Memory = defaultMemory
	}
	if c.Answers == 0 {
		c.Answers = defaultAnswers
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	s := &Server{config: c, work: make(chan struct{}, max(2, runtime.GOMAXPROCS(0)))}
	for _, dir := range c.Sources {
		resolved, err := filepath.EvalSymlinks(dir)
		if err == nil {
			resolved, err = filepath.Abs(resolved)
		}
		if err != nil {
			return nil, err
		}
		s.sources = append(s.sources, resolved)
	}
	var err error
	if s.bundle, err = loadBundle(); err != nil {
		return nil, err
	}
	s.sourceIndex = sync.OnceValue(s.indexSources)
	s.datasets = newDatasets(c.Store, c.Memory)
	s.answers = newAnswers(c.Answers)
	s.shelf = newShelf(c.Cache, c.Store.Dir())
	s.engine = sync.OnceValues(func() (*store.Engine, error) { return store.NewEngine(context.Background()) })
	s.api = s.routes()
	return s, nil
}

// Handler answers requests that the guard lets through.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", s.api)
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /{file}", s.page)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "there is nothing at this address")
	})
	return s.guard(mux)
}

// Serve answers on a listener until the context ends; questions under way then
// have a moment to finish.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      s.config.Timeout + 30*time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          log.New(io.Discard, "", 0), // clients that vanish are no news
	}
	stop := context.AfterFunc(ctx, func() {
		brief, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if server.Shutdown(brief) != nil {
			server.Close()
		}
	})
	defer stop()
	err := server.Serve(limitConnections(l, maxConnections))
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// limitConnections lets at most n connections be open; others wait to be
// accepted.
func limitConnections(l net.Listener, n int) net.Listener {
	return &limited{Listener: l, open: make(chan struct{}, n)}
}

type limited struct {
	net.Listener
	open chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	l.open <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		return nil, err
	}
	return &limitedConn{Conn: c, close: sync.OnceFunc(func() { <-l.open })}, nil
}

type limitedConn struct {
	net.Conn
	close func()
}

func (c *limitedConn) Close() error {
	defer c.close()
	return c.Conn.Close()
}
