// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/tune.hpp"
#include "forecast/synthesis/gap.hpp"
#include "forecast/synthesis/synthesize.hpp"
#include "libraries/transport.hpp"
#include "python/interrupt.hpp"
#include "python/values.hpp"
#include "support/json.hpp"

namespace collcast::python {
namespace {

Watch watch() {
  Watch watch;
  watch.interrupt = interrupt();
  return watch;
}

/// The question that both `gap` and `synthesize` ask.
Question question(const std::string& collective, const std::string& platform, Rank ranks,
                  const OneOrMore<Size>& size, Rank root, const Assignments& set,
                  const std::string& placement, const std::string& memory_name,
                  const std::string& transport) {
  Question q;
  q.collectives = {collective}, q.platforms = {platform}, q.ranks = {checked_ranks(ranks)};
  q.sizes = sizes(size), q.set = assignments(set);
  q.placement = placement, q.memory = memory(memory_name);
  if (!transport.empty()) q.transport = parse_transport(transport);
  if (root != 0) q.call.root = std::to_string(root);
  return q;
}

py::object gap_of(const std::string& collective, const std::string& platform, Rank ranks,
                  const OneOrMore<Size>& size, const std::string& policy, const std::string& engine,
                  const Assignments& set, Rank root, const std::string& placement, const std::string& memory,
                  const std::string& transport) {
  return while_others_run([&] {
    Question q = question(collective, platform, ranks, size, root, set, placement, memory, transport);
    q.policy = policy, q.engine = engine;
    return as_json(gap(q, watch()));
  });
}

py::object synthesized(const std::string& collective, const std::string& platform, Rank ranks,
                       const OneOrMore<Size>& size, const std::string& form, std::int64_t trees,
                       const Assignments& set, Rank root, const std::string& placement,
                       const std::string& memory, const std::string& transport) {
  if (form != "json" && form != "xml")
    throw InputError("form: '" + form + "' is not known; expected json or xml");
  if (trees < 0 || trees > 64) throw InputError("trees: " + std::to_string(trees) + "; expected 0 to 64");
  return while_others_run([&] {
    const Synthesized made =
        synthesize(question(collective, platform, ranks, size, root, set, placement, memory, transport),
                   trees, form == "json" ? ScheduleFile::json : ScheduleFile::msccl, watch());
    Json answer = as_json(made.report);
    answer["file"] = made.file;
    return answer;
  });
}

py::object tuned_for(const std::string& library, const std::string& platform, Rank ranks,
                     const OneOrMore<Size>& size, const OneOrMore<std::string>& collective,
                     const std::string& policy, const std::string& engine, const Assignments& set,
                     const std::string& placement, const std::optional<std::string>& memory_name) {
  return while_others_run([&] {
    TuneQuestion q{library,         policy,    platform, assignments(set), checked_ranks(ranks), sizes(size),
                   all(collective), placement, engine};
    if (memory_name) q.memory = memory(*memory_name);
    const tuner::Format& format = tuner::format(library);
    const Tuned tuned = tune(q, watch());
    report::Report report = report::make(tuned, format);
    report::tell_without_effect(report, q, watch());
    report.sections.push_back(report::choices(tuned));
    Json answer = as_json(report);
    answer["file"] = format.write(tuned.tuning);
    return answer;
  });
}

}  // namespace

void add_decide(py::module_& m) {
  using namespace py::literals;
  const Assignments none = std::vector<std::string>();
  m.def("gap", &gap_of, "collective"_a, "platform"_a, "ranks"_a, "size"_a = "1KiB:1GiB:x16", py::kw_only(),
        "policy"_a = "fastest", "engine"_a = Question().engine, "set"_a = none, "root"_a = 0,
        "placement"_a = "block", "memory"_a = "device", "transport"_a = "",
        "How far from the bound are a synthesized schedule, the catalogue's fastest and, with policy, a "
        "library's choice, at each size. A dictionary with the keys of `collcast gap --format json`.");
  m.def("synthesize", &synthesized, "collective"_a, "platform"_a, "ranks"_a, "size"_a = "1GiB", py::kw_only(),
        "form"_a = "json", "trees"_a = 0, "set"_a = none, "root"_a = 0, "placement"_a = "block",
        "memory"_a = "device", "transport"_a = "",
        "Makes the fastest schedules for a machine, and proves them. A dictionary with the keys of `collcast "
        "synthesize --format json`, and 'file': the text of what is fastest at the largest size, by form for "
        "import_ (json) or for MSCCL (xml).");
  m.def("tune", &tuned_for, "library"_a, "platform"_a, "ranks"_a, "size"_a, py::kw_only(),
        "collective"_a = std::vector<std::string>(), "policy"_a = "", "engine"_a = TuneQuestion().engine,
        "set"_a = none, "placement"_a = "block", "memory"_a = py::none(),
        "The fastest that a library can be told at each size (library: what `collcast tune --for` takes). A "
        "dictionary with the keys of `collcast tune --all --format json`, and 'file': the text that the "
        "library reads.");
}

}  // namespace collcast::python
