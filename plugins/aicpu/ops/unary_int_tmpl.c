/* SPDX-License-Identifier: Apache-2.0
 *
 * unary_int_tmpl.c: functions of one integer; included by unary.c once per type with T,
 * its unsigned twin UT (arithmetic wraps there without undefined behaviour) and N(name).
 */
static void N(int_abs)(void *y, const void *x, int64_t n, const void *p)
{
    (void)p;
    for (int64_t i = 0; i < n; i++) {
        T v = ((const T *)x)[i];
        ((T *)y)[i] = v > 0 ? v : (T)(0 - (UT)v);
    }
}

static void N(int_neg)(void *y, const void *x, int64_t n, const void *p)
{
    (void)p;
    for (int64_t i = 0; i < n; i++)
        ((T *)y)[i] = (T)(0 - (UT)((const T *)x)[i]);
}

static void N(int_sign)(void *y, const void *x, int64_t n, const void *p)
{
    (void)p;
    for (int64_t i = 0; i < n; i++)
        ((T *)y)[i] = ((const T *)x)[i] > 0 ? 1 : ((const T *)x)[i] == 0 ? 0 : (T)-1;
}

static void N(int_relu)(void *y, const void *x, int64_t n, const void *p)
{
    (void)p;
    for (int64_t i = 0; i < n; i++)
        ((T *)y)[i] = ((const T *)x)[i] > 0 ? ((const T *)x)[i] : 0;
}

static void N(int_not)(void *y, const void *x, int64_t n, const void *p)
{
    (void)p;
    for (int64_t i = 0; i < n; i++)
        ((T *)y)[i] = (T)~(UT)((const T *)x)[i];
}

#undef T
#undef UT
#undef N
