# The front door; meson and ninja do the work behind it.
#   make            the program: build/plume          make test    tests without recordings, root or a browser
#   make demo       a program recorded live           make check   every test, under ASan and UBSan
#   make install    honours PREFIX and DESTDIR        make lint    clang-format, clang-tidy, gcc -fanalyzer
#   make bench      plume and its peers, in one run   make fuzz    libFuzzer on every parser, 60 s each
#   make format     lay the sources out               make accept  rewrite golden outputs
#   make clean      remove what was built
#   make static     build-static/plume: one file that runs in any container
#   make node-matrix  names of JavaScript, over all versions of Node.js
PREFIX ?= /usr/local
DESTDIR ?=
SECONDS_EACH ?= 60

all: deps-build
	@tools/build build

static: deps-static
	@tools/build build-static

demo: all
	@tools/demo

test: deps-test
	@tools/check --quick

check: deps-check
	@tools/check

node-matrix: all
	@tools/node-matrix $(VERSIONS)

install: all
	@meson configure build --prefix="$(PREFIX)" >/dev/null
	@DESTDIR="$(DESTDIR)" meson install -C build --quiet

accept: deps-test
	@tools/build build-asan
	@test/golden/run --accept build-asan/plume

lint: deps-lint
	@tools/lint

fuzz: deps-lint
	@tools/fuzz $(SECONDS_EACH)

bench: all
	@bench/run
	@bench/flame
	@bench/store
	@bench/record

format: deps-lint
	@clang-format -i $$(git ls-files '*.c' '*.h')

deps-%:
	@tools/deps $*

clean:
	rm -rf build build-static build-asan build-fuzz build-clang build-gcc

.PHONY: all static demo test check node-matrix install accept lint fuzz bench format clean
