// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/verbs.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>

#include "forecast/offload.hpp"
#include "forecast/sweep/predict.hpp"
#include "model/ranges.hpp"
#include "model/sizes.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/plausible.hpp"
#include "platforms/machine/machine.hpp"
#include "platforms/machine/paths.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"
#include "workloads/compute/processor.hpp"
#include "workloads/playing/job_source.hpp"
#include "workloads/playing/playing.hpp"
#include "workloads/playing/replay_text.hpp"
#include "workloads/playing/rows.hpp"
#include "workloads/playing/shown.hpp"
#include "workloads/playing/training_text.hpp"
#include "workloads/playing/what_if.hpp"

namespace collcast::workloads {
namespace {

using sweep::Key, sweep::Kind;

/// Splits "allreduce=ring,bcast=chain" at its commas.
std::vector<std::string> parts(const std::string& list) {
  std::vector<std::string> all;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) all.push_back(part);
  return all;
}

int pieces(const std::string& text) {
  return static_cast<int>(parse_count(text, "pieces", 1, 1 << 20));
}

/// Throws InputError if "allreduce=ring,bcast@64KiB=chain" has an unknown name.
void require_algorithms(const std::string& text) {
  ReplayText asked;
  asked.algorithms = parts(text);
  for (const auto& [what, name] : replay_options(asked).algorithms) {
    const auto at = what.find('@');
    const Definition& d = definition(what.substr(0, at));
    if (at != std::string::npos) parse_size(what.substr(at + 1));
    if (name != "auto") algorithm(d.collective, name);
  }
}

/// Throws InputError if "allreduce+bcast" has an unknown name.
void require_collectives(const std::string& text) {
  ReplayText asked;
  asked.offload = text;
  replay_options(asked);
}

constexpr Key platform_key{"platform", Kind::word, [](const std::string& t) { load_platform(t); }};
constexpr Key policy_key{"policy", Kind::named, require_policy};
constexpr Key engine_key{"engine", Kind::word, [](const std::string& t) { playing_engine(t); }};
constexpr Key pieces_key{"pieces", Kind::count, [](const std::string& t) { pieces(t); }};
constexpr Key delivery_key{"delivery", Kind::word, [](const std::string& t) { is_direct("delivery", t); }};
constexpr Key ranks_key{"ranks", Kind::ranks, [](const std::string& t) { parse_ranks(t); }};
constexpr Key job_key{"job", Kind::named, require_job};

constexpr Key job_keys[] = {platform_key, policy_key, engine_key, pieces_key,
                            delivery_key, job_key,    ranks_key};

/// A key of replays, and the text that it sets; null: `replayed` reads it.
struct ReplaySetting {
  Key key;
  std::string ReplayText::*text = nullptr;
};
constexpr ReplaySetting replay_settings[] = {
    {{"trace", Kind::word, [](const std::string& t) { trace_files(t); }}},
    {{"steps", Kind::word}, &ReplayText::steps},
    {{"fusion", Kind::size}, &ReplayText::fusion},
    {{"cycle", Kind::quantity}, &ReplayText::cycle},
    {{"bucket", Kind::size}, &ReplayText::bucket},
    {{"nonblocking", Kind::word, require_collectives}, &ReplayText::nonblocking},
    {{"offload", Kind::word, require_collectives}, &ReplayText::offload},
    {pieces_key, &ReplayText::pieces},
    {delivery_key, &ReplayText::delivery},
    {ranks_key, &ReplayText::ranks},
    {platform_key},
    {{"placement", Kind::word, [](const std::string& t) { parse_placement(t); }}, &ReplayText::placement},
    {{"memory", Kind::word, [](const std::string& t) { sweep::parse_memory(t); }}, &ReplayText::memory},
    {policy_key, &ReplayText::policy},
    {{"algorithm", Kind::word, require_algorithms}},
    {engine_key, &ReplayText::engine},
    {{"compute_scale", Kind::number, [](const std::string& t) { parse_number(t, "compute_scale", 0, 1e9); }},
     &ReplayText::compute_scale}};

/// A platform with parameters set, and warnings about these.
struct Changed {
  Description platform;
  std::vector<std::string> notes;
};

Changed changed(const std::string& name, const std::vector<std::string>& set, Work work) {
  Changed c{load_platform(name), {}};
  set_all(c.platform, set);
  c.notes = notes_on_settings(c.platform, work);
  return c;
}

/// The platform of the last point, and the prices of collectives that were asked for on it. After a point
/// with notes, prices are not used again, so that each note stays with its point.
struct Priced {
  std::string name;
  std::unique_ptr<Changed> changed;
  std::unique_ptr<Playing> playing;

  void take(const std::string& platform, const std::vector<std::string>& set, const HowPlayed& how) {
    std::string asked = platform + '\n' + how.policy + '\n' + how.engine + '\n' + std::to_string(how.pieces) +
                        (how.direct ? " direct" : "");
    for (const std::string& assignment : set) asked += '\n' + assignment;
    if (asked == name && playing && playing->notes().empty()) return;
    name = asked;
    changed = std::make_unique<Changed>(workloads::changed(platform, set, Work::computation));
    playing = std::make_unique<Playing>(changed->platform, how);
  }
  sweep::Rows told(Json row) const {
    sweep::Rows rows{Json::array({std::move(row)}), changed->notes};
    std::ranges::copy(playing->notes(), std::back_inserter(rows.notes));
    return rows;
  }
};

/// A point's settings by their keys, and its assignments for --set.
struct Asked {
  std::map<std::string, std::string, std::less<>> said;
  std::vector<std::string> set;
  explicit Asked(const sweep::Point& point) {
    for (const sweep::Setting& s : point)
      if (sweep::is_parameter(s.key))
        set.push_back(sweep::column_name(s.key) + '=' + s.value);
      else
        said[s.key] = s.value;
  }
  std::string get(std::string_view key, const std::string& otherwise = {}) const {
    const auto found = said.find(key);
    return found == said.end() ? otherwise : found->second;
  }
};

TrainingText training_text(const Asked& a) {
  TrainingText text;
  text.policy = a.get("policy");
  for (const TrainingSetting& s : training_settings()) text.*s.text = a.get(s.key, text.*s.text);
  return text;
}

sweep::Rows trained(Priced& last, const sweep::Point& point) {
  const Asked a(point);
  const TrainingText text = training_text(a);
  last.take(a.get("platform"), a.set, {text.policy, a.get("engine")});
  const Description& platform = last.changed->platform;
  Training t = described(text, platform);
  t.ranks = parse_ranks(a.get("ranks"));
  require_room(platform, t.ranks);
  Json told{{"platform", platform.name()}, {"model", text.model}};
  const StepForecast step = last.playing->forecast(t);
  told.update(train_row(t, step, last.playing->price()));
  sweep::Rows rows = last.told(std::move(told));
  std::ranges::move(cautions(t, step), std::back_inserter(rows.notes));
  return rows;
}

/// What binds at a point in place of a parameter that does not move its time. `time(settings, platform)`
/// forecasts the point, by prices only, as messages take long to play.
template <class Time>
std::string capped_by(const sweep::Point& with, const sweep::Point& without, const std::string& parameter,
                      const Time& time) {
  const Asked here(with), there(without);
  if (!here.get("engine").empty()) return {};
  const auto platform = [](const Asked& a) {
    return changed(a.get("platform"), a.set, Work::computation).platform;
  };
  const TimesOn times = [&](const Description& d) { return std::vector{time(here, d)}; };
  return binds_exposed(platform(here), platform(there), parameter, times);
}

Seconds time_of_step(const Asked& a, const Description& platform) {
  Training t = described(training_text(a), platform);
  t.ranks = parse_ranks(a.get("ranks"));
  return Playing(platform, {a.get("policy")}).time(t);
}

sweep::Rows worked(Priced& last, const sweep::Point& point) {
  const Asked a(point);
  const HowPlayed how{a.get("policy"), a.get("engine"), pieces(a.get("pieces", "1")),
                      is_direct("delivery", a.get("delivery", "staged"))};
  last.take(a.get("platform"), a.set, how);
  const Description& platform = last.changed->platform;
  const std::string ranks = a.get("ranks");
  const Job job = JobSource(a.get("job"), platform).on(ranks.empty() ? 0 : parse_ranks(ranks));
  require_room(platform, job.ranks());
  require_offload(how, job);
  Json told{{"job", job.name}, {"platform", platform.name()}};
  told.update(job_row(job, last.playing->forecast(job), 0, platform));
  return last.told(std::move(told));
}

sweep::Rows replayed(const sweep::Point& point) {
  const Asked a(point);
  ReplayText text;
  text.engine = "contention";  // whose answers do not depend on what was asked before
  for (const ReplaySetting& s : replay_settings)
    if (s.text) text.*s.text = a.get(s.key.name, text.*s.text);
  text.files = trace_files(a.get("trace"));
  text.algorithms = parts(a.get("algorithm"));
  Changed platform =
      changed(a.get("platform"), a.set, Work::none);  // recorded computation does not depend on the device
  const Trace opened = open_replayed(text);
  const Source& trace = opened.source();
  const ReplayOptions options = replay_options(text);
  const ReplayReport report = replay(trace, platform.platform, options);
  std::ranges::copy(report.notes, std::back_inserter(platform.notes));
  if (!report.not_modelled.empty()) {
    std::int64_t count = 0;
    for (const Loss& n : report.not_modelled) count += n.count;
    platform.notes.push_back(text::count(count) + " operations of " + trace.info().name +
                             " are not modelled; `collcast replay` lists them");
  }
  return {Json::array({replay_row(trace, platform.platform, options, report)}), platform.notes};
}

std::vector<report::Column> columns(const std::string& verb, const sweep::Space& space) {
  std::vector<report::Column> all;
  for (const char* key : {"platform", "model"})
    if (space.varies(key)) all.push_back(report::text_of(key, key));
  all.push_back(report::count_of("ranks", "ranks"));
  all.push_back(report::count_of("nodes", "nodes"));
  if (space.axis("global_batch")) all.push_back(report::count_of("batch", "batch"));
  std::ranges::move(time_columns(verb), std::back_inserter(all));
  return all;
}

/// Throws InputError for a listed value that is wrong at every point, and if both `batch` and `global_batch`
/// are stated.
void check_trainings(const sweep::Space& space) {
  for (const TrainingSetting& s : training_settings())
    check_names(space, s.key, [&s](const std::string& text) {
      Training training;
      s.put(training, text);
    });
  if (space.axis("batch") && space.axis("global_batch"))
    throw InputError("batch is of a replica, global_batch of all: one of them, not both");
}

sweep::Verb train() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all{platform_key, policy_key, engine_key};
    for (const TrainingSetting& s : training_settings()) all.push_back({s.key, s.kind});
    all.push_back(ranks_key);
    return all;
  }();
  const auto last = std::make_shared<Priced>();
  return {"train",
          keys,
          {"platform", "ranks", "model"},
          [last](const sweep::Point& point) { return trained(*last, point); },
          check_trainings,
          [](const sweep::Space& space) { return columns("train", space); },
          "step_s",
          [](const sweep::Point& with, const sweep::Point& without, const std::string& parameter) {
            return capped_by(with, without, parameter, time_of_step);
          }};
}

sweep::Verb job() {
  const auto last = std::make_shared<Priced>();
  return {"job",
          job_keys,
          {"platform", "job"},
          [last](const sweep::Point& point) { return worked(*last, point); },
          nullptr,
          [](const sweep::Space& space) { return columns("job", space); },
          "step_s"};
}

/// Throws InputError if settings say how DPUs work, and none ever does.
void check_replays(const sweep::Space& space) {
  const sweep::Axis* offload = space.axis("offload");
  if (offload && std::ranges::any_of(offload->values, [](const auto& v) { return v != "none"; })) return;
  for (const sweep::Axis& a : space.axes())
    if (a.key == "pieces" || a.key == "delivery")
      throw InputError(a.key + " needs offload: the collectives that DPUs play");
}

sweep::Verb replay_verb() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all;
    for (const ReplaySetting& s : replay_settings) all.push_back(s.key);
    return all;
  }();
  return {"replay", keys,          {"platform", "trace"},
          replayed, check_replays, [](const sweep::Space& space) { return columns("replay", space); }};
}

}  // namespace

std::vector<std::string> trace_files(const std::string& traces) {
  std::istringstream lines(traces);
  for (std::string line; std::getline(lines, line);)
    if (files_like(line).empty()) throw InputError("there is no trace '" + line + "'");
  return files_like(traces);
}

std::vector<sweep::Verb> verbs() {
  return {sweep::predict(), train(), job(), replay_verb()};
}

}  // namespace collcast::workloads
