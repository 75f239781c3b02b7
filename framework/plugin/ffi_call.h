/* SPDX-License-Identifier: Apache-2.0
 *
 * ffi_call.h: a C function in a shared library, called by a signature in words. The only
 * file that knows libffi.
 */
#ifndef TSR_PLUGIN_FFI_CALL_H
#define TSR_PLUGIN_FFI_CALL_H

#include <glib.h>

typedef enum TsrCType {
    TSR_C_VOID,
    TSR_C_POINTER,
    TSR_C_INT32,
    TSR_C_INT64,
    TSR_C_FLOAT,
    TSR_C_DOUBLE,
} TsrCType;

typedef union TsrCValue {
    gpointer pointer;
    gint32 int32;
    gint64 int64;
    float f;
    double d;
} TsrCValue;

typedef struct TsrCFunction TsrCFunction;

/* Opens the library (an absolute path), finds the function and prepares the call. The
 * signature is "RESULT(TYPE,TYPE,...)" of void, pointer, int32, int64, float, double;
 * the result is void or int32. Errors: INVALID_ARGUMENT (signature), NOT_FOUND.
 * (transfer full) */
TsrCFunction *tsr_c_function_new(const char *library, const char *symbol,
                                 const char *signature, GError **error);
void tsr_c_function_free(TsrCFunction *function); /* NULL is a no-op */

guint tsr_c_function_arg_count(const TsrCFunction *function);
TsrCType tsr_c_function_arg_type(const TsrCFunction *function, guint index);
const char *tsr_c_type_name(TsrCType type);

/* Calls it; 0 for a void function. Reentrant as far as the function is. */
gint32 tsr_c_function_call(const TsrCFunction *function, const TsrCValue *args);

#endif
