// SPDX-License-Identifier: Apache-2.0
#include "python/values.hpp"

#include <cmath>
#include <sstream>

#include "model/ranges.hpp"
#include "model/sizes.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "support/printable.hpp"
#include "support/text.hpp"

namespace collcast::python {

py::object to_python(const Json& json) {
  if (json.is_boolean()) return py::bool_(json.get<bool>());
  if (json.is_number_integer()) return py::int_(json.get<std::int64_t>());
  if (json.is_number()) return py::float_(json.get<double>());
  if (json.is_string()) return py::str(json.get<std::string>());
  if (json.is_array()) {
    py::list list;
    for (const Json& item : json) list.append(to_python(item));
    return list;
  }
  if (!json.is_object()) return py::none();
  py::dict dict;
  for (const auto& [key, value] : json.items()) dict[py::str(key)] = to_python(value);
  return dict;
}

Bytes bytes(const Size& size) {
  if (const auto* text = std::get_if<std::string>(&size)) return parse_size(*text, "size");
  const Bytes number(std::get<double>(size));
  check_size(number);
  return number;
}

std::vector<Bytes> sizes(const OneOrMore<Size>& given) {
  std::vector<Bytes> sizes;
  for (const Size& size : all(given)) {
    const std::string words = text(size);
    for (const Bytes one : parse_sizes({&words, 1})) sizes.push_back(one);
  }
  return sizes;
}

std::string text(const Size& size) {
  if (const auto* words = std::get_if<std::string>(&size)) return *words;
  return std::to_string(std::llround(bytes(size).value));
}

Rank checked_ranks(Rank ranks) {
  return parse_ranks(std::to_string(ranks));
}

std::string number_text(double number) {
  return std::isfinite(number) ? text::exact(number) : std::to_string(number);
}

std::vector<std::string> assignments(const Assignments& given) {
  if (const auto* one = std::get_if<std::string>(&given)) return {*one};
  if (const auto* several = std::get_if<std::vector<std::string>>(&given)) return *several;
  std::vector<std::string> all;
  for (const auto& [key, value] : std::get<std::map<std::string, Assigned>>(given)) {
    const auto* truth = std::get_if<bool>(&value);
    if (truth || std::holds_alternative<py::none>(value))
      throw InputError("set: " + key + " is " +
                       (!truth   ? "None"
                        : *truth ? "True"
                                 : "False") +
                       "; expected a number or text");
    const auto* words = std::get_if<std::string>(&value);
    all.push_back(key + "=" + (words ? *words : number_text(std::get<double>(value))));
  }
  return all;
}

Memory memory(const std::string& name) {
  if (const auto memory = memory_named(name)) return *memory;
  throw InputError("memory: '" + name + "' is not known; expected host or device");
}

void append_lines(std::vector<std::string>& notes, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) notes.push_back(line);
}

void warn(const std::vector<std::string>& notes) {
  for (const std::string& words : notes)
    if (PyErr_WarnEx(PyExc_UserWarning, one_line(words).c_str(), 1) != 0) throw py::error_already_set();
}

}  // namespace collcast::python
