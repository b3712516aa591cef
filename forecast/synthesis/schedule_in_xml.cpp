// SPDX-License-Identifier: Apache-2.0
#include "forecast/synthesis/schedule_in_xml.hpp"

#include <algorithm>
#include <optional>

#include "algorithms/exchange/msccl.hpp"
#include "engines/engine.hpp"
#include "support/error.hpp"
#include "support/notes.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// A schedule as it is written, and how long the file takes once it is read back.
struct InXml {
  const Front::Priced* made;
  std::string xml, refused;
  Seconds time;
};

/// The schedule in the number of segments that is the fastest, of those with which the file stays small and
/// fits the loader.
InXml in_xml(const Front::Priced& made, Rank root) {
  const Algorithm& a = made.schedule->algorithm;
  Call call = in_a_small_file(a, made.call);
  const bool too_wide = a.schedule(call).channels > most_msccl_channels;
  for (;; call.segments /= 2) {
    InXml x{&made, write_msccl(a.schedule(call), a.collective, a.name, root), {}, {}};
    x.refused = refused_by_msccl(x.xml);
    if (x.refused.empty() || too_wide || call.segments == 1) return x;
  }
}

Seconds read_back(const InXml& x, const Forecaster& forecaster) {
  const ImportedAlgorithm back = parse_msccl(x.xml, "the file");
  Call call = x.made->call;
  call.segments = 1;
  return read(engine("contention"), SizedSchedule(back.algorithm, call), forecaster.fabric()).time;
}

bool better(const InXml& a, const InXml& b) {
  if (a.refused.empty() != b.refused.empty()) return a.refused.empty();
  return a.time < b.time;
}

/// The best file. Tries the schedules in the order of their times, as none is faster when it is read back.
InXml best_in_xml(const std::vector<Front::Priced>& made, Rank root, const Forecaster& forecaster) {
  std::optional<InXml> best;
  std::string failed;
  for (const Front::Priced& p : made) {
    if (best && best->refused.empty() && p.time >= best->time) break;
    try {
      InXml now = in_xml(p, root);
      now.time = now.refused.empty() ? read_back(now, forecaster) : p.time;
      if (!best || better(now, *best)) best = std::move(now);
    } catch (const InputError& e) {
      if (failed.empty()) failed = e.what();
    }
  }
  if (!best) throw InputError(failed);
  return *best;
}

std::string with_time(const Front::Priced& made, Seconds time) {
  return made.schedule->algorithm.name + ": " + text::seconds(time.value);
}

/// How long the file takes, in words, if that is longer than the fastest schedule.
std::string what_it_costs(const InXml& written, const Front::Priced& fastest) {
  constexpr double as_fast = 1.01;
  if (written.time <= as_fast * fastest.time) return {};
  return "MSCCL's loader takes up to " + std::to_string(most_msccl_channels) + " channels and " +
         std::to_string(most_msccl_steps) + " steps of a thread block; at " +
         text::bytes(fastest.call.message.value) + " the fastest file that it takes has " +
         with_time(*written.made, written.time) + ", as it is read back; a .json holds " +
         with_time(fastest, fastest.time);
}

}  // namespace

std::string msccl(Front& front, Bytes message, const Forecaster& forecaster,
                  std::vector<std::string>& notes) {
  std::vector<Front::Priced> all = front.priced(message, engine("contention"));
  std::ranges::stable_sort(all, {}, &Front::Priced::time);
  const InXml written = best_in_xml(all, front.root(), forecaster);
  const std::string words = written.refused.empty() ? what_it_costs(written, all[0])
                                                    : written.refused + "; a .json has no such limits";
  if (!words.empty()) add_once(notes, words);
  return written.xml;
}

}  // namespace collcast
