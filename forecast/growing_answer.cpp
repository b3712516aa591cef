// SPDX-License-Identifier: Apache-2.0
#include "forecast/growing_answer.hpp"

#include <cmath>

#include "engines/automatic.hpp"
#include "libraries/segments.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// "4 KiB", "4 KiB to 1 MiB (3 sizes)".
std::string sizes_listed(const std::vector<Bytes>& sizes) {
  const std::string first = text::bytes(sizes.front().value);
  if (sizes.size() == 1) return first;
  return first + " to " + text::bytes(sizes.back().value) + " (" +
         text::counted(static_cast<std::int64_t>(sizes.size()), "size") + ")";
}

}  // namespace

void GrowingAnswer::go_to(const Machine& machine) {
  occupancy_ = occupancy(machine);
  if (const int idle = machine.idle_adapters(); idle > 0 && occupancy_.nodes > 1)
    note(machine.platform() + ": ranks send by the nearest of a node's adapters, so that " +
         std::to_string(idle) +
         " send nothing; adapters that a library uses side by side are described as one");
}

Answer::Row& GrowingAnswer::add(Prediction prediction) {
  note(std::string(prediction.note));  // why this engine made it, if it is not the obvious one
  Answer::Row& row = answer_.rows.emplace_back();
  row.platform = answer_.platforms[which_], row.engine = prediction.engine;
  row.occupancy = occupancy_, row.which = which_;
  row.prediction = std::move(prediction);
  return row;
}

void GrowingAnswer::add(Prediction prediction, std::shared_ptr<const SynthesizedSchedule> schedule) {
  add(std::move(prediction));
  answer_.synthesized.push_back(std::move(schedule));
}

void GrowingAnswer::skip(const std::string& what, const std::string& why, Bytes size) {
  skipped_[what][why].push_back(size);
}

void GrowingAnswer::skip_too_small(const std::string& what, const std::string& segment, Bytes size) {
  if (!too_small_) too_small_ = size;
  skip(what, "the segment of " + segment + " is larger", size);
}

void GrowingAnswer::skip(Collective collective, const NoRule& why, Bytes size) {
  if (!unruled_) unruled_ = why;
  skip(std::string(definition(collective).name), why.what(), size);
}

void GrowingAnswer::tell_skipped() {
  for (const auto& [what, why_at] : std::exchange(skipped_, {}))
    for (const auto& [why, at] : why_at) note(what + " is skipped at " + sizes_listed(at) + ": " + why);
}

void GrowingAnswer::tell_played(Seconds played, Seconds row) {
  if (std::abs((played - row).value) <= 1e-9 * row.value) return;
  answer_.shown = played;
  note("messages are shown as they are played with contention, in " + text::seconds(played.value) +
       "; the answer is " + text::seconds(row.value));
}

void GrowingAnswer::tell_shared(const Algorithm& a, const Call& call, const Fabric& fabric) {
  if (shared_told_ || !messages_may_share(a.schedule(call), fabric)) return;
  shared_told_ = true;
  note("messages of " + a.name +
       " can share a link, which the critical path ignores; --engine contention models it");
}

Answer GrowingAnswer::done(const CallText& asked) && {
  if (answer_.rows.empty() && too_small_) parse_segment(asked, *too_small_, true);  // throws
  if (answer_.rows.empty() && unruled_) throw *unruled_;
  return std::move(answer_);
}

}  // namespace collcast
