#include "base/code.h"

const char *ox_code_name(enum ox_code code)
{
        switch (code) {
#define X(name, number, text, http)                                                                                    \
        case OX_##name:                                                                                                \
                return text;
                OX_CODES(X)
#undef X
        }
        return "unknown";
}

int ox_code_http(enum ox_code code)
{
        switch (code) {
#define X(name, number, text, http)                                                                                    \
        case OX_##name:                                                                                                \
                return http;
                OX_CODES(X)
#undef X
        }
        return 500;
}
