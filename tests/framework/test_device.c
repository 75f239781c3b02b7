/* SPDX-License-Identifier: Apache-2.0
 *
 * test_device.c: how the framework binds a task to a kernel of a device: found by name, and
 * refused when engine and device mean other parameters by it.
 */
#include "fixture.h"
#include "runtime/device.h"
#include "../support/check_main.h"

static void kernel(void *const *args, const void *params, uint32_t block_index,
                   uint32_t block_dim)
{
    (void)args;
    (void)params;
    (void)block_index;
    (void)block_dim;
}

static TsrKernelFn find(TsrDeviceContext *context, const char *name)
{
    (void)context;
    return strcmp(name, "scale") == 0 ? kernel : NULL;
}

static uint32_t params_size(TsrDeviceContext *context, const char *name)
{
    (void)context;
    return strcmp(name, "scale") == 0 ? 16 : 0;
}

typedef struct Binding {
    const char *kernel;
    guint32 told;       /* struct_size in the parameters */
    gsize bytes;        /* of the parameters; 0: there are none */
    gboolean old_table; /* a device that does not tell sizes */
    gint32 code;
    const char *part;
} Binding;

static const Binding bindings[] = {
    {"scale", 16, 16, FALSE, TSR_OK, NULL},
    {"scale", 16, 24, FALSE, TSR_OK, NULL},
    {"scale", 12, 12, FALSE, TSR_INCOMPATIBLE,
     "'task': kernel 'scale' of device 'fake' takes 16 bytes of parameters, got 12"},
    {"scale", 24, 24, FALSE, TSR_INCOMPATIBLE, "takes 16 bytes of parameters, got 24"},
    {"scale", 16, 8, FALSE, TSR_INCOMPATIBLE, "takes 16 bytes of parameters, got 8"},
    {"scale", 16, 2, FALSE, TSR_INCOMPATIBLE, "takes 16 bytes of parameters, got 0"},
    {"scale", 0, 0, FALSE, TSR_INCOMPATIBLE, "takes 16 bytes of parameters, got 0"},
    {"scale", 12, 12, TRUE, TSR_OK, NULL},
    {"shift", 16, 16, FALSE, TSR_NOT_FOUND, "'task': device 'fake' has no kernel 'shift'"},
    {"shift", 16, 16, TRUE, TSR_NOT_FOUND, "has no kernel 'shift'"},
};

START_TEST(binds_what_fits)
{
    const Binding *binding = &bindings[_i];
    const TsrDevice table = {
        .struct_size = binding->old_table ? offsetof(TsrDevice, kernel_params_size)
                                          : sizeof(TsrDevice),
        .name = "fake", .kernel_find = find, .kernel_params_size = params_size,
    };
    const TsrOpenDevice device = {.device = &table};
    const guint32 data[6] = {binding->told};
    g_autoptr(GBytes) params = binding->bytes != 0 ? g_bytes_new(data, binding->bytes) : NULL;
    GError *error = NULL;
    TsrKernelFn fn = tsr_device_kernel(&device, "task", binding->kernel, params, &error);
    if (binding->code == TSR_OK) {
        ck_no_error(error);
        ck_assert(fn == kernel);
        return;
    }
    ck_assert(fn == NULL);
    ck_error(error, binding->code, binding->part);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("device");
    tcase_add_loop_test(tcase, binds_what_fits, 0, G_N_ELEMENTS(bindings));
    return check_main("device", tcase);
}
