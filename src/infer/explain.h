/* Why values are not known. */
#pragma once

#include "infer/internal.h"

/* Fills the explanations of a finished result that options.explain asks for. With these, or if a rank or type is
   unknown, it also counts the causes of all that is not known. A value that is not there is an error. */
enum ox_code explain(struct infer *f, struct ox_result *result, const char **ret_error);
