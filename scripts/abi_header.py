# SPDX-License-Identifier: Apache-2.0
#
# abi_header.py: reads the structs and enumerators of the public headers, as far as their own
# style goes, for abi_table.py and the checks in tests/abi.
import re


# Structs that do not begin with their size, and why they need not.
UNSIZED = {
    "TsrString": "an element of a tensor's memory: 16 bytes for ever",
    "TsrOpParam": "a row of an array whose stride, the writer's size, lies beside it",
    "TsrOpAttr": "a row of an array whose stride, the writer's size, lies beside it",
}
STRIDED = ("TsrOpParam", "TsrOpAttr")


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def split_fields(body):
    """(declaration, [names]) of each field of a struct's body."""
    fields = []
    for declaration in body.split(";"):
        declaration = " ".join(declaration.split())
        if not declaration:
            continue
        declaration = re.sub(r"\s*TSR_PRINTF\(.*?\)\s*$", "", declaration)
        pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", declaration)
        if pointer:
            fields.append((declaration, [pointer.group(1)]))
            continue
        names = [re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?::\s*\d+)?$", part.strip()).group(1)
                 for part in declaration.split(",")]
        fields.append((declaration, names))
    return fields


def structs(text):
    """{name: [(declaration, [names])]} in the order of the header."""
    found = {}
    for match in re.finditer(r"struct (\w+)\s*\{([^{}]*)\}", without_comments(text)):
        found[match.group(1)] = split_fields(match.group(2))
    return found


def enumerators(text):
    found = []
    for match in re.finditer(r"enum\s*\{([^{}]*)\}", without_comments(text)):
        found += re.findall(r"(?:^|,)\s*(TSR_\w+)\s*=", match.group(1))
    return found
