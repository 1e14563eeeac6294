/* Where rendered bytes go. Part of shape.h. */
#pragma once

#include <stddef.h>

/* Takes the next bytes of what is rendered. */
typedef void (*ox_write)(void *user, const char *bytes, size_t size);
