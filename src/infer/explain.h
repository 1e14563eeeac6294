/* Why values are not known. */
#pragma once

#include "infer/internal.h"

/* Fills the explanations of the result that options.explain asks for, and counts the causes of all that is not known.
   Of a result that is finished. A value that is not there is an error. */
enum ox_code explain(struct infer *f, struct ox_result *result, const char **ret_error);
