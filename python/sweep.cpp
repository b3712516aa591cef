// SPDX-License-Identifier: Apache-2.0
#include "forecast/sweep/sweep.hpp"

#include "python/interrupt.hpp"
#include "python/values.hpp"
#include "support/input_file.hpp"
#include "support/interrupt.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "workloads/playing/shown.hpp"
#include "workloads/playing/verbs.hpp"

namespace collcast::python {
namespace {

/// Converts what JSON cannot express: numpy arrays become lists, paths become texts.
py::object plain(const py::object& value) {
  if (py::hasattr(value, "tolist")) return value.attr("tolist")();
  if (py::hasattr(value, "__fspath__"))
    if (py::object path = value.attr("__fspath__")(); py::isinstance<py::str>(path)) return path;
  throw py::type_error("sweep(): space holds a " +
                       std::string(py::str(py::type::of(value).attr("__name__"))) +
                       "; expected text, numbers, lists of these, or dictionaries");
}

py::object swept(const std::variant<std::string, py::dict>& space, int jobs) {
  parse_count(std::to_string(jobs), "jobs", 1, 1024);
  const auto* file = std::get_if<std::string>(&space);
  std::string text;
  if (!file)
    text = py::str(py::module_::import("json").attr("dumps")(std::get<py::dict>(space),
                                                             py::arg("default") = py::cpp_function(plain)));
  return while_others_run([&] {
    const InterruptedBy user(interrupt());
    const std::vector<sweep::Verb> verbs = workloads::verbs();
    const sweep::Sweep asked(file ? read_file(*file) : text, file ? *file : "sweep", verbs);
    sweep::Summary all = sweep::answers(asked, jobs == 1 ? sweep::here() : sweep::processes(jobs),
                                        [](std::int64_t, std::int64_t) { end_if_interrupted(); });
    workloads::complete(all.report, asked);
    return as_json(all.report);
  });
}

}  // namespace

void add_sweep(py::module_& m) {
  using namespace py::literals;
  m.def(
      "sweep", &swept, "space"_a, py::kw_only(), "jobs"_a = 1,
      "Forecasts a space of cases, which is what a file of `collcast sweep` says, as a dictionary, or such a "
      "file: {'ask': 'train', 'platform': ['summit', 'dgx-a100'], 'model': 'resnet50', 'ranks': '8:64:x2'}. "
      "A dictionary with the keys of `collcast sweep --format json`. jobs: processes at a time; 1: this "
      "one.");
}

}  // namespace collcast::python
