/* SPDX-License-Identifier: Apache-2.0
 *
 * test_definitions.c: every built-in definition is well formed: the rows are unique and
 * complete, defaults lie in their ranges, and "follow" names real parameters.
 */
#include "support/op_check.h"
#include "framework/ops/ops.h"

START_TEST(rows_are_complete_and_unique)
{
    uint32_t families, total = 0;
    const TsrOps *const *list = tsr_ops_builtin(&families);
    for (uint32_t f = 0; f < families; f++)
        for (uint32_t i = 0; i < list[f]->op_count; i++, total++) {
            const TsrOpDef *def = &list[f]->ops[i];
            ck_assert_uint_eq(def->struct_size, sizeof(TsrOpDef));
            ck_assert_uint_ge(def->since_version, 1);
            ck_assert_ptr_nonnull(def->outputs);
            ck_assert_msg((def->infer != NULL) != (def->follow != NULL), "%s-%u", def->name,
                          def->since_version);
            for (uint32_t g = 0; g <= f; g++)
                for (uint32_t k = 0; k < (g == f ? i : list[g]->op_count); k++) {
                    const TsrOpDef *other = &list[g]->ops[k];
                    ck_assert_msg(strcmp(def->name, other->name) != 0 ||
                                      strcmp(def->domain, other->domain) != 0 ||
                                      def->since_version != other->since_version,
                                  "%s-%u is there twice", def->name, def->since_version);
                }
        }
    ck_assert_uint_gt(total, 400);
}
END_TEST

START_TEST(parameters_and_attributes_are_sound)
{
    uint32_t families;
    const TsrOps *const *list = tsr_ops_builtin(&families);
    for (uint32_t f = 0; f < families; f++)
        for (uint32_t i = 0; i < list[f]->op_count; i++) {
            const TsrOpDef *def = &list[f]->ops[i];
            for (uint32_t k = 0; k < def->input_count; k++) {
                int variadic = def->inputs[k].kind >= TSR_PARAM_VARIADIC;
                ck_assert_msg(!variadic || k + 1 == def->input_count, "%s", def->name);
                ck_assert_msg(def->inputs[k].dtypes != 0 || def->domain[0] != '\0', "%s input %u",
                              def->name, k);
            }
            for (uint32_t k = 0; k < def->attr_count; k++) {
                const TsrOpAttr *attr = &def->attrs[k];
                ck_assert_msg(!(attr->required && attr->has_default), "%s.%s", def->name,
                              attr->name);
                if (attr->type == TSR_ATTR_INT && attr->has_default && attr->min < attr->max)
                    ck_assert_msg(attr->i >= attr->min && attr->i <= attr->max, "%s.%s",
                                  def->name, attr->name);
                if (attr->words != NULL && attr->has_default)
                    ck_assert_msg(strstr(attr->words, attr->s) != NULL, "%s.%s", def->name,
                                  attr->name);
            }
            ck_assert_msg(def->value_inputs < UINT64_C(1) << (def->input_count ? def->input_count
                                                                              : 1),
                          "%s reads values it does not have", def->name);
        }
}
END_TEST

START_TEST(versions_serve_opsets)
{
    static const struct { const char *op; uint32_t opset, version; } rows[] = {
        {"Squeeze", 12, 11}, {"Squeeze", 13, 13}, {"Softmax", 7, 1}, {"Softmax", 12, 11},
        {"Clip", 10, 6}, {"Clip", 11, 11}, {"Slice", 9, 1}, {"Slice", 10, 10}, {"Pad", 8, 2},
        {"BatchNormalization", 8, 7}, {"BatchNormalization", 14, 14}, {"Upsample", 9, 9},
        {"Dropout", 11, 10}, {"Resize", 10, 10}, {"ReduceSum", 13, 13}, {"ReduceMax", 17, 13},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        OpHarness *h = op(rows[i].op, rows[i].opset);
        ck_assert_msg(op_harness_version(h) == rows[i].version, "%s at opset %u is %u",
                      rows[i].op, rows[i].opset, op_harness_version(h));
        op_harness_free(h);
    }
    ck_assert_ptr_null(op_harness_new("", "NoSuchOp", 20));
    ck_assert_ptr_null(op_harness_new("", "GridSampleOfNobody", 7));
}
END_TEST

/* What a definition fixed on a view whose values mean nothing yet. */
typedef struct Fixed {
    uint32_t input, input_rule, weights, output, output_rule;
    int others;
} Fixed;

static int32_t note_input(TsrFormatContext *context, uint32_t index, uint32_t format,
                          uint32_t rule)
{
    Fixed *fixed = context->context;
    fixed->others += index > 1;
    if (index == 1) {
        fixed->weights = format;
        return TSR_OK;
    }
    fixed->input = format;
    fixed->input_rule = rule;
    return TSR_OK;
}

static int32_t note_output(TsrFormatContext *context, uint32_t index, uint32_t format,
                           uint32_t rule)
{
    Fixed *fixed = context->context;
    fixed->others += index != 0;
    fixed->output = format;
    fixed->output_rule = rule;
    return TSR_OK;
}

static int32_t note_tie(TsrFormatContext *context, uint32_t subgraph, uint32_t port,
                        uint32_t body_port)
{
    (void)context;
    (void)subgraph;
    (void)port;
    (void)body_port;
    return TSR_OK;
}

static Fixed fixed_at(const TsrOpDef *def, uint32_t rank)
{
    int64_t shape[5] = {1, 2, 3, 4, 5};
    TsrTensorDesc desc = {.struct_size = sizeof(desc), .rank = rank, .shape = shape};
    const TsrTensorDesc *in[2] = {&desc, &desc}, *out[1] = {&desc};
    TsrNodeView node = {.struct_size = sizeof(node), .input_count = 2, .output_count = 1,
                        .inputs = in, .outputs = out};
    Fixed fixed = {0};
    TsrFormatContext context = {.struct_size = sizeof(context), .node = &node,
                                .context = &fixed, .set_input = note_input,
                                .set_output = note_output, .tie_input = note_tie,
                                .tie_output = note_tie};
    ck_assert_int_eq(def->infer_format_full(def, &context), TSR_OK);
    return fixed;
}

START_TEST(image_operators_fix_their_format)
{
    const uint32_t without_h = TSR_EXPAND_N | TSR_EXPAND_C | TSR_EXPAND_W;
    uint32_t families, seen = 0;
    const TsrOps *const *list = tsr_ops_builtin(&families);
    for (uint32_t f = 0; f < families; f++)
        for (uint32_t i = 0; i < list[f]->op_count; i++) {
            const TsrOpDef *def = &list[f]->ops[i];
            Fixed fixed;
            if (def->infer_format_full == NULL)
                continue;
            fixed = fixed_at(def, 4);
            if (fixed.input == TSR_FORMAT_ND)
                continue; /* it only hands formats on */
            seen++;
            ck_assert_uint_eq(fixed.input, TSR_FORMAT_NCHW);
            ck_assert_uint_eq(fixed.output, TSR_FORMAT_NCHW);
            ck_assert_uint_eq(fixed.input_rule | fixed.output_rule, 0);
            ck_assert_int_eq(fixed.others, 0);
            /* Those of a Conv are read as N, C, H, W. */
            ck_assert_uint_eq(fixed.weights, strcmp(def->name, "Conv") == 0 ? TSR_FORMAT_NCHW
                                                                            : TSR_FORMAT_ND);
            fixed = fixed_at(def, 5);
            ck_assert_uint_eq(fixed.input, TSR_FORMAT_NCDHW);
            fixed = fixed_at(def, 3);
            ck_assert_uint_eq(fixed.output, TSR_FORMAT_NCHW);
            ck_assert_uint_eq(fixed.output_rule, without_h);
            fixed = fixed_at(def, 2);
            ck_assert_uint_eq(fixed.input | fixed.output, TSR_FORMAT_ND);
        }
    ck_assert_uint_gt(seen, 20);
}
END_TEST

OP_TEST_MAIN(rows_are_complete_and_unique, parameters_and_attributes_are_sound,
             versions_serve_opsets, image_operators_fix_their_format)
