// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "forecast/report/answer.hpp"
#include "forecast/report/timeline.hpp"
#include "forecast/report/what_if.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/plausible.hpp"
#include "platforms/machine/machine.hpp"
#include "platforms/machine/paths.hpp"
#include "python/interrupt.hpp"
#include "python/values.hpp"
#include "replay/application/report.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/interrupt.hpp"
#include "support/json.hpp"
#include "support/notes.hpp"
#include "support/text.hpp"
#include "workloads/playing/job_source.hpp"
#include "workloads/playing/playing.hpp"
#include "workloads/playing/replay_text.hpp"
#include "workloads/playing/rows.hpp"
#include "workloads/playing/training_text.hpp"
#include "workloads/playing/what_if.hpp"
#include "workloads/settings.hpp"

namespace collcast::python {
namespace {

using workloads::HowPlayed, workloads::Playing, workloads::ReplayText, workloads::StepForecast,
    workloads::Training;

/// The sensitivity of `time` on a platform to the platform's parameters.
template <class Time>
Json sensitivity_of(const Description& platform, const Time& time) {
  return report::list(
      sensitivity(platform, [&](const Description& d) { return std::vector{time(d)}; }).back());
}

/// The rows of the forecasts that `add(platform, playing, rows, notes)` makes on each platform in turn.
/// `times` gives the times of the rows.
template <class Add>
py::object on_each(const OneOrMore<std::string>& platforms, const std::vector<std::string>& set,
                   const HowPlayed& how, const Add& add, const TimesOn& times) {
  Json rows = Json::array();
  std::vector<std::string> notes;
  {
    const py::gil_scoped_release others_run;
    const InterruptedBy user(interrupt());
    for (const std::string& name : some(platforms, "platform")) {
      const Description base = load_platform(name);
      Description platform = base;
      set_all(platform, set);
      std::ranges::copy(notes_on_settings(platform, Work::computation), std::back_inserter(notes));
      Playing playing(platform, how);
      Json here = Json::array();
      add(platform, playing, here, notes);
      std::ranges::copy(playing.notes(), std::back_inserter(notes));
      append_lines(notes, report::words(workloads::unbound_in({base, set, here, here.back()["limited_by"]},
                                                              times, times)));
      std::ranges::move(here, std::back_inserter(rows));
    }
  }
  warn(notes);
  return to_python(rows);
}

/// Where the time of a forecast goes: along the chain of causes if messages were played, else by part.
Json where_time_goes(const Playing& playing, const StepForecast& f) {
  return playing.by_messages() ? report::explanation(playing.causes(f.waits), f.time)
                               : workloads::activity_rows(f);
}

py::object train(const OneOrMore<std::string>& models, const OneOrMore<std::string>& platforms,
                 const OneOrMore<Rank>& ranks, const std::string& framework, const std::string& precision,
                 std::optional<int> batch, std::optional<double> throughput, double slowdown, double noise,
                 const std::string& input, const std::string& checkpoint, const std::string& policy,
                 const std::string& engine, const Assignments& set, const std::string& steps, bool explain,
                 bool sensitivity, std::optional<int> global_batch) {
  workloads::TrainingText step;
  step.framework = framework, step.precision = precision, step.policy = policy;
  step.batch = text(batch), step.global_batch = text(global_batch);
  step.throughput = throughput ? number_text(*throughput) : "";
  step.slowdown = number_text(slowdown), step.noise = number_text(noise);
  step.input = input, step.checkpoint = checkpoint;
  std::optional<workloads::Convergence> experience;
  if (!steps.empty()) experience = workloads::parse_convergence(read_file(steps), steps);
  const HowPlayed how{policy, engine};
  const auto on_each_model = [&](const Description& platform, const auto& visit) {
    for (const std::string& model : some(models, "model")) {
      step.model = model;
      Training training = described(step, platform);
      for (const Rank count : some(ranks, "ranks")) {
        training.ranks = checked_ranks(count);
        visit(training);
      }
    }
  };
  const auto add = [&](const Description& platform, Playing& playing, Json& rows,
                       std::vector<std::string>& notes) {
    on_each_model(platform, [&](const Training& training) {
      require_room(platform, training.ranks);
      const StepForecast forecast = playing.forecast(training);
      Json row{{"platform", platform.name()}, {"model", step.model}};
      row.update(train_row(training, forecast, playing.price()));
      if (experience) add_time_to_accuracy(row, *experience, forecast);
      if (explain) row["explanation"] = where_time_goes(playing, forecast);
      if (sensitivity)
        row["sensitivity"] = sensitivity_of(platform, [&](const Description& other) {
          Training moved = described(step, other);
          moved.ranks = training.ranks;
          return Playing(other, how).time(moved);
        });
      rows.push_back(std::move(row));
      for (std::string& words : workloads::cautions(training, forecast)) add_once(notes, std::move(words));
      if (const std::string refusal = too_large(training, forecast); !refusal.empty())
        notes.push_back(step.model + " " + refusal);
    });
  };
  const auto times = [&](const Description& platform) {
    Playing playing(platform, how);
    std::vector<Seconds> all;
    on_each_model(platform, [&](const Training& training) { all.push_back(playing.time(training)); });
    return all;
  };
  return on_each(platforms, assignments(set), how, add, times);
}

py::object job(const OneOrMore<std::string>& what, const OneOrMore<std::string>& platforms,
               const OneOrMore<Rank>& ranks, const std::string& policy, const std::string& engine,
               const Assignments& set, int pieces, const std::string& delivery, double samples) {
  const HowPlayed how{policy, engine, pieces, is_direct("delivery", delivery)};
  std::vector<Rank> counts = all(ranks);
  for (const Rank count : counts) checked_ranks(count);
  if (counts.empty()) counts = {0};  // the number of ranks that the file says
  if (samples != 0) workloads::above_zero(number_text(samples), "samples");
  const auto add = [&](const Description& platform, workloads::Playing& playing, Json& rows, auto&) {
    for (const std::string& one : some(what, "what")) {
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
  const auto times = [&](const Description& platform) {
    Playing playing(platform, how);
    std::vector<Seconds> all;
    for (const std::string& one : some(what, "what")) {
      const workloads::JobSource source(one, platform);
      for (const Rank count : counts) all.push_back(playing.time(source.on(count)));
    }
    return all;
  };
  return on_each(platforms, assignments(set), how, add, times);
}

/// The answer, with the explanation and the sensitivity if they were asked for.
Json replayed(const ReplayText& text, const std::string& platform, const std::vector<std::string>& set,
              bool explain, bool sensitivity, const std::string& path) {
  const Description base = load_platform(platform);
  Description description = base;
  set_all(description, set);
  ReplayOptions options = replay_options(text);
  const InterruptedBy user(interrupt());
  std::optional<report::Timeline> timeline;
  if (!path.empty()) timeline.emplace(path);
  if (timeline)
    options.watched = [&](const Fabric& fabric, const NameOf& name) { return timeline->watch(fabric, name); };
  const Trace opened = open_replayed(text);
  const Source& trace = opened.source();
  const ReplayReport r = replay(trace, description, options);
  Json answer = report::totals(r);
  answer["operations"] = report::operations(r), answer["not_modelled"] = report::rows_of(r.not_modelled);
  answer["notes"] = implausible(description);
  for (const std::string& words : r.notes) answer["notes"].push_back(words);
  if (r.stopped_short) answer["stopped_short"] = true;
  if (explain) answer["explanation"] = report::explanation(r.explanation, r.time);
  if (explain && r.explanation.empty() && r.time > Seconds())
    answer["notes"].push_back("too many messages for an explanation");
  if (timeline)
    for (const std::string& words :
         timeline->write({{"title", trace.info().name + " on " + platform}, {"time_s", r.time.value}}))
      answer["notes"].push_back(words);
  options.watched = nullptr;
  const auto time_by = [&](const Engine& engine) {
    ReplayOptions by = options;
    by.engine = &engine;
    return [&trace, by](const Description& d) { return replay_time(trace, d, by); };
  };
  const auto times_by = [&](const Engine& engine) {
    return [time = time_by(engine)](const Description& d) { return std::vector{time(d)}; };
  };
  answer["unbound"] = report::list(workloads::unbound_in(
      {base, set, Json::array(), r.limited_by}, times_by(*options.engine), times_by(engine("path"))));
  if (sensitivity) answer["sensitivity"] = sensitivity_of(description, time_by(engine("path")));
  return answer;
}

py::object replay_trace(const OneOrMore<std::string>& trace, const std::string& platform,
                        const std::map<std::string, std::string>& algorithm, const std::string& policy,
                        const std::string& engine, const Assignments& set, double compute_scale,
                        const std::string& placement, const std::string& steps, const Size& fusion,
                        const std::string& cycle, const Size& bucket, const std::string& nonblocking,
                        const std::string& offload, int pieces, const std::string& delivery,
                        std::optional<Rank> ranks, const std::optional<std::string>& memory_name,
                        bool explain, bool sensitivity, const std::string& timeline) {
  ReplayText asked;
  asked.files = all(trace);
  for (const auto& [collective, name] : algorithm) asked.algorithms.push_back(collective + "=" + name);
  asked.steps = steps, asked.cycle = cycle, asked.nonblocking = nonblocking, asked.offload = offload;
  asked.fusion = text(fusion), asked.bucket = text(bucket), asked.ranks = text(ranks);
  asked.pieces = std::to_string(pieces), asked.delivery = delivery, asked.placement = placement;
  asked.policy = policy, asked.compute_scale = text::exact(compute_scale);
  if (!engine.empty()) asked.engine = engine;
  if (memory_name) asked.memory = name(memory(*memory_name));
  if (offload.empty() && (pieces != 1 || delivery != "staged"))
    throw InputError("pieces and delivery go with offload");
  return while_others_run(
      [&] { return replayed(asked, platform, assignments(set), explain, sensitivity, timeline); });
}

}  // namespace

void add_programs(py::module_& m) {
  using namespace py::literals;
  m.def("replay", &replay_trace, "trace"_a, "platform"_a, py::kw_only(),
        "algorithm"_a = std::map<std::string, std::string>(), "policy"_a = "", "engine"_a = "",
        "set"_a = Assignments(std::vector<std::string>()), "compute_scale"_a = 1.0, "placement"_a = "block",
        "steps"_a = "", "fusion"_a = "", "cycle"_a = "", "bucket"_a = "", "nonblocking"_a = "",
        "offload"_a = "", "pieces"_a = 1, "delivery"_a = "staged", "ranks"_a = py::none(),
        "memory"_a = py::none(), "explain"_a = false, "sensitivity"_a = false, "timeline"_a = "",
        "How long a recorded application takes on a platform, with the keys of `collcast replay --format "
        "json`, of which trace, platform, policy, engine, ranks and nodes are left out. Arguments are the "
        "program's options. algorithm: {'allreduce': 'ring'}; timeline: a file "
        "FILE.json.gz to write, of who computes and sends what when.");
  m.def("train", &train, "model"_a, "platform"_a, "ranks"_a, py::kw_only(), "framework"_a = "ddp",
        "precision"_a = "fp32", "batch"_a = py::none(), "throughput"_a = py::none(), "slowdown"_a = 0.0,
        "noise"_a = 0.0, "input"_a = "", "checkpoint"_a = "", "policy"_a = "", "engine"_a = "",
        "set"_a = Assignments(std::vector<std::string>()), "steps"_a = "", "explain"_a = false,
        "sensitivity"_a = false, "global_batch"_a = py::none(),
        "How long a training step takes, and what limits it: a dictionary per platform, model and ranks, "
        "which may be lists, with the keys of the rows of `collcast train --format json`. Arguments are the "
        "program's options; `explanation` and `sensitivity` are keys of the rows.");
  m.def("job", &job, "what"_a, "platform"_a, "ranks"_a = py::list(), py::kw_only(), "policy"_a = "",
        "engine"_a = "", "set"_a = Assignments(std::vector<std::string>()), "pieces"_a = 1,
        "delivery"_a = "staged", "samples"_a = 0.0,
        "How long an application, or the job that a file describes, takes: a dictionary per platform, job "
        "and ranks, which may be lists, with the keys of the rows of `collcast job --format json`.");
}

}  // namespace collcast::python
