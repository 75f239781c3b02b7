#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Gives the light models of the ONNX backend suite weights.

Their float weights are ConstantOfShape nodes, which says nothing about a runtime.
Each becomes an initializer drawn from a generator seeded by model and tensor name,
in a scale by its use: He for convolutions (He et al. 2015), batch normalization near
the identity, small biases. Residual branches are scaled down, so that activations
neither grow nor vanish with depth, and the classifier so that the softmax is neither
flat nor one-hot.

Usage: seed_weights.py LIGHT_FOLDER OUT_FOLDER
"""
import os
import sys
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Standard deviation of the classifier's logits is brought to about this by scaling
# its weights against the fan-in; the factor per model was found by running it.
LOGIT_GAIN = {
    "bvlc_alexnet": 1.0, "densenet121": 8.0, "inception_v1": 0.035, "inception_v2": 1.0,
    "resnet50": 5.0, "shufflenet": 0.025, "squeezenet": 1.0, "vgg19": 1.0, "zfnet512": 3.0,
}
# Inputs of BatchNormalization after the data.
BATCH_NORM = ("scale", "shift", "mean", "variance")


def use_of(name, users):
    """(kind, node) of the first use of a weight, looking through Unsqueeze."""
    for node, index in users.get(name, ()):
        if node.op_type in ("Unsqueeze", "Reshape", "Identity"):
            return use_of(node.output[0], users)
        if node.op_type in ("Conv", "Gemm"):
            return ("weight", "weight", "bias")[index], node
        if node.op_type == "BatchNormalization":
            return BATCH_NORM[index - 1], node
        if node.op_type == "Mul":
            return "scale", node
        if node.op_type == "Add":
            return "shift", node
    return "bias", None


def feeds(node, users, op_types):
    return any(user.op_type in op_types for user, _ in users.get(node.output[0], ()))


def draw(generator, kind, node, shape, users, is_last, gain):
    normal = lambda: generator.standard_normal(shape, dtype=np.float32)
    uniform = lambda low, high: generator.uniform(low, high, shape).astype(np.float32)
    if kind == "weight":
        if node.op_type == "Gemm":
            transposed = any(a.name == "transB" and a.i for a in node.attribute)
            fan_in = shape[1] if transposed else shape[0]
        else:
            fan_in = int(np.prod(shape[1:]))
        deviation = gain / np.sqrt(fan_in) if is_last else np.sqrt(2.0 / fan_in)
        return normal() * np.float32(deviation)
    if kind == "scale":
        # The last normalization of a residual branch.
        return uniform(0.2, 0.4) if node and feeds(node, users, ("Sum",)) else uniform(0.8, 1.2)
    if kind == "variance":
        return uniform(0.6, 1.4)
    return normal() * np.float32(0.05)


def seed(path, out_path):
    model = onnx.load(path)
    graph = model.graph
    name = os.path.basename(path)[len("light_"):-len(".onnx")]
    users = {}
    for node in graph.node:
        for index, value in enumerate(node.input):
            users.setdefault(value, []).append((node, index))
    shapes = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    weighted = [n for n in graph.node if n.op_type in ("Conv", "Gemm")]
    kept, added = [], []
    for node in graph.node:
        value = next((a.t for a in node.attribute if a.name == "value"), None)
        if node.op_type != "ConstantOfShape" or (value and value.data_type != TensorProto.FLOAT):
            kept.append(node)
            continue
        shape = tuple(int(d) for d in shapes[node.input[0]])
        kind, user = use_of(node.output[0], users)
        generator = np.random.Generator(
            np.random.PCG64(zlib.crc32(f"{name}/{node.output[0]}".encode())))
        tensor = draw(generator, kind, user, shape, users, user is weighted[-1],
                      LOGIT_GAIN.get(name, 1.0))
        added.append(numpy_helper.from_array(tensor, node.output[0]))
    used = {value for node in kept for value in node.input}
    ints = [t for t in graph.initializer if t.name in used]
    inputs = [i for i in graph.input if i.name in used]
    if model.ir_version < 4:
        # Before IR version 4 an initializer is also an input of the graph.
        have = {i.name for i in inputs}
        inputs += [helper.make_tensor_value_info(t.name, t.data_type, t.dims)
                   for t in added if t.name not in have]
    del graph.node[:], graph.initializer[:], graph.input[:]
    graph.node.extend(kept)
    graph.initializer.extend(ints + added)
    graph.input.extend(inputs)
    onnx.save(model, out_path + ".part")
    os.rename(out_path + ".part", out_path)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[-1])
    folder, out_folder = sys.argv[1:]
    os.makedirs(out_folder, exist_ok=True)
    for entry in sorted(os.listdir(folder)):
        if not entry.endswith(".onnx"):
            continue
        out_path = os.path.join(out_folder, entry[len("light_"):])
        if os.path.exists(out_path):
            continue
        print(f"models: seeding {os.path.basename(out_path)}", flush=True)
        seed(os.path.join(folder, entry), out_path)


main()
