// SPDX-License-Identifier: Apache-2.0
#include "execution/mpi/planner.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "execution/mpi/count.hpp"
#include "execution/mpi/rank_step.hpp"
#include "support/error.hpp"

namespace collcast::mpi {
namespace {

std::size_t total(const std::vector<Segment>& segments) {
  std::size_t sum = 0;
  for (const Segment& s : segments) sum += s.count;
  return sum;
}

void append(std::vector<Segment>& segments, Address at, std::size_t count) {
  if (count == 0) return;
  if (!segments.empty()) {
    Segment& last = segments.back();
    if (last.at.area == at.area && last.at.offset + last.count == at.offset) {
      last.count += count;
      return;
    }
  }
  segments.push_back({at, count});
}

/// Whether scattered elements are sent as an MPI datatype, or else through a copy. Measured between two
/// processes in shared memory (Open MPI 4.1), with pieces of 8 B to 64 KiB in messages of 1 KiB to 1 MiB: a
/// copy wins for short messages, for long messages of short pieces, and where a datatype at the receiver
/// rules out the single copy from process to process.
bool sent_as_datatype(std::size_t bytes, std::size_t pieces) {
  return bytes > 1024 && (bytes < 256 * 1024 || bytes / pieces >= 4096);
}
bool received_as_datatype(std::size_t bytes) {
  return bytes > 1024 && bytes < 32 * 1024;
}

bool one_area(const std::vector<Segment>& segments) {
  return std::ranges::all_of(segments, [&](const Segment& s) { return s.at.area == segments[0].at.area; });
}

Address shifted(Address a, std::size_t elements) {
  return {a.area, a.offset + elements};
}

/// Makes a rank's plan, step by step and channel by channel.
class Planner {
 public:
  Planner(const Schedule& schedule, const Part& part, BlockLocations& where, ElementType element,
          Multicasting multicasting)
      : schedule_(schedule), part_(part), where_(where), element_(element), multicasting_(multicasting) {
    plan_.channels.resize(static_cast<std::size_t>(schedule.channels));
    plan_.elements.resize(Address::areas(schedule.channels));
  }

  Plan run() {
    RankStep mine(part_.rank, multicasting_);
    for_each_step(schedule_, true, [&](const Step& step) {
      for (const Step::Join& join : step.joins) plan_join(join);
      mine.take(step);
      mine.for_each_channel([&](int channel, std::span<const RankStep::Item> items) {
        channel_ = &plan_.channels[static_cast<std::size_t>(channel)];
        channel_number_ = channel;
        plan_step(items);
      });
    });
    plan_finals();
    for (bool host : {false, true}) plan_.elements[Address::own + host] = where_.scratch_elements(host);
    return std::move(plan_);
  }

 private:
  using State = BlockLocations::State;
  using Item = RankStep::Item;

  void plan_join(const Step::Join& join) {
    const int number = static_cast<int>(plan_.joins.size());
    plan_.joins.push_back(join.last - join.first);
    for (std::uint16_t c = join.first; c < join.last; ++c) {
      PlanStep step;
      step.join = number;
      plan_.channels[c].steps.push_back(step);
    }
  }

  void plan_step(std::span<const Item> items) {
    ++now_;
    spare_ = {};
    before_.clear(), beside_.clear(), after_.clear();
    sources_.clear();
    PlanStep step;
    step.receives.begin = step.receives.end = static_cast<std::uint32_t>(channel_->messages.size());
    std::vector<Message> sends;
    for (const Item& item : items) {
      if (item.kind == Item::Kind::send) sends.push_back(plan_send(item));
      if (item.kind == Item::Kind::copy) read_source(item);
      if (item.kind != Item::Kind::send) announce(item);
    }
    std::size_t copies = 0;
    for (const Item& item : items) {
      if (item.kind == Item::Kind::receive) channel_->messages.push_back(plan_receive(item));
      if (item.kind == Item::Kind::copy) plan_copy(item, sources_[copies++]);
    }
    step.receives.end = step.sends.begin = static_cast<std::uint32_t>(channel_->messages.size());
    channel_->messages.insert(channel_->messages.end(), sends.begin(), sends.end());
    step.sends.end = static_cast<std::uint32_t>(channel_->messages.size());
    step.before = keep(before_);
    step.beside = keep(beside_);
    step.after = keep(after_);
    for (bool host : {false, true}) {
      std::size_t& most = plan_.elements[Address::spare(channel_number_, Memory::device) + host];
      most = std::max(most, spare_[host]);
    }
    channel_->most_messages =
        std::max<std::size_t>(channel_->most_messages, step.sends.end - step.receives.begin);
    channel_->steps.push_back(step);
  }

  Range keep(const std::vector<Move>& moves) {
    const auto begin = static_cast<std::uint32_t>(channel_->moves.size());
    channel_->moves.insert(channel_->moves.end(), moves.begin(), moves.end());
    return {begin, static_cast<std::uint32_t>(channel_->moves.size())};
  }

  /// Appends to the last move if both ends continue it.
  static void push(std::vector<Move>& moves, Address from, Address to, std::size_t count, bool reduce) {
    if (count == 0 || from == to) return;
    if (!moves.empty()) {
      Move& last = moves.back();
      if (last.reduce == reduce && shifted(last.from, last.count) == from &&
          shifted(last.to, last.count) == to) {
        last.count += count;
        return;
      }
    }
    moves.push_back({from, to, count, reduce});
  }

  Address more_spare(Memory memory, std::size_t count) {
    std::size_t& used = spare_[memory != Memory::device];
    const Address a{Address::spare(channel_number_, memory), used};
    used += count;
    return a;
  }

  State& held(Memory memory, Block b) {
    State& s = where_(memory, b);
    if (!s.held)
      throw InputError("the schedule reads block " + std::to_string(b) + " on rank " +
                       std::to_string(part_.rank) + " before it is there");
    return s;
  }

  std::vector<Segment> locations(const Item& item, Memory memory) {
    std::vector<Segment> segments;
    item.for_each_block([&](Block b) {
      const State& s = held(memory, b);
      append(segments, s.at, s.count);
    });
    return segments;
  }

  Message message(const Item& item, Address at, std::size_t count, MPI_Datatype type) const {
    return {at,
            mpi_count(count, "a message"),
            type,
            item.peer,
            channel_number_,
            item.kind == Item::Kind::send ? item.to : item.from,
            item.multicast,
            item.group};
  }

  std::size_t bytes(const std::vector<Segment>& segments) const {
    return total(segments) * static_cast<std::size_t>(element_.extent);
  }

  /// A message from or to several places of one area.
  Message scattered(const Item& item, const std::vector<Segment>& segments) {
    const Address begin{segments[0].at.area, 0};
    return message(item, begin, 1, plan_.types.make(segments, element_.type, element_.extent));
  }

  Message plan_send(const Item& item) {
    std::vector<Segment> segments = locations(item, item.from);
    if (segments.size() > 1 && !one_area(segments)) {
      bring_home(item);
      segments = locations(item, item.from);
    }
    const bool multicast = item.multicast >= 0;
    item.for_each_block([&](Block b) {
      State& s = where_(item.from, b);
      s.read = now_;
      s.multicast = s.multicast || multicast;
    });
    if (segments.empty()) return message(item, {}, 0, element_.type);
    if (segments.size() == 1) return message(item, segments[0].at, segments[0].count, element_.type);
    if (!multicast && element_.derived && one_area(segments) &&
        sent_as_datatype(bytes(segments), segments.size()))
      return scattered(item, segments);
    // Multicast data are kept until the play ends.
    const Address packed =
        multicast ? where_.more_scratch(item.from, total(segments)) : more_spare(item.from, total(segments));
    std::size_t done = 0;
    for (const Segment& s : segments) {
      push(before_, s.at, shifted(packed, done), s.count, false);
      done += s.count;
    }
    return message(item, packed, done, element_.type);
  }

  /// Moves the blocks of a message to their homes, so that blocks still in the send buffer lie beside those
  /// received since.
  void bring_home(const Item& item) {
    item.for_each_block([&](Block b) {
      State& s = where_(item.from, b);
      const Address& home = where_.home(item.from, b, false);
      push(before_, s.at, home, s.count, false);
      s.at = home;
    });
  }

  void read_source(const Item& item) {
    sources_.emplace_back();
    item.for_each_block([&](Block b) {
      State& s = held(item.from, b);
      s.read = now_;
      sources_.back().push_back(s.at);
    });
  }

  void announce(const Item& item) {
    item.for_each_block([&](Block b) { where_(item.to, b).to_be_written = now_; });
  }

  /// Whether the block's home may be written while the step's messages are in progress.
  bool home_is_free(const State& s, bool reduce) const {
    if (s.written == now_) return false;
    if (!s.held || s.at != s.home) return true;
    return !reduce && s.read != now_;
  }

  /// Schedules the moves of data received at `landed`, which take effect once the step's messages are done.
  void settle(State& s, Address landed, bool reduce) {
    if (s.multicast)
      throw InputError("the schedule overwrites on rank " + std::to_string(part_.rank) +
                       " what it has multicast; an IP multicast must be kept for those who lost a packet");
    const bool direct = landed == s.home;
    if (reduce && s.held) {
      if (!direct && s.at != s.home) push(after_, s.at, s.home, s.count, false);
      push(after_, direct ? s.at : landed, s.home, s.count, true);
    } else if (!direct) {
      push(after_, landed, s.home, s.count, false);
    }
    s.at = s.home;
    s.held = true;
    s.written = now_;
  }

  Message plan_receive(const Item& item) {
    const bool reduce = item.combine == Combine::reduce;
    const bool pieces = item.pieces.size() > 2;
    std::vector<Address> landings;
    std::vector<Segment> segments;
    std::size_t count = 0;
    item.for_each_block([&](Block b) {
      where_.home(item.to, b, pieces);
      count += where_(item.to, b).count;
    });
    const auto spare_before = spare_;
    Address packed = more_spare(item.to, count);
    std::size_t done = 0;
    bool spare_needed = false;
    item.for_each_block([&](Block b) {
      const State& s = where_(item.to, b);
      const bool free = home_is_free(s, reduce);
      landings.push_back(free ? s.home : shifted(packed, done));
      spare_needed = spare_needed || !free;
      append(segments, landings.back(), s.count);
      done += s.count;
    });
    const bool as_datatype =
        element_.derived && item.multicast < 0 && one_area(segments) && received_as_datatype(bytes(segments));
    const bool unpack = segments.size() > 1 && !as_datatype;
    if (!spare_needed && !unpack) spare_ = spare_before;
    std::size_t i = 0;
    done = 0;
    item.for_each_block([&](Block b) {
      State& s = where_(item.to, b);
      const std::size_t size = s.count;
      settle(s, unpack ? shifted(packed, done) : landings[i], reduce);
      ++i, done += size;
    });
    if (segments.empty()) return message(item, {}, 0, element_.type);
    if (unpack) return message(item, packed, count, element_.type);
    if (segments.size() == 1) return message(item, segments[0].at, count, element_.type);
    return scattered(item, segments);
  }

  /// Plans a copy between two memories of this rank.
  void plan_copy(const Item& item, const std::vector<Address>& sources) {
    const bool reduce = item.combine == Combine::reduce;
    std::size_t i = 0;
    item.for_each_block([&](Block b) {
      const Address source = sources[i++];
      State& s = where_(item.to, b);
      where_.home(item.to, b, false);
      if (home_is_free(s, reduce)) {
        push(beside_, source, s.home, s.count, false);
        settle(s, s.home, reduce);
      } else if (where_(item.from, b).to_be_written != now_) {
        settle(s, source, reduce);
      } else {
        const Address saved = more_spare(item.from, s.count);
        push(before_, source, saved, s.count, false);
        settle(s, saved, reduce);
      }
    });
  }

  /// Moves final blocks to where the caller wants them.
  void plan_finals() {
    for (const auto& [block, wanted] : where_.finals()) {
      State& s = where_(Memory::device, block);
      if (!s.held || s.at == wanted) continue;
      if (s.at.area == Address::recv) {  // in place: another block's result goes there
        const Address saved = where_.more_scratch(Memory::device, s.count);
        push(plan_.at_first, s.at, saved, s.count, false);
        s.at = saved;
      }
      push(s.at.area == Address::send ? plan_.at_first : plan_.at_last, s.at, wanted, s.count, false);
    }
  }

  const Schedule& schedule_;
  const Part& part_;
  BlockLocations& where_;
  ElementType element_;
  Multicasting multicasting_;
  Plan plan_;
  ChannelPlan* channel_ = nullptr;
  int channel_number_ = 0;
  std::uint64_t now_ = 0;               ///< number of this rank's step
  std::array<std::size_t, 2> spare_{};  ///< in device and in host memory
  std::vector<Move> before_, beside_, after_;
  std::vector<std::vector<Address>> sources_;
};

}  // namespace

Plan plan(const Schedule& schedule, const Part& part, const Elements& elements, ElementType element,
          Multicasting multicasting) {
  BlockLocations where(part, schedule.blocks, elements);
  (void)Planner(schedule, part, where, element, multicasting).run();  // learns which blocks pass through
  where.restart();
  return Planner(schedule, part, where, element, multicasting).run();
}

}  // namespace collcast::mpi
