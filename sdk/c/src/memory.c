/* An arena: chunks from malloc, filled one after the other, all given up at the end of the call but the first. */
#include "memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CHUNK ((size_t)64 * 1024)

typedef struct chunk {
  struct chunk *before;
  size_t size, used;
  _Alignas(16) unsigned char bytes[];
} chunk;

static chunk *newest;

_Noreturn void esp_abort(const char *why) {
  fprintf(stderr, "espejote: %s\n", why);
  abort();
}

/* Each chunk is twice as large as the one before, so that there are few. */
static chunk *add_chunk(size_t least) {
  size_t size = newest ? 2 * newest->size : FIRST_CHUNK;
  if (size < least) size = least;
  chunk *added = least > SIZE_MAX / 2 ? NULL : malloc(sizeof *added + size);
  if (!added && size > least) added = malloc(sizeof *added + (size = least));
  if (!added) esp_abort("no memory left");
  *added = (chunk){.before = newest, .size = size};
  return newest = added;
}

static void *take(chunk *from, size_t size, size_t align) {
  size_t start = (from->used + align - 1) & ~(align - 1);
  if (start > from->size || size > from->size - start) return NULL;
  from->used = start + size;
  return from->bytes + start;
}

void *esp_alloc_aligned(size_t size, size_t align) {
  void *memory = newest ? take(newest, size, align) : NULL;
  if (memory) return memory;
  if (size > SIZE_MAX / 4) esp_abort("no memory left");
  return take(add_chunk(size + align), size, align);
}

void *esp_alloc(size_t size) {
  void *memory = esp_alloc_aligned(size, 16);
  return memset(memory, 0, size);
}

esp_mark esp_mark_memory(void) { return (esp_mark){newest, newest ? newest->used : 0}; }

/* Chunks later than this one go, unless it is the first, which is kept for the next call. */
static void free_after(const chunk *last) {
  while (newest && newest != last && newest->before) {
    chunk *before = newest->before;
    free(newest);
    newest = before;
  }
}

void esp_release(esp_mark mark) {
  free_after(mark.chunk);
  if (newest) newest->used = mark.used;
}

void esp_end_call(void) { esp_release((esp_mark){NULL, 0}); }

char *esp_format_list(const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length < 0) esp_abort("a format that printf does not take");
  char *text = esp_alloc_aligned((size_t)length + 1, 1);
  vsnprintf(text, (size_t)length + 1, format, arguments);
  return text;
}

char *esp_format(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = esp_format_list(format, arguments);
  va_end(arguments);
  return text;
}
