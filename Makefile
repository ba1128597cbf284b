# Chatelaine. `make help` lists what there is; anything longer than a few lines lives in Tools/.

PREFIX ?= /usr/local
DESTDIR ?=
# What install and run use; `make test` builds debug only.
CONFIGURATION ?= release
# Debian's part of the packages' version.
export REVISION ?= 1

STAGE := .build/stage-$(CONFIGURATION)/.complete
# Whatever a build depends on: after `make build`, `sudo make install` only copies.
SOURCES := $(shell find Sources Headers PAM Packaging/pkgconfig Package.swift Trust/Package.swift \
	$(wildcard Package.resolved Trust/Package.resolved) Tools/build.sh Tools/common.sh -type f)

.DEFAULT_GOAL := help
.PHONY: help setup build run test campaign interop bare-machine fuzz bench pages deb format lint install uninstall clean

help:
	@echo "make run        build, then show a program storing and reading passwords"
	@echo "make test       every test (debug build)"
	@echo "make campaign   FAULTS=all ROUNDS=10000 MINUTES=60; every fault, thousands of kills and wrong passcodes, an hour of fuzzing (a night)"
	@echo "make interop    files of keys with Java's keytool and GnuTLS's certtool, where they are installed; HTTPS with swift-nio and OpenSSL; CryptoKit as a package"
	@echo "make bare-machine  make run and make test as on a new machine (as root; an hour)"
	@echo "make fuzz       SECONDS=60 TARGET=all; search the readers of what comes from outside for crashes"
	@echo "make build      release build of library, daemons and tool"
	@echo "make install    PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)"
	@echo "make uninstall  the same variables"
	@echo "make deb        Debian packages, in .build/deb (REVISION=$(REVISION))"
	@echo "make bench      speed and size, measured against the machine's floor"
	@echo "make pages      write manual pages and completions anew (after changes of commands or formats)"
	@echo "make format     format the Swift files"
	@echo "make lint       check the form of everything, change nothing"
	@echo "make setup      install missing Debian packages (as root; else say which)"
	@echo "make clean      remove everything that was built"

setup:
	@Tools/setup.sh

build: $(STAGE)

# Setup is part of the recipe, not a prerequisite: where nothing is to be built, nothing needs to be there for it.
$(STAGE): $(SOURCES)
	@Tools/setup.sh
	@Tools/build.sh $(CONFIGURATION)

run: $(STAGE)
	@Tools/demonstrate.sh $(CONFIGURATION)

test:
	@Tools/setup.sh --tests
	@Tools/closed-path.sh Tools/lint.sh
	@Tools/closed-path.sh Tools/test.sh

campaign:
	@Tools/setup.sh --tests
	@Tools/closed-path.sh Tools/campaign.sh

interop:
	@Tests/interop.sh
	@Tests/secure-server.sh
	@WITH_PACKAGE=1 Tests/cryptokit-test.sh

bare-machine:
	@Tools/setup.sh --tests
	@Tests/bare-machine.sh

fuzz:
	@Tools/setup.sh
	@Tools/fuzz.sh $(or $(SECONDS),60) $(filter-out all,$(TARGET))

bench: $(STAGE)
	@Tools/bench.sh

pages:
	@Tools/generate-pages.sh

format:
	@git ls-files -z -- '*.swift' ':!Tests/Faces/Clients' | xargs -0 swift format -i --parallel

lint:
	@Tools/setup.sh --tests
	@Tools/lint.sh

install: $(STAGE)
	@Tools/install.sh install $(CONFIGURATION) "$(PREFIX)" "$(DESTDIR)"

uninstall:
	@Tools/install.sh uninstall $(CONFIGURATION) "$(PREFIX)" "$(DESTDIR)"

deb: $(STAGE)
	@Tools/deb.sh $(CONFIGURATION)

clean:
	rm -rf .build .build-fuzz
