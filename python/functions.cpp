// SPDX-License-Identifier: Apache-2.0
// The module's functions as users of Python see them. pybind11 makes them. This file adds arguments of type
// os.PathLike, one-line messages for wrong arguments, Ctrl-C, and names by which functions can be pickled and
// inspected.
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "python/interrupt.hpp"
#include "python/values.hpp"
#include "support/printable.hpp"
#include "support/suggest.hpp"

namespace collcast::python {
namespace {

struct Argument {
  std::string name, type, standard;  ///< standard: the default; empty if the argument is required
};

struct Function {
  py::object made;  ///< the function that pybind11 made
  std::string name, doc;
  std::vector<Argument> arguments;
  std::size_t positional = 0;
  PyMethodDef method{};
};

constexpr std::size_t most = 16;
std::array<Function, most>& functions() {
  static auto* all = new std::array<Function, most>;  // never freed: the interpreter refers to it
  return *all;
}

/// The parts of "a: A = 1, b: Dict[B, C]" between commas that are not in brackets or quotes.
std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> all(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '{' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == ')') --depth;
    if (c == ',' && depth == 0)
      all.emplace_back();
    else if (c != ' ' || !all.back().empty())
      all.back() += c;
  }
  return all;
}

/// Reads the first line of the docstring: "name(a: A, *, b: B = 1) -> object".
void read_signature(Function& f) {
  const std::string line = f.doc.substr(0, f.doc.find('\n'));
  const std::size_t begin = line.find('(') + 1, end = line.rfind(") -> ");
  std::string signature;
  bool named = false;
  for (const std::string& part : parts(line.substr(begin, end - begin))) {
    const std::size_t colon = part.find(": "), equals = part.find(" = ");
    named |= part == "*";
    if (colon != std::string::npos) {
      f.arguments.push_back({part.substr(0, colon), part.substr(colon + 2, equals - colon - 2),
                             equals == std::string::npos ? "" : part.substr(equals + 3)});
      f.positional += !named;
    }
    signature += (signature.empty() ? "" : ", ") + part.substr(0, colon) +
                 (equals == std::string::npos ? "" : "=" + part.substr(equals + 3));
  }
  f.doc = f.name + "(" + signature + ")\n--\n\n" + f.doc;  // the form that CPython's functions have
}

template <class T>
std::pair<const std::string, bool (*)(py::handle)> type() {
  return {py::detail::make_caster<T>::name.text, [](py::handle given) {
            try {
              given.cast<T>();
              return true;
            } catch (const py::cast_error&) {
              return false;
            }
          }};
}

/// Whether a value has the type of this name in a signature.
bool fits(py::handle given, const std::string& name) {
  static const std::map<std::string, bool (*)(py::handle)> types = {
      type<std::string>(),
      type<std::vector<std::string>>(),
      type<OneOrMore<std::string>>(),
      type<int>(),
      type<OneOrMore<int>>(),
      type<double>(),
      type<bool>(),
      type<Size>(),
      type<std::vector<Size>>(),
      type<OneOrMore<Size>>(),
      type<Assignments>(),
      type<std::optional<int>>(),
      type<std::optional<double>>(),
      type<std::optional<std::string>>(),
      type<std::map<std::string, std::string>>(),
      type<std::map<std::string, double>>(),
      {"Union[str, dict]", type<std::variant<std::string, py::dict>>().second},
      type<std::variant<double, std::string>>()};
  const auto known = types.find(name);
  const bool does = known == types.end() || known->second(given);
  PyErr_Clear();
  return does;
}

/// What is wrong with arguments that pybind11 refused.
std::string mistake(const Function& f, const py::tuple& args, const py::dict& named) {
  if (args.size() > f.positional)
    return "takes " + std::to_string(f.positional) + " arguments without names, not " +
           std::to_string(args.size());
  std::map<std::string, py::handle> given;
  std::vector<std::string> names;
  for (const Argument& a : f.arguments) names.push_back(a.name);
  for (std::size_t i = 0; i < args.size(); ++i) given[names[i]] = args[i];
  for (const auto& [key, value] : named) {
    const std::string name = py::str(key);
    if (std::ranges::count(names, name) == 0)
      return "has no argument '" + name + "'" + suggestion(name, names);
    if (!given.emplace(name, value).second) return "is given '" + name + "' twice";
  }
  for (const Argument& a : f.arguments) {
    const auto value = given.find(a.name);
    if (value == given.end() && a.standard.empty()) return "needs '" + a.name + "'";
    if (value == given.end() || fits(value->second, a.type)) continue;
    const std::string shown = std::string(py::repr(value->second)).substr(0, 80);
    if (PyLong_Check(value->second.ptr()) && a.type.find("int") != std::string::npos)
      return a.name + " is " + shown + "; expected a number of at most " +
             std::to_string(std::numeric_limits<int>::max());
    return a.name + " is a " + std::string(py::str(py::type::of(value->second).attr("__name__"))) + ", " +
           shown + "; expected " + a.type;
  }
  return "takes no such arguments; see help(collcast." + f.name + ")";
}

/// A step into what is in an argument. Raises RecursionError where there is no end of it, as in a list that
/// holds itself.
class Inside {
 public:
  Inside() {
    if (Py_EnterRecursiveCall(" in an argument") != 0) throw py::error_already_set();
  }
  ~Inside() { Py_LeaveRecursiveCall(); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

bool is_path(PyObject* given) {
  return !PyUnicode_Check(given) && !PyLong_Check(given) && !PyFloat_Check(given) && given != Py_None &&
         py::hasattr(given, "__fspath__");
}

bool is_list(PyObject* given) {
  return PyList_Check(given) || PyTuple_Check(given);
}

/// An array without dimensions: a sequence for Python, but one without a length.
bool is_single(PyObject* given) {
  if (PyUnicode_Check(given) || PyLong_Check(given) || PyFloat_Check(given) || !PySequence_Check(given))
    return false;
  if (!py::hasattr(given, "ndim") || !py::hasattr(given, "item")) return false;
  const py::object dimensions = py::reinterpret_borrow<py::object>(given).attr("ndim");
  return dimensions.equal(py::int_(0));
}

bool is_other(PyObject* given) {
  return is_path(given) || is_single(given);
}

/// Whether the value is a path or an array without dimensions, or a list that has one in it.
bool has_other(PyObject* given) {
  if (!is_list(given)) return is_other(given);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(given); ++i)
    if (is_other(PySequence_Fast_GET_ITEM(given, i))) return true;
  return false;
}

/// Replaces a path by its text and an array without dimensions by its number, alone or in a list; leaves all
/// else as it is.
py::object without_others(py::handle given) {
  const Inside here;
  if (!has_other(given.ptr())) return py::reinterpret_borrow<py::object>(given);
  if (is_list(given.ptr())) {
    py::list all;
    for (const py::handle item : given) all.append(without_others(item));
    return all;
  }
  if (is_single(given.ptr())) return given.attr("item")();
  PyObject* path = PyOS_FSPath(given.ptr());
  if (!path) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(path);
}

void replace_others(py::tuple& args, py::dict& named) {
  py::tuple positional(args.size());
  for (std::size_t i = 0; i < args.size(); ++i) positional[i] = without_others(args[i]);
  py::dict keywords;
  for (const auto& [key, value] : named) keywords[key] = without_others(value);
  args = positional, named = keywords;
}

/// Whether a text, or a text in a list or dictionary, holds a NUL, at which error messages would end.
bool has_nul(py::handle given) {
  const Inside here;
  if (PyUnicode_Check(given.ptr()))
    return PyUnicode_FindChar(given.ptr(), 0, 0, PyUnicode_GET_LENGTH(given.ptr()), 1) >= 0;
  if (PyDict_Check(given.ptr())) {
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(given))
      if (has_nul(key) || has_nul(value)) return true;
    return false;
  }
  if (!is_list(given.ptr())) return false;
  for (const py::handle item : given)
    if (has_nul(item)) return true;
  return false;
}

/// Raises InputError.
[[noreturn]] void refuse_nul(const Function& f, py::handle given) {
  const std::string words =
      f.name + "(): " + std::string(py::repr(given)) + " holds a NUL, which no name does";
  PyErr_SetString(py::module_::import("collcast").attr("InputError").ptr(), one_line(words).c_str());
  throw py::error_already_set();
}

py::object answered(const Function& f, py::tuple args, py::dict named) {
  bool any = false;
  for (const py::handle value : args) any |= has_other(value.ptr());
  for (const auto& [key, value] : named) any |= has_other(value.ptr());
  if (any) replace_others(args, named);
  for (const py::handle value : args)
    if (has_nul(value)) refuse_nul(f, value);
  for (const auto& [key, value] : named)
    if (has_nul(value)) refuse_nul(f, value);
  PyObject* answer = PyObject_Call(f.made.ptr(), args.ptr(), named.ptr());
  if (answer) return py::reinterpret_steal<py::object>(answer);
  py::error_already_set error;
  if (error.matches(PyExc_TypeError) &&
      std::string(py::str(error.value())).find("incompatible function arguments") != std::string::npos)
    throw py::type_error(one_line(f.name + "(): " + mistake(f, args, named)));
  throw error;
}

template <std::size_t which>
PyObject* call(PyObject*, PyObject* args, PyObject* named) {
  Interruptible here;
  try {
    auto keywords = named ? py::reinterpret_borrow<py::dict>(named) : py::dict();
    py::object answer =
        answered(functions()[which], py::reinterpret_borrow<py::tuple>(args), std::move(keywords));
    return here.ended() ? nullptr : answer.release().ptr();
  } catch (py::error_already_set& e) {
    if (!here.ended()) e.restore();
  } catch (const py::builtin_exception& e) {
    if (!here.ended()) e.set_error();
  } catch (const std::exception& e) {  // the interpreter is C: nothing may be thrown through it
    if (!here.ended()) PyErr_SetString(PyExc_RuntimeError, words_of(e).c_str());
  }
  return nullptr;
}

template <std::size_t... which>
constexpr auto calls(std::index_sequence<which...>) {
  return std::array<PyCFunctionWithKeywords, sizeof...(which)>{&call<which>...};
}

}  // namespace

void dress(py::module_& m) {
  static constexpr auto entries = calls(std::make_index_sequence<most>());
  std::size_t which = 0;
  for (const auto& [name, value] : py::dict(m.attr("__dict__").attr("copy")())) {
    if (!PyCFunction_Check(value.ptr())) continue;
    Function& f = functions().at(which);
    f.made = py::reinterpret_borrow<py::object>(value);
    f.name = py::str(name);
    f.doc = py::str(f.made.attr("__doc__"));
    read_signature(f);
    f.method = {f.name.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(entries[which++])),
                METH_VARARGS | METH_KEYWORDS, f.doc.c_str()};
    m.attr(f.name.c_str()) =
        py::reinterpret_steal<py::object>(PyCFunction_NewEx(&f.method, m.ptr(), m.attr("__name__").ptr()));
  }
}

}  // namespace collcast::python
