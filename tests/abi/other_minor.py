#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# other_minor.py: makes the header of another minor version of the plugin ABI out of ours: an
# older one, from which the ends of structs are cut off, or a newer one, whose structs have
# grown. plugin.h of 1.0 is the first, so an older one has to be made up.
# Usage: other_minor.py older|newer INCLUDE/tessera/plugin.h OUT
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
import abi_header  # noqa: E402

# The first field that the older version does not have.
CUT = {
    "TsrTensorDesc": "max_shape",
    "TsrTensor": "items",
    "TsrEngine": "compat",
    "TsrFormatSelector": "engine",
    "TsrFusionPass": "stage",
    "TsrRunContext": "set_string",
    "TsrExecutor": "inplace",
    "TsrDevice": "model_profile",
    "TsrOpAttr": "reserved",
    "TsrInferContext": "set_output_kind",
    "TsrFormatContext": "tie_input",
    "TsrOpDef": "infer_range",
}
GROWN = "    uint64_t later[4];\n    const void *(*later_slot)(const void *);\n"


def body(text, name):
    match = re.search(r"struct " + name + r"\s*\{(.*?)\n\}", text, re.S)
    return match.start(1), match.end(1)


def main():
    kind, source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = abi_header.without_comments(file.read())
    if kind == "older":
        for name, field in CUT.items():
            begin, end = body(text, name)
            inside = text[begin:end]
            cut = re.search(r"[^;]*\b" + field + r"\b[^;]*;", inside)
            text = text[:begin] + inside[:cut.start()] + text[end:]
    else:
        for name in abi_header.structs(text):
            if name in abi_header.UNSIZED and name not in abi_header.STRIDED:
                continue
            _, end = body(text, name)
            text = text[:end] + "\n" + GROWN + text[end:]
        text = re.sub(r"(#define TSR_ABI_MINOR) \d+u", r"\1 900u", text)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)


main()
