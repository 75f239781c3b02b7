/* SPDX-License-Identifier: Apache-2.0
 *
 * engine_run.c: see engine_run.h. Blocks run in reverse; workspaces start as NaN, as do
 * outputs and the padding lanes of blocked inputs.
 */
#include "engine_run.h"
#include "kernel_check.h"
#include "kernel_table.h"
#include "nn.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_MEMORY = 64, MAX_TASKS = 16, MAX_ARGS = 12 };

/* A task as the sink took it. */
typedef struct FakeTask {
    TsrKernelFn fn;
    void *args[MAX_ARGS];
    void *params;
    uint32_t block_dim;
} FakeTask;

typedef struct FakeSink {
    TsrTaskSink sink;
    void *memory[MAX_MEMORY];
    uint32_t memory_count, workspace_base;
    void *inputs[NODE_PORTS], *outputs[2];
    FakeTask tasks[MAX_TASKS];
    int task_count;
} FakeSink;

static void *memory_new(uint64_t bytes)
{
    const size_t all = ((size_t)bytes + 64) / 64 * 64;
    float *memory = aligned_alloc(64, all);
    if (memory == NULL)
        exit(2);
    /* NaN of float and of the narrow types alike. */
    memset(memory, 0xff, all);
    return memory;
}

static int32_t sink_memory(FakeSink *fake, const void *data, uint64_t bytes, uint32_t kind,
                           uint32_t *out_arg)
{
    if (fake->memory_count == MAX_MEMORY)
        return TSR_OUT_OF_MEMORY;
    fake->memory[fake->memory_count] = memory_new(bytes);
    if (data != NULL)
        memcpy(fake->memory[fake->memory_count], data, (size_t)bytes);
    *out_arg = kind | fake->memory_count++;
    return TSR_OK;
}

static int32_t sink_workspace(TsrTaskSink *sink, uint64_t bytes, uint32_t *out_arg)
{
    return sink_memory(sink->context, NULL, bytes, TSR_ARG_WORKSPACE, out_arg);
}

static int32_t sink_constant(TsrTaskSink *sink, const void *data, uint64_t bytes,
                             uint32_t *out_arg)
{
    return sink_memory(sink->context, data, bytes, TSR_ARG_CONSTANT, out_arg);
}

static int32_t sink_kernel(TsrTaskSink *sink, const TsrKernelTask *task)
{
    FakeSink *fake = sink->context;
    FakeTask *t = &fake->tasks[fake->task_count < MAX_TASKS ? fake->task_count : 0];
    fake->task_count++;
    if (fake->task_count > MAX_TASKS || task->arg_count > MAX_ARGS)
        return TSR_UNSUPPORTED;
    t->fn = tsr_kernel_find(task->kernel);
    if (t->fn == NULL)
        return TSR_NOT_FOUND;
    t->block_dim = task->block_dim;
    t->params = memory_new(task->params_size);
    memcpy(t->params, task->params, task->params_size);
    for (uint32_t i = 0; i < task->arg_count; i++) {
        const uint32_t index = task->args[i] & 0xffffffu;
        switch (task->args[i] & 0xff000000u) {
        case TSR_ARG_INPUT: t->args[i] = fake->inputs[index]; break;
        case TSR_ARG_OUTPUT: t->args[i] = fake->outputs[index]; break;
        case TSR_ARG_NULL: t->args[i] = NULL; break;
        default: t->args[i] = fake->memory[index]; break;
        }
    }
    return TSR_OK;
}

static void tasks_run(const FakeSink *fake)
{
    for (int i = 0; i < fake->task_count; i++)
        for (uint32_t b = fake->tasks[i].block_dim; b-- > 0;)
            fake->tasks[i].fn(fake->tasks[i].args, fake->tasks[i].params, b,
                              fake->tasks[i].block_dim);
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int32_t sink_fail(TsrTaskSink *sink, int32_t code, const char *format, ...)
{
    (void)sink;
    ck_abort_msg("build failed with %d: %s", code, format);
    return code;
}

void node_init(NodeCase *c, const char *domain, const char *op_type, uint32_t version)
{
    memset(c, 0, sizeof(*c));
    c->domain = domain;
    c->op_type = op_type;
    c->version = version;
    c->core_count = 2;
}

static uint16_t narrow_of(uint32_t dtype, float v)
{
    return dtype == TSR_DTYPE_FLOAT16 ? tsr_float_to_float16(v) : tsr_float_to_bfloat16(v);
}

static float wide_of(uint32_t dtype, uint16_t v)
{
    return dtype == TSR_DTYPE_FLOAT16 ? tsr_float16_to_float(v) : tsr_bfloat16_to_float(v);
}

void node_type(NodeCase *c, uint32_t dtype)
{
    for (uint32_t i = 0; i < c->input_count + c->output_count; i++) {
        NodeTensor *t = i < c->input_count ? &c->inputs[i] : &c->outputs[i - c->input_count];
        if (i < c->input_count && !t->present)
            continue;
        t->desc.dtype = dtype;
        free(t->stored);
        t->stored = NULL;
        if (dtype == TSR_DTYPE_FLOAT)
            continue;
        const int64_t count = tsr_shape_elements(t->desc.rank, t->shape);
        t->stored = memory_new((uint64_t)count * 2);
        for (int64_t k = 0; k < count; k++) {
            t->stored[k] = narrow_of(dtype, t->data[k]);
            t->data[k] = wide_of(dtype, t->stored[k]);
        }
    }
}

void node_clear(NodeCase *c)
{
    for (uint32_t i = 0; i < c->input_count; i++)
        free(c->inputs[i].stored);
    for (uint32_t i = 0; i < c->output_count; i++)
        free(c->outputs[i].stored);
    for (uint32_t i = 0; i < c->input_count; i++)
        free(c->inputs[i].data);
    for (uint32_t i = 0; i < c->output_count; i++)
        free(c->outputs[i].data);
}

static float *tensor_init(NodeTensor *t, uint32_t rank, const int64_t *shape)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) {
        t->shape[i] = t->storage_shape[i] = shape[i];
        count *= shape[i];
    }
    t->desc = (TsrTensorDesc){ sizeof(t->desc), TSR_DTYPE_FLOAT,
                               rank == 4 ? TSR_FORMAT_NCHW : TSR_FORMAT_ND,
                               rank == 4 ? TSR_FORMAT_NCHW : TSR_FORMAT_ND, rank, rank, NULL,
                               NULL, "t" };
    t->data = memory_new((uint64_t)count * 4);
    for (int64_t i = 0; i < count; i++)
        t->data[i] = check_random();
    t->present = 1;
    return t->data;
}

float *node_input(NodeCase *c, int constant, uint32_t rank, const int64_t *shape)
{
    NodeTensor *t = &c->inputs[c->input_count++];
    t->constant = constant;
    return tensor_init(t, rank, shape);
}

void node_omit(NodeCase *c) { c->input_count++; }

float *node_output(NodeCase *c, uint32_t rank, const int64_t *shape)
{
    return tensor_init(&c->outputs[c->output_count++], rank, shape);
}

static TsrAttr *attr_add(NodeCase *c, const char *name, uint32_t type)
{
    TsrAttr *attr = &c->attrs[c->attr_count++];
    attr->struct_size = sizeof(*attr);
    attr->type = type;
    attr->name = name;
    return attr;
}

void node_attr_int(NodeCase *c, const char *name, int64_t value)
{
    attr_add(c, name, TSR_ATTR_INT)->i = value;
}

void node_attr_float(NodeCase *c, const char *name, float value)
{
    attr_add(c, name, TSR_ATTR_FLOAT)->f = value;
}

void node_attr_ints(NodeCase *c, const char *name, uint32_t count, const int64_t *ints)
{
    TsrAttr *attr = attr_add(c, name, TSR_ATTR_INTS);
    attr->count = count;
    attr->ints = ints;
}

void node_attr_text(NodeCase *c, const char *name, const char *text)
{
    attr_add(c, name, TSR_ATTR_STRING)->s = (TsrString){ text, strlen(text) };
}

void node_block(NodeCase *c, int port)
{
    NodeTensor *t = port >= 100 ? &c->outputs[port - 100] : &c->inputs[port];
    t->desc.storage_format = TSR_FORMAT_NC1HWC0;
    t->desc.storage_rank = 5;
    t->storage_shape[1] = (t->shape[1] + 15) / 16;
    t->storage_shape[2] = t->shape[2];
    t->storage_shape[3] = t->shape[3];
    t->storage_shape[4] = 16;
}

typedef struct ViewParts {
    TsrNodeView view;
    const TsrTensorDesc *inputs[NODE_PORTS], *outputs[2];
    const TsrTensor *values[NODE_PORTS];
    const TsrAttr *attrs[NODE_ATTRS];
} ViewParts;

static const TsrNodeView *view_make(NodeCase *c, ViewParts *v)
{
    memset(v, 0, sizeof(*v));
    for (uint32_t i = 0; i < c->input_count + c->output_count; i++) {
        NodeTensor *t = i < c->input_count ? &c->inputs[i] : &c->outputs[i - c->input_count];
        t->desc.shape = t->shape;
        t->desc.storage_shape = t->storage_shape;
        t->tensor = (TsrTensor){ sizeof(t->tensor), 0, &t->desc,
                                 t->stored != NULL ? (void *)t->stored : t->data,
                                 (t->stored != NULL ? 2 : 4) *
                                     (uint64_t)tsr_desc_elements(&t->desc) };
        if (i >= c->input_count)
            v->outputs[i - c->input_count] = &t->desc;
        else if (t->present)
            v->inputs[i] = &t->desc;
        if (i < c->input_count && t->constant)
            v->values[i] = &t->tensor;
    }
    for (uint32_t i = 0; i < c->attr_count; i++)
        v->attrs[i] = &c->attrs[i];
    v->view = (TsrNodeView){ sizeof(v->view), c->version, "node", c->op_type, c->domain,
                             c->input_count, c->output_count, c->attr_count, 0, v->inputs,
                             v->outputs, v->values, v->attrs };
    return &v->view;
}

TsrSupport node_check(NodeCase *c)
{
    ViewParts parts;
    TsrSupport support = { .struct_size = sizeof(support) };
    ck_assert_int_eq(nn_engine.check(&nn_engine, view_make(c, &parts), &support), TSR_OK);
    return support;
}

uint32_t node_columns(NodeCase *c, uint32_t *out_formats)
{
    ViewParts parts;
    uint32_t formats[16 * 8];
    float scores[16], best = -1.0f;
    TsrColumnSet set = { .struct_size = sizeof(set),
                         .port_count = c->input_count + c->output_count, .capacity = 16,
                         .formats = formats, .scores = scores };
    ck_assert_int_eq(nn_selector.columns(&nn_selector, view_make(c, &parts), &set), TSR_OK);
    for (uint32_t i = 0; i < set.count; i++)
        if (scores[i] > best) {
            best = scores[i];
            memcpy(out_formats, formats + i * set.port_count, set.port_count * sizeof(*formats));
        }
    return set.count;
}

/* Where element i of the plain order lies in the storage. */
static int64_t storage_at(const NodeTensor *t, int64_t i)
{
    if (t->desc.storage_format != TSR_FORMAT_NC1HWC0)
        return i;
    const int64_t pixels = t->shape[2] * t->shape[3], c = i / pixels % t->shape[1];
    const int64_t n = i / pixels / t->shape[1];
    return ((n * t->storage_shape[1] + c / 16) * pixels + i % pixels) * 16 + c % 16;
}

int node_run(NodeCase *c)
{
    return node_time(c, 1, NULL);
}

int node_time(NodeCase *c, int runs, double *out_seconds)
{
    ViewParts parts;
    FakeSink fake;
    const TsrNodeView *view = view_make(c, &parts);
    memset(&fake, 0, sizeof(fake));
    fake.sink = (TsrTaskSink){ sizeof(fake.sink), c->core_count, 64, 1 << 20, &fake,
                               sink_workspace, sink_constant, sink_kernel, sink_fail };
    for (uint32_t i = 0; i < c->input_count + c->output_count; i++) {
        NodeTensor *t = i < c->input_count ? &c->inputs[i] : &c->outputs[i - c->input_count];
        void **slot = i < c->input_count ? &fake.inputs[i] : &fake.outputs[i - c->input_count];
        if (i < c->input_count && !t->present)
            continue;
        *slot = memory_new((t->stored != NULL ? 2 : 4) *
                           (uint64_t)tsr_desc_storage_elements(&t->desc));
        for (int64_t k = 0; i < c->input_count && k < tsr_desc_elements(&t->desc); k++)
            if (t->stored != NULL)
                ((uint16_t *)*slot)[storage_at(t, k)] = t->stored[k];
            else
                ((float *)*slot)[storage_at(t, k)] = t->data[k];
    }
    if (nn_executor.build(&nn_executor, view, &fake.sink) != TSR_OK)
        return -1;
    for (int i = 0; i < runs; i++) {
        const double start = seconds_now();
        tasks_run(&fake);
        if (out_seconds != NULL && (i == 0 || seconds_now() - start < *out_seconds))
            *out_seconds = seconds_now() - start;
    }
    for (uint32_t i = 0; i < c->output_count; i++) {
        NodeTensor *t = &c->outputs[i];
        for (int64_t k = 0; k < tsr_desc_elements(&t->desc); k++)
            t->data[k] = t->stored == NULL
                             ? ((float *)fake.outputs[i])[storage_at(t, k)]
                             : wide_of(t->desc.dtype,
                                       ((uint16_t *)fake.outputs[i])[storage_at(t, k)]);
        free(fake.outputs[i]);
    }
    for (uint32_t i = 0; i < c->input_count; i++)
        free(fake.inputs[i]);
    for (uint32_t i = 0; i < fake.memory_count; i++)
        free(fake.memory[i]);
    for (int i = 0; i < fake.task_count; i++)
        free(fake.tasks[i].params);
    return fake.task_count;
}
