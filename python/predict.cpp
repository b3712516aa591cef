// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "algorithms/exchange/msccl.hpp"
#include "forecast/report/answer.hpp"
#include "forecast/report/timeline.hpp"
#include "forecast/report/what_if.hpp"
#include "model/ranges.hpp"
#include "python/interrupt.hpp"
#include "python/values.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/notes.hpp"

namespace collcast::python {
namespace {

/// What a caller of `predict` or `times` asks.
struct Asked {
  OneOrMore<std::string> collective, platform, algorithm;
  OneOrMore<Rank> ranks;
  OneOrMore<Size> size;  ///< sizes, and ranges of them
  Question question;     ///< the rest of what is asked
  std::optional<ImportedAlgorithm> imported = {};

  Answer answer(const std::string& by, Watch watch = {}) {
    watch.interrupt = interrupt();
    Question& q = question;
    q.algorithm = by;
    q.collectives = all(collective), q.platforms = all(platform), q.ranks = all(ranks);
    q.sizes = sizes(size);
    if (imported) {
      if (imported->wrong) throw InputError(imported->refusal());
      if (q.algorithm != "auto") throw InputError("algorithm: excludes import_");
      std::optional<std::int64_t> root;
      if (!q.call.root.empty()) root = std::stoll(q.call.root);
      for (const std::string& name : q.collectives) require(*imported, name, root);
      if (definition(imported->algorithm.collective).rooted) q.call.root = std::to_string(imported->root);
      q.own = &imported->algorithm, q.algorithm = imported->algorithm.name;
    }
    Answer answer = ask(q, watch);
    if (imported) add_once(answer.notes, imported->note());
    return answer;
  }
};

/// What the program prints about an answer besides its rows.
std::vector<std::string> told(const Answer& answer) {
  std::vector<std::string> all = report::notes(answer);
  append_lines(all, report::words(answer.unbound));
  return all;
}

/// Lets a timeline watch the messages of the forecast. Throws InputError unless there is exactly one.
Watch watched(const Asked& asked, report::Timeline& timeline) {
  const auto cases = all(asked.platform).size() * all(asked.collective).size() * all(asked.ranks).size() *
                     std::max<std::size_t>(1, sizes(asked.size).size()) * all(asked.algorithm).size();
  if (cases != 1 || all(asked.algorithm).front() == "all")
    throw InputError("timeline: takes a single collective, algorithm, platform, number of ranks and size");
  return {.watched = [&](const Fabric& fabric, const NameOf& name) { return timeline.watch(fabric, name); }};
}

py::object predict(Asked asked, bool with_synthesized, bool explain, bool sensitivity,
                   const std::string& path) {
  Question& q = asked.question;
  q.with_synthesized = with_synthesized, q.explain = explain, q.sensitivity = sensitivity;
  Json rows = Json::array();
  std::vector<std::string> notes;
  {
    const py::gil_scoped_release others_run;
    std::optional<report::Timeline> timeline;
    if (!path.empty()) timeline.emplace(path);
    for (const std::string& algorithm : some(asked.algorithm, "algorithm")) {
      const Answer answer = asked.answer(algorithm, timeline ? watched(asked, *timeline) : Watch{});
      for (const std::string& words : told(answer)) add_once(notes, words);
      if (timeline) std::ranges::move(timeline->write(report::about(answer)), std::back_inserter(notes));
      for (Json& row : report::rows(answer)) rows.push_back(std::move(row));
    }
  }
  warn(notes);
  return to_python(rows);
}

/// An array with one axis for each of platform, collective, ranks and size that is a list, and a last axis of
/// time, low and high.
py::array_t<double> times(Asked asked) {
  const std::vector<std::string> algorithms = all(asked.algorithm);
  if (algorithms.size() != 1 || algorithms[0] == "all")
    throw InputError("times: takes one algorithm, or auto, not all");
  std::vector<py::ssize_t> shape;
  const auto axis = [&](bool several, std::size_t length) {
    if (several && length > 0) shape.push_back(static_cast<py::ssize_t>(length));
  };
  const auto axis_of = [&](const auto& given) { axis(given.index() == 1, all(given).size()); };
  axis_of(asked.platform), axis_of(asked.collective), axis_of(asked.ranks);
  axis(asked.size.index() == 1 || is_range(text(std::get<Size>(asked.size))), sizes(asked.size).size());
  shape.push_back(3);
  Answer answer;
  {
    const py::gil_scoped_release others_run;
    answer = asked.answer(algorithms[0]);
  }
  warn(told(answer));
  py::array_t<double> seconds(shape);
  double* at = seconds.mutable_data();
  for (const Answer::Row& r : answer.rows)
    for (const Seconds t : {r.prediction.time, r.prediction.low, r.prediction.high}) *at++ = t.value;
  return seconds;
}

Offload offload(const std::string& who, std::optional<std::int64_t> workers, int pieces,
                std::optional<double> compute) {
  if (!who.empty() && who != "dpu" && who != "none")
    throw InputError("offload: '" + who + "' is not known; expected dpu or none");
  if (who.empty() && (workers || pieces != 1 || compute))
    throw InputError("workers, pieces and compute go with offload");
  return {who, workers, pieces, compute};
}

/// Takes Python's arguments one by one: those that both calls have, then those that only `predict` has.
template <auto function, class... More>
auto called(const OneOrMore<std::string>& collective, const OneOrMore<std::string>& platform,
            const OneOrMore<Rank>& ranks, const OneOrMore<Size>& size,
            const OneOrMore<std::string>& algorithm, const std::string& policy, const std::string& engine,
            const Assignments& set, Rank root, const Size& segment, const std::string& placement,
            std::optional<int> radix, std::optional<int> channels, const std::vector<Size>& counts,
            const Size& buffer, std::optional<int> ranks_per_node, const std::string& memory_name,
            const std::string& transport, const std::string& import, const std::string& offload_to,
            std::optional<std::int64_t> workers, int pieces, std::optional<double> compute,
            const More&... more) {
  Asked asked{collective, platform, algorithm, ranks, size, {}};
  Question& q = asked.question;
  q.policy = policy, q.engine = engine, q.set = assignments(set), q.placement = placement;
  q.memory = memory(memory_name);
  if (!transport.empty()) q.transport = parse_transport(transport);
  if (root != 0) q.call.root = std::to_string(root);
  q.call.segment = text(segment), q.call.buffer = text(buffer);
  q.call.radix = text(radix), q.call.channels = text(channels), q.call.ranks_per_node = text(ranks_per_node);
  for (const Size& count : counts) q.call.counts.push_back(text(count));
  q.offload = offload(offload_to, workers, pieces, compute);
  if (!import.empty()) asked.imported = read_algorithm(import);
  return function(std::move(asked), more...);
}

}  // namespace

void add_predict(py::module_& m) {
  using namespace py::literals;
  const auto add = [&m](const char* name, auto function, const auto&... more) {
    m.def(name, function, "collective"_a, "platform"_a, "ranks"_a, "size"_a = py::list(), py::kw_only(),
          "algorithm"_a = "auto", "policy"_a = "fastest", "engine"_a = Question().engine,
          "set"_a = Assignments(std::vector<std::string>()), "root"_a = 0, "segment"_a = "",
          "placement"_a = "block", "radix"_a = py::none(), "channels"_a = py::none(),
          "counts"_a = std::vector<Size>(), "buffer"_a = "", "ranks_per_node"_a = py::none(),
          "memory"_a = "device", "transport"_a = "", "import_"_a = "", "offload"_a = "",
          "workers"_a = py::none(), "pieces"_a = 1, "compute"_a = py::none(), more...);
  };
  add("predict", &called<predict, bool, bool, bool, std::string>, "with_synthesized"_a = false,
      "explain"_a = false, "sensitivity"_a = false, "timeline"_a = "",
      "How long a collective takes: a dictionary per platform, collective, ranks, size and algorithm, with "
      "the keys of `collcast predict --format json`.\n\nArguments are the program's options. size: bytes, "
      "rounded to whole ones, or text like '64KiB' or '1KiB:1GiB:x4'; collective, platform, ranks, size "
      "and algorithm may be lists. "
      "import_: a file with an "
      "algorithm; timeline: a file FILE.json.gz to write. Raises InputError.");
  add("times", &called<times>,
      "The same as a numpy array of seconds. Its axes are those of platform, collective, ranks and size "
      "that are lists, or a range of sizes, in this order, and then time, low and high.");
}

}  // namespace collcast::python
