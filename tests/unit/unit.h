/* A unit test is a file of START_TEST(name) ... END_TEST blocks that ends with UNIT_MAIN("suite", name, name, ...). */
#pragma once

#include <check.h>
#include <stdlib.h>

#define UNIT_TIMEOUT_SECONDS 120

static inline int unit_run(const char *suite_name, const TTest *const *tests, size_t count)
{
        Suite *suite = suite_create(suite_name);
        TCase *tcase = tcase_create(suite_name);
        SRunner *runner;
        int failed;

        tcase_set_timeout(tcase, UNIT_TIMEOUT_SECONDS);
        for (size_t i = 0; i < count; i++)
                tcase_add_test(tcase, tests[i]);
        suite_add_tcase(suite, tcase);
        runner = srunner_create(suite);
        srunner_run_all(runner, CK_NORMAL);
        failed = srunner_ntests_failed(runner);
        srunner_free(runner);
        return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define UNIT_MAIN(suite_name, ...)                                                                                     \
        int main(void)                                                                                                 \
        {                                                                                                              \
                const TTest *const tests[] = {__VA_ARGS__};                                                            \
                return unit_run(suite_name, tests, sizeof(tests) / sizeof(tests[0]));                                  \
        }                                                                                                              \
        _Static_assert(1, "takes the semicolon")
