/* The destination of rendered bytes. Part of shape.h. */
#pragma once

#include <stddef.h>

/* Takes the next rendered bytes. */
typedef void (*ox_write)(void *user, const char *bytes, size_t size);

/* The same without a copy: takes note of `put` bytes at the place that it gave last, and gives one for at least `least`
   more, with its size. NULL: there is no memory. With `least` 0 all has been put, and what it gives is not used. */
typedef char *(*ox_room)(void *user, size_t put, size_t least, size_t *ret_size);
