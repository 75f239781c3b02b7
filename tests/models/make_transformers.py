#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the transformer networks of the model tests, as PyTorch's exporter spells them.

  encoder.onnx  6 layers in the manner of Devlin et al. 2019 (BERT): 384 wide, 12 heads,
                post-norm, GELU by Erf, a mask made from attention_mask
  decoder.onnx  4 layers in the manner of Radford et al. 2019 (GPT-2): 384 wide, 6 heads,
                pre-norm, GELU by Tanh, keys and values of earlier tokens as inputs and
                outputs, a causal mask sliced from a constant table

Linears are MatMul and Add, LayerNorm and GELU are spelt out, and the shapes of attention
are computed by Shape, Gather, Unsqueeze and Concat, since batch, sequence and past are
symbolic. Weights are drawn from a generator seeded by the network's name, scaled by fan-in
so that activations stay near 1.

Usage: make_transformers.py OUT_FOLDER
"""
import os
import sys
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, INNER = 384, 1536
ENCODER_VOCABULARY, DECODER_VOCABULARY, POSITIONS = 30522, 4096, 256
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


class Builder:
    """A graph that grows node by node; every method returns the name of a value."""

    def __init__(self, name):
        self.name, self.nodes, self.initializers = name, [], []
        self.generator = np.random.Generator(np.random.PCG64(zlib.crc32(name.encode())))
        self.scope = ""

    def op(self, op_type, *inputs, name=None, **attrs):
        stem = f"{self.scope}/{name or op_type}_{len(self.nodes)}"
        output = f"{stem}_output_0" if name is None else name
        self.nodes.append(helper.make_node(op_type, list(inputs), [output], name=stem, **attrs))
        return output

    def constant(self, value, dtype=np.float32):
        """A Constant node, as the exporter writes scalars and shapes."""
        tensor = numpy_helper.from_array(np.asarray(value, dtype=dtype))
        return self.op("Constant", value=tensor)

    def weight(self, name, array):
        self.initializers.append(numpy_helper.from_array(array.astype(np.float32), name))
        return name

    def weight_int(self, name, array):
        self.initializers.append(numpy_helper.from_array(array.astype(np.int64), name))
        return name

    def normal(self, name, shape, deviation, mean=0.0):
        drawn = self.generator.standard_normal(shape, dtype=np.float32)
        return self.weight(name, mean + deviation * drawn)

    def dim(self, value, axis):
        """x.size(axis) as a vector of one element, for a Concat of a shape."""
        size = self.op("Gather", self.op("Shape", value), self.constant(axis, np.int64), axis=0)
        return self.op("Unsqueeze", size, self.constant([0], np.int64))

    def reshape(self, value, *dims):
        """x.view(dims): an integer is a constant, a pair a value and the axis of its size."""
        parts = [self.dim(*d) if isinstance(d, tuple) else self.constant([d], np.int64)
                 for d in dims]
        return self.op("Reshape", value, self.op("Concat", *parts, axis=0))

    def linear(self, x, name, size_in, size_out, gain=1.0):
        w = self.normal(f"{name}.weight", (size_in, size_out), gain / np.sqrt(size_in))
        b = self.normal(f"{name}.bias", (size_out,), 0.02)
        # The exporter puts the bias first: add(bias, matmul(x, w)).
        return self.op("Add", b, self.op("MatMul", x, w))

    def layer_norm(self, x, name):
        scale = self.normal(f"{name}.weight", (WIDTH,), 0.05, 1.0)
        bias = self.normal(f"{name}.bias", (WIDTH,), 0.05)
        centred = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        square = self.op("Pow", centred, self.constant(2.0))
        variance = self.op("ReduceMean", square, axes=[-1])
        root = self.op("Sqrt", self.op("Add", variance, self.constant(1e-5)))
        return self.op("Add", self.op("Mul", self.op("Div", centred, root), scale), bias)

    def gelu_erf(self, x):
        erf = self.op("Erf", self.op("Div", x, self.constant(np.sqrt(2.0))))
        product = self.op("Mul", x, self.op("Add", erf, self.constant(1.0)))
        return self.op("Mul", product, self.constant(0.5))

    def gelu_tanh(self, x):
        half = self.op("Mul", x, self.constant(0.5))
        cube = self.op("Mul", self.op("Pow", x, self.constant(3.0)), self.constant(0.044715))
        inner = self.op("Mul", self.op("Add", x, cube), self.constant(np.sqrt(2.0 / np.pi)))
        return self.op("Mul", half, self.op("Add", self.op("Tanh", inner), self.constant(1.0)))

    def heads(self, x, count, perm):
        """[batch, sequence, width] to heads, transposed by perm."""
        split = self.reshape(x, (x, 0), (x, 1), count, WIDTH // count)
        return self.op("Transpose", split, perm=perm)

    def join_heads(self, x):
        """[batch, heads, sequence, size] to [batch, sequence, width]."""
        back = self.op("Transpose", x, perm=[0, 2, 1, 3])
        return self.reshape(back, (back, 0), (back, 1), WIDTH)

    def save(self, path, inputs, outputs, opset):
        graph = helper.make_graph(
            self.nodes, self.name,
            [helper.make_tensor_value_info(*i) for i in inputs],
            [helper.make_tensor_value_info(*o) for o in outputs], self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                                  producer_name="make_transformers")
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, path + ".part")
        os.replace(path + ".part", path)


def encoder(path):
    heads, layers = 12, 6
    g = Builder("encoder")
    # The mask: 0 where a token counts, the least float where it is padding.
    mask = g.op("Unsqueeze", g.op("Unsqueeze", "attention_mask", g.constant([1], np.int64)),
                g.constant([2], np.int64))
    mask = g.op("Sub", g.constant(1.0), g.op("Cast", mask, to=FLOAT))
    mask = g.op("Mul", mask, g.constant(np.finfo(np.float32).min))
    words = g.op("Gather", g.normal("word_embeddings", (ENCODER_VOCABULARY, WIDTH), 0.5),
                 "input_ids")
    ids = g.weight_int("position_ids", np.arange(POSITIONS)[None])
    length = g.dim("input_ids", 1)
    ids = g.op("Slice", ids, g.constant([0], np.int64), length, g.constant([1], np.int64),
               g.constant([1], np.int64))
    places = g.op("Gather", g.normal("position_embeddings", (POSITIONS, WIDTH), 0.5), ids)
    x = g.layer_norm(g.op("Add", words, places), "embeddings.norm")
    for layer in range(layers):
        g.scope = f"/layer.{layer}"
        q = g.linear(x, f"l{layer}.query", WIDTH, WIDTH)
        k = g.heads(g.linear(x, f"l{layer}.key", WIDTH, WIDTH), heads, [0, 2, 3, 1])
        v = g.heads(g.linear(x, f"l{layer}.value", WIDTH, WIDTH), heads, [0, 2, 1, 3])
        q = g.heads(q, heads, [0, 2, 1, 3])
        scores = g.op("Div", g.op("MatMul", q, k), g.constant(np.sqrt(WIDTH // heads)))
        weights = g.op("Softmax", g.op("Add", scores, mask), axis=-1)
        context = g.join_heads(g.op("MatMul", weights, v))
        y = g.linear(context, f"l{layer}.output", WIDTH, WIDTH)
        x = g.layer_norm(g.op("Add", y, x), f"l{layer}.norm1")
        y = g.gelu_erf(g.linear(x, f"l{layer}.up", WIDTH, INNER))
        y = g.linear(y, f"l{layer}.down", INNER, WIDTH)
        x = g.layer_norm(g.op("Add", y, x), f"l{layer}.norm2")
    g.op("Identity", x, name="last_hidden_state")
    shape = ["batch", "sequence"]
    g.save(path, [("input_ids", INT64, shape), ("attention_mask", INT64, shape)],
           [("last_hidden_state", FLOAT, shape + [WIDTH])], 14)


def decoder(path):
    heads, layers = 6, 4
    size = WIDTH // heads
    g = Builder("decoder")
    past = g.dim("past_key.0", 2)
    total = g.op("Add", past, g.dim("input_ids", 1))
    zero, one = g.constant([0], np.int64), g.constant([1], np.int64)
    ids = g.op("Slice", g.weight_int("position_ids", np.arange(POSITIONS)[None]), past, total,
               one, one)
    words = g.op("Gather", g.normal("word_embeddings", (DECODER_VOCABULARY, WIDTH), 0.5),
                 "input_ids")
    x = g.op("Add", words,
             g.op("Gather", g.normal("position_embeddings", (POSITIONS, WIDTH), 0.3), ids))
    table = np.triu(np.full((POSITIONS, POSITIONS), -10000.0, np.float32), 1)
    g.weight("causal", table[None, None])
    two, three = g.constant([2], np.int64), g.constant([3], np.int64)
    mask = g.op("Slice", g.op("Slice", "causal", past, total, two, one), zero, total, three, one)
    presents = []
    for layer in range(layers):
        g.scope = f"/h.{layer}"
        y = g.layer_norm(x, f"h{layer}.norm1")
        q, k, v = (g.heads(g.linear(y, f"h{layer}.{n}", WIDTH, WIDTH), heads, [0, 2, 1, 3])
                   for n in ("query", "key", "value"))
        k = g.op("Concat", f"past_key.{layer}", k, axis=2, name=f"present_key.{layer}")
        v = g.op("Concat", f"past_value.{layer}", v, axis=2, name=f"present_value.{layer}")
        scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = g.op("Add", g.op("Div", scores, g.constant(np.sqrt(size))), mask)
        context = g.join_heads(g.op("MatMul", g.op("Softmax", scores, axis=-1), v))
        x = g.op("Add", x, g.linear(context, f"h{layer}.output", WIDTH, WIDTH))
        y = g.linear(g.layer_norm(x, f"h{layer}.norm2"), f"h{layer}.up", WIDTH, INNER)
        x = g.op("Add", x, g.linear(g.gelu_tanh(y), f"h{layer}.down", INNER, WIDTH))
        presents += [k, v]
    g.scope = ""
    w = g.normal("head.weight", (WIDTH, DECODER_VOCABULARY), 2.0 / np.sqrt(WIDTH))
    g.op("MatMul", g.layer_norm(x, "norm"), w, name="logits")
    cache = lambda kind, length: [(f"{kind}_{part}.{layer}", FLOAT, ["batch", heads, length, size])
                                  for layer in range(layers) for part in ("key", "value")]
    g.save(path, [("input_ids", INT64, ["batch", "sequence"])] + cache("past", "past"),
           [("logits", FLOAT, ["batch", "sequence", DECODER_VOCABULARY])] +
           cache("present", "total"), 17)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, build in (("encoder", encoder), ("decoder", decoder)):
        path = os.path.join(sys.argv[1], name + ".onnx")
        if not os.path.exists(path):
            build(path)
            print(f"models: built {path}")


if __name__ == "__main__":
    main()
