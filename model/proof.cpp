// SPDX-License-Identifier: Apache-2.0
#include "model/proof.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "model/contributions.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

using Set = ContributionSets::Set;

/// The blocks in one memory of one rank: an array if small or mostly full, else a map of the blocks held.
class Held {
 public:
  void reserve(Block blocks) {
    if (blocks <= dense_limit) all_.resize(static_cast<std::size_t>(blocks));
  }
  /// About how many bytes this number of held blocks takes.
  static double memory(Block blocks, Block held) {
    constexpr double entry = 48;  // of a map: key, value, links, and what the allocator adds
    return blocks <= dense_limit ? static_cast<double>(blocks) * sizeof(Set)
                                 : static_cast<double>(held) * entry;
  }
  Set operator[](Block b) const {
    if (!all_.empty()) return all_[static_cast<std::size_t>(b)];
    const auto it = some_.find(b);
    return it == some_.end() ? ContributionSets::none : it->second;
  }
  void set(Block b, Set s) {
    if (!all_.empty())
      all_[static_cast<std::size_t>(b)] = s;
    else
      some_[b] = s;
  }

 private:
  static constexpr Block dense_limit = 1 << 16;
  std::vector<Set> all_;
  std::unordered_map<Block, Set> some_;
};

class Proof {
 public:
  Proof(const Schedule& schedule, const Definition& definition, Rank root,
        const std::function<void(std::int64_t step)>& began)
      : schedule_(schedule),
        definition_(definition),
        root_(root),
        began_(began),
        sets_(definition.repeats_allowed) {}

  std::optional<Counterexample> run() {
    if (schedule_.blocks % definition_.blocks(schedule_.ranks) != 0)
      return Counterexample{0, schedule_.blocks,
                            "is one of a number of blocks that does not divide among the ranks"};
    check_memory();
    for (Rank r = 0; r < schedule_.ranks; ++r)
      for (const Holding& h : definition_.initially(r, schedule_.ranks, schedule_.blocks, root_)) {
        const Set own = sets_.of(h.ranks);
        for (Block b = 0; b < h.chunk.count; ++b) held({r}).set(h.chunk.first + b, own);
      }
    std::optional<Counterexample> wrong;
    std::int64_t steps = 0;
    for_each_step(schedule_, true, [&](const Step& step) {
      if (wrong) return;
      if (began_) began_(++steps);
      wrong = play(step);
    });
    return wrong ? wrong : check();
  }

 private:
  struct Write {
    Place place;
    Block block;
    Set value;
    Combine combine;
  };

  Held& held(Place p) {
    const auto i = static_cast<std::size_t>(p.rank) * 3 + static_cast<std::size_t>(p.memory);
    if (i >= held_.size()) held_.resize(static_cast<std::size_t>(schedule_.ranks) * 3);
    if (!held_[i]) {
      held_[i] = std::make_unique<Held>();
      held_[i]->reserve(schedule_.blocks);
    }
    return *held_[i];
  }

  /// Throws InputError if the initial or final blocks of the ranks need too much memory.
  void check_memory() const {
    constexpr double most = 8.0 * (1 << 30);
    const auto sum = [](const std::vector<Holding>& all) {
      Block blocks = 0;
      for (const Holding& h : all) blocks += h.chunk.count;
      return blocks;
    };
    double bytes = 0;
    for (Rank r = 0; r < schedule_.ranks && bytes <= most; ++r)
      bytes += Held::memory(schedule_.blocks,
                            std::max(sum(definition_.initially(r, schedule_.ranks, schedule_.blocks, root_)),
                                     sum(definition_.finally(r, schedule_.ranks, schedule_.blocks, root_))));
    if (bytes > most)
      throw InputError("a proof keeps what each block of each rank combines: " +
                       std::to_string(schedule_.ranks) + " ranks and " + std::to_string(schedule_.blocks) +
                       " blocks take more than 8 GiB; prove it on fewer ranks");
  }

  bool valid(Place p) const { return p.rank >= 0 && p.rank < schedule_.ranks; }

  /// All reads of a step come before its writes.
  std::optional<Counterexample> play(const Step& step) {
    writes_.clear();
    for (const Transfer& t : step.transfers)
      for (const Chunk& piece : step.pieces(t))
        if (auto wrong = read(t.from, t.to, piece, t.combine)) return wrong;
    for (const Multicast& m : step.multicasts)
      for (Rank i = 0; i < m.to.count; ++i)
        if (m.to[i] != m.from.rank)
          if (auto wrong = read(m.from, {m.to[i], m.memory}, m.chunk, Combine::copy)) return wrong;
    for (const Reduction& m : step.reductions)
      if (auto wrong = read_in_network(m)) return wrong;
    for (const Write& w : writes_) {
      Held& target = held(w.place);
      if (w.combine == Combine::reduce && target[w.block] == ContributionSets::none)
        return Counterexample{w.place.rank, w.block, "is reduced into before anything is there"};
      target.set(w.block, w.combine == Combine::copy ? w.value : sets_.sum(target[w.block], w.value));
    }
    return {};
  }

  std::optional<Counterexample> read(Place from, Place to, Chunk piece, Combine combine) {
    if (!valid(from) || !valid(to))
      return Counterexample{from.rank, piece.first, "travels from or to no rank"};
    if (piece.first < 0 || piece.count < 0 || piece.first > schedule_.blocks - piece.count)
      return Counterexample{from.rank, piece.first, "is outside the message"};
    const Held& source = held(from);
    for (Block b = piece.first; b < piece.first + piece.count; ++b) {
      if (source[b] == ContributionSets::none)
        return Counterexample{from.rank, b,
                              "is sent to rank " + std::to_string(to.rank) + " before it is there"};
      writes_.push_back({to, b, source[b], combine});
    }
    return {};
  }

  /// The receiver stores the sum of one message from each sender.
  std::optional<Counterexample> read_in_network(const Reduction& m) {
    const std::size_t before = writes_.size();
    for (Rank i = 0; i < m.from.count; ++i)
      if (auto wrong = read({m.from[i], m.memory}, m.to, m.chunk, Combine::copy)) return wrong;
    const auto blocks = static_cast<std::size_t>(m.chunk.count);
    for (std::size_t i = before + blocks; i < writes_.size(); ++i) {
      Set& sum = writes_[before + (i - before) % blocks].value;
      sum = sets_.sum(sum, writes_[i].value);
    }
    writes_.resize(std::min(writes_.size(), before + blocks));
    return {};
  }

  std::optional<Counterexample> check() {
    for (Rank r = 0; r < schedule_.ranks; ++r)
      for (const Holding& h : definition_.finally(r, schedule_.ranks, schedule_.blocks, root_)) {
        const Set wanted = sets_.of(h.ranks);
        for (Block b = h.chunk.first; b < h.chunk.first + h.chunk.count; ++b)
          if (std::string what = sets_.difference(held({r})[b], wanted); !what.empty())
            return Counterexample{r, b, std::move(what)};
      }
    return {};
  }

  const Schedule& schedule_;
  const Definition& definition_;
  Rank root_;
  const std::function<void(std::int64_t step)>& began_;
  ContributionSets sets_;
  std::vector<std::unique_ptr<Held>> held_;
  std::vector<Write> writes_;
};

/// Finds messages of a schedule that cannot be played.
class Playable {
 public:
  Playable(const Schedule& schedule, const std::string& name) : schedule_(schedule), name_(name) {}

  void check_head(const Definition& definition, Rank ranks) const {
    if (schedule_.ranks != ranks)
      reject("is a schedule of " + std::to_string(schedule_.ranks) + " ranks, asked for " +
             std::to_string(ranks));
    if (const Block least = definition.blocks(ranks); schedule_.blocks < 1 || schedule_.blocks % least != 0)
      reject("cuts the message into " + std::to_string(schedule_.blocks) + " blocks, where " +
             std::string(definition.name) + " on " + std::to_string(ranks) + " ranks takes a multiple of " +
             std::to_string(least));
    if (schedule_.channels < 1) reject("has no channels; expected 1 or more");
    check_rule(schedule_, name_);
  }
  static void check_rule(const Schedule& schedule, const std::string& name) {
    if (schedule.steps < 0) throw InputError(name + " has a negative number of steps");
    if (schedule.steps > 0 && !schedule.rule)
      throw InputError(name + " has steps, but no rule that adds their messages");
  }

  void check(const Step& step) {
    ++number_;
    for (const Transfer& t : step.transfers) {
      check(t.from), check(t.to), check_channel(t.channel);
      for (const Chunk& piece : step.pieces(t)) check(piece);
    }
    for (const Multicast& m : step.multicasts)
      check(m.from), check(m.to), check(m.chunk), check_channel(m.channel);
    for (const Reduction& m : step.reductions)
      check(m.from), check(m.to), check(m.chunk), check_channel(m.channel);
    for (const Step::Join& j : step.joins)
      if (j.first > j.last || j.last > schedule_.channels)
        reject_message("waits for channels that there are not");
  }

 private:
  [[noreturn]] void reject(const std::string& what) const { throw InputError(name_ + " " + what); }
  [[noreturn]] void reject_message(const std::string& what) const {
    reject("on " + std::to_string(schedule_.ranks) + " ranks: step " + std::to_string(number_) + " " + what);
  }
  void check(Place p) const {
    if (p.rank < 0 || p.rank >= schedule_.ranks)
      reject_message("has a message from or to rank " + std::to_string(p.rank) + "; there are 0 to " +
                     std::to_string(schedule_.ranks - 1));
  }
  void check(Ranks all) const {
    if (all.count > 0) check(Place{all[0]}), check(Place{all[all.count - 1]});
  }
  void check(Chunk c) const {
    if (c.first < 0 || c.count < 0 || c.first > schedule_.blocks - c.count)
      reject_message("sends blocks from " + std::to_string(c.first) + " on, " + std::to_string(c.count) +
                     " of them; there are 0 to " + std::to_string(schedule_.blocks - 1));
  }
  void check_channel(std::uint16_t channel) const {
    if (channel >= schedule_.channels)
      reject_message("uses channel " + std::to_string(channel) + "; there are 0 to " +
                     std::to_string(schedule_.channels - 1));
  }

  const Schedule& schedule_;
  const std::string& name_;
  std::int64_t number_ = -1;  ///< number of the step, from 0
};

}  // namespace

std::string Counterexample::words() const {
  return "block " + std::to_string(block) + " of rank " + std::to_string(rank) + " " + what;
}

std::optional<Counterexample> prove(const Schedule& schedule, Collective collective, Rank root,
                                    const std::function<void(std::int64_t step)>& began) {
  Playable::check_rule(schedule, "the schedule");
  return Proof(schedule, definition(collective), root, began).run();
}

void check_playable(const Schedule& schedule, Collective collective, Rank ranks, const std::string& name) {
  Playable playable(schedule, name);
  playable.check_head(definition(collective), ranks);
  for_each_step(schedule, true, [&](const Step& step) { playable.check(step); });
}

}  // namespace collcast
