// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "algorithms/catalogue.hpp"
#include "forecast/report/answer.hpp"
#include "model/proof.hpp"
#include "model/sizes.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/listing.hpp"
#include "replay/application/report.hpp"
#include "replay/formats/formats.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace py = pybind11;
namespace collcast::python {
namespace {

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

/// Bytes as a number, or as text: "64KiB".
using Size = std::variant<double, std::string>;
Bytes bytes(const Size& size) {
  if (const auto* text = std::get_if<std::string>(&size)) return parse_size(*text, "size");
  const double number = std::get<double>(size);
  if (!(number >= 0) || number > 1e18) throw InputError("size must be from 0 to 1e18 bytes");
  return Bytes(number);
}

template <class T>
using OneOrMore = std::variant<T, std::vector<T>>;
template <class T>
std::vector<T> all(const OneOrMore<T>& given) {
  if (const auto* one = std::get_if<T>(&given)) return {*one};
  return std::get<std::vector<T>>(given);
}

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
  for (const Algorithm* a : catalogue())
    if (!only || a->collective == only->collective)
      rows.push_back({{"collective", definition(a->collective).name},
                      {"algorithm", a->name},
                      {"description", a->description},
                      {"ranks", a->ranks},
                      {"parameters", Json(parameters(*a))},
                      {"formula", a->formula},
                      {"exact", a->exact},
                      {"source", a->source}});
  return to_python(rows);
}

py::object predict(const OneOrMore<std::string>& collective, const OneOrMore<std::string>& platform,
                   const OneOrMore<Rank>& ranks, const OneOrMore<Size>& size, const std::string& algorithm,
                   const std::string& policy, const std::string& engine, const std::vector<std::string>& set,
                   Rank root, const std::string& segment, const std::string& placement) {
  Question question;
  question.collectives = all(collective);
  question.platforms = all(platform);
  question.ranks = all(ranks);
  for (const Size& s : all(size)) question.sizes.push_back(bytes(s));
  question.algorithm = algorithm;
  question.policy = policy;
  question.engine = engine;
  question.set = set;
  question.placement = placement;
  if (root != 0) question.call.root = std::to_string(root);
  question.call.segment = segment;
  Json rows;
  {
    const py::gil_scoped_release others_run;
    rows = report::make(ask(question)).sections.at(0).rows;
  }
  return to_python(rows);
}

py::object prove_call(const std::string& collective, const std::string& name, Rank ranks, Rank root,
                      int radix, const Size& size) {
  Json answer;
  {
    const py::gil_scoped_release others_run;
    const Algorithm& a = algorithm(definition(collective).collective, name);
    Call call{.ranks = ranks, .root = root, .message = bytes(size)};
    call.radix = radix;
    check(a, call);
    const Schedule schedule = a.schedule(call);
    const auto wrong = prove(schedule, a.collective, root);
    answer = {{"collective", definition(a.collective).name},
              {"algorithm", a.name},
              {"ranks", ranks},
              {"holds", !wrong},
              {"steps", schedule.steps},
              {"messages", traffic(schedule).messages}};
    if (wrong)
      answer["counterexample"] = {{"rank", wrong->rank}, {"block", wrong->block}, {"what", wrong->what}};
  }
  return to_python(answer);
}

Json of(const ReplayReport& r) {
  Json answer = report::totals(r);
  answer["operations"] = report::operations(r), answer["not_modelled"] = report::not_modelled(r);
  answer["notes"] = r.notes;
  return answer;
}

py::object replay_trace(const OneOrMore<std::string>& trace, const std::string& platform,
                        const std::map<std::string, std::string>& algorithms, const std::string& policy,
                        const std::string& engine, const std::vector<std::string>& set,
                        double compute_scale) {
  Json answer;
  {
    const py::gil_scoped_release others_run;
    Description description = load_platform(platform);
    set_all(description, set);
    ReplayOptions options;
    if (!engine.empty()) options.engine = &playing_engine(engine);
    options.algorithms = algorithms;
    options.policy = policy;
    options.compute_scale = compute_scale;
    answer = of(replay(*open_source(all(trace)), description, options));
  }
  return to_python(answer);
}

}  // namespace

PYBIND11_MODULE(collcast, m) {
  using namespace py::literals;
  m.doc() = "Forecasts how long collective communication takes, and what it does to an application.";
  m.attr("__version__") = COLLCAST_VERSION;
  py::register_exception<InputError>(m, "InputError", PyExc_ValueError).doc() =
      "Bad input: one line that says what is wrong, where, and what would be accepted.";
  py::register_exception<SubstrateError>(m, "SubstrateError", PyExc_RuntimeError).doc() =
      "A library or machine failed.";
  m.def("platforms", &platforms, "The shipped platforms: a list of dictionaries.");
  m.def("algorithms", &algorithm_list, "collective"_a = py::none(),
        "The catalogue, of one collective or of all: a list of dictionaries.");
  m.def(
      "predict", &predict, "collective"_a, "platform"_a, "ranks"_a, "size"_a, py::kw_only(),
      "algorithm"_a = "auto", "policy"_a = "fastest", "engine"_a = Question().engine,
      "set"_a = std::vector<std::string>(), "root"_a = 0, "segment"_a = "", "placement"_a = "block",
      "How long a collective takes: a dictionary per platform, collective, ranks, size and algorithm, with "
      "the "
      "keys of `collcast predict --format json`.\n\nsize: bytes, or text like '64KiB'; collective, platform, "
      "ranks and size may be lists. Raises InputError.");
  m.def("prove", &prove_call, "collective"_a, "algorithm"_a, "ranks"_a, py::kw_only(), "root"_a = 0,
        "radix"_a = 2, "size"_a = "1MiB",
        "Whether an algorithm computes its collective; else with a counterexample.");
  m.def("replay", &replay_trace, "trace"_a, "platform"_a, py::kw_only(),
        "algorithms"_a = std::map<std::string, std::string>(), "policy"_a = "fastest", "engine"_a = "",
        "set"_a = std::vector<std::string>(), "compute_scale"_a = 1.0,
        "How long a recorded application takes on a platform, with the keys of `collcast replay --format "
        "json`.");
}

}  // namespace collcast::python
