/* SPDX-License-Identifier: Apache-2.0
 *
 * nets.c: see nets.h. The forms in which exporters write what engines fuse: convolutions of
 * picture networks, decomposed normalizations, attention, gates, pairs of quantization.
 */
#include "plugin_check/nets.h"

#include <string.h>

#include "base/error.h"
#include "ir/array.h"

#define BATCH_NORM "!f16+ !f16 !f16 !f16+"

const PcNet pc_nets[] = {
    {"convolution, batch norm, Relu",
     "c=Conv(f1x8x9x9 !f16x8x3x3 !f16){pads=[1,1,1,1]}; b=BatchNormalization(c " BATCH_NORM ");"
     "y=Relu(b)"},
    {"convolution, scale and shift per channel",
     "c=Conv(f1x8x9x9 !f16x8x1x1); m=Mul(c !f16x1x1); y=Add(m !f16x1x1)"},
    {"batch norm alone", "y=BatchNormalization(f1x16x5x5 " BATCH_NORM ")"},
    {"convolution, residual, Relu",
     "x=f1x16x9x9; c=Conv(x !f16x16x3x3){pads=[1,1,1,1]}; s=Add(c x); y=Relu(s)"},
    {"convolution, HardSwish in parts",
     "c=Conv(f1x8x9x9 !f16x8x1x1); a=Add(c f=3); l=Clip(a f=0 f=6); m=Mul(c l); y=Div(m f=6)"},
    {"convolution, HardSwish, scale, shift",
     "c=Conv(f1x8x9x9 !f16x8x1x1); h=HardSwish(c); m=Mul(h f=0.5); y=Add(m f=0.25)"},
    {"Pad before a convolution", "p=Pad(f1x3x8x8 l8=0,0,1,1,0,0,1,1); y=Conv(p !f8x3x3x3)"},
    {"depthwise and pointwise convolution",
     "d=Conv(f1x64x112x112 !f64x1x3x3 !f64){group=64 pads=[1,1,1,1]}; r=Relu(d);"
     "y=Conv(r !f16x64x1x1 !f16)"},
    {"squeeze and excite",
     "x=f1x16x7x7; g=GlobalAveragePool(x); a=Conv(g !f4x16x1x1 !f4); r=Relu(a);"
     "b=Conv(r !f16x4x1x1 !f16); s=HardSigmoid(b); y=Mul(x s)"},
    {"channel shuffle",
     "r=Reshape(f1x16x7x7 l5=1,2,8,7,7); t=Transpose(r){perm=[0,2,1,3,4]};"
     "y=Reshape(t l4=1,16,7,7)"},
    {"pixels as rows", "c=Conv(f1x8x7x7 !f16x8x1x1); r=Reshape(c l3=1,16,49);"
                       "y=Transpose(r){perm=[0,2,1]}"},
    {"matrix product, bias, Relu", "m=MatMul(f7x16 !f16x33); b=Add(m !f33); y=Relu(b)"},
    {"matrix product, bias, residual", "m=MatMul(f7x16 !f16x16); b=Add(m !f16); y=Add(b f7x16)"},
    {"Gelu in parts",
     "x=f7x16; d=Div(x f=1.4142135); e=Erf(d); a=Add(e f=1); m=Mul(x a); y=Mul(m f=0.5)"},
    {"layer norm in parts",
     "x=f7x16; m=ReduceMean(x l1=-1); d=Sub(x m); p=Pow(d f=2); v=ReduceMean(p l1=-1);"
     "e=Add(v f=0.00001); q=Sqrt(e); n=Div(d q); s=Mul(n !f16); y=Add(s !f16)"},
    {"sum and layer norm", "a=Add(f7x16 f7x16); y=LayerNormalization(a !f16 !f16)"},
    {"softmax in parts",
     "x=f7x16; m=ReduceMax(x l1=-1); d=Sub(x m); e=Exp(d); s=ReduceSum(e l1=-1); y=Div(e s)"},
    {"attention",
     "t=Transpose(f1x2x8x16){perm=[0,1,3,2]}; m=MatMul(f1x2x8x16 t); s=Mul(m f=0.25);"
     "p=Softmax(s); y=MatMul(p f1x2x8x16)"},
    {"chain, element by element", "x=f7x16; a=Add(x f7x16); b=Sigmoid(a); c=Mul(b x); y=Neg(c)"},
    {"scales and shifts in a row",
     "m=Mul(f7x16 f=2); a=Add(m f=0.5); s=Sub(a f=0.25); y=Mul(s f=3)"},
    {"quantized convolution",
     "q=QuantizeLinear(f1x4x8x8 f=0.01 u=128); d=DequantizeLinear(q f=0.01 u=128);"
     "w=DequantizeLinear(!s8x4x3x3 f=0.02 s=0); c=Conv(d w); r=Relu(c);"
     "y=QuantizeLinear(r f=0.02 u=3)"},
    {"quantized sum",
     "q=QuantizeLinear(f3x16 f=0.01 u=128); d=DequantizeLinear(q f=0.01 u=128);"
     "p=QuantizeLinear(f3x16 f=0.02 u=120); e=DequantizeLinear(p f=0.02 u=120);"
     "a=Add(d e); y=QuantizeLinear(a f=0.02 u=128)"},
    {NULL, NULL},
};

/* A graph that is being read. */
typedef struct Reader {
    TsrGraph *graph;
    GHashTable *values;   /* by name */
    GHashTable *around;   /* those of the graph around it, or NULL */
    GPtrArray *inputs;    /* TsrArray for each input; NULL: nobody wants them */
    guint32 own;          /* the type of T */
    guint32 seed;
    guint next;           /* number of the next input */
} Reader;

/* A value by its name, or of a tensor's word; "f~" is an input of an unknown shape. */
static TsrValue *find_value(Reader *reader, const char *word, GError **error)
{
    TsrValue *value = g_hash_table_lookup(reader->values, word);
    g_autoptr(TsrArray) array = NULL;
    g_autofree char *name = NULL;
    gboolean constant = FALSE;
    if (value == NULL && reader->around != NULL)
        value = g_hash_table_lookup(reader->around, word);
    if (value != NULL)
        return value;
    if (strchr(word, '~') == NULL) {
        array = pc_word_array(word, reader->own, &reader->seed, &constant, error);
        if (array == NULL)
            return NULL;
    }
    if (constant)
        return tsr_build_constant(reader->graph, NULL, array, error);
    name = g_strdup_printf("%s%u", reader->around != NULL ? "inner" : "x", reader->next++);
    value = pc_word_input(word, reader->own, name, reader->graph, array, error);
    if (value != NULL && reader->inputs != NULL)
        g_ptr_array_add(reader->inputs, g_steal_pointer(&array));
    return value;
}

/* "Conv(x !f8x8x3x3){pads=[1,1,1,1]}", or a word. */
static TsrValue *read_line(Reader *reader, const char *name, char *line, GError **error)
{
    char *open = strchr(line, '('), *close = open != NULL ? strchr(open, ')') : NULL;
    TsrValue *arguments[16] = {NULL}, *output = NULL;
    g_autofree char *attrs = NULL;
    g_auto(GStrv) words = NULL;
    guint count;
    if (close == NULL)
        return find_value(reader, line, error);
    if (close[1] == '{')
        attrs = g_strndup(close + 2, strlen(close + 2) - 1);
    *open = *close = '\0';
    words = g_strsplit(open + 1, " ", -1);
    count = MIN(g_strv_length(words), G_N_ELEMENTS(arguments));
    for (guint i = 0; i < count; i++) {
        if (strcmp(words[i], "-") == 0)
            continue;
        arguments[i] = find_value(reader, words[i], error);
        if (arguments[i] == NULL)
            return NULL;
    }
    return tsr_build_node_full(reader->graph, line, name, arguments, count, attrs, &output, 1,
                               error)
               ? output
               : NULL;
}

/* The value of the last line; NULL with an error. */
static TsrValue *read_lines(Reader *reader, const char *text, GError **error)
{
    g_auto(GStrv) lines = g_strsplit(text, ";", -1);
    TsrValue *last = NULL;
    for (guint i = 0; lines[i] != NULL; i++) {
        char *line = g_strstrip(lines[i]), *equals = strchr(line, '=');
        *equals = '\0';
        last = read_line(reader, line, equals + 1, error);
        if (last == NULL)
            return NULL;
        g_hash_table_insert(reader->values, g_strdup(line), last);
    }
    return last;
}

TsrGraph *pc_net_graph(const char *text, TsrSession *session, GPtrArray *out_inputs,
                       GError **error)
{
    TsrGraph *graph = tsr_session_graph(session, "net");
    g_autoptr(GHashTable) values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    Reader reader = {.graph = graph, .values = values, .inputs = out_inputs,
                     .own = TSR_DTYPE_FLOAT, .seed = 88172645u};
    TsrValue *last = read_lines(&reader, text, error);
    if (last == NULL) {
        tsr_graph_unref(graph);
        return NULL;
    }
    tsr_build_output(graph, "result", last);
    return graph;
}

gboolean pc_net_body(const char *text, guint32 own, TsrGraph *body, GHashTable *around,
                     GError **error)
{
    g_autoptr(GHashTable) values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_auto(GStrv) parts = g_strsplit(text, " -> ", 2);
    g_auto(GStrv) results = g_strsplit(parts[1] != NULL ? parts[1] : "", " ", -1);
    Reader reader = {.graph = body, .values = values, .around = around, .own = own,
                     .seed = 88172645u};
    TsrValue *last = read_lines(&reader, parts[0], error);
    if (last != NULL && results[0] == NULL)
        tsr_build_output(body, "result0", last);
    for (guint i = 0; last != NULL && results[i] != NULL; i++) {
        g_autofree char *name = g_strdup_printf("result%u", i);
        tsr_build_output(body, name, g_hash_table_lookup(values, results[i]));
    }
    return last != NULL;
}
