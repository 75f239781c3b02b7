/* SPDX-License-Identifier: Apache-2.0
 *
 * ml.c: operators of ai.onnx.ml on single tensors; trees are in ml_tree.c.
 */
#include "../number.h"
#include "../walk.h"
#include "../aicpu.h"
#include <math.h>

/* ArrayFeatureExtractor: the places of the last axis that Y names. */
static int32_t run_extractor(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensorDesc *x = run->inputs[0]->desc;
    const int64_t *places = aicpu_as_int64(run, run->inputs[1]);
    int64_t count = tsr_desc_elements(run->inputs[1]->desc), n = x->shape[x->rank - 1];
    int64_t rows = tsr_shape_elements(x->rank - 1, x->shape);
    int32_t status = TSR_OK;
    (void)kernel;
    for (int64_t i = 0; i < rows * count && status == TSR_OK; i++) {
        int64_t place = places[i % count];
        if (place < 0 || place >= n)
            return run->fail(run, TSR_INVALID_ARGUMENT, "an index must be in [0, %lld), got %lld",
                             (long long)n, (long long)place);
        status = aicpu_copy_dense(run, x->dtype, run->outputs[0]->data, i, run->inputs[0]->data,
                                  i / count * n + place, 1);
    }
    return status;
}

static int32_t run_binarizer(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    double threshold = (double)tsr_attr_float(run->node, "threshold", 0.0f);
    (void)kernel;
    for (int64_t i = 0; i < tsr_desc_elements(x->desc); i++) {
        double value;
        aicpu_load_double(x->desc->dtype, x->data, i, 1, &value);
        value = value > threshold;
        aicpu_store_double(y->desc->dtype, y->data, i, 1, &value, AICPU_SATURATE);
    }
    return TSR_OK;
}

/* One side of a LabelEncoder: a list of strings, integers or floats, or a tensor. */
typedef struct Labels {
    const TsrAttr *attr;
    const TsrTensor *tensor;
    int64_t count;
} Labels;

static int find_labels(const TsrNodeView *node, const char *strings, const char *ints,
                       const char *floats, const char *tensor, Labels *out)
{
    const char *const names[3] = {strings, ints, floats};
    memset(out, 0, sizeof(*out));
    out->attr = tsr_attr_find(node, tensor);
    if (out->attr != NULL && out->attr->tensor != NULL) {
        out->tensor = out->attr->tensor;
        out->count = tsr_desc_elements(out->tensor->desc);
        return 1;
    }
    for (int i = 0; i < 3; i++)
        if ((out->attr = tsr_attr_find(node, names[i])) != NULL) {
            out->count = out->attr->count;
            return 1;
        }
    return 0;
}

static TsrString label_string(const Labels *labels, int64_t i)
{
    if (labels->tensor != NULL)
        return ((const TsrString *)labels->tensor->data)[i];
    return labels->attr->strings[i];
}

static int label_is_string(const Labels *labels)
{
    return labels->tensor != NULL ? labels->tensor->desc->dtype == TSR_DTYPE_STRING
                                  : labels->attr->type == TSR_ATTR_STRINGS;
}

/* The number at place i, as the integer when it is one. */
static void label_number(const Labels *labels, int64_t i, double *real, int64_t *whole)
{
    *whole = 0;
    if (labels->tensor != NULL) {
        aicpu_load_double(labels->tensor->desc->dtype, labels->tensor->data, i, 1, real);
        if (aicpu_is_integer(labels->tensor->desc->dtype))
            aicpu_load_int64(labels->tensor->desc->dtype, labels->tensor->data, i, 1, whole);
    } else if (labels->attr->type == TSR_ATTR_INTS) {
        *whole = labels->attr->ints[i];
        *real = (double)*whole;
    } else {
        *real = (double)labels->attr->floats[i];
    }
}

/* Place of element i of x among the keys, -1 without one. The last of equal keys wins; a
 * NaN key matches every NaN. */
static int64_t find_key(const TsrTensor *x, int64_t i, const Labels *keys)
{
    for (int64_t k = keys->count; k-- > 0;) {
        if (x->desc->dtype == TSR_DTYPE_STRING) {
            TsrString a = ((const TsrString *)x->data)[i], b = label_string(keys, k);
            if (a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0))
                return k;
        } else {
            double real, key;
            int64_t whole = 0, key_whole;
            aicpu_load_double(x->desc->dtype, x->data, i, 1, &real);
            if (aicpu_is_integer(x->desc->dtype))
                aicpu_load_int64(x->desc->dtype, x->data, i, 1, &whole);
            label_number(keys, k, &key, &key_whole);
            if ((real == key && whole == key_whole) || (isnan(real) && isnan(key)))
                return k;
        }
    }
    return -1;
}

/* Writes the default: default_tensor, or the attribute for the type of the output. */
static int32_t store_default(TsrRunContext *run, int64_t i)
{
    const TsrTensor *y = run->outputs[0];
    const TsrAttr *attr = tsr_attr_find(run->node, "default_tensor");
    uint32_t dtype = y->desc->dtype;
    double value;
    if (attr != NULL && attr->tensor != NULL && attr->tensor->desc->dtype == dtype &&
        tsr_desc_elements(attr->tensor->desc) > 0)
        return aicpu_copy_dense(run, dtype, y->data, i, attr->tensor->data, 0, 1);
    if (dtype == TSR_DTYPE_STRING) {
        attr = tsr_attr_find(run->node, "default_string");
        return run->set_string(run, (TsrString *)y->data + i,
                               attr != NULL ? attr->s.data : "_Unused",
                               attr != NULL ? attr->s.size : 7);
    }
    value = aicpu_is_integer(dtype) ? (double)tsr_attr_int(run->node, "default_int64", -1)
                                    : (double)tsr_attr_float(run->node, "default_float", -0.0f);
    aicpu_store_double(dtype, y->data, i, 1, &value, AICPU_SATURATE);
    return TSR_OK;
}

/* LabelEncoder (2, 4): keys to values. */
static int32_t run_label_encoder(const AicpuKernel *kernel, TsrRunContext *run)
{
    const TsrTensor *x = run->inputs[0], *y = run->outputs[0];
    Labels keys, values;
    int32_t status = TSR_OK;
    (void)kernel;
    if (!find_labels(run->node, "keys_strings", "keys_int64s", "keys_floats", "keys_tensor",
                     &keys) ||
        !find_labels(run->node, "values_strings", "values_int64s", "values_floats",
                     "values_tensor", &values) || keys.count != values.count)
        return run->fail(run, TSR_INVALID_ARGUMENT,
                         "needs keys_ and values_ attributes of the same length");
    if (label_is_string(&keys) != (x->desc->dtype == TSR_DTYPE_STRING) ||
        label_is_string(&values) != (y->desc->dtype == TSR_DTYPE_STRING))
        return run->fail(run, TSR_INVALID_ARGUMENT, "the keys do not have the type %s of X",
                         tsr_dtype_name(x->desc->dtype));
    for (int64_t i = 0; i < tsr_desc_elements(x->desc) && status == TSR_OK; i++) {
        int64_t k = find_key(x, i, &keys), whole;
        double real;
        if (k < 0) {
            status = store_default(run, i);
        } else if (label_is_string(&values)) {
            TsrString s = label_string(&values, k);
            status = run->set_string(run, (TsrString *)y->data + i, s.data, s.size);
        } else {
            label_number(&values, k, &real, &whole);
            if (aicpu_is_integer(y->desc->dtype))
                aicpu_store_int64(y->desc->dtype, y->data, i, 1, &whole);
            else
                aicpu_store_double(y->desc->dtype, y->data, i, 1, &real, AICPU_SATURATE);
        }
    }
    return status;
}

static const AicpuKernel kernels[] = {
    {.op = "ArrayFeatureExtractor", .domain = "ai.onnx.ml", .run = run_extractor},
    {.op = "Binarizer", .domain = "ai.onnx.ml", .run = run_binarizer,
     .dtypes = TSR_TYPES_NUMERIC},
    {.op = "LabelEncoder", .domain = "ai.onnx.ml", .run = run_label_encoder},
};

const AicpuFamily aicpu_ml = AICPU_FAMILY(kernels);
