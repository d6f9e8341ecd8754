/* The memory of a call. Whatever this library returns lies in it, and it ends with the call: nothing is freed, and nothing
 * may be kept. What a kept instance remembers lies in memory from malloc. */
#ifndef ESPEJOTE_MEMORY_H
#define ESPEJOTE_MEMORY_H

#include <stddef.h>

/* Memory of the call, all zero, good for any type. Ends the call if there is none left. */
void *esp_alloc(size_t size);

/* As printf writes it, in memory of the call. */
char *esp_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
