# For the Makefile of a plugin, which sets SDK to the folder of the library: `make check` runs the unit tests.
#
# Each check/*_test.c is a program of its own, made of itself, the plugin (*.c and src/*.c) and the library with a host in
# memory. CC, CFLAGS and CHECK_CFLAGS are the author's to set.
CHECK_CFLAGS ?= -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined

espejote_library = $(filter-out $(SDK)/src/component_%,$(wildcard $(SDK)/src/*.c)) $(wildcard $(SDK)/test/fake_*.c)
espejote_headers = $(wildcard $(SDK)/include/*.h $(SDK)/src/*.h $(SDK)/test/*.h *.h src/*.h)
plugin_sources = $(wildcard *.c src/*.c)
checks = $(patsubst check/%.c,build/check/%,$(wildcard check/*_test.c))

.PHONY: check clean

check: $(checks)
	@for check in $(checks); do $$check || exit 1; done

build/check/%: check/%.c $(plugin_sources) $(espejote_library) $(espejote_headers)
	@mkdir -p build/check
	$(CC) -std=c2x -Wall -Wextra $(CHECK_CFLAGS) $(CFLAGS) -I$(SDK)/include -o $@ $< $(plugin_sources) $(espejote_library)

clean:
	rm -rf build
