// SPDX-License-Identifier: Apache-2.0
#include "algorithms/catalogue.hpp"
#include "model/proof.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/listing.hpp"
#include "python/values.hpp"
#include "replay/application/inspected.hpp"
#include "replay/formats/formats.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/printable.hpp"
#include "support/suggest.hpp"
#include "validation/accuracy/as_json.hpp"
#include "validation/calibration/calibrate.hpp"
#include "validation/calibration/nccl.hpp"
#include "validation/measurements/read.hpp"

namespace collcast::python {
namespace {

py::object platforms() {
  Json rows = Json::array();
  for (const PlatformSummary& p : list_platforms())
    rows.push_back({{"platform", p.name},
                    {"description", p.description},
                    {"max_ranks", p.max_ranks},
                    {"gpus_per_node", p.gpus_per_node},
                    {"stamp", to_string(p.stamp)}});
  return to_python(rows);
}

py::object algorithm_list(const std::optional<std::string>& collective) {
  const Definition* only = collective ? &definition(*collective) : nullptr;
  Json rows = Json::array();
  for (const Algorithm* a : catalogue()) {
    const Definition& d = definition(a->collective);
    if (only && d.collective != only->collective) continue;
    std::vector<std::string_view> names = parameters(*a);
    if (d.rooted) names.insert(names.begin(), "root");
    rows.push_back({{"collective", d.name},
                    {"algorithm", a->name},
                    {"description", a->description},
                    {"ranks", a->ranks},
                    {"parameters", Json(names)},
                    {"formula", a->formula},
                    {"exact", a->exact},
                    {"source", a->source}});
  }
  return to_python(rows);
}

py::object prove_call(const std::string& collective, const std::string& name, Rank ranks, Rank root,
                      int radix, const Size& size) {
  return while_others_run([&] {
    const Algorithm& a = algorithm(definition(collective).collective, name);
    Call call{.ranks = ranks, .root = root, .message = bytes(size)};
    call.radix = radix;
    check(a, call);
    const Schedule schedule = a.schedule(call);
    const auto wrong = prove(schedule, a.collective, root);
    Json answer = {{"collective", definition(a.collective).name},
                   {"algorithm", a.name},
                   {"ranks", ranks},
                   {"holds", !wrong},
                   {"steps", schedule.steps},
                   {"messages", traffic(schedule).messages}};
    if (wrong)
      answer["counterexample"] = {{"rank", wrong->rank}, {"block", wrong->block}, {"what", wrong->what}};
    return answer;
  });
}

py::object inspect_files(const OneOrMore<std::string>& files) {
  return while_others_run([&] {
    const auto source = open_source(all(files));
    return as_json(report::inspected(*source, inspect(*source)));
  });
}

py::object calibrate_with(const OneOrMore<std::string>& tables, const std::string& base,
                          const std::string& policy) {
  return while_others_run([&] {
    const DatedTables read = read_tables(some(tables, "tables"));
    const auto told = [](const auto& calibration) {
      return Json{{"platform", calibration.platform}, {"notes", calibration.notes}};
    };
    return policy.empty() ? told(calibrate(load_platform(base), read.measured, read.dates))
                          : told(calibrate_nccl(load_platform(base), read.measured, policy, read.source()));
  });
}

py::object validate_tables(const OneOrMore<std::string>& tables, const std::string& platform,
                           const std::string& policy) {
  return while_others_run([&] {
    const Description described = load_platform(platform);
    const accuracy::Comparison compared =
        accuracy::compare(read_tables(some(tables, "tables")).measured, described, policy);
    require_points(compared);
    return as_json(compared, described.name(), policy);
  });
}

}  // namespace

PYBIND11_MODULE(collcast, m) {
  using namespace py::literals;
  m.doc() = "Forecasts how long collective communication takes, and what it does to an application.";
  m.attr("__version__") = COLLCAST_VERSION;
  static py::exception<InputError> bad_input(m, "InputError", PyExc_ValueError);
  bad_input.doc() = "Bad input: one line that says what is wrong, where, and what would be accepted.";
  py::register_exception_translator([](std::exception_ptr raised) {
    try {
      if (raised) std::rethrow_exception(raised);
    } catch (const InputError& e) {  // names in the message may hold line breaks
      bad_input(one_line(e.what()).c_str());
    }
  });
  py::register_exception<SubstrateError>(m, "SubstrateError", PyExc_RuntimeError).doc() =
      "A library or machine failed.";
  m.def("platforms", &platforms, "The shipped platforms: a list of dictionaries.");
  m.def("algorithms", &algorithm_list, "collective"_a = py::none(),
        "The catalogue, of one collective or of all: a list of dictionaries.");
  add_predict(m);
  m.def("prove", &prove_call, "collective"_a, "algorithm"_a, "ranks"_a, py::kw_only(), "root"_a = 0,
        "radix"_a = 2, "size"_a = "1MiB",
        "Whether an algorithm computes its collective, in so many steps and messages; else with a "
        "counterexample.");
  add_programs(m);
  add_plan(m);
  add_sweep(m);
  add_decide(m);
  m.def("inspect", &inspect_files, "files"_a,
        "What is in a trace or profile, with the keys of `collcast inspect --format json`.");
  m.def("calibrate", &calibrate_with, "tables"_a, "base"_a, py::kw_only(), "policy"_a = "",
        "A platform as `collcast calibrate` fits it to tables of OSU or, with NCCL's policy, of nccl-tests: "
        "{'platform': what its file holds, 'notes'}.");
  m.def("validate", &validate_tables, "tables"_a, "platform"_a, py::kw_only(), "policy"_a = "fastest",
        "Predicted against measured: the error of every point of tables of OSU or nccl-tests. A "
        "dictionary with the keys of `collcast validate --measurements --format json`.");
  dress(m);
}

}  // namespace collcast::python
