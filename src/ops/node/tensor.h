/* Types and elements of tensors of the model. */
#pragma once

#include "ops/node/node.h"

/* The elements of a small tensor (attribute or initializer); NULL if they are dropped, external or too many, or not
   numeric. *ret_fault (may be NULL) is set to a text if data and dims disagree. */
const struct content *tensor_content(struct arena *arena, const struct ox_limits *limits,
                                     const struct model_tensor *tensor, const char **ret_fault);
/* The same, but the elements are fetched at the first content_read(). The tensor must live as long. */
const struct content *tensor_content_later(struct arena *arena, const struct ox_limits *limits,
                                           const struct model_tensor *tensor, const char **ret_fault);
/* The elements of a scalar or short vector of a usual type, of which nothing is wrong; NULL for any other tensor. */
const struct content *tensor_content_small(struct arena *arena, const struct ox_limits *limits,
                                           const struct model_tensor *tensor);
/* Its type, whose sizes stand in the tensor; false with *ret_fault for a negative size, too high a rank or an unknown
 * element type. */
bool tensor_type(struct arena *arena, const struct ox_limits *limits, const struct model_tensor *tensor,
                 struct type *ret, const char **ret_fault);
