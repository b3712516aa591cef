#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All presets but `dev` compile the sources of a target as one: fails on a name that two files of a target give to things of their
own, unless these are functions of different parameters, which overload each other. Fails as well on a type that two headers define,
even if no source sees both: a linker keeps one of their functions for both. Finds without a build what a build finds late."""
import collections
import pathlib
import re
import sys

TARGET = re.compile(r"^ *(?:add_executable|add_library|collcast_library|collcast_test|pybind11_add_module|target_sources)\((\S+)([^)]*)",
                    re.M)
NAMESPACE = re.compile(r"^namespace ([\w:]+) \{$", re.M)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.M | re.S)
NOT_CODE = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|//.*')
TEST = re.compile(r"TEST\w*\((\w+), (\w+)\)")
TYPE = re.compile(r"(?:class|enum(?: class)?|struct|union) (\w+)(?: final)? ?(?:: [^;]*)?\{")
# The parentheses of a function's parameters follow its name; of anything else, the name ends what stands before its value.
NAMED = re.compile(r"(?!(?:class|enum|extern|friend|namespace|requires|static_assert|struct|template|using)\b|[A-Z_]+\()"
                   r"(?:\[\[\w+\]\] )?[A-Za-z][^({=;]*?\b(\w+)(?:\[[^]]*\])* ?(\([^)]*\)|[{=;])")


def without_angles(code):
    """Without what stands in <...>, of which commas and names are not those of the declaration."""
    while (less := re.sub(r"<[^<>()]*>", "", code)) != code:
        code = less
    return code


def types(parameters):
    """"(const A& a, int b = 0)" -> "const A&, int": the types of parameters, in which overloads differ."""
    each = (re.sub(r" *=.*", "", p).strip() for p in parameters.strip("()").split(","))
    return ", ".join(re.sub(r"(?<=[\w&*]) +\w+$|(?<=[&*])\w+$", "", p) for p in each)


def local_names(text):
    """What a file has of its own: (namespace, name, types of parameters)."""
    for unnamed in UNNAMED.finditer(text):
        around = NAMESPACE.findall(text[:unnamed.start()])[-1:]
        code = without_angles(NOT_CODE.sub('""', unnamed[1]))
        for begin in re.finditer(r"^(?=[A-Za-z\[])", code, re.M):
            if test := TEST.match(code, begin.start()):
                yield *around, ".".join(test.groups()), ""
            elif kind := TYPE.match(code, begin.start()):
                yield *around, kind[1], ""
            elif named := NAMED.match(code, begin.start()):
                yield *around, named[1], types(named[2]) if named[2][0] == "(" else ""


def clashes(target, files):
    homes = collections.defaultdict(dict)
    for file in files:
        for name in local_names(file.read_text()):
            homes[name][file.relative_to(root).as_posix()] = True
    for (*_, name, parameters), at in homes.items():
        if len(at) > 1:
            yield f"{target}: {name}{f'({parameters})' if parameters else ''} is local to " + " and to ".join(at)


def headers_types(text):
    """The types that a header defines in a namespace, whose names are the whole program's."""
    around = []
    for line in text.splitlines():
        if opened := re.match(r"namespace ([\w:]+) \{", line):
            around.append(opened[1])
        elif line.startswith("}  // namespace"):
            around.pop()
        elif kind := re.match(r"(?:class|struct|enum class) (?:\[\[\w+\]\] )?(\w+)(?: final)?(?: :| \{|$)", line):
            yield "::".join([*around, kind[1]])


def namesakes(headers):
    homes = collections.defaultdict(list)
    for header in headers:
        for name in headers_types(header.read_text()):
            homes[name].append(header.relative_to(root).as_posix())
    for name, at in homes.items():
        if len(at) > 1:
            yield f"{name} is defined in " + " and in ".join(at)


root = pathlib.Path(sys.argv[1])
targets = collections.defaultdict(list)
for made in [root / "CMakeLists.txt", *(p for top in sys.argv[2:] for p in sorted((root / top).rglob("CMakeLists.txt")))]:
    for target, words in TARGET.findall(made.read_text()):
        targets[target] += [made.parent / w for w in re.findall(r"[\w./-]+\.cpp", words) if (made.parent / w).is_file()]
errors = [line for target, files in targets.items() for line in clashes(target, files)]
errors += namesakes(h for top in sys.argv[2:] for h in sorted((root / top).rglob("*.hpp")))
print("\n".join(errors) or f"the local names of {sum(map(len, targets.values()))} sources are unique in their {len(targets)} targets")
sys.exit(bool(errors))
