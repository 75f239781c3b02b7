#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
#
# make_backend_tests.py: lets Debian's python3-onnx generate its own backend tests (up to
# opset 17) into a folder, where the full archive is not at hand. Usage:
# make_backend_tests.py FOLDER
import sys
import numpy

# python3-onnx 1.12 uses names that the numpy beside it has dropped.
for name, kind in (("complex", complex), ("bool", bool), ("int", int), ("float", float),
                   ("object", object), ("str", str)):
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)

from onnx.backend.test import cmd_tools  # noqa: E402

sys.argv = ["cmd_tools", "generate-data", "--output", sys.argv[1]]
cmd_tools.main()
