#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A header includes, itself or by headers of ours, what it names of the standard library: fails where one is there only because a
header of the library happens to include another, which changes from release to release."""
import functools
import pathlib
import re
import sys

# Header of the standard library: what it is included for. A name that stands in several may come from any of them.
NAMES = {
    "algorithm": "clamp find is_sorted max max_element min nth_element pop_heap push_heap sort stable_sort",
    "array": "array size_t",
    "atomic": "atomic memory_order_acquire memory_order_relaxed",
    "bit": "bit_cast bit_ceil countr_zero",
    "charconv": "from_chars",
    "cmath": "exp2 floor isinf log2 nextafter",
    "concepts": "derived_from",
    "cstddef": "byte ptrdiff_t size_t",
    "cstdint": "int16_t int32_t int64_t uint16_t uint32_t uint64_t uint8_t",
    "cstring": "memcpy size_t",
    "deque": "deque",
    "exception": "exception",
    "filesystem": "filesystem",
    "functional": "function greater identity invoke less less_equal",
    "initializer_list": "initializer_list",
    "istream": "istream",
    "iterator": "ssize",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "enable_shared_from_this make_shared make_unique shared_ptr unique_ptr",
    "mutex": "call_once lock_guard mutex once_flag",
    "numeric": "iota",
    "optional": "bad_optional_access nullopt optional",
    "ostream": "ostream",
    "queue": "priority_queue",
    "random": "mt19937_64",
    "set": "set",
    "span": "size_t span",
    "stdexcept": "logic_error runtime_error",
    "streambuf": "streambuf",
    "string": "size_t string to_string",
    "string_view": "size_t string_view",
    "tuple": "get tuple",
    "type_traits": "is_floating_point_v is_pointer_v is_same_v is_trivially_destructible_v is_void_v",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set",
    "utility": "exchange get move pair",
    "variant": "get variant visit",
    "vector": "erase_if size_t ssize vector",
}
root = pathlib.Path(sys.argv[1])


@functools.cache
def included(name):
    """The headers of the standard library that `name`, a file of ours, brings."""
    text = (root / name).read_text() if (root / name).is_file() else ""
    found = set(re.findall(r"^\s*#\s*include <([a-z_]+)>", text, re.M))
    return found.union(*(included(own) for own in re.findall(r'^\s*#\s*include "(.*)"', text, re.M)))


def wrong(name):
    code = re.sub(r"//.*|\"(\\.|[^\"\\])*\"", "", (root / name).read_text())
    for word in sorted(set(re.findall(r"\bstd::(?:ranges::)?(\w+)", code))):
        headers = [header for header, names in NAMES.items() if word in names.split()]
        if not headers:
            yield f"{name}: std::{word} has no header in {pathlib.Path(__file__).name}"
        elif not included(name).intersection(headers):
            yield f"{name}: std::{word} needs " + " or ".join(f"<{header}>" for header in headers)


headers = [p.relative_to(root).as_posix() for top in sys.argv[2:] for p in sorted((root / top).rglob("*.hpp"))]
errors = [line for name in headers for line in wrong(name)]
print("\n".join(errors) or f"{len(headers)} headers include what they name of the standard library")
sys.exit(bool(errors))
