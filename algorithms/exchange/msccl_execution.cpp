// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/msccl_execution.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

namespace collcast::msccl {
namespace {

/// Ends an execution that adds data of different blocks.
struct Broken {
  Counterexample why;
};

class Machine {
 public:
  explicit Machine(const Program& program)
      : program_(program),
        definition_(definition(program.collective)),
        buffers_(program),
        sets_(definition_.repeats_allowed) {
    done_.ranks = program.ranks();
    done_.blocks = buffers_.blocks();
  }

  Execution run() {
    prepare();
    try {
      while (sweep()) {
      }
      check_all_done();
      collect_results();
    } catch (const Broken& broken) {
      done_.wrong = broken.why;
    }
    return std::move(done_);
  }

 private:
  struct Runner {
    Rank rank;
    const ThreadBlock* block;
    std::size_t at = 0;
  };
  struct Memories {
    std::vector<ValueId> input, output, scratch;
  };
  using Connection = std::tuple<Rank, Rank, int>;

  void prepare() {
    memories_.resize(program_.gpus.size());
    std::int64_t scratch = 0;
    for (Rank r = 0; r < program_.ranks(); ++r) {
      const Gpu& gpu = program_.gpus[static_cast<std::size_t>(r)];
      if ((scratch += gpu.scratch) > Block{1} << 26) program_.fail(1, "too much scratch in all");
      Memories& memory = memories_[static_cast<std::size_t>(r)];
      memory.input.assign(static_cast<std::size_t>(buffers_.input_chunks()), nothing);
      memory.output.assign(static_cast<std::size_t>(buffers_.output_chunks()), nothing);
      memory.scratch.assign(static_cast<std::size_t>(gpu.scratch), nothing);
      for (const Holding& h : definition_.initially(r, program_.ranks(), buffers_.blocks(), program_.root))
        for (Block b = h.chunk.first; b < h.chunk.first + h.chunk.count; ++b)
          cell(r, buffers_.input(r, b)) = add({.rank = r, .block = b, .set = sets_.of(h.ranks)});
      for (const ThreadBlock& block : gpu.blocks) runners_.push_back({r, &block});
    }
    done_.sequences.resize(runners_.size());
    done_.received.resize(runners_.size());
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      number_[{runners_[i].rank, runners_[i].block->id}] = i;
      ++receivers_[connection(runners_[i])];
    }
  }

  /// Lets every thread block run as far as it can; false if none could.
  bool sweep() {
    bool moved = false;
    for (std::size_t i = 0; i < runners_.size(); ++i)
      for (Runner& r = runners_[i]; r.at < r.block->steps.size() && ready(r); ++r.at) {
        play(i, r.block->steps[r.at]);
        moved = true;
      }
    return moved;
  }

  const Runner& awaited(const Runner& r) const {
    return runners_[number_.at({r.rank, r.block->steps[r.at].after_block})];
  }
  bool waits_for_step(const Runner& r) const {
    const Instruction& now = r.block->steps[r.at];
    return now.after_block >= 0 && awaited(r).at <= static_cast<std::size_t>(now.after_step);
  }
  bool waits_for_message(const Runner& r) {
    return r.block->steps[r.at].receives && next_message(r) == incoming(r).end();
  }
  std::deque<std::int32_t>::iterator next_message(const Runner& r) {
    std::deque<std::int32_t>& queue = incoming(r);
    if (receivers_[connection(r)] == 1) return queue.begin();
    const Instruction& now = r.block->steps[r.at];
    const Position here = now.reduces ? now.source : now.target;
    return std::ranges::find_if(queue, [&](std::int32_t m) {
      const Position there = done_.messages[static_cast<std::size_t>(m)].remote;
      return there.buffer == here.buffer && there.offset == here.offset;
    });
  }
  bool ready(const Runner& r) { return !waits_for_step(r) && !waits_for_message(r); }
  static Connection connection(const Runner& r) { return {r.block->receive, r.rank, r.block->channel}; }
  std::deque<std::int32_t>& incoming(const Runner& r) { return wire_[connection(r)]; }

  void play(std::size_t runner, const Instruction& now) {
    const Rank rank = runners_[runner].rank;
    std::vector<ValueId> data;
    if (now.receives) data = receive(runner, now);
    if (now.reads_source()) {
      std::vector<ValueId> local = read(runner, now, now.source);
      data = now.receives ? sums(runner, now, local, data) : std::move(local);
    }
    if (now.reads_target) data = sums(runner, now, read(runner, now, now.target), data);
    if (now.writes)
      for (Block k = 0; k < now.count; ++k)
        cell(rank, checked(runner, now, now.target, k)) = data[static_cast<std::size_t>(k)];
    if (now.sends) send(runner, now, std::move(data));
  }

  std::vector<ValueId> receive(std::size_t runner, const Instruction& now) {
    std::deque<std::int32_t>& queue = incoming(runners_[runner]);
    const auto next = next_message(runners_[runner]);
    const std::int32_t m = *next;
    queue.erase(next);
    const Message& message = done_.messages[static_cast<std::size_t>(m)];
    if (static_cast<Block>(message.values.size()) != now.count)
      fail(runner, now,
           "takes " + std::to_string(now.count) + " chunks, but the message of line " +
               std::to_string(message.line) + " has " + std::to_string(message.values.size()));
    done_.sequences[runner].push_back(m);
    done_.received[runner].push_back(true);
    std::vector<ValueId> data;
    for (std::size_t k = 0; k < message.values.size(); ++k) {
      const Value& sent = value(message.values[k]);
      data.push_back(add({.rank = message.to,
                          .block = sent.block,
                          .set = sent.set,
                          .message = m,
                          .chunk = static_cast<std::int32_t>(k)}));
    }
    return data;
  }

  void send(std::size_t runner, const Instruction& now, std::vector<ValueId> data) {
    const Runner& r = runners_[runner];
    const auto m = static_cast<std::int32_t>(done_.messages.size());
    done_.messages.push_back(
        {r.rank, r.block->send, std::move(data), now.remote, now.line, r.block->channel});
    done_.events.push_back({true, m});
    done_.sequences[runner].push_back(m);
    done_.received[runner].push_back(false);
    wire_[{r.rank, r.block->send, r.block->channel}].push_back(m);
  }

  std::vector<ValueId> read(std::size_t runner, const Instruction& now, Position from) {
    std::vector<ValueId> data;
    for (Block k = 0; k < now.count; ++k) {
      data.push_back(cell(runners_[runner].rank, checked(runner, now, from, k)));
      if (data.back() == nothing)
        fail(runner, now,
             std::string("reads ") + from.buffer + "[" + std::to_string(from.offset + k) +
                 "], where nothing has been put");
    }
    return data;
  }

  std::vector<ValueId> sums(std::size_t runner, const Instruction& now, const std::vector<ValueId>& a,
                            const std::vector<ValueId>& b) {
    std::vector<ValueId> data;
    for (std::size_t k = 0; k < a.size(); ++k) {
      const Value left = value(a[k]), right = value(b[k]);
      if (left.block != right.block)
        throw Broken{{left.rank, left.block,
                      "is reduced with block " + std::to_string(right.block) + " (line " +
                          std::to_string(now.line) + ", " + where(runner) + ")"}};
      if (!definition_.reduces) fail(runner, now, "reduces, which this collective does not");
      data.push_back(add({.rank = left.rank,
                          .block = left.block,
                          .set = sets_.sum(left.set, right.set),
                          .left = a[k],
                          .right = b[k]}));
    }
    return data;
  }

  ValueId add(Value v) {
    const auto id = static_cast<ValueId>(done_.values.size());
    done_.values.push_back(v);
    done_.events.push_back({false, id});
    return id;
  }
  const Value& value(ValueId id) const { return done_.values[static_cast<std::size_t>(id)]; }

  Position checked(std::size_t runner, const Instruction& now, Position p, Block k) const {
    p.offset += k;
    const Rank rank = runners_[runner].rank;
    const Block reach =
        p.buffer == 's' ? program_.gpus[static_cast<std::size_t>(rank)].scratch : buffers_.reach(p.buffer);
    if (p.offset >= reach)
      fail(runner, now,
           std::string("offset ") + std::to_string(p.offset) + " is outside buffer " + p.buffer + " of " +
               std::to_string(reach) + " chunks");
    return buffers_.resolved(rank, p);
  }
  ValueId& cell(Rank rank, Position p) {
    Memories& m = memories_[static_cast<std::size_t>(rank)];
    auto& buffer = p.buffer == 'i' ? m.input : p.buffer == 'o' ? m.output : m.scratch;
    return buffer[static_cast<std::size_t>(p.offset)];
  }

  std::string where(std::size_t runner) const {
    return place(runners_[runner].rank, runners_[runner].block->id, runners_[runner].at);
  }
  [[noreturn]] void fail(std::size_t runner, const Instruction& now, const std::string& what) const {
    program_.fail(now.line, where(runner) + ": " + what);
  }

  void check_all_done() {
    for (std::size_t i = 0; i < runners_.size(); ++i)
      if (runners_[i].at < runners_[i].block->steps.size()) explain_standstill(i);
    for (const auto& [connection, queue] : wire_)
      if (!queue.empty()) {
        const Message& m = done_.messages[static_cast<std::size_t>(queue.front())];
        program_.fail(m.line, "deadlock: gpu " + std::to_string(m.from) + " sends a message on channel " +
                                  std::to_string(std::get<2>(connection)) + " that gpu " +
                                  std::to_string(m.to) + " never receives");
      }
  }

  /// The thread block that `r` waits for; none if that one is at its end or missing.
  std::optional<std::size_t> blocker(const Runner& r) const {
    if (waits_for_step(r)) return number_.at({r.rank, r.block->steps[r.at].after_block});
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      const Runner& peer = runners_[i];
      if (peer.rank == r.block->receive && peer.block->send == r.rank &&
          peer.block->channel == r.block->channel && peer.at < peer.block->steps.size())
        return i;
    }
    return {};
  }

  /// Follows from thread block to thread block what each waits for, until the cause of the deadlock.
  [[noreturn]] void explain_standstill(std::size_t i) const {
    std::vector<bool> seen(runners_.size());
    std::optional<std::size_t> next = i;
    for (; next && !seen[*next]; next = blocker(runners_[i])) seen[i = *next] = true;
    const Runner& r = runners_[i];
    const Instruction& now = r.block->steps[r.at];
    if (!next)
      fail(i, now,
           "deadlock: waits for a message from gpu " + std::to_string(r.block->receive) + " on channel " +
               std::to_string(r.block->channel) + " that is never sent");
    bool steps_only = true;
    std::string cycle = where(i);
    for (std::size_t at = i;;) {
      steps_only = steps_only && waits_for_step(runners_[at]);
      at = *blocker(runners_[at]);
      if (at == i) break;
      cycle += " waits for " + where(at);
    }
    fail(i, now,
         (steps_only ? "dependency cycle: " : "deadlock: ") + cycle + " waits for the first of these");
  }

  void collect_results() {
    for (Rank r = 0; r < program_.ranks(); ++r)
      for (const Holding& h : definition_.finally(r, program_.ranks(), buffers_.blocks(), program_.root)) {
        const ContributionSets::Set wanted = sets_.of(h.ranks);
        for (Block b = h.chunk.first; b < h.chunk.first + h.chunk.count; ++b) {
          const ValueId id = cell(r, buffers_.output(r, b));
          if (id == nothing) throw Broken{{r, b, "is never put into the output"}};
          if (value(id).block != b)
            throw Broken{{r, b,
                          "is not in its place in the output: block " + std::to_string(value(id).block) +
                              " is there"}};
          if (std::string what = sets_.difference(value(id).set, wanted); !what.empty())
            throw Broken{{r, b, std::move(what)}};
          done_.results.push_back(id);
        }
      }
  }

  const Program& program_;
  const Definition& definition_;
  Buffers buffers_;
  ContributionSets sets_;
  Execution done_;
  std::vector<Memories> memories_;
  std::vector<Runner> runners_;
  std::map<std::pair<Rank, int>, std::size_t> number_;
  std::map<Connection, std::deque<std::int32_t>> wire_;
  std::map<Connection, int> receivers_;  ///< thread blocks at a connection's end
};

}  // namespace

Execution execute(const Program& program) {
  return Machine(program).run();
}

}  // namespace collcast::msccl
