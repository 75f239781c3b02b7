#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the quantized networks of the model tests.

  qdq_cnn.onnx      a small residual network in the manner of He et al. 2016, as quantizers
                    export it: every operator between DequantizeLinear and QuantizeLinear,
                    weights int8 with a scale per output channel, activations uint8, biases
                    int32; a depthwise convolution, pooling and a Gemm as well
  qlinear_cnn.onnx  the same weights with QLinearConv and QLinearMatMul

Weights are drawn from a seeded generator and scaled by fan-in, so that activations stay
near 1; the scales of activations are chosen for that.

Usage: make_quantized.py OUT_FOLDER
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
CLASSES = 10


class Builder:
    """A graph that grows node by node. A value is its name, scale and zero point."""

    def __init__(self, name, qdq):
        self.name, self.qdq, self.nodes, self.initializers = name, qdq, [], []
        self.generator = np.random.Generator(np.random.PCG64(20261130))

    def op(self, op_type, *inputs, **attrs):
        output = f"{op_type}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op_type, list(inputs), [output], name=output, **attrs))
        return output

    def constant(self, array, name):
        name = f"{name}_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def params(self, scale, zero):
        return (self.constant(np.float32(scale), "scale"),
                self.constant(np.uint8(zero), "zero_point"))

    def quantize(self, x, scale, zero):
        s, z = self.params(scale, zero)
        return (self.op("QuantizeLinear", x, s, z), scale, s, z)

    def dequantize(self, q):
        return self.op("DequantizeLinear", q[0], q[2], q[3])

    def weights(self, x, shape, fan_in, gain, channel_axis):
        """int8 weights and int32 biases, with the scales of both per output channel."""
        w = self.generator.standard_normal(shape) * gain / np.sqrt(fan_in)
        bias = self.generator.standard_normal(shape[channel_axis]) * 0.1
        others = tuple(i for i in range(len(shape)) if i != channel_axis)
        scale = (np.abs(w).max(axis=others) / 127.0).astype(np.float32)
        wide = scale.reshape([-1 if i == channel_axis else 1 for i in range(len(shape))])
        bias_scale = (np.float32(x[1]) * scale).astype(np.float32)
        return (np.clip(np.rint(w / wide), -127, 127).astype(np.int8), scale,
                np.rint(bias / bias_scale).astype(np.int32), bias_scale)

    def constants(self, x, shape, fan_in, gain, channel_axis, name):
        w, scale, bias, bias_scale = self.weights(x, shape, fan_in, gain, channel_axis)
        return (self.constant(w, name), self.constant(scale, name + "_scale"),
                self.constant(np.zeros(len(scale), np.int8), name + "_zero_point"),
                self.constant(bias, name + "_bias"),
                self.constant(bias_scale, name + "_bias_scale"),
                self.constant(np.zeros(len(scale), np.int32), name + "_bias_zero_point"))

    def conv(self, x, channels, size, scale, zero=0, group=1, gain=1.4, **attrs):
        depth = x_channels[x[0]] // group
        w, ws, wz, b, bs, bz = self.constants(x, (channels, depth, size, size),
                                              depth * size * size, gain, 0, "w")
        attrs = dict(attrs, group=group, kernel_shape=[size, size], pads=[size // 2] * 4)
        if self.qdq:
            y = self.op("Conv", self.dequantize(x),
                        self.op("DequantizeLinear", w, ws, wz, axis=0),
                        self.op("DequantizeLinear", b, bs, bz, axis=0), **attrs)
            if zero == 0:
                y = self.op("Relu", y)
            y = self.quantize(y, scale, zero)
        else:
            s, z = self.params(scale, zero)
            y = (self.op("QLinearConv", x[0], x[2], x[3], w, ws, wz, s, z, b, **attrs),
                 scale, s, z)
        x_channels[y[0]] = channels
        return y

    def between(self, op_type, inputs, scale, zero=0, relu=False, **attrs):
        """A float operator between DequantizeLinear and QuantizeLinear."""
        y = self.op(op_type, *[self.dequantize(x) for x in inputs], **attrs)
        if relu:
            y = self.op("Relu", y)
        y = self.quantize(y, scale, zero)
        x_channels[y[0]] = x_channels[inputs[0][0]]
        return y

    def same(self, op_type, x, **attrs):
        """An operator that keeps scale and zero point."""
        if self.qdq:
            y = self.op(op_type, self.dequantize(x), **attrs)
            y = (self.op("QuantizeLinear", y, x[2], x[3]), *x[1:])
        else:
            y = (self.op(op_type, x[0], **attrs), *x[1:])
        x_channels[y[0]] = x_channels[x[0]]
        return y

    def linear(self, x, size_in, size_out, scale, zero):
        if self.qdq:
            w, ws, wz, b, bs, bz = self.constants(x, (size_out, size_in), size_in, 1.0, 0, "fc")
            y = self.op("Gemm", self.dequantize(x),
                        self.op("DequantizeLinear", w, ws, wz, axis=0),
                        self.op("DequantizeLinear", b, bs, bz, axis=0), transB=1)
            return self.quantize(y, scale, zero)
        w, ws, *_ = self.weights(x, (size_in, size_out), size_in, 1.0, 1)
        w = [self.constant(w, "fc"), self.constant(ws, "fc_scale"),
             self.constant(np.zeros(size_out, np.int8), "fc_zero_point")]
        s, z = self.params(scale, zero)
        return (self.op("QLinearMatMul", x[0], x[2], x[3], *w, s, z), scale, s, z)

    def save(self, path):
        graph = helper.make_graph(
            self.nodes, self.name,
            [helper.make_tensor_value_info("image", FLOAT, [1, 3, 64, 64])],
            [helper.make_tensor_value_info("scores", FLOAT, [1, CLASSES])], self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)],
                                  producer_name="make_quantized")
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, path + ".part")
        os.replace(path + ".part", path)


# Channels of every value, by its name.
x_channels = {}


def network(path, name, qdq):
    g = Builder(name, qdq)
    x = g.quantize("image", 6.0 / 255, 128)
    x_channels[x[0]] = 3
    x = g.conv(x, 24, 3, 5.0 / 255, strides=[2, 2])
    x = g.same("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for channels, stride in ((24, 1), (40, 2)):
        y = g.conv(x, channels, 3, 5.0 / 255, strides=[stride, stride])
        y = g.conv(y, channels, 3, 8.0 / 255, zero=127, gain=1.0)
        if stride != 1:
            x = g.conv(x, channels, 1, 8.0 / 255, zero=120, gain=1.0, strides=[stride, stride])
        x = g.between("Add", [x, y], 6.0 / 255, relu=True)
    x = g.conv(x, 40, 3, 6.0 / 255, group=40)
    x = g.conv(x, 72, 1, 6.0 / 255)
    x = g.between("GlobalAveragePool", [x], 3.0 / 255)
    x = g.same("Flatten", x, axis=1)
    x = g.linear(x, 72, CLASSES, 6.0 / 255, 128)
    g.nodes.append(helper.make_node("DequantizeLinear", [x[0], x[2], x[3]], ["scores"],
                                    name="scores"))
    g.save(path)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, qdq in (("qdq_cnn", True), ("qlinear_cnn", False)):
        path = os.path.join(sys.argv[1], name + ".onnx")
        if not os.path.exists(path):
            network(path, name, qdq)
            print(f"models: built {path}")


if __name__ == "__main__":
    main()
