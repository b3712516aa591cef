// SPDX-License-Identifier: Apache-2.0
#include "replay/application/replay_notes.hpp"

#include <algorithm>

#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using Notes = std::vector<std::string>;

/// Whether the source is a recording of GPUs; a described job has no file format.
bool is_of_gpus(const SourceInfo& info) {
  return info.memory == Memory::device && !info.format.empty() && info.format != "job";
}

void add_of_source(Notes& notes, const Staged& staged, const ReplayReport& report) {
  const SourceInfo& info = staged.source().info();
  if (info.by_node && !staged.goes_by_node())
    notes.push_back(
        text::count(info.by_node) +
        " collectives went node by node, and are flat here, as Horovod's are where nodes have one "
        "rank each, or not equally many");
  if (is_of_gpus(info) && report.compute > Seconds() && staged.options().compute_scale == 1)
    notes.push_back(
        "computation is as recorded on the traced GPU, whichever GPU the platform has; --compute-scale of "
        "`replay` and `compare` changes it");
  const bool alone = staged.source().ranks() == 1 &&
                     std::ranges::any_of(report.operations, [](const auto& o) { return o.bytes > Bytes(); });
  if (alone)
    notes.push_back(std::string("one rank talks to nobody; name the files of all") +
                    (info.unscalable.empty() ? ", or --ranks above 1" : ""));
}

void add_of_choices(Notes& notes, const Staged& staged) {
  const Selection& selection = staged.selection();
  notes.insert(notes.end(), selection.notes().begin(), selection.notes().end());
  for (const std::string& words : selection.unused())
    notes.push_back("--algorithm " + words + " changes nothing: " + staged.source().info().name +
                    " has no such collective whose algorithm is chosen");
}

/// Notes on who plays collectives: single operations that have prices, or messages.
void add_of_prices(Notes& notes, const Staged& staged, bool sent) {
  const std::string& policy = staged.options().policy;
  const std::string messages =
      staged.nominal().nccl ? "ncclSend and ncclRecv" : "the platform's own software";
  if (!staged.prices()) {
    if (is_nccl(policy))
      notes.push_back(policy + " chose the algorithms; in this placement they are played as messages of " +
                      messages + ", not by NCCL's kernels");
    return;
  }
  for (std::string& note : staged.prices()->notes(messages)) notes.push_back(std::move(note));
  if (!is_nccl(policy) || !staged.prices()->any()) return;
  if (staged.options().engine->name == "path")
    notes.push_back("each collective of " + policy +
                    " takes the time that `predict` forecasts by its default engine");
  else if (sent)
    notes.push_back("messages do not share links with the collectives of " + policy +
                    " that are under way, which are single operations");
}

}  // namespace

std::vector<std::string> notes_of(const Staged& staged, const ReplayReport& report, const Result& result) {
  const Description& platform = staged.platform();
  Notes notes = staged.source().info().notes;
  add_of_source(notes, staged, report);
  if (!result.stopped_short.empty())
    notes.push_back("the replay ends where the trace does: " + result.stopped_short);
  add_of_choices(notes, staged);
  add_of_prices(notes, staged, result.messages > 0);
  constexpr std::int64_t minutes_of_simgrid = 300'000;  // messages: some thousand a second
  if (staged.options().engine->name == "simgrid" && result.messages > minutes_of_simgrid)
    notes.push_back("SimGrid played " + std::to_string(result.messages) +
                    " messages; --engine contention keeps the same rules and is many times faster");
  if (staged.selection().blocking() && with_blocking_sends(platform).json() != platform.json())
    notes.push_back("sends that block have an eager limit of their own on " + platform.name() +
                    "; the replay sends them like all others");
  if (staged.takes_usual_policy())
    if (std::string guess = note_on_usual_policy(platform); !guess.empty()) notes.push_back(std::move(guess));
  return notes;
}

}  // namespace collcast
