/* SPDX-License-Identifier: Apache-2.0
 *
 * no_symbol.c: a shared library that is no plugin.
 */
int tsr_test_no_symbol(void);

int tsr_test_no_symbol(void)
{
    return 1;
}
