#include "obs/status.h"

enum ox_code http_status_code(int status)
{
        switch (status) {
#define X(name, number, code)                                                                                          \
        case number:                                                                                                   \
                return OX_##code;
                HTTP_STATUSES(X)
#undef X
        default:
                return OX_UNKNOWN;
        }
}
