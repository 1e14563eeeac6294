/* Going on only where all is well. */
#pragma once

#include "base/code.h"

/* Leaves the calling function with the first outcome that is not OX_OK. */
#define TRY(expression)                                                                                                \
        do {                                                                                                           \
                enum ox_code try_code_ = (expression);                                                                 \
                if (try_code_ != OX_OK)                                                                                \
                        return try_code_;                                                                              \
        } while (0)
