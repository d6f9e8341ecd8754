/* What the rest of the library knows of the memory of a call. */
#ifndef ESPEJOTE_SRC_MEMORY_H
#define ESPEJOTE_SRC_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

#include "espejote_memory.h"

/* Memory of the call that starts at a multiple of align; not cleared. */
void *esp_alloc_aligned(size_t size, size_t align);

/* As esp_format. */
char *esp_format_list(const char *format, va_list arguments);

/* Ends the call: all that was allocated may be used again. */
void esp_end_call(void);

/* Ends the instance, with a line on standard error. */
_Noreturn void esp_abort(const char *why);

#endif
