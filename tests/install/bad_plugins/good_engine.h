/* SPDX-License-Identifier: Apache-2.0
 *
 * good_engine.h: what a sound host engine does for Relu, Add and Sigmoid of floats, when the
 * shapes are equal. Every plugin of this folder departs from it in one thing; the tables that
 * it goes into are in good_plugin.h.
 */
#ifndef BAD_PLUGINS_GOOD_ENGINE_H
#define BAD_PLUGINS_GOOD_ENGINE_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/plugin_util.h>

static inline int good_takes(const TsrNodeView *node)
{
    static const char *const ops[] = {"Relu", "Add", "Sigmoid"};
    for (size_t i = 0; node->domain[0] == '\0' && i < sizeof(ops) / sizeof(ops[0]); i++)
        if (strcmp(node->op_type, ops[i]) == 0)
            return 1;
    return 0;
}

static inline int32_t good_check(const TsrEngine *engine, const TsrNodeView *node,
                                 TsrSupport *out_support)
{
    (void)engine;
    if (!good_takes(node))
        return tsr_support_no(out_support, TSR_REFUSE_OP, "no rule for %s", node->op_type);
    for (uint32_t i = 0; i < node->input_count; i++) {
        const TsrTensorDesc *x = node->inputs[i], *first = node->inputs[0];
        if (x->dtype != TSR_DTYPE_FLOAT)
            return tsr_support_no(out_support, TSR_REFUSE_DTYPE, "floats only, not %s",
                                  tsr_dtype_name(x->dtype));
        if (!tsr_desc_is_static(x) || x->rank != first->rank ||
            (x->rank != 0 && memcmp(x->shape, first->shape, x->rank * sizeof(int64_t)) != 0))
            return tsr_support_no(out_support, TSR_REFUSE_SHAPE, "equal static shapes only");
    }
    return tsr_support_yes(out_support, 0.0f);
}

static inline int32_t good_run(const TsrExecutor *executor, void *state, TsrRunContext *run)
{
    const float *x = run->inputs[0]->data;
    const float *y = run->input_count > 1 ? run->inputs[1]->data : NULL;
    float *to = run->outputs[0]->data;
    const int64_t count = tsr_desc_elements(run->inputs[0]->desc);
    const char kind = run->node->op_type[0];
    (void)executor;
    (void)state;
    for (int64_t i = 0; i < count; i++)
        to[i] = kind == 'R'   ? (x[i] > 0.0f ? x[i] : 0.0f)
                : kind == 'A' ? x[i] + y[i]
                              : 1.0f / (1.0f + expf(-x[i]));
    return TSR_OK;
}

#endif
