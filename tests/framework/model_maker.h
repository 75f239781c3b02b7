/* SPDX-License-Identifier: Apache-2.0
 *
 * model_maker.h: small ONNX models made in memory with protobuf-c, for the tests of the
 * importer. All messages of a model live as long as it does.
 */
#ifndef TSR_TEST_MODEL_MAKER_H
#define TSR_TEST_MODEL_MAKER_H

#include <glib.h>

#include "onnx/onnx.pb-c.h"

typedef struct ModelMaker {
    Onnx__Model model;
    Onnx__Graph *graph;
    GPtrArray *memory; /* of every message */
} ModelMaker;

/* A model of opset 17 with an empty graph. */
ModelMaker *maker_new(void);
void maker_free(ModelMaker *maker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModelMaker, maker_free)

Onnx__Graph *maker_graph(ModelMaker *maker, const char *name);
void maker_opset(ModelMaker *maker, const char *domain, gint64 version);
/* Adds to a graph; names are lists with commas, an empty one is omitted. */
Onnx__Node *maker_node(ModelMaker *maker, Onnx__Graph *graph, const char *op, const char *name,
                       const char *inputs, const char *outputs);
Onnx__ValueInfo *maker_input(ModelMaker *maker, Onnx__Graph *graph, const char *name,
                             gint32 dtype, guint rank, const gint64 *shape);
void maker_output(ModelMaker *maker, Onnx__Graph *graph, const char *name);
Onnx__Tensor *maker_tensor(ModelMaker *maker, const char *name, gint32 dtype, guint rank,
                           const gint64 *shape, const void *raw, gsize size);
void maker_initializer(ModelMaker *maker, Onnx__Graph *graph, Onnx__Tensor *tensor);
/* Adds an attribute to a node; the caller fills its value. */
Onnx__Attribute *maker_attr(ModelMaker *maker, Onnx__Node *node, const char *name, gint32 type);
/* Marks the tensor as external; offset and length are left out where NULL. */
void maker_external(ModelMaker *maker, Onnx__Tensor *tensor, const char *location,
                    const char *offset, const char *length);
/* Memory that lives as long as the model. */
gpointer maker_keep(ModelMaker *maker, gpointer memory);

/* The model as bytes. (transfer full) */
GBytes *maker_pack(ModelMaker *maker);

#endif
