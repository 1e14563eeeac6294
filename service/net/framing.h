/* Where a request's body ends. What can be read in two ways is refused: a proxy before us may read it the other way. */
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

/* NULL, or what is wrong with the head of the request. Finds the first of each of its fields. `method` and `version`
   are where libmicrohttpd says that they are: between them and behind them its buffer has the head. */
const char *framing_read(struct MHD_Connection *connection, const char *method, const char *version,
                         const char *ret_field[FIELD_COUNT], struct framing *ret);
