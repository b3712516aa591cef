// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/goal.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "algorithms/exchange/few_messages.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

using Label = std::int64_t;

/// The text of one rank.
class RankText {
 public:
  explicit RankText(int channels) : channels_(static_cast<std::size_t>(channels)) {}

  void send(Bytes bytes, Rank to, std::uint16_t channel) {
    operation(channel,
              "send " + size(bytes) + "b to " + std::to_string(to) + " tag " + std::to_string(sent_[to]++));
  }

  void receive(Bytes bytes, Rank from, std::uint16_t channel, bool reduces, SecondsPerByte gamma) {
    const Label arrived = operation(channel, "recv " + size(bytes) + "b from " + std::to_string(from) +
                                                 " tag " + std::to_string(received_[from]++));
    if (!reduces) return;
    const Label reduced = add("calc " + nanoseconds(bytes * gamma));
    require(reduced, arrived);
    channels_[channel].now.back() = reduced;
  }

  /// What is added next on these channels waits for all that came before on any of them.
  void join(Step::Join join) {
    std::vector<Label> all;
    for (std::size_t c = join.first; c < join.last; ++c)
      all.insert(all.end(), channels_[c].before.begin(), channels_[c].before.end());
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    collapse(all);
    for (std::size_t c = join.first; c < join.last; ++c) channels_[c].before = all;
  }

  void end_step() {
    for (Channel& c : channels_)
      if (!c.now.empty()) c.before = std::exchange(c.now, {});
  }

  std::string text() {
    if (labels_ == 0) add("calc 0");
    return operations_ + dependencies_;
  }

 private:
  struct Channel {
    std::vector<Label> before, now;  ///< the last operations of the step before; those of this step
  };

  static std::string size(Bytes bytes) {
    return std::to_string(std::max<long long>(1, std::llround(bytes.value)));
  }

  static std::string nanoseconds(Seconds time) {
    if (!(time.value <= 1e9))
      throw InputError("GOAL's reductions would take more than 30 years; expected a larger --reduction");
    return std::to_string(std::llround(time.value * 1e9));
  }

  Label add(const std::string& what) {
    operations_ += "l" + std::to_string(++labels_) + ": " + what + "\n";
    return labels_;
  }
  void require(Label later, Label earlier) {
    dependencies_ += "l" + std::to_string(later) + " requires l" + std::to_string(earlier) + "\n";
  }
  /// Replaces these labels by one operation that waits for all of them.
  void collapse(std::vector<Label>& labels) {
    if (labels.size() < 2) return;
    const Label all = add("calc 0");
    for (Label l : labels) require(all, l);
    labels = {all};
  }

  Label operation(std::uint16_t channel, const std::string& what) {
    Channel& c = channels_[channel];
    collapse(c.before);
    const Label label = add(what);
    if (!c.before.empty()) require(label, c.before[0]);
    c.now.push_back(label);
    return label;
  }

  std::vector<Channel> channels_;
  std::map<Rank, std::int64_t> sent_, received_;
  std::string operations_, dependencies_;
  Label labels_ = 0;
};

}  // namespace

std::string write_goal(const Schedule& schedule, const Layout& layout, SecondsPerByte gamma) {
  require_few_messages(schedule, 10'000'000,
                       "GOAL has lines for each message, and these would be more than ten million");
  std::vector<RankText> ranks(static_cast<std::size_t>(schedule.ranks), RankText(schedule.channels));
  auto at = [&](Place p) -> RankText& { return ranks[static_cast<std::size_t>(p.rank)]; };
  for_each_step(schedule, true, [&](const Step& step) {
    if (!step.multicasts.empty() || !step.reductions.empty())
      throw InputError("GOAL has no multicast and no reduction in the network; this schedule uses them");
    for (const Step::Join& join : step.joins)
      for (RankText& rank : ranks) rank.join(join);
    for (const Transfer& t : step.transfers) {
      if (t.from == t.to) continue;
      if (t.from.rank == t.to.rank)
        throw InputError("GOAL has no copies between memories of a rank; this schedule uses them");
      const Bytes bytes = layout.size(step, t);
      at(t.from).send(bytes, t.to.rank, t.channel);
      at(t.to).receive(bytes, t.from.rank, t.channel, t.combine == Combine::reduce, gamma);
    }
    for (RankText& rank : ranks) rank.end_step();
  });
  std::string text = "num_ranks " + std::to_string(schedule.ranks) + "\n";
  for (std::size_t r = 0; r < ranks.size(); ++r)
    text += "\nrank " + std::to_string(r) + " {\n" + ranks[r].text() + "}\n";
  return text;
}

}  // namespace collcast
