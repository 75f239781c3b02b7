/* SPDX-License-Identifier: Apache-2.0
 *
 * check_main.h: what the main() of every test program does with its test case.
 */
#ifndef TESTS_CHECK_MAIN_H
#define TESTS_CHECK_MAIN_H

#include "scratch.h"

#include <check.h>
#include <stdlib.h>

/* Runs a test case as a suite of that name, as loud as CK_VERBOSITY says, in a temporary
   directory of its own; takes the case. Returns the status for exit(). */
static inline int check_main(const char *name, TCase *tcase)
{
    Suite *suite = suite_create(name);
    SRunner *runner;
    int failed;
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    scratch_begin();
    srunner_run_all(runner, CK_ENV);
    scratch_end();
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
