/* Determines where a request's body ends. An ambiguous head is refused, because a proxy in front of us may read it
   differently. */
#pragma once

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "net/fields.h"

struct framing {
        bool has_body, has_length;
        bool expects; /* 100-continue */
        uint64_t length;
};

/* Returns NULL, or the fault of the request's head. Finds the first of each of its fields. `method` and `version` must
   be the pointers given by libmicrohttpd, because they lie in its buffer, which holds the head. */
const char *framing_read(struct MHD_Connection *connection, const char *method, const char *version,
                         const char *ret_field[FIELD_COUNT], struct framing *ret);
