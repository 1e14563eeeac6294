/* Returns early after an error. */
#pragma once

#include "base/code.h"

/* Returns from the calling function if the outcome is not OX_OK. */
#define TRY(expression)                                                                                                \
        do {                                                                                                           \
                enum ox_code try_code_ = (expression);                                                                 \
                if (try_code_ != OX_OK)                                                                                \
                        return try_code_;                                                                              \
        } while (0)
