/* SPDX-License-Identifier: Apache-2.0
 *
 * op_harness.c: a minimal host for one node. It keeps the promises of plugin.h that
 * kernels rely on (defaults of attributes, memory of outputs, scratch) and cuts
 * parallel loops in uneven pieces, so that a kernel that needs order is found out.
 */
#include "op_harness.h"
#include "framework/ops/ops.h"
#include "plugins/aicpu/aicpu.h"
#include <stdlib.h>

enum { MAX_PORTS = 64, MAX_ATTRS = 32 };

typedef struct Block {
    struct Block *next;
} Block;

struct OpHarness {
    const TsrOpDef *def;
    Block *blocks;
    TsrNodeView view;
    uint32_t unwanted;
    TsrTensor *in[MAX_PORTS];   /* data NULL and no elements known: value unknown */
    uint8_t has_value[MAX_PORTS];
    TsrTensor *out[MAX_PORTS];
    TsrTensorDesc *storage[MAX_PORTS];
    const TsrTensorDesc *in_descs[MAX_PORTS];
    const TsrTensorDesc *out_descs[MAX_PORTS];
    const TsrTensor *values[MAX_PORTS];
    TsrTensor *outs[MAX_PORTS];
    TsrAttr attrs[MAX_ATTRS];
    const TsrAttr *attr_list[MAX_ATTRS];
    OpSubgraphFn subgraph;
    char error[512];
};

static void *take(OpHarness *h, size_t size)
{
    /* A header of 64 bytes keeps the 64-byte alignment that plugins are promised. */
    Block *block = aligned_alloc(64, (size + 64 + 63) / 64 * 64);
    if (block == NULL)
        abort();
    memset(block, 0, (size + 64 + 63) / 64 * 64);
    block->next = h->blocks;
    h->blocks = block;
    return (char *)block + 64;
}

OpHarness *op_harness_new(const char *domain, const char *op, uint32_t opset)
{
    uint32_t families;
    const TsrOps *const *list = tsr_ops_builtin(&families);
    OpHarness *h;
    const TsrOpDef *best = NULL;
    for (uint32_t f = 0; f < families; f++)
        for (uint32_t i = 0; i < list[f]->op_count; i++) {
            const TsrOpDef *def = &list[f]->ops[i];
            if (strcmp(def->name, op) == 0 && strcmp(def->domain, domain) == 0 &&
                def->since_version <= opset &&
                (best == NULL || def->since_version > best->since_version))
                best = def;
        }
    if (best == NULL)
        return NULL;
    h = calloc(1, sizeof(*h));
    if (h == NULL)
        abort();
    h->def = best;
    h->view = (TsrNodeView){.struct_size = sizeof(TsrNodeView),
                            .since_version = best->since_version, .name = "node",
                            .op_type = best->name, .domain = best->domain, .output_count = 1,
                            .inputs = h->in_descs, .outputs = h->out_descs,
                            .values = h->values, .attrs = h->attr_list};
    return h;
}

void op_harness_free(OpHarness *h)
{
    if (h == NULL)
        return;
    for (Block *block = h->blocks; block != NULL;) {
        Block *next = block->next;
        free(block);
        block = next;
    }
    free(h);
}

static TsrTensorDesc *make_desc(OpHarness *h, uint32_t dtype, uint32_t rank, const int64_t *shape)
{
    TsrTensorDesc *desc = take(h, sizeof(*desc));
    int64_t *copy = NULL;
    if (rank != TSR_RANK_UNKNOWN) {
        copy = take(h, (rank + 1) * sizeof(*copy));
        if (rank > 0)
            memcpy(copy, shape, rank * sizeof(*copy));
    }
    *desc = (TsrTensorDesc){.struct_size = sizeof(*desc), .dtype = dtype, .rank = rank,
                            .storage_rank = rank, .shape = copy, .storage_shape = copy,
                            .name = ""};
    return desc;
}

TsrTensor *op_harness_tensor(OpHarness *h, uint32_t dtype, uint32_t rank, const int64_t *shape,
                             const void *data)
{
    TsrTensor *tensor = take(h, sizeof(*tensor));
    TsrTensorDesc *desc = make_desc(h, dtype, rank, shape);
    tensor->struct_size = sizeof(*tensor);
    tensor->desc = desc;
    if (!tsr_desc_is_static(desc))
        return tensor;
    tensor->size_bytes = tsr_dtype_bytes(dtype, (uint64_t)tsr_desc_elements(desc));
    tensor->data = take(h, tensor->size_bytes + 1);
    if (data != NULL && tensor->size_bytes > 0)
        memcpy(tensor->data, data, tensor->size_bytes);
    return tensor;
}

void op_harness_input(OpHarness *h, uint32_t dtype, uint32_t rank, const int64_t *shape,
                      const void *data)
{
    uint32_t i = h->view.input_count++;
    if (i >= MAX_PORTS)
        abort();
    h->in[i] = op_harness_tensor(h, dtype, rank, shape, data);
    h->has_value[i] = data != NULL;
    h->in_descs[i] = h->in[i]->desc;
}

void op_harness_omit(OpHarness *h)
{
    h->view.input_count++;
}

void op_harness_storage(OpHarness *h, int output, uint32_t index, uint32_t origin,
                        uint32_t format, uint32_t rank, const int64_t *shape)
{
    TsrTensorDesc *storage = make_desc(h, 0, rank, shape), *desc;
    storage->origin_format = origin;
    storage->storage_format = format;
    if (output) {
        h->storage[index] = storage;
        return;
    }
    desc = take(h, sizeof(*desc));
    *desc = *h->in[index]->desc;
    desc->origin_format = origin;
    desc->storage_format = format;
    desc->storage_rank = rank;
    desc->storage_shape = storage->shape;
    h->in[index]->desc = h->in_descs[index] = desc;
}

void op_harness_data(OpHarness *h, uint32_t index, const void *data, uint64_t size_bytes)
{
    h->in[index]->data = take(h, size_bytes);
    h->in[index]->size_bytes = size_bytes;
    memcpy(h->in[index]->data, data, size_bytes);
}

static TsrAttr *add_attr(OpHarness *h, const char *name, uint32_t type)
{
    TsrAttr *attr = &h->attrs[h->view.attr_count];
    char *copy = take(h, strlen(name) + 1);
    if (h->view.attr_count >= MAX_ATTRS)
        abort();
    strcpy(copy, name);
    *attr = (TsrAttr){.struct_size = sizeof(*attr), .type = type, .name = copy};
    h->attr_list[h->view.attr_count++] = attr;
    return attr;
}

static TsrString copy_string(OpHarness *h, const char *text)
{
    char *copy = take(h, strlen(text) + 1);
    strcpy(copy, text);
    return (TsrString){copy, strlen(text)};
}

void op_harness_int(OpHarness *h, const char *name, int64_t value)
{
    add_attr(h, name, TSR_ATTR_INT)->i = value;
}

void op_harness_float(OpHarness *h, const char *name, float value)
{
    add_attr(h, name, TSR_ATTR_FLOAT)->f = value;
}

void op_harness_string(OpHarness *h, const char *name, const char *value)
{
    add_attr(h, name, TSR_ATTR_STRING)->s = copy_string(h, value);
}

void op_harness_ints(OpHarness *h, const char *name, uint32_t count, const int64_t *values)
{
    TsrAttr *attr = add_attr(h, name, TSR_ATTR_INTS);
    int64_t *copy = take(h, (count + 1) * sizeof(*copy));
    if (count > 0)
        memcpy(copy, values, count * sizeof(*copy));
    attr->count = count;
    attr->ints = copy;
}

void op_harness_floats(OpHarness *h, const char *name, uint32_t count, const float *values)
{
    TsrAttr *attr = add_attr(h, name, TSR_ATTR_FLOATS);
    float *copy = take(h, (count + 1) * sizeof(*copy));
    if (count > 0)
        memcpy(copy, values, count * sizeof(*copy));
    attr->count = count;
    attr->floats = copy;
}

void op_harness_strings(OpHarness *h, const char *name, uint32_t count,
                        const char *const *values)
{
    TsrAttr *attr = add_attr(h, name, TSR_ATTR_STRINGS);
    TsrString *copy = take(h, (count + 1) * sizeof(*copy));
    for (uint32_t i = 0; i < count; i++)
        copy[i] = copy_string(h, values[i]);
    attr->count = count;
    attr->strings = copy;
}

void op_harness_tensor_attr(OpHarness *h, const char *name, TsrTensor *tensor)
{
    add_attr(h, name, TSR_ATTR_TENSOR)->tensor = tensor;
}

void op_harness_graph(OpHarness *h, const char *name, int64_t index, OpSubgraphFn fn)
{
    add_attr(h, name, TSR_ATTR_GRAPH)->i = index;
    h->subgraph = fn;
    h->view.subgraph_count = (uint32_t)index + 1;
}

void op_harness_outputs(OpHarness *h, uint32_t count, uint32_t unwanted)
{
    h->view.output_count = count;
    h->unwanted = unwanted;
}

/* Attributes with a default are always there (TsrAttr). */
static void add_defaults(OpHarness *h)
{
    for (uint32_t i = 0; i < h->def->attr_count; i++) {
        const TsrOpAttr *row = &h->def->attrs[i];
        TsrAttr *attr;
        if (!row->has_default || tsr_attr_find(&h->view, row->name) != NULL)
            continue;
        attr = add_attr(h, row->name, row->type);
        attr->i = row->i;
        attr->f = row->f;
        if (row->s != NULL)
            attr->s = copy_string(h, row->s);
        attr->ints = row->ints;
        attr->count = row->ints_count;
    }
}

static int32_t store_error(OpHarness *h, int32_t code, const char *format, va_list args)
{
    vsnprintf(h->error, sizeof(h->error), format, args);
    return code;
}

static int32_t infer_fail(TsrInferContext *infer, int32_t code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    store_error(infer->context, code, format, args);
    va_end(args);
    return code;
}

static int32_t infer_set(TsrInferContext *infer, uint32_t index, uint32_t dtype, uint32_t rank,
                         const int64_t *shape)
{
    OpHarness *h = infer->context;
    if (index < h->view.output_count && !(h->unwanted & (1u << index)))
        h->out_descs[index] = make_desc(h, dtype, rank, shape);
    return TSR_OK;
}

static int32_t infer_set_kind(TsrInferContext *infer, uint32_t index, uint32_t kind,
                              uint32_t dtype, uint32_t rank, const int64_t *shape)
{
    OpHarness *h = infer->context;
    int32_t status = infer_set(infer, index, dtype, rank, shape);
    if (index < h->view.output_count && h->out_descs[index] != NULL)
        ((TsrTensorDesc *)h->out_descs[index])->kind = kind;
    return status;
}

/* Knows nothing of subgraphs: one output per output of the node (and the condition). */
static int32_t infer_subgraph(TsrInferContext *infer, uint32_t index,
                              const TsrTensorDesc *const *inputs, uint32_t input_count,
                              const TsrTensorDesc *const **out_outputs, uint32_t *out_count)
{
    OpHarness *h = infer->context;
    uint32_t count = h->view.output_count + (strcmp(h->def->name, "Loop") == 0);
    const TsrTensorDesc **descs = take(h, (count + 1) * sizeof(*descs));
    (void)index;
    (void)inputs;
    (void)input_count;
    for (uint32_t i = 0; i < count; i++)
        descs[i] = make_desc(h, TSR_DTYPE_UNDEFINED, TSR_RANK_UNKNOWN, NULL);
    *out_outputs = descs;
    *out_count = count;
    return TSR_OK;
}

/* "y=x": output y like input x, by the names of the parameters. */
static void follow(OpHarness *h)
{
    for (uint32_t o = 0; o < h->view.output_count && o < h->def->output_count; o++)
        for (uint32_t i = 0; i < h->def->input_count; i++) {
            char pair[128];
            snprintf(pair, sizeof(pair), "%s=%s", h->def->outputs[o].name, h->def->inputs[i].name);
            if (strstr(h->def->follow, pair) != NULL)
                h->out_descs[o] = make_desc(h, h->in_descs[i]->dtype, h->in_descs[i]->rank,
                                            h->in_descs[i]->shape);
        }
}

int32_t op_harness_infer(OpHarness *h)
{
    TsrInferContext infer = {.struct_size = sizeof(infer), .node = &h->view, .context = h,
                             .set_output = infer_set, .infer_subgraph = infer_subgraph,
                             .fail = infer_fail, .set_output_kind = infer_set_kind};
    add_defaults(h);
    for (uint32_t i = 0; i < h->view.input_count; i++)
        h->values[i] = h->has_value[i] && i < 64 && (h->def->value_inputs >> i & 1) ? h->in[i]
                                                                                   : NULL;
    if (h->def->infer != NULL)
        return h->def->infer(h->def, &infer);
    follow(h);
    return TSR_OK;
}

static int32_t run_fail(TsrRunContext *run, int32_t code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    store_error(run->context, code, format, args);
    va_end(args);
    return code;
}

static int32_t run_alloc(TsrRunContext *run, uint32_t index, uint32_t dtype, uint32_t rank,
                         const int64_t *shape)
{
    OpHarness *h = run->context;
    TsrTensor *made = op_harness_tensor(h, dtype, rank, shape, NULL);
    if (index >= h->view.output_count || h->outs[index] == NULL)
        abort();
    *h->outs[index] = *made;
    return TSR_OK;
}

static int32_t run_forward(TsrRunContext *run, uint32_t index, const TsrTensor *tensor)
{
    OpHarness *h = run->context;
    *h->outs[index] = *tensor;
    return TSR_OK;
}

static void *run_scratch(TsrRunContext *run, uint64_t size)
{
    return take(run->context, size);
}

static void run_parallel(TsrRunContext *run, uint64_t count, uint64_t grain,
                         void (*fn)(void *arg, uint64_t begin, uint64_t end), void *arg)
{
    (void)run;
    if (count > 2 * grain) {
        fn(arg, count / 3, count);
        fn(arg, 0, count / 3);
    } else {
        fn(arg, 0, count);
    }
}

static int32_t run_subgraph(TsrRunContext *run, uint32_t index, const TsrTensor *const *inputs,
                            uint32_t input_count, const TsrTensor **out_outputs,
                            uint32_t output_count)
{
    OpHarness *h = run->context;
    return h->subgraph(h, index, inputs, input_count, out_outputs, output_count);
}

static int32_t run_set_string(TsrRunContext *run, TsrString *element, const char *data,
                              uint64_t size)
{
    char *copy = take(run->context, size + 1);
    if (size > 0)
        memcpy(copy, data, size);
    *element = (TsrString){copy, size};
    return TSR_OK;
}

int32_t op_harness_check(OpHarness *h, TsrSupport *out_support)
{
    *out_support = (TsrSupport){.struct_size = sizeof(*out_support)};
    return aicpu_engine.check(&aicpu_engine, &h->view, out_support);
}

int32_t op_harness_run(OpHarness *h)
{
    TsrRunContext run = {.struct_size = sizeof(run), .input_count = h->view.input_count,
                         .output_count = h->view.output_count,
                         .subgraph_count = h->view.subgraph_count, .node = &h->view,
                         .inputs = (const TsrTensor *const *)h->in, .outputs = h->outs,
                         .context = h, .alloc_output = run_alloc, .forward_output = run_forward,
                         .scratch = run_scratch, .parallel = run_parallel,
                         .run_subgraph = run_subgraph, .fail = run_fail,
                         .set_string = run_set_string};
    TsrSupport support;
    void *state = NULL;
    int32_t status = op_harness_infer(h);
    if (status != TSR_OK)
        return status;
    op_harness_check(h, &support);
    if (support.answer != TSR_SUPPORT_YES) {
        snprintf(h->error, sizeof(h->error), "%s", support.reason);
        return TSR_UNSUPPORTED;
    }
    for (uint32_t i = 0; i < h->view.output_count; i++) {
        const TsrTensorDesc *desc = h->out_descs[i];
        if (h->unwanted & (1u << i))
            continue;
        if (h->def->flags & TSR_OP_DATA_DEPENDENT) {
            h->outs[i] = take(h, sizeof(TsrTensor));
            continue;
        }
        if (desc == NULL || !tsr_desc_is_static(desc)) {
            snprintf(h->error, sizeof(h->error), "output %u has no static shape", i);
            return TSR_INTERNAL;
        }
        h->outs[i] = op_harness_tensor(h, desc->dtype, desc->rank, desc->shape, NULL);
        if (h->storage[i] != NULL) {
            TsrTensorDesc *stored = take(h, sizeof(*stored));
            *stored = *desc;
            stored->origin_format = h->storage[i]->origin_format;
            stored->storage_format = h->storage[i]->storage_format;
            stored->storage_rank = h->storage[i]->rank;
            stored->storage_shape = h->storage[i]->shape;
            h->outs[i]->desc = stored;
            h->outs[i]->size_bytes = tsr_dtype_bytes(
                desc->dtype, (uint64_t)tsr_desc_storage_elements(stored));
            h->outs[i]->data = take(h, h->outs[i]->size_bytes + 1);
        }
        /* Kernels may not rely on zeroed memory. */
        if (desc->dtype != TSR_DTYPE_STRING && h->outs[i]->size_bytes > 0)
            memset(h->outs[i]->data, 0xa5, h->outs[i]->size_bytes);
    }
    status = aicpu_executor.prepare(&aicpu_executor, &h->view, &state);
    if (status == TSR_OK)
        status = aicpu_executor.run(&aicpu_executor, state, &run);
    aicpu_executor.release(&aicpu_executor, state);
    return status;
}

const TsrTensorDesc *op_harness_desc(const OpHarness *h, uint32_t index)
{
    return h->outs[index] != NULL ? h->outs[index]->desc : h->out_descs[index];
}

const TsrTensor *op_harness_output(const OpHarness *h, uint32_t index)
{
    return h->outs[index];
}

const char *op_harness_error(const OpHarness *h)
{
    return h->error;
}

uint32_t op_harness_version(const OpHarness *h)
{
    return h->def->since_version;
}
