/* Which sizes run. */
#pragma once

#include "infer/internal.h"

/* Fills the sizes of the result, where options.sizes asks for them: for each size of an input what its conditions
   leave. Of a result that is finished. */
void sizes_find(struct infer *f, struct ox_result *result);
