# make          build the tool (release)           make demo     install what is missing, build, run the demonstration
# make test     install what is missing, build and  make install  into PREFIX (default /usr/local), below DESTDIR if that is given
#               run the tests                       make deb      a Debian package, build/lockstep_VERSION_ARCHITECTURE.deb
# make test-long  the same with what takes long and finds little: every program on every machine, more under sanitizers
# make mutants  builds small changes that make the simulator wrong, and runs for each the test that must find it
# make clean    remove the build trees
# CC=clang chooses a compiler; CMAKE_ARGS adds arguments to the configuration.
PREFIX ?= /usr/local
CONFIGURE = cmake -Wno-dev $(if $(filter command environment,$(word 1,$(origin CC))),-DCMAKE_C_COMPILER=$(CC)) $(CMAKE_ARGS)

.PHONY: build test test-long mutants demo bootstrap install deb clean

build:
	@$(CONFIGURE) --preset release >/dev/null
	@cmake --build build/release

bootstrap:
	@tools/bootstrap

test: bootstrap
	@tools/run-tests $(CONFIGURE)

test-long: export LOCKSTEP_LONG = 1
test-long: test

mutants: bootstrap
	@tools/mutants

demo: bootstrap
	@$(MAKE) --no-print-directory build
	@tools/demo

install: build
	cmake --install build/release --prefix $(abspath $(PREFIX))

deb: build
	@tools/package build/release build

clean:
	rm -rf build
