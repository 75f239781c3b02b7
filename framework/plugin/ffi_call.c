/* SPDX-License-Identifier: Apache-2.0
 *
 * ffi_call.c: see ffi_call.h.
 */
#include "plugin/ffi_call.h"

#include <dlfcn.h>
#include <ffi.h>
#include <string.h>
#include <tessera/types.h>

#include "base/error.h"

struct TsrCFunction {
    gpointer library;
    void (*entry)(void);
    ffi_cif cif;
    ffi_type **ffi_types;
    TsrCType *types;
    TsrCType result;
    guint count;
};

static struct {
    const char *name;
    ffi_type *ffi;
} type_rows[] = {
    [TSR_C_VOID] = {"void", &ffi_type_void},      [TSR_C_POINTER] = {"pointer", &ffi_type_pointer},
    [TSR_C_INT32] = {"int32", &ffi_type_sint32},  [TSR_C_INT64] = {"int64", &ffi_type_sint64},
    [TSR_C_FLOAT] = {"float", &ffi_type_float},   [TSR_C_DOUBLE] = {"double", &ffi_type_double},
};

const char *tsr_c_type_name(TsrCType type)
{
    return type_rows[type].name;
}

static gboolean parse_type(const char *word, TsrCType *out_type)
{
    for (guint i = 0; i < G_N_ELEMENTS(type_rows); i++) {
        if (strcmp(word, type_rows[i].name) == 0) {
            *out_type = (TsrCType)i;
            return TRUE;
        }
    }
    return FALSE;
}

static gboolean bad_signature(const char *signature, const char *why, GError **error)
{
    g_set_error(error, TSR_ERROR, TSR_INVALID_ARGUMENT,
                "signature '%s': %s; wanted RESULT(TYPE,...) of void, pointer, int32, int64, "
                "float, double",
                signature, why);
    return FALSE;
}

static gboolean parse_signature(TsrCFunction *function, const char *signature, GError **error)
{
    const char *open = strchr(signature, '('), *close = strrchr(signature, ')');
    g_autofree char *result = NULL;
    g_autofree char *inside = NULL;
    g_auto(GStrv) words = NULL;
    if (open == NULL || close == NULL || close < open || close[1] != '\0')
        return bad_signature(signature, "has no parentheses", error);
    result = g_strstrip(g_strndup(signature, (gsize)(open - signature)));
    inside = g_strstrip(g_strndup(open + 1, (gsize)(close - open - 1)));
    if (!parse_type(result, &function->result) ||
        (function->result != TSR_C_VOID && function->result != TSR_C_INT32))
        return bad_signature(signature, "its result is not void or int32", error);
    words = inside[0] != '\0' ? g_strsplit(inside, ",", -1) : g_new0(char *, 1);
    function->count = g_strv_length(words);
    function->types = g_new0(TsrCType, function->count + 1);
    function->ffi_types = g_new0(ffi_type *, function->count + 1);
    for (guint i = 0; i < function->count; i++) {
        if (!parse_type(g_strstrip(words[i]), &function->types[i]) ||
            function->types[i] == TSR_C_VOID)
            return bad_signature(signature, "has an argument of unknown type", error);
        function->ffi_types[i] = type_rows[function->types[i]].ffi;
    }
    if (ffi_prep_cif(&function->cif, FFI_DEFAULT_ABI, function->count,
                     type_rows[function->result].ffi, function->ffi_types) != FFI_OK)
        return bad_signature(signature, "cannot be called on this machine", error);
    return TRUE;
}

TsrCFunction *tsr_c_function_new(const char *library, const char *symbol,
                                 const char *signature, GError **error)
{
    TsrCFunction *function = g_new0(TsrCFunction, 1);
    gpointer address = NULL;
    if (!parse_signature(function, signature, error)) {
        tsr_c_function_free(function);
        return NULL;
    }
    function->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (function->library != NULL)
        address = dlsym(function->library, symbol);
    if (address == NULL) {
        const char *why = dlerror();
        g_set_error(error, TSR_ERROR, TSR_NOT_FOUND, "function '%s' of '%s': %s", symbol, library,
                    why != NULL ? why : "not found");
        tsr_c_function_free(function);
        return NULL;
    }
    memcpy(&function->entry, &address, sizeof(address));
    return function;
}

void tsr_c_function_free(TsrCFunction *function)
{
    if (function == NULL)
        return;
    if (function->library != NULL)
        dlclose(function->library);
    g_free(function->types);
    g_free(function->ffi_types);
    g_free(function);
}

guint tsr_c_function_arg_count(const TsrCFunction *function)
{
    return function->count;
}

TsrCType tsr_c_function_arg_type(const TsrCFunction *function, guint index)
{
    return function->types[index];
}

gint32 tsr_c_function_call(const TsrCFunction *function, const TsrCValue *args)
{
    g_autofree void **pointers = g_new(void *, function->count + 1);
    ffi_arg result = 0;
    for (guint i = 0; i < function->count; i++)
        pointers[i] = (void *)&args[i];
    ffi_call((ffi_cif *)&function->cif, function->entry, &result, pointers);
    return function->result == TSR_C_VOID ? 0 : (gint32)result;
}
