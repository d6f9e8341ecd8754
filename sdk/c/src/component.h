/* Between the words of the generated bindings and ours, for the two halves of the component. */
#ifndef ESPEJOTE_SRC_COMPONENT_H
#define ESPEJOTE_SRC_COMPONENT_H

#include "../generated/wit.h"
#include "espejote.h"

/* Text that the host takes: UTF-8, with U+FFFD for what is none. */
wit_string_t esp_text_to_host(esp_text text);

/* Text of the host's, with a NUL byte after it. */
esp_text esp_text_from_host(wit_string_t text);

/* Gives back the collections that the call has opened. */
void esp_close_collections(void);

#endif
