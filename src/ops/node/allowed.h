/* Checks values of attributes against the row. */
#pragma once

#include "ops/node/node.h"

/* Checks a given attribute, whose type is that of the row, against its range, list of values, element types and length:
   ATTRIBUTE_VALUE or ATTRIBUTE_LENGTH, as an error, or as a warning if the row says that the value decides no shape. A
   number that must name an element type of a set may name any other unless `check_types`. */
enum ox_code attr_check_allowed(struct node *n, const struct model_attribute *given, const struct op_attr *attr,
                                bool check_types);
