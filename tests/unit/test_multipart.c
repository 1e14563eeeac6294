/* Forms as clients write them, whole and in pieces of any size. */
#include <string.h>

#include "net/multipart.h"
#include "unit.h"

static char taken[65536];
static size_t taken_size;

static bool sink(void *user, const char *bytes, size_t size)
{
        memcpy(taken + taken_size, bytes, size);
        taken_size += size;
        return user == NULL;
}

/* What the field `operators` has is not looked at. */
static bool sink_other(void *user, const char *bytes, size_t size)
{
        return true;
}

static const struct multipart_field fields[] = {{"model", true, sink}, {"operators", false, sink_other}};

/* Feeds a body in pieces and returns the error, "" when it is well and NULL when the sink alone has ended it. */
static const char *feed(const char *type, const char *body, size_t size, size_t piece, void *user)
{
        static char error[256];
        struct multipart *m = multipart_new(type, fields, sizeof(fields) / sizeof(*fields), user);
        bool is_well = true;

        ck_assert_ptr_nonnull(m);
        taken_size = 0;
        for (size_t at = 0; at < size && is_well; at += piece)
                is_well = multipart_feed(m, body + at, at + piece < size ? piece : size - at);
        is_well = is_well && multipart_end(m);
        strcpy(error, multipart_error(m));
        multipart_free(m);
        return is_well || error[0] ? error : NULL;
}

#define HEAD                       "Content-Disposition: form-data; name=\"model\"\r\n\r\n"
#define OTHER                      "Content-Disposition: form-data; name=\"operators\"\r\n\r\n"
#define FORM(boundary, head, data) "--" boundary "\r\n" head data "\r\n--" boundary "--\r\n"

static const struct {
        const char *type, *body, *data; /* data NULL: `error` stands in the error */
        const char *error;
} rows[] = {
        {"multipart/form-data; boundary=BB", FORM("BB", HEAD, "abc"), "abc", NULL},
        {"multipart/form-data; boundary=BB; charset=utf-8", FORM("BB", HEAD, "abc"), "abc", NULL},
        {"multipart/form-data;charset=utf-8 ; Boundary = \"B B\" ", FORM("B B", HEAD, "abc"), "abc", NULL},
        {"multipart/form-data; boundary=\"a\\\"b;c\"", FORM("a\"b;c", HEAD, ""), "", NULL},
        {"multipart/form-data; x; boundary=B", FORM("B", HEAD, "\r\n--BX\r\n-B\r\r\n--B-x"),
         "\r\n--BX\r\n-B\r\r\n--B-x", NULL},
        {"multipart/form-data; boundary=B", FORM("B", HEAD, "a\r\n--B\rb\r"), "a\r\n--B\rb\r", NULL},
        {"multipart/form-data; boundary=B", FORM("B", HEAD, "a\r\n--B\r\r\n--B\r"), "a\r\n--B\r\r\n--B\r", NULL},
        {"multipart/form-data; boundary=B", "\r\n" FORM("B", HEAD, "x"), "x", NULL},
        {"multipart/form-data; boundary=B", "preamble\r\n" FORM("B", HEAD, "x") "epilogue\r\n--B\r\n", "x", NULL},
        {"multipart/form-data; boundary=B", "--B \t\r\n" HEAD "x\r\n--B--", "x", NULL},
        {"multipart/form-data; boundary=B",
         FORM("B",
              "content-type: a/b\r\nCONTENT-DISPOSITION: form-data; name=model; filename=m.onnx; "
              "filename*=utf-8''m.onnx\r\n\r\n",
              "x"),
         "x", NULL},
        {"multipart/form-data; boundary=B",
         FORM("B",
              "Content-Disposition: form-data;\r\n filename=\"a; name=b\"; name=\"model\"\r\n"
              "Content-Transfer-Encoding: binary\r\n\r\n",
              "x"),
         "x", NULL},
        {"multipart/form-data", FORM("B", HEAD, "x"), NULL, "no boundary"},
        {"multipart/form-data; boundary=", FORM("", HEAD, "x"), NULL, "no boundary"},
        {"multipart/form-data; boundary=A; boundary=B", FORM("B", HEAD, "x"), NULL, "more than one boundary"},
        {"multipart/form-data; boundary=1234567890123456789012345678901234567890123456789012345678901234567890x", "",
         NULL, "more than 70 characters"},
        {"multipart/form-data; boundary=B", "", NULL, "does not begin with the boundary"},
        {"multipart/form-data; boundary=B", "--X\r\n" HEAD, NULL, "does not begin with the boundary"},
        {"multipart/form-data; boundary=B", "--B\r\n" HEAD "x", NULL, "ends before its last boundary"},
        {"multipart/form-data; boundary=B", "--B--\r\n", NULL, "no field 'model'"},
        {"multipart/form-data; boundary=B", "--B\r\n" OTHER "x\r\n--B\r\n" HEAD "abc\r\n--B--\r\n", "abc", NULL},
        {"multipart/form-data; boundary=B", "--B\r\n" HEAD "abc\r\n--B\r\n" OTHER "\r\n--B--\r\n", "abc", NULL},
        {"multipart/form-data; boundary=B", FORM("B", OTHER, "x"), NULL, "no field 'model'"},
        {"multipart/form-data; boundary=B", "--B\r\n" OTHER "\r\n--B\r\n" OTHER "\r\n--B--\r\n", NULL,
         "the field 'operators' twice"},
        {"multipart/form-data; boundary=B", "--B\r\n\r\nx\r\n--B--", NULL, "has no name"},
        {"multipart/form-data; boundary=B", FORM("B", "Content-Disposition: form-data; name=file\r\n\r\n", "x"), NULL,
         "a field 'file'"},
        {"multipart/form-data; boundary=B", "--B\r\n" HEAD "x\r\n" FORM("B", HEAD, "y"), NULL, "'model' twice"},
        {"multipart/form-data; boundary=B", "--B x\r\n" HEAD "x\r\n--B--", NULL, "followed by something else"},
        {"multipart/form-data; boundary=B",
         FORM("B", "Content-Disposition: form-data; name=model\r\nContent-Transfer-Encoding: base64\r\n\r\n", "eA=="),
         NULL, "base64"},
};

START_TEST(forms_are_read_in_any_pieces)
{
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
                for (size_t piece = 1; piece < 40; piece++) {
                        const char *error = feed(rows[i].type, rows[i].body, strlen(rows[i].body), piece, NULL);

                        ck_assert_ptr_nonnull(error);
                        if (!rows[i].data) {
                                ck_assert_msg(strstr(error, rows[i].error) != NULL, "row %zu, pieces of %zu: %s", i,
                                              piece, error);
                                continue;
                        }
                        ck_assert_msg(!error[0], "row %zu, pieces of %zu: %s", i, piece, error);
                        ck_assert_uint_eq(taken_size, strlen(rows[i].data));
                        ck_assert_mem_eq(taken, rows[i].data, taken_size);
                }
        }
}
END_TEST

START_TEST(what_is_long_is_refused_early)
{
        static char body[20000];

        memset(body, '-', sizeof(body));
        ck_assert_ptr_nonnull(strstr(feed("a/b; boundary=B", body, sizeof(body), 100, NULL), "does not begin"));
        memcpy(body, "--B\r\n", 5);
        ck_assert_ptr_nonnull(strstr(feed("a/b; boundary=B", body, sizeof(body), 100, NULL), "more than 8192 bytes"));
        memset(body + 5, '\0', 8);
        memcpy(body + 13, "\r\n\r\n", 4);
        ck_assert_ptr_nonnull(strstr(feed("a/b; boundary=B", body, 100, 100, NULL), "a NUL"));
}
END_TEST

START_TEST(the_sink_may_end_it)
{
        static const char body[] = FORM("B", HEAD, "abc");

        ck_assert_ptr_null(feed("a/b; boundary=B", body, sizeof(body) - 1, 1, &taken));
        ck_assert_uint_eq(taken_size, 1);
}
END_TEST

UNIT_MAIN("multipart", forms_are_read_in_any_pieces, what_is_long_is_refused_early, the_sink_may_end_it);
