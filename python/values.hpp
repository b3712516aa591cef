// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "model/fabric.hpp"
#include "support/error.hpp"
#include "support/json_fwd.hpp"

namespace collcast::python {
namespace py = pybind11;

/// Each function registers some calls of the module.
void add_predict(py::module_& module);
void add_programs(py::module_& module);
void add_plan(py::module_& module);
void add_sweep(py::module_& module);
void add_decide(py::module_& module);

/// Adds to the functions of the module what pybind11 does not give them (functions.cpp).
void dress(py::module_& module);

py::object to_python(const Json& json);

/// The JSON that `compute` returns. Other Python threads may run meanwhile.
template <class Compute>
py::object while_others_run(Compute&& compute) {
  const auto answer = [&] {
    const py::gil_scoped_release others_run;
    return compute();
  }();
  return to_python(answer);
}

template <class T>
using OneOrMore = std::variant<T, std::vector<T>>;

/// Bytes as a number, or as text: "64KiB".
using Size = std::variant<double, std::string>;
Bytes bytes(const Size& size);
/// The same, and ranges of sizes: "1KiB:1GiB:x4".
std::vector<Bytes> sizes(const OneOrMore<Size>& given);
/// The same as text; empty stays empty.
std::string text(const Size& size);

template <class T>
std::vector<T> all(const OneOrMore<T>& given) {
  if (const auto* one = std::get_if<T>(&given)) return {*one};
  return std::get<std::vector<T>>(given);
}

/// The same, but throws InputError, which calls it `what`, if there is no value.
template <class T>
std::vector<T> some(const OneOrMore<T>& given, const std::string& what) {
  std::vector<T> values = all(given);
  if (values.empty()) throw InputError(what + ": the list is empty");
  return values;
}

/// Returns `ranks`. Throws InputError if the number is out of range.
Rank checked_ranks(Rank ranks);

/// An optional number as text; empty if there is none.
template <class T>
std::string text(const std::optional<T>& number) {
  return number ? std::to_string(*number) : std::string();
}

/// A number as text for the command-line parser, which refuses "nan" and "inf".
std::string number_text(double number);

/// What --set takes: one "KEY=VALUE", several, or a value for each key. `bool` is listed so that Python's
/// True is not taken for 1, `none` so that None is not taken for False.
using Assigned = std::variant<double, std::string, py::none, bool>;
using Assignments = std::variant<std::string, std::map<std::string, Assigned>, std::vector<std::string>>;
std::vector<std::string> assignments(const Assignments& given);

Memory memory(const std::string& name);

/// Adds each line of a text to the notes.
void append_lines(std::vector<std::string>& notes, const std::string& text);
/// Issues the notes on an answer as Python warnings.
void warn(const std::vector<std::string>& notes);

}  // namespace collcast::python
