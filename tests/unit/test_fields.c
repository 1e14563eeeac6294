#include "net/fields.h"

#include <string.h>

#include "unit.h"

static enum field found(const char *name)
{
        return field_find(name, strlen(name));
}

START_TEST(each_is_found_in_any_case)
{
#define X(id, name) ck_assert_int_eq(found(name), FIELD_##id);
        FIELDS(X)
#undef X
        ck_assert_int_eq(found("Content-Type"), FIELD_CONTENT_TYPE);
        ck_assert_int_eq(found("GRPC-ENCODING"), FIELD_GRPC_ENCODING);
}
END_TEST

START_TEST(others_are_not)
{
        static const char *const others[] = {
                "", "x", "hosts", "content-typo", "content-type ", "accepts", "connect-protocol-version-and-more"};

        for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
                ck_assert_int_eq(found(others[i]), FIELD_COUNT);
}
END_TEST

UNIT_MAIN("fields", each_is_found_in_any_case, others_are_not);
