/* Requests from web pages of other origins (the Fetch Standard, "CORS protocol"), which a browser allows only where
   the answer does. */
#pragma once

#include "net/call.h"

/* The first word of a list that is neither `*` nor an origin like https://example.org:8443, with its length; NULL:
   there is none. */
const char *cors_fault(const char *origins, size_t *ret_length);

/* Called before the call has a reply. Adds the fields that let pages of the origins in config->cors_origin read what is
   answered. True: the call asked for that alone, and has its reply. */
bool cors_begin(struct call *call);
