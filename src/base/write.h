/* The destination of rendered bytes. Part of shape.h. */
#pragma once

#include <stddef.h>

/* Takes the next rendered bytes. */
typedef void (*ox_write)(void *user, const char *bytes, size_t size);
