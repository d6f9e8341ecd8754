/* The memory of a call. Whatever this library returns lies in it, and it ends with the call: nothing is freed, and nothing
 * may be kept. What a kept instance remembers lies in memory from malloc. */
#ifndef ESPEJOTE_MEMORY_H
#define ESPEJOTE_MEMORY_H

#include <stddef.h>

/* Memory of the call, all zero, good for any type. Ends the call if there is none left. */
void *esp_alloc(size_t size);

/* As printf writes it, in memory of the call. */
char *esp_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For those who go through more than fits into memory at once: what was allocated after a mark may be used again from its release
 * on. Marks nest; the end of the call releases all.
 *
 *   for (uint32_t at = 0; at < esp_len(pods);) {
 *     esp_mark mark = esp_mark_memory();
 *     esp_texts page = esp_scan_texts(pods, at, 256 * 1024);
 *     at += (uint32_t)page.len;
 *     count(page);
 *     esp_release(mark);
 *   } */
typedef struct esp_mark {
  void *chunk;
  size_t used;
} esp_mark;

esp_mark esp_mark_memory(void);
void esp_release(esp_mark mark);

#endif
