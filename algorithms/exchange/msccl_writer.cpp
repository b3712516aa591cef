// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

#include "algorithms/exchange/few_messages.hpp"
#include "algorithms/exchange/msccl.hpp"
#include "algorithms/exchange/msccl_buffers.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

using msccl::Buffers;
using msccl::Position;

/// A step of a thread block, as it is printed.
struct Line {
  const char* type;
  Position source, target;
  Block count;
  int after_block = -1, after_step = -1;
  bool awaited = false;
};

/// Tells thread blocks apart. send, receive: the peer; -1: none.
struct Key {
  Rank send, receive;
  int channel;
  auto operator<=>(const Key&) const = default;
};

struct Reference {
  int block, step;
};

/// The thread blocks of a rank, its scratch, and who last touched its blocks.
class RankWriter {
 public:
  RankWriter(const Buffers& buffers, Collective collective, Rank rank, Rank ranks)
      : buffers_(buffers), collective_(collective), rank_(rank), ranks_(ranks) {}

  /// Where the rank keeps a block while the collective runs.
  Position home(Block b) {
    if (collective_ == Collective::allgather) return {'o', b};
    if (collective_ != Collective::alltoall) return {'i', b};
    const Block share = buffers_.blocks() / ranks_, pair = share / ranks_;
    if (b / share == rank_) return buffers_.input(rank_, b);
    if (b % share / pair == rank_) return buffers_.output(rank_, b);
    auto [at, fresh] = transit_.try_emplace(b, Position{'s', scratch_});
    if (fresh) ++scratch_;
    return at->second;
  }

  void copy(Position source, Position target, Block count) {
    add(block({-1, -1, 0}), {"cpy", source, target, count}, {});
  }

  void send(Rank to, int channel, const std::vector<Block>& message) {
    const int b = block({to, -1, channel});
    std::vector<Reference> after;
    for (Block m : message) after.insert(after.end(), touched_[m].write.begin(), touched_[m].write.end());
    const auto count = static_cast<Block>(message.size());
    Position from = home(message[0]);
    if (!consecutive(message)) {
      from = packed(count);
      for (const Run& run : runs(message))
        add(b, {"cpy", run.at, {'s', from.offset + run.first}, run.count}, std::exchange(after, {}));
    }
    const Reference sent = add(b, {"s", from, from, count}, after);
    for (Block m : message) touched_[m].reads.push_back(sent);
  }

  void receive(Rank from, int channel, const std::vector<Block>& message, Combine combine) {
    const int b = block({-1, from, channel});
    std::vector<Reference> after;
    for (Block m : message) {
      after.insert(after.end(), touched_[m].write.begin(), touched_[m].write.end());
      after.insert(after.end(), touched_[m].reads.begin(), touched_[m].reads.end());
    }
    const auto count = static_cast<Block>(message.size());
    const bool reduces = combine == Combine::reduce;
    Reference last;
    if (const Position at = home(message[0]); consecutive(message)) {
      last = add(b, {reduces ? "rrc" : "r", at, at, count}, after);
    } else {
      const Position to = packed(count);
      add(b, {"r", to, to, count}, {});
      for (const Run& run : runs(message))
        last = add(b, {reduces ? "re" : "cpy", {'s', to.offset + run.first}, run.at, run.count},
                   std::exchange(after, {}));
    }
    for (Block m : message) touched_[m] = {{last}, {}};
  }

  void print(std::ostream& out) const {
    out << "  <gpu id=\"" << rank_ << "\" i_chunks=\"" << buffers_.input_chunks() << "\" o_chunks=\""
        << buffers_.output_chunks() << "\" s_chunks=\"" << scratch_ << "\">\n";
    for (std::size_t id = 0; id < blocks_.size(); ++id) {
      const Key& key = keys_[id];
      out << "    <tb id=\"" << id << "\" send=\"" << key.send << "\" recv=\"" << key.receive << "\" chan=\""
          << key.channel << "\">\n";
      const auto& lines = blocks_[id];
      for (std::size_t s = 0; s < lines.size(); ++s) print(out, lines[s], s);
      out << "    </tb>\n";
    }
    out << "  </gpu>\n";
  }

 private:
  struct Touched {
    std::vector<Reference> write, reads;  ///< the last write; the reads since
  };

  int block(Key key) {
    const auto [at, fresh] = ids_.try_emplace(key, static_cast<int>(blocks_.size()));
    if (fresh) blocks_.emplace_back(), keys_.push_back(key);
    return at->second;
  }

  Position packed(Block count) { return {'s', std::exchange(scratch_, scratch_ + count)}; }

  /// Blocks of a message, from its block number `first` on, that are consecutive in memory.
  struct Run {
    Position at;
    Block first, count;
  };
  std::vector<Run> runs(const std::vector<Block>& message) {
    std::vector<Run> all;
    for (const Block m : message) {
      const Position p = home(m);
      if (!all.empty() && p.buffer == all.back().at.buffer &&
          p.offset == all.back().at.offset + all.back().count)
        ++all.back().count;
      else
        all.push_back({p, all.empty() ? 0 : all.back().first + all.back().count, 1});
    }
    return all;
  }
  bool consecutive(const std::vector<Block>& message) { return runs(message).size() == 1; }

  /// Appends a line to thread block `b` that waits for the lines `after`. A line can wait for one other line,
  /// so lines that do nothing wait for the rest.
  Reference add(int b, Line line, const std::vector<Reference>& after) {
    std::map<int, int> latest;
    for (const Reference& r : after)
      if (r.block != b) latest[r.block] = std::max(latest[r.block], r.step);
    auto& lines = blocks_[static_cast<std::size_t>(b)];
    for (auto it = latest.begin(); it != latest.end(); ++it) {
      blocks_[static_cast<std::size_t>(it->first)][static_cast<std::size_t>(it->second)].awaited = true;
      line.after_block = it->first, line.after_step = it->second;
      if (std::next(it) != latest.end())
        lines.push_back({"nop", {'i', -1}, {'o', -1}, 0, line.after_block, line.after_step});
    }
    lines.push_back(line);
    return {b, static_cast<int>(lines.size()) - 1};
  }

  static void print(std::ostream& out, const Line& l, std::size_t s) {
    out << "      <step s=\"" << s << "\" type=\"" << l.type << "\" srcbuf=\"" << l.source.buffer
        << "\" srcoff=\"" << l.source.offset << "\" dstbuf=\"" << l.target.buffer << "\" dstoff=\""
        << l.target.offset << "\" cnt=\"" << l.count << "\" depid=\"" << l.after_block << "\" deps=\""
        << l.after_step << "\" hasdep=\"" << l.awaited << "\"/>\n";
  }

  const Buffers& buffers_;
  Collective collective_;
  Rank rank_, ranks_;
  Block scratch_ = 0;
  std::map<Key, int> ids_;
  std::vector<Key> keys_;  ///< by id
  std::vector<std::vector<Line>> blocks_;
  std::map<Block, Touched> touched_;
  std::map<Block, Position> transit_;
};

std::string escaped(const std::string& text) {
  std::string out;
  for (char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : c == '\n' ? " " : std::string(1, c);
  return out;
}

/// Copies what each rank of an alltoall sends to itself.
void copy_own_pairs(std::vector<RankWriter>& writers, const Buffers& buffers) {
  const auto p = static_cast<Rank>(writers.size());
  const Block pair = buffers.blocks() / p / p;
  for (Rank r = 0; r < p; ++r) {
    const Block own = (Block{r} * p + r) * pair;
    writers[static_cast<std::size_t>(r)].copy(buffers.input(r, own), buffers.output(r, own), pair);
  }
}

/// Spreads messages of one step and channel from one rank to another over several channels of the file,
/// called lanes. A thread block would send them one after another, over several steps; in lanes they go side
/// by side, as in the schedule.
class Lanes {
 public:
  explicit Lanes(const Schedule& schedule) {
    for_each_step(schedule, false, [&](const Step& step) {
      begin_step();
      for (const Transfer& t : step.transfers) lanes_ = std::max(lanes_, ++sent_[key(t)]);
    });
    lanes_ = std::clamp(lanes_, 1, std::max(1, most_msccl_channels / schedule.channels));
  }
  void begin_step() { sent_.clear(); }
  /// The channel of the next message of this step.
  int channel(const Transfer& t) { return t.channel * lanes_ + sent_[key(t)]++ % lanes_; }
  int each() const { return lanes_; }

 private:
  static Key key(const Transfer& t) { return {t.from.rank, t.to.rank, t.channel}; }
  int lanes_ = 1;
  std::map<Key, int> sent_;
};

void write_step(const Step& step, Lanes& lanes, std::vector<RankWriter>& writers) {
  if (!step.multicasts.empty() || !step.reductions.empty())
    throw InputError("MSCCL has no multicast and no reduction in the network; this schedule uses them");
  std::vector<std::vector<Block>> messages;
  std::vector<int> channels;
  lanes.begin_step();
  for (const Transfer& t : step.transfers) {
    channels.push_back(lanes.channel(t));
    if (t.from.memory != Memory::device || t.to.memory != Memory::device)
      throw InputError("MSCCL knows device memory only; this schedule goes through a host's");
    if (t.chunk.count == 0) throw InputError("MSCCL has no message without data; this schedule sends some");
    std::vector<Block>& blocks = messages.emplace_back();
    for (const Chunk& piece : step.pieces(t))
      for (Block b = 0; b < piece.count; ++b) blocks.push_back(piece.first + b);
    if (t.from != t.to && !blocks.empty())
      writers[static_cast<std::size_t>(t.from.rank)].send(t.to.rank, channels.back(), blocks);
  }
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (const Transfer& t = step.transfers[i]; t.from != t.to && !messages[i].empty())
      writers[static_cast<std::size_t>(t.to.rank)].receive(t.from.rank, channels[i], messages[i], t.combine);
}

/// Refuses schedules whose file would be too large for any runtime.
void require_small(const Schedule& schedule) {
  require_few_messages(schedule, 1'000'000,
                       "MSCCL's XML has a line for each message, and these would be more than a million");
}

}  // namespace

Call in_a_small_file(const Algorithm& algorithm, Call call) {
  constexpr std::int64_t most_messages = 20000;
  const Block wanted = call.segments;
  call.segments = 1;
  const Schedule whole = algorithm.schedule(call);
  require_small(whole);
  const std::int64_t once = std::max<std::int64_t>(1, traffic(whole).messages);
  call.segments = std::clamp<Block>(most_messages / once, 1, wanted);
  return call;
}

std::string write_msccl(const Schedule& schedule, Collective collective, const std::string& name, Rank root) {
  const Definition& d = definition(collective);
  if (d.counted())
    throw InputError("MSCCL's chunks are all of one size; those of " + std::string(d.name) + " are not");
  require_small(schedule);
  const Buffers buffers(collective, schedule.ranks, schedule.blocks);
  std::vector<RankWriter> writers;
  for (Rank r = 0; r < schedule.ranks; ++r) writers.emplace_back(buffers, collective, r, schedule.ranks);
  if (collective == Collective::alltoall) copy_own_pairs(writers, buffers);
  Lanes lanes(schedule);
  for_each_step(schedule, true, [&](const Step& step) { write_step(step, lanes, writers); });

  std::string coll(d.name);
  std::erase(coll, '-');
  std::ostringstream out;
  out << "<algo name=\"" << escaped(name) << "\" proto=\"Simple\" nchannels=\""
      << schedule.channels * lanes.each() << "\" nchunksperloop=\""
      << std::max(buffers.input_chunks(), buffers.output_chunks()) << "\" ngpus=\"" << schedule.ranks
      << "\" coll=\"" << coll << "\" inplace=\"" << buffers.in_place() << "\" outofplace=\""
      << !buffers.in_place() << "\" minBytes=\"0\" maxBytes=\"" << std::numeric_limits<std::int64_t>::max()
      << '"';
  if (d.rooted) out << " root=\"" << root << '"';
  out << ">\n";
  for (const RankWriter& writer : writers) writer.print(out);
  out << "</algo>\n";
  return out.str();
}

std::string refused_by_msccl(const std::string& xml) {
  const auto largest = [&xml](const std::string& attribute) {
    long long most = 0;
    for (std::size_t at = 0; (at = xml.find(attribute, at)) != std::string::npos;)
      most = std::max(most, std::atoll(xml.c_str() + (at += attribute.size())));
    return most;
  };
  const long long channels = largest(" nchannels=\""), steps = largest("<step s=\"") + 1;
  if (channels <= most_msccl_channels && steps <= most_msccl_steps) return {};
  return "MSCCL's loader takes up to " + std::to_string(most_msccl_channels) + " channels and " +
         std::to_string(most_msccl_steps) + " steps of a thread block: it refuses this file, which has " +
         std::to_string(channels) + " and " + std::to_string(steps);
}

}  // namespace collcast
