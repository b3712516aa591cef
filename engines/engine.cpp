// SPDX-License-Identifier: Apache-2.0
#include "engines/engine.hpp"

#include <algorithm>

#include "engines/automatic.hpp"
#include "engines/contention/contention.hpp"
#include "engines/contention/steady.hpp"
#include "engines/simulated.hpp"
#include "model/critical_path.hpp"
#include "model/explained_path.hpp"
#include "model/load.hpp"
#include "model/lowering.hpp"
#include "model/repeats.hpp"
#include "model/slowest_path.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// Finds what limits a schedule without following its messages: the busiest resource if it is busy for more
/// than half of the time, otherwise latency.
class Suspect {
 public:
  explicit Suspect(Seconds time) : reading_{time, "latency", {}, {}} {}
  void consider(Seconds busy, auto name_of) {
    if (!(reading_.time.value > 0) || !(busy / reading_.time > reading_.share.value_or(0.5) * (1 + 1e-9)))
      return;
    reading_.share = busy / reading_.time;
    reading_.limited_by = name_of();
  }
  Reading reading() const { return reading_; }

 private:
  Reading reading_;
};

Reading by_formula(const SizedSchedule& subject, const Fabric& fabric, bool) {
  if (!subject.algorithm)
    throw InputError("a schedule without an algorithm has no formula; use another engine");
  const Algorithm& a = *subject.algorithm;
  const Call& c = *subject.call;
  if (!a.time)
    throw InputError(full_name(a) +
                     " has no formula: it came from a file, or is staged in host memory; use another engine");
  const AlphaBetaGamma m = slowest_path(fabric, subject.schedule, subject.layout);
  const std::pair<Seconds, const char*> terms[] = {
      {a.time(c, {m.alpha, {}, {}}), "latency"},
      {a.time(c, {{}, m.beta, {}}), "bandwidth of the slowest path"},
      {a.time(c, {{}, {}, m.gamma}), "reduction"}};
  const auto& largest = *std::ranges::max_element(terms, {}, [](const auto& t) { return t.first; });
  Reading reading{launch(fabric, subject.schedule) + a.time(c, m), largest.second, {}, {}};
  if (reading.time.value > 0) reading.share = largest.first / reading.time;
  return reading;
}

/// On a critical path messages that share a link do not slow each other down, but no time is shorter than
/// that of the most loaded link. If the only links are ports, the path already includes it.
Load heaviest_link(const SizedSchedule& subject, const Fabric& fabric) {
  if (fabric.hockney()) return {};  // saves making the names of links
  return heaviest(fabric, subject.traffic());
}

Reading by_path(const SizedSchedule& subject, const Fabric& fabric, bool explain) {
  std::vector<Delay> chain;
  const PathResult path = explain ? explained_path(subject.schedule, subject.layout, fabric, chain)
                                  : critical_path(subject.schedule, subject.layout, fabric);
  const Load load = heaviest_link(subject, fabric);
  if (explain && load.time > path.time)  // the most loaded link is never idle, whatever messages wait for
    chain = {{Cause::queue, {}, {}, load.id, load.time}};
  Suspect suspect(launch(fabric, subject.schedule) + std::max(path.time, load.time));
  // If several ports differ only by rounding, the first of them.
  const Seconds busiest = *std::ranges::max_element(path.busy) * (1 - 1e-9);
  const auto first = std::ranges::find_if(path.busy, [&](Seconds busy) { return busy >= busiest; });
  const auto port = static_cast<Port>(first - path.busy.begin());
  suspect.consider(path.busy[port], [&] { return fabric.port_name(port); });
  suspect.consider(load.time, [&] { return load.link; });
  suspect.consider(path.reducing, [] { return std::string("reduction"); });
  suspect.consider(path.paying, [] { return std::string("software"); });
  Reading reading = suspect.reading();
  reading.chain = std::move(chain);
  return reading;
}

Reading reading_of(Result run, const SizedSchedule& subject, const Fabric& fabric) {
  Suspect suspect(launch(fabric, subject.schedule) + run.time);
  const Bottleneck busiest = bottleneck(run, fabric);
  suspect.consider(busiest.busy * run.time, [&] { return busiest.name; });
  Reading reading = suspect.reading();
  reading.chain = std::move(run.chain);
  reading.links = std::move(run.links);
  return reading;
}

Reading by_playing(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric, bool explain) {
  PlayOptions options;
  options.explain = explain;
  return reading_of(engine.play(*program(subject.schedule, subject.layout), fabric, options), subject,
                    fabric);
}

Reading by_contention(const SizedSchedule& subject, const Fabric& fabric, bool explain) {
  if (subject.layout.equal_blocks())
    if (auto run = contend_until_steady(subject.schedule, subject.layout, fabric, explain))
      return reading_of(*std::move(run), subject, fabric);
  return by_playing(engine("contention"), subject, fabric, explain);
}

Reading by_chosen_engine(const SizedSchedule& subject, const Fabric& fabric, bool explain) {
  return read(*resolve(engine("auto"), subject, fabric).engine, subject, fabric, explain);
}

const Engine table[] = {
    {.name = "formula",
     .what = "the algorithm's closed form on the slowest path that it uses",
     .read = by_formula,
     .quick = true,
     .closed_form = true},
    {.name = "path",
     .what = "critical path, no contention between ranks",
     .read = by_path,
     .play = play,
     .quick = true,
     .workers = true,
     .overlap = true},
    {.name = "contention",
     .what = "messages in order at each NIC, flows that share links max-min",
     .read = by_contention,
     .play = contend,
     .contention = true,
     .workers = true},
    {.name = "simgrid",
     .what = "SimGrid: messages in order at each NIC, shared links in the network",
     .play = simulate_program,
     .contention = true,
     .workers = true,
     .built = can_simulate},
    {.name = "auto",
     .what = "contention where messages can share links, path where they cannot; a sample where messages are "
             "too many",
     .read = by_chosen_engine,
     .chooses = true,
     .contention = true,
     .workers = true,
     .overlap = true},
};

}  // namespace

std::span<const Engine> engines() {
  return table;
}

std::string engine_names(bool playing, std::string_view before_last) {
  std::vector<std::string> names;
  for (const Engine& e : table)
    if (e.play || !playing) names.emplace_back(e.name);
  std::string text = names[0];
  for (std::size_t i = 1; i < names.size(); ++i)
    (text += i + 1 < names.size() && before_last == " or " ? ", " : before_last) += names[i];
  return text;
}

namespace {

const Engine& one(std::string_view name, bool playing) {
  const auto found = std::ranges::find(table, name, &Engine::name);
  if (found == std::end(table) || (playing && !found->play))
    throw InputError("--engine takes " + engine_names(playing) + ", not '" + std::string(name) + "'");
  if (found->built()) return *found;
  throw InputError("this collcast was built without " + std::string(name) +
                   "; --engine contention models shared links without it");
}

}  // namespace

const Engine& engine(std::string_view name) {
  return one(name, false);
}

const Engine& playing_engine(std::string_view name) {
  return one(name, true);
}

void require_messages(const Engine& engine) {
  if (!engine.play && !engine.chooses)
    throw InputError("--engine " + std::string(engine.name) + " plays no messages; " + engine_names(true) +
                     " do");
}

const Engine& contention_engine() {
  return engine(can_simulate() ? "simgrid" : "contention");
}

Seconds launch(const Fabric& fabric, const Schedule& schedule) {
  return fabric.launch(schedule.channels / schedule.ways);
}

Reading read(const Engine& engine, const SizedSchedule& subject, const Fabric& fabric, bool explain) {
  return engine.read ? engine.read(subject, fabric, explain) : by_playing(engine, subject, fabric, explain);
}

}  // namespace collcast
