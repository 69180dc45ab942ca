# auspex: make demo, make test; the rest is for those who change it.
GO       ?= go
VERSION  ?= $(shell git describe --always --dirty 2>/dev/null || echo development)
LDFLAGS   = -s -w -X auspex/internal/cli.version=$(VERSION)
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEMO      = demo.auspex

.PHONY: all build demo test invariants lint bench dist install package fuzz page setup setup-test clean

all: build

setup:
	@scripts/setup

setup-test:
	@scripts/setup test
	@[ ! -f web/page/package.json ] || [ -d web/page/node_modules ] || npm ci --silent --no-audit --no-fund --prefix web/page

build:
	@mkdir -p bin
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/auspex ./cmd/auspex

# The main job on an example, from nothing.
demo: setup build
	@scripts/demo $(DEMO)

test: setup-test build
	$(GO) vet ./...
	$(GO) test -timeout 20m ./...

# The tests of the rooms that check themselves, with the costly checks on.
invariants: setup
	$(GO) test -tags invariants -timeout 20m ./cluster/... ./simulate/...

lint: setup
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	  if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) test -run Import ./internal/lint

bench: setup build
	$(GO) test -run '^$$' -bench . -benchmem -timeout 60m ./...
	AUSPEX_PEERS=1 $(GO) test -run 'Peer|TestSpeedTable|TestGrowth' -v -count=1 -timeout 60m ./cluster ./simulate

# A binary for older clusters: fully static, so no C library is asked for.
DIST ?= dist/auspex
dist:
	@mkdir -p $(dir $(DIST))
	CGO_ENABLED=1 $(GO) build -trimpath -tags netgo,osusergo,timetzdata \
	  -ldflags '$(LDFLAGS) -linkmode external -extldflags "-static -Wl,--gc-sections"' -o $(DIST) ./cmd/auspex

# The binary, man pages, shell completions and an environment module.
PREFIX  ?= /usr/local
DESTDIR ?=
install: build
	scripts/install bin/auspex $(PACKAGE_VERSION) $(PREFIX) $(DESTDIR)

# A tar archive, a .deb and a .rpm with the static binary.
NFPM ?= $(GO) run github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.44.1
# Packages are ordered by version: a day before any tag, then the commit.
PACKAGE_VERSION ?= $(shell git describe --tags --exact-match 2>/dev/null | sed -n 's/^v\([0-9]\)/\1/p' | grep . || git log -1 --date=format:%Y%m%d --format=0.%cd.%h 2>/dev/null || echo 0.0)
package: dist
	NFPM="$(NFPM)" scripts/package $(DIST) $(PACKAGE_VERSION) $(dir $(DIST))

# The page's bundle from its TypeScript; the built files are committed, so that
# go build needs no Node.
page:
	cd web/page && npm ci && npm run check && npm run build

# Every fuzz target for FUZZTIME, one after the other.
FUZZTIME ?= 60s
fuzz:
	@scripts/fuzz $(FUZZTIME)

clean:
	rm -rf bin dist $(DEMO)
