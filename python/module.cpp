// SPDX-License-Identifier: Apache-2.0
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "algorithms/catalogue.hpp"
#include "forecast/report/answer.hpp"
#include "forecast/report/timeline.hpp"
#include "model/proof.hpp"
#include "model/sizes.hpp"
#include "platforms/description/load.hpp"
#include "platforms/machine/listing.hpp"
#include "platforms/machine/machine.hpp"
#include "platforms/machine/paths.hpp"
#include "replay/application/inspected.hpp"
#include "replay/application/report.hpp"
#include "replay/formats/formats.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/printable.hpp"
#include "support/suggest.hpp"
#include "validation/calibration/calibrate.hpp"
#include "validation/calibration/nccl.hpp"
#include "validation/measurements/read.hpp"
#include "workloads/playing/job_source.hpp"
#include "workloads/playing/playing.hpp"
#include "workloads/playing/rows.hpp"
#include "workloads/playing/training_text.hpp"

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

/// What is to be said beside an answer.
void warn(const std::vector<std::string>& notes) {
  for (const std::string& words : notes)
    if (PyErr_WarnEx(PyExc_UserWarning, printable(words).c_str(), 1) != 0) throw py::error_already_set();
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

/// What `predict` and `times` are asked.
struct Asked {
  OneOrMore<std::string> collective, platform;
  OneOrMore<Rank> ranks;
  OneOrMore<Size> size;
  std::string algorithm, policy, engine;
  std::vector<std::string> set;
  Rank root;
  std::string segment, placement;

  Question question() const {
    Question q;
    q.collectives = all(collective), q.platforms = all(platform), q.ranks = all(ranks);
    for (const Size& s : all(size)) q.sizes.push_back(bytes(s));
    q.algorithm = algorithm, q.policy = policy, q.engine = engine;
    q.set = set, q.placement = placement;
    if (root != 0) q.call.root = std::to_string(root);
    q.call.segment = segment;
    return q;
  }
};

py::object predict(const Asked& asked) {
  report::Report answer;
  {
    const py::gil_scoped_release others_run;
    answer = report::make(ask(asked.question()));
  }
  return to_python(answer.sections.at(0).rows);
}

/// An axis for each of platform, collective, ranks and size that is a list, and one of time, low and high.
py::array_t<double> times(const Asked& asked) {
  if (asked.algorithm == "all") throw InputError("times: takes one algorithm, or auto, not all");
  std::vector<py::ssize_t> shape;
  const auto axis = [&](const auto& given) {
    if (const std::size_t length = all(given).size(); given.index() == 1 && length > 0)
      shape.push_back(static_cast<py::ssize_t>(length));
  };
  axis(asked.platform), axis(asked.collective), axis(asked.ranks), axis(asked.size);
  shape.push_back(3);
  Answer answer;
  {
    const py::gil_scoped_release others_run;
    answer = ask(asked.question());
  }
  py::array_t<double> seconds(shape);
  double* at = seconds.mutable_data();
  for (const Answer::Row& r : answer.rows)
    for (const Seconds t : {r.prediction.time, r.prediction.low, r.prediction.high}) *at++ = t.value;
  return seconds;
}

/// Python's arguments, one by one: `predict` and `times` share them.
template <auto function>
auto called(const OneOrMore<std::string>& collective, const OneOrMore<std::string>& platform,
            const OneOrMore<Rank>& ranks, const OneOrMore<Size>& size, const std::string& algorithm,
            const std::string& policy, const std::string& engine, const std::vector<std::string>& set,
            Rank root, const std::string& segment, const std::string& placement) {
  return function(
      {collective, platform, ranks, size, algorithm, policy, engine, set, root, segment, placement});
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

/// A row of each forecast that `add(platform, playing, rows, notes)` makes on one platform after the other.
template <class Add>
py::object on_each(const OneOrMore<std::string>& platforms, const std::vector<std::string>& set,
                   const workloads::HowPlayed& how, const Add& add) {
  Json rows = Json::array();
  std::vector<std::string> notes;
  {
    const py::gil_scoped_release others_run;
    for (const std::string& name : all(platforms)) {
      Description platform = load_platform(name);
      set_all(platform, set);
      std::ranges::copy(told_of(platform), std::back_inserter(notes));
      workloads::Playing playing(platform, how);
      add(platform, playing, rows, notes);
      std::ranges::copy(playing.notes(), std::back_inserter(notes));
    }
  }
  warn(notes);
  return to_python(rows);
}

py::object train(const OneOrMore<std::string>& models, const OneOrMore<std::string>& platforms,
                 const OneOrMore<Rank>& ranks, const std::string& framework, const std::string& precision,
                 int batch, std::optional<double> throughput, double slowdown, double noise,
                 const std::string& input, const std::string& checkpoint, const std::string& policy,
                 const std::string& engine, const std::vector<std::string>& set) {
  const auto text = [](double number) { return Json(number).dump(); };
  workloads::TrainingText step{.model = {},
                               .framework = framework,
                               .precision = precision,
                               .policy = policy,
                               .batch = std::to_string(batch),
                               .throughput = throughput ? text(*throughput) : "",
                               .slowdown = text(slowdown),
                               .noise = text(noise),
                               .input = input,
                               .checkpoint = checkpoint};
  const auto add = [&](const Description& platform, workloads::Playing& playing, Json& rows,
                       std::vector<std::string>& notes) {
    for (const std::string& model : all(models)) {
      step.model = model;
      workloads::Training training = described(step, platform);
      for (const Rank count : all(ranks)) {
        training.ranks = count;
        require_room(platform, count);
        const workloads::StepForecast forecast = playing.forecast(training);
        Json row{{"platform", platform.name()}, {"model", model}};
        row.update(train_row(training, forecast));
        row["start_broadcast_s"] = start_broadcast(training, playing.price()).value;
        rows.push_back(std::move(row));
        if (const std::string refusal = too_large(training, forecast); !refusal.empty())
          notes.push_back(model + " " + refusal);
      }
    }
  };
  return on_each(platforms, set, {policy, engine}, add);
}

py::object job(const OneOrMore<std::string>& what, const OneOrMore<std::string>& platforms,
               const OneOrMore<Rank>& ranks, const std::string& policy, const std::string& engine,
               const std::vector<std::string>& set, int pieces, const std::string& delivery, double samples) {
  const workloads::HowPlayed how{policy, engine, pieces, is_direct("delivery", delivery)};
  std::vector<Rank> counts = all(ranks);
  if (counts.empty()) counts = {0};  // as the file says
  const auto add = [&](const Description& platform, workloads::Playing& playing, Json& rows, auto&) {
    for (const std::string& one : all(what)) {
      const workloads::JobSource source(one, platform);
      for (const Rank count : counts) {
        const workloads::Job job = source.on(count);
        require_room(platform, job.ranks());
        require_offload(how, job);
        Json row{{"platform", platform.name()}, {"job", job.name}};
        row.update(job_row(job, playing.forecast(job), samples, platform));
        rows.push_back(std::move(row));
      }
    }
  };
  return on_each(platforms, set, how, add);
}

Json of(const ReplayReport& r) {
  Json answer = report::totals(r);
  answer["operations"] = report::operations(r), answer["not_modelled"] = report::not_modelled(r);
  answer["notes"] = r.notes;
  return answer;
}

py::object replay_trace(const OneOrMore<std::string>& trace, const std::string& platform,
                        const std::map<std::string, std::string>& algorithms, const std::string& policy,
                        const std::string& engine, const std::vector<std::string>& set, double compute_scale,
                        const std::string& placement, const std::string& timeline) {
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
    options.placement = parse_placement(placement);
    std::optional<report::Timeline> drawn;
    if (!timeline.empty()) drawn.emplace(timeline);
    if (drawn)
      options.watched = [&](const Fabric& fabric, const NameOf& name) { return drawn->watch(fabric, name); };
    const Trace opened = open_trace(all(trace));
    ReplayReport report = replay(opened.source(), description, options);
    if (drawn) {
      const std::string& name = opened.source().info().name;
      for (std::string& words :
           drawn->write({{"title", name + " on " + platform}, {"time_s", report.time.value}}))
        report.notes.push_back(std::move(words));
    }
    answer = of(report);
  }
  return to_python(answer);
}

py::object inspect_files(const OneOrMore<std::string>& files) {
  Json answer;
  {
    const py::gil_scoped_release others_run;
    const auto source = open_source(all(files));
    answer = as_json(report::inspected(*source, inspect(*source)));
  }
  return to_python(answer);
}

py::object calibrate_with(const OneOrMore<std::string>& tables, const std::string& base,
                          const std::string& policy) {
  Json answer;
  {
    const py::gil_scoped_release others_run;
    std::vector<Measurement> measured;
    for (const std::string& table : all(tables))
      for (Measurement& m : read_measurements(parse_measurement_file(table)))
        measured.push_back(std::move(m));
    const auto keep = [&](const auto& calibration) {
      answer = {{"platform", calibration.platform}, {"notes", calibration.notes}};
    };
    if (policy.empty())
      keep(calibrate(load_platform(base), measured));
    else
      keep(calibrate_nccl(load_platform(base), measured, policy, join(all(tables))));
  }
  return to_python(answer);
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
    } catch (const InputError& e) {  // names may hold the end of a line
      bad_input(printable(e.what()).c_str());
    }
  });
  py::register_exception<SubstrateError>(m, "SubstrateError", PyExc_RuntimeError).doc() =
      "A library or machine failed.";
  m.def("platforms", &platforms, "The shipped platforms: a list of dictionaries.");
  m.def("algorithms", &algorithm_list, "collective"_a = py::none(),
        "The catalogue, of one collective or of all: a list of dictionaries.");
  const auto forecast = [&m](const char* name, auto function, const char* words) {
    m.def(name, function, "collective"_a, "platform"_a, "ranks"_a, "size"_a = py::list(), py::kw_only(),
          "algorithm"_a = "auto", "policy"_a = "fastest", "engine"_a = Question().engine,
          "set"_a = std::vector<std::string>(), "root"_a = 0, "segment"_a = "", "placement"_a = "block",
          words);
  };
  forecast(
      "predict", &called<predict>,
      "How long a collective takes: a dictionary per platform, collective, ranks, size and algorithm, with "
      "the keys of `collcast predict --format json`.\n\nsize: bytes, or text like '64KiB'; collective, "
      "platform, ranks and size may be lists. Raises InputError.");
  forecast("times", &called<times>,
           "The same as a numpy array of seconds. Its axes are those of platform, collective, ranks and size "
           "that are lists, in this order, and then time, low and high.");
  m.def("prove", &prove_call, "collective"_a, "algorithm"_a, "ranks"_a, py::kw_only(), "root"_a = 0,
        "radix"_a = 2, "size"_a = "1MiB",
        "Whether an algorithm computes its collective; else with a counterexample.");
  m.def("replay", &replay_trace, "trace"_a, "platform"_a, py::kw_only(),
        "algorithms"_a = std::map<std::string, std::string>(), "policy"_a = "", "engine"_a = "",
        "set"_a = std::vector<std::string>(), "compute_scale"_a = 1.0, "placement"_a = "block",
        "timeline"_a = "",
        "How long a recorded application takes on a platform, with the keys of `collcast replay --format "
        "json`. timeline: a file FILE.json.gz to write, of who computes and sends what when.");
  m.def("train", &train, "model"_a, "platform"_a, "ranks"_a, py::kw_only(), "framework"_a = "ddp",
        "precision"_a = "fp32", "batch"_a = 32, "throughput"_a = py::none(), "slowdown"_a = 0.0,
        "noise"_a = 0.0, "input"_a = "", "checkpoint"_a = "", "policy"_a = "", "engine"_a = "",
        "set"_a = std::vector<std::string>(),
        "How long a training step takes, and what limits it: a dictionary per platform, model and ranks, "
        "which may be lists, with the keys of the rows of `collcast train --format json`.");
  m.def("job", &job, "what"_a, "platform"_a, "ranks"_a = py::list(), py::kw_only(), "policy"_a = "",
        "engine"_a = "", "set"_a = std::vector<std::string>(), "pieces"_a = 1, "delivery"_a = "staged",
        "samples"_a = 0.0,
        "How long an application, or the job that a file describes, takes: a dictionary per platform, job "
        "and ranks, which may be lists, with the keys of the rows of `collcast job --format json`.");
  m.def("inspect", &inspect_files, "files"_a,
        "What is in a trace or profile, with the keys of `collcast inspect --format json`.");
  m.def("calibrate", &calibrate_with, "tables"_a, "base"_a, py::kw_only(), "policy"_a = "",
        "A platform as `collcast calibrate` fits it to tables of OSU or, with NCCL's policy, of nccl-tests: "
        "{'platform': what its file holds, 'notes'}.");
}

}  // namespace collcast::python
