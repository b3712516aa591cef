#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What files include of the standard library: a header of ours includes, itself or by others of ours, what it names, since what
headers of the library happen to include changes from release to release; and no file includes what it does not name."""
import functools
import pathlib
import re
import sys

# Header of the standard library: what it is included for, as regular expressions. A name that stands in several may come from any
# of them.
NAMES = {
    "algorithm": "adjacent_find all_of any_of binary_search clamp copy copy_if copy_n count count_if equal fill find find_if for_each "
                 "includes is_sorted lower_bound max max_element min min_element minmax minmax_element mismatch none_of nth_element "
                 "move pop_heap push_heap replace replace_if reverse rotate sort stable_partition stable_sort transform unique upper_bound",
    "array": "array",
    "atomic": "atomic memory_order_acquire memory_order_relaxed memory_order_release",
    "bit": "bit_cast bit_ceil bit_width countr_zero popcount",
    "cassert": "assert",
    "cctype": "isalnum isalpha isdigit isspace tolower toupper",
    "cerrno": "errno E[A-Z]+",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "climits": "[A-Z]+_MAX [A-Z]+_MIN CHAR_BIT",
    "cmath": "HUGE_VAL abs ceil copysign exp exp2 expm1 floor fmod hypot ilogb isfinite isinf isnan ldexp llround log log10 log1p log2 "
             "lround nextafter pow round sqrt",
    "concepts": "derived_from integral same_as convertible_to",
    "csignal": "SIG[A-Z0-9_]+ kill signal",
    "cstddef": "byte offsetof ptrdiff_t size_t",
    "cstdint": r"u?int\d+_t uintptr_t",
    "cstdio": "EOF FILE fclose fflush fileno fprintf fputs fread printf remove rename snprintf stderr stdout tmpfile",
    "cstdlib": "abs atoi getenv strtod strtol",
    "cstring": "memcmp memcpy memmove strchr strcmp strerror strlen strncpy strsignal",
    "ctime": "clock clock_gettime gmtime gmtime_r strftime time time_t timer_t timespec tm",
    "deque": "deque",
    "exception": "current_exception exception exception_ptr rethrow_exception uncaught_exceptions",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream",
    "functional": "function greater greater_equal hash identity invoke less less_equal mem_fn not_equal_to ref",
    "future": "async launch",
    "initializer_list": "initializer_list",
    "iomanip": "fixed setprecision",
    "iostream": "cerr cout",
    "istream": "istream",
    "iterator": "back_inserter distance istream_iterator istreambuf_iterator make_reverse_iterator next prev size ssize",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "enable_shared_from_this make_shared make_unique make_unique_for_overwrite shared_ptr unique_ptr",
    "mutex": "call_once lock_guard mutex once_flag scoped_lock",
    "numeric": "accumulate gcd iota lcm partial_sum",
    "optional": "bad_optional_access nullopt optional",
    "ostream": "endl flush ostream",
    "queue": "priority_queue",
    "random": "bernoulli_distribution mt19937_64 random_device uniform_real_distribution",
    "regex": "regex regex_constants regex_match regex_search smatch sregex_iterator",
    "set": "set",
    "span": "span",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "length_error logic_error runtime_error",
    "streambuf": "streambuf",
    "string": "getline stoi stoll stoul stoull string to_string",
    "string_view": "string_view",
    "system_error": "errc error_code",
    "thread": "this_thread thread",
    "tuple": "get tie tuple",
    "type_traits": r"\w+_v decay_t is_\w+",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set",
    "utility": "exchange get move pair",
    "variant": "get get_if variant visit",
    "vector": "erase erase_if vector",
}
# Headers that bring a name besides, for which alone nobody includes them, or that placement new, which has no name, needs.
BESIDES = {"size_t": {"array", "cstring", "span", "string", "string_view", "vector"}, "ssize": {"vector"}, "bad_alloc": {"new"}}
# Headers of C, whose names stand without std:: as well.
OF_C = {"cassert", "cctype", "cerrno", "climits", "cmath", "csignal", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring", "ctime"}
root = pathlib.Path(sys.argv[1])


@functools.cache
def included(name):
    """The headers of the standard library that `name`, a file of ours, brings."""
    text = (root / name).read_text() if (root / name).is_file() else ""
    found = set(re.findall(r"^\s*#\s*include <([a-z_]+)>", text, re.M))
    return found.union(*(included(own) for own in re.findall(r'^\s*#\s*include "(.*)"', text, re.M)))


def bringing(word):
    own = {header for header, names in NAMES.items() if any(re.fullmatch(n, word) for n in names.split())}
    return own | BESIDES.get(word, set())


def missing(name):
    code = re.sub(r"//.*|\"(\\.|[^\"\\])*\"", "", (root / name).read_text())
    for word in sorted(set(re.findall(r"\bstd::(?:ranges::)?(\w+)", code))):
        headers = sorted(bringing(word))
        if not headers:
            yield f"{name}: std::{word} has no header in {pathlib.Path(__file__).name}"
        elif not included(name).intersection(headers):
            yield f"{name}: std::{word} needs " + " or ".join(f"<{header}>" for header in headers)


def unused(name):
    code = re.sub(r"(?<!:)//.*|^\s*#\s*include (?!<).*", "", (root / name).read_text(), flags=re.M)
    for header in NAMES.keys() & set(re.findall(r"^\s*#\s*include <([a-z_]+)>", code, re.M)):
        names = "|".join(NAMES[header].split())
        if not re.search((r"(?<!<)\b" if header in OF_C else r"\bstd::(?:ranges::)?") + f"(?:{names})\\b", code):
            yield f"{name}: <{header}> is not used (or {pathlib.Path(__file__).name} lacks what it is for)"


def files(pattern):
    return [p.relative_to(root).as_posix() for top in sys.argv[2:] for p in sorted((root / top).rglob(pattern))]


headers, sources = files("*.hpp"), files("*.cpp")
errors = [line for name in headers for line in missing(name)]
errors += [line for name in headers + sources for line in unused(name)]
print("\n".join(errors) or f"{len(headers)} headers and {len(sources)} sources include what they name of the standard library")
sys.exit(bool(errors))
