// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/transport.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "support/error.hpp"

namespace collcast::nccl {
namespace {

constexpr double KiB = 1024;

/// From 2.22 on chunks of a tree of Simple fill slots (calcCollChunking in src/enqueue.cc); before, they were
/// the smaller the fewer follow each other.
constexpr int whole_slots = 22;

/// The number of channels, and of threads of each. Small messages get fewer channels, then fewer threads.
std::pair<int, int> shared_out(int channels, Shape shape, const Kernel& kernel, bool ll, Rank ranks,
                               double message) {
  const bool by_ranks = ll && shape == Shape::ring;
  const double threshold = kernel.least_bytes * (by_ranks ? ranks : 1);
  int threads = kernel.threads;
  while (message < channels * threads * threshold) {
    if (channels > 1)
      --channels;
    else if (threads % 128 == 0)
      threads /= 2;
    else
      break;
  }
  return {channels, threads};
}

/// Times in us, sizes in bytes, rates in bytes per us.
class Player {
 public:
  Player(const Policy& policy, Collective collective, const Call& call, const Situation& s,
         const Candidate& c, const Software& software, const Squeeze& squeeze)
      : minor_(policy.release),
        all_channels_(policy.all_channels(s)),
        collective_(collective),
        ranks_(call.ranks),
        nodes_(s.nodes),
        message_(std::max(1.0, call.message.value)),
        s_(s),
        shape_(c.shape),
        protocol_(c.protocol),
        software_(software),
        squeeze_(squeeze),
        kernel_(kernel(c.protocol, s.gpu)) {
    share_out();
  }

  Play run() {
    if (shape_ == Shape::tree)
      tree();
    else if (collective_ == Collective::broadcast || collective_ == Collective::reduce)
      chain();
    else
      ring();
    const double launched = launch();
    return {play_.channels,
            play_.threads,
            Bytes(chunk_),
            loops_,
            Bytes(passed_),
            ways_.at_once,
            Seconds((launched + moving_) * 1e-6),
            Seconds(launched * 1e-6),
            limit_};
  }

 private:
  bool simple() const { return protocol_ == Protocol::simple; }
  bool ll() const { return protocol_ == Protocol::ll; }
  /// RCCL's LL is much slower than its steps.
  bool passes_turns() const {
    return shape_ == Shape::tree && !simple() && (ways_.at_once || of_amd(s_.gpu));
  }

  void share_out() {
    std::tie(play_.channels, play_.threads) =
        shared_out(all_channels_, shape_, kernel_, ll(), ranks_, message_);
    if (shape_ == Shape::tree) {
      play_.threads = tree_threads(minor_, protocol_, s_.gpu, play_.threads);
      ways_ = ways(minor_, protocol_, s_.gpu, play_.threads);
    }
    share_ = message_ / play_.channels;
    on_rail_ = std::max(1.0, static_cast<double>(play_.channels) / s_.rails);
    turn_ = play_.threads * kernel_.bytes_a_thread;
  }

  double launch() const {
    return of(shape_ == Shape::tree ? software_.tree_launch : software_.ring_launch, protocol_) +
           (play_.channels - 1) * of(software_.channel, protocol_);
  }
  double step() const {
    const double us = of(shape_ == Shape::tree ? software_.tree_step : software_.ring_step, protocol_);
    return ll() ? us * ll_slowdown(minor_, s_) : us;
  }
  double hop() const {
    return of(shape_ == Shape::tree ? software_.tree_hop : software_.ring_hop, protocol_) +
           s_.network_latency.value * 1e6;
  }

  double links() const { return share_of_links(minor_, s_, all_channels_) * 1e3; }
  /// What a share `threads` of a channel's threads moves. All channels share the links between the GPUs of a
  /// node; a tree of lone GPUs has none, and its cards are counted by themselves. NCCL's limits are for a
  /// channel of its search, of which it makes two.
  double kernel_rate(Collective collective, double threads = 1) const {
    double limit = channel_limit(minor_, shape_, protocol_, collective, s_, play_.channels);
    if (limit == unlimited && nodes_ > 1 && s_.link == NodeLink::nvlink)
      limit = s_.intra_bandwidth.value / 8e9;
    if (shape_ == Shape::tree && ranks_ == nodes_ && limit < unlimited) return threads * limit * 1e3;
    return std::min(share_of_links(minor_, s_, all_channels_), threads * limit) * 1e3;
  }
  /// The rate at which threads hand data to a proxy. The limit of RCCL's LL is what the links of the node
  /// carry with its flags, so it does not hold here.
  double handing_rate(double rate) const {
    return ll() && of_amd(s_.gpu) ? rccl_ll_alone(s_.gpu) * 1e3 : rate;
  }
  /// What limits channels to this rate: channels of the GPU, or without NVLinks the links of the node. NCCL
  /// takes NVLinks to be as fast as its channels.
  const char* held_by(double rate) const {
    return s_.link != NodeLink::nvlink && rate == links() ? node_links : gpu_channels;
  }
  double rail_time(double bytes) const {
    return bytes * kernel_.bytes_on_wire / (s_.rail_bandwidth.value * 1e-6);
  }
  /// The time that a lone message's bytes take between nodes, in the mean of the nodes.
  double wire_time(double bytes) const { return squeeze_.mean * rail_time(bytes); }
  /// The time of `messages` messages on a network card and its proxies. However well these overlap, GPU
  /// memory is read and written at its own pace.
  double card_time(double messages, double bytes) const {
    const double queued = messages * of(software_.proxy, protocol_) + squeeze_.most * rail_time(bytes);
    if (s_.gpudirect_bandwidth == BytesPerSecond(0)) return queued;
    return std::max(queued, bytes * kernel_.bytes_on_wire / (s_.gpudirect_bandwidth.value * 1e-6));
  }

  /// The time of the turns of the threads' loop. A turn of LL takes at least as long as its flags take to
  /// arrive, however few they are.
  double turns(double bytes, double rate, double turn) const {
    const double first = std::min(bytes, turn) / rate;
    if (!ll()) return bytes / rate;
    return first + (std::ceil(bytes / turn) - 1) * std::max(step(), first);
  }
  double turns(double bytes, double rate) const { return turns(bytes, rate, turn_); }

  void at_most(double us, const char* what) {
    if (us > moving_) moving_ = us, limit_ = what;
  }

  void cut_ring_chunk() {
    const double largest = kernel_.step_KiB * KiB * (simple() ? 4 : 1);
    const double everyone = static_cast<double>(play_.channels) * ranks_;
    const double unit = turn_ * kernel_.least_chunk;
    chunk_ = std::min(std::ceil(message_ / (everyone * unit)) * unit, largest);
    loops_ = std::ceil(message_ / (everyone * chunk_));
    if (simple()) chunk_ = message_ / (everyone * loops_);
    if (!by_rank()) filled_ = message_ / (everyone * chunk_ * loops_);
    const double rest = message_ - (loops_ - 1) * everyone * chunk_;
    last_chunk_ = simple() ? chunk_ : std::min(std::ceil(rest / (everyone * unit)) * unit, largest);
    held_ = std::ceil(rest / (play_.channels * last_chunk_) - 1e-9);
    chunk_ = std::min({chunk_, share_, by_rank() ? message_ / ranks_ : unlimited});
  }

  /// Whether each rank's part is cut by itself, and fills the first channels: in allgather and
  /// reduce-scatter.
  bool by_rank() const { return collective_ != Collective::allreduce; }

  /// How many chunks pass the busiest card in one step of all loops.
  double on_busiest_card() const {
    if (!by_rank()) return loops_ * filled_ * on_rail_;
    const double chunks = std::max(1.0, std::ceil(message_ / ranks_ / chunk_ - 1e-9));
    const double whole = std::floor(chunks / play_.channels);
    return whole * on_rail_ + std::ceil((chunks - whole * play_.channels) / s_.rails);
  }

  double work(double chunk, double rate) const { return step() + turns(chunk, rate); }

  /// How long the threads of a rank work. In a loop of an allreduce of LL and LL128, only the first chunks
  /// of a channel hold data; the rank that meets most of these meets all of them twice.
  double thread_time(double rate) const {
    if (by_rank()) return (ranks_ - 1) * loops_ * work(chunk_, rate);
    return 2.0 * (ranks_ - 1) * (loops_ - 1) * work(chunk_, rate) +
           std::min(2 * held_, ranks_ - 2 + held_) * work(last_chunk_, rate);
  }
  /// How long the last of the chunks that hold data waits behind the others.
  double train(double rate, double on) const {
    if (by_rank() || loops_ > 1) return 0;
    const double within = nodes_ == 1 ? 1 : 1 - static_cast<double>(nodes_) / ranks_;
    return (held_ - 1) * within * std::max(0.0, work(chunk_, rate) - on);
  }

  /// The time of a ring, in which every rank passes on a chunk in every step. The busiest part sets the pace:
  /// a rank's threads, a network card and its proxies, or the way of a chunk once round the ring, for which
  /// all ranks wait.
  void ring() {
    cut_ring_chunk();
    const double rate = kernel_rate(collective_);
    const double piece = simple() ? chunk_ / 2 : std::min(chunk_, turn_);
    const double steps = (collective_ == Collective::allreduce ? 2.0 : 1.0) * (ranks_ - 1) * loops_;
    // Between nodes LL128 passes a chunk that is shorter than a turn on as it comes: the latencies contain
    // the turn.
    const bool streams = nodes_ > 1 && protocol_ == Protocol::ll128 && chunk_ < turn_;
    const double on = step() + (streams ? 0 : piece / rate);
    double once_round = ranks_ * on;
    if (nodes_ > 1) {
      const double sent = simple() ? piece : chunk_;
      const double across = hop() + (streams ? 0 : turns(sent, rate)) + wire_time(sent);
      once_round = (ranks_ - nodes_) * on + nodes_ * across;
      at_most(steps / loops_ * on_busiest_card() * card_time(kernel_.messages, chunk_), network_cards);
    }
    at_most(thread_time(rate), held_by(rate));
    at_most(steps * once_round / ranks_ + train(rate, on), by_latency);
    moving_ += turns(chunk_, rate) - std::min(turns(chunk_, rate), piece / rate);
  }

  /// The time of a broadcast or reduce, down a chain. If all channels visit the ranks in the same order, the
  /// root does not wait for the others: calls follow each other down the chain, the slowest place sets the
  /// pace, and proxies work on while the next call is launched. Otherwise a rank that is early on one channel
  /// is late on another. As a kernel ends with all its channels, each call then has the whole way to go.
  void chain() {
    const double most =
        std::ceil(share_ / turn_) * turn_;  // a channel gets whole turns, and the last one the rest
    chunk_ = std::min(most, kernel_.step_KiB * KiB);
    loops_ = std::ceil(most / chunk_);
    const double rate = kernel_rate(collective_);
    const double piece = simple() ? chunk_ : std::min(chunk_, turn_);
    const double on = step() + turns(piece, rate);
    const double work = step() + turns(most, rate);
    if (!simple()) passed_ = turn_;  // within a node; a proxy sends whole chunks
    at_most(work, held_by(rate));
    double way = (ranks_ - nodes_) * on, following = work - on;
    const char* streams = held_by(rate);
    if (nodes_ > 1) {
      const double sent = simple() ? piece : chunk_;
      const double cards = on_rail_ * card_time(loops_, share_);
      at_most(cards - launch(), network_cards);
      way += (nodes_ - 1) * (hop() + turns(sent, rate) + wire_time(sent));
      if (const double more = cards - on_rail_ * card_time(1, sent); more > following)
        following = more, streams = network_cards;
    }
    if (play_.channels > 1 && !s_.same_channels)
      at_most(way + following, following > way ? streams : by_latency);
  }

  void halve(double loops, double least) {
    while (std::floor(message_ / (play_.channels * chunk_)) < loops && chunk_ > least) chunk_ /= 2;
  }
  void cut_tree_chunk() {
    const double per_node = static_cast<double>(ranks_) / nodes_;
    const double levels = std::floor(std::log2(nodes_));
    double unit = turn_;
    if (ll()) {
      chunk_ = 32 * KiB;
    } else if (simple()) {
      const double depth = per_node - 1 + levels;
      chunk_ = 512 * KiB;
      if (minor_ < whole_slots || of_amd(s_.gpu))
        halve(8 * depth, 128 * KiB), halve(4 * depth, 64 * KiB), halve(depth, 32 * KiB);
      unit = play_.threads * 64;
    } else {
      const double steps = 1 + levels + 0.1 * per_node;
      chunk_ = 600 * KiB;
      halve(steps * 64 / per_node, 128 * KiB), halve(steps * 16 / per_node, 32 * KiB);
      chunk_ /= kernel_.bytes_on_wire;
      unit = turn_ / 8;
    }
    if (play_.channels * chunk_ > message_) chunk_ = std::ceil(message_ / (play_.channels * unit)) * unit;
    loops_ = std::ceil(share_ / chunk_);
    chunk_ = std::min(chunk_, share_);
  }

  /// How many chunks of one loop pass a card in one direction: while chunks climb or come down, or, if
  /// `split`, while they do both. A node inside the first tree, with two nodes below it, is a leaf of the
  /// second tree, whose channels are copies of those that the search found. While chunks climb, two come in
  /// for each channel of the first tree and none for one of the second; one goes out for each channel. While
  /// they come down it is the other way round.
  double chunks_on_card(bool split) const {
    const double channels = play_.channels;
    const double first = std::max(channels / 2, std::min<double>(channels, s_.channels));
    const double up_in = nodes_ > 2 ? 2 * first : first, up_out = nodes_ > 2 ? channels : channels - first;
    return (split ? up_in + up_out : std::max(up_in, up_out)) / std::min<double>(channels, s_.rails);
  }

  /// How long a chunk climbs the chain of a node, a step of which takes `along`, and the tree of nodes. Of
  /// two nodes the first one, if it is the fuller, climbs its own chain while the other's chunk comes to its
  /// GPU at the root of the first tree; the root of the second tree is on the other node.
  double climb(double along, double over_nodes) const {
    const double most = s_.on_a_node > 0 ? s_.on_a_node : static_cast<double>(ranks_) / nodes_;
    const double other = ranks_ - s_.on_the_first;
    if (nodes_ == 2 && s_.on_the_first > other && play_.channels <= s_.channels)
      return std::max((most - 1) * along, (other - 1) * along + over_nodes);
    return (most - 1) * along + over_nodes;
  }

  /// The time of trees. Chunks climb the chain of a node and the tree of nodes, and come down again: at the
  /// same time or one after the other. Above the leaves the second child of a node waits for the first. Turns
  /// of LL are handed to the proxy as they come, and the threads of a root serve both ways; in LL128 neither
  /// is counted, as 64 H100 take longer than forecast anyway.
  void tree() {
    cut_tree_chunk();
    const bool split = ways_.at_once;
    if (passes_turns()) passed_ = turn_ * ways_.down.threads;
    const double hops = std::ceil(std::log2(nodes_));
    const double on_wire = nodes_ > 1 ? wire_time(chunk_) : 0;
    const bool streams = protocol_ == Protocol::ll128 && nodes_ > 1 && chunk_ < turn_;  // as a ring does
    const auto on_cards = [&](double bytes) {
      return nodes_ > 1 ? chunks_on_card(split) * squeeze_.most * rail_time(bytes) : 0;
    };
    // What the last loop leaves for a channel.
    const double rest = std::min(chunk_, message_ - (loops_ - 1) * play_.channels * chunk_);
    double slowest = 0, slowest_last = 0, all = 0, last = 0;
    for (bool up : {true, false}) {
      const Way& way = up ? ways_.up : ways_.down;
      const Collective half = up ? Collective::reduce : Collective::broadcast;
      const double rate = kernel_rate(split ? half : collective_, way.rate), turn = way.threads * turn_;
      const double busy = turns(chunk_, rate, turn), handed = turns(chunk_, handing_rate(rate), turn);
      const double first = streams ? 0 : passes_turns() ? std::min(busy, turn / rate) : busy;
      const bool as_it_comes = split && protocol_ != Protocol::ll128;
      const double begun = !as_it_comes ? handed
                           : up         ? first
                                        : turns(chunk_, kernel_rate(collective_), turn_);
      const double over = hops > 0 ? hops * (hop() + on_wire) + (hops - 1) * (on_wire + handed) + begun : 0;
      moving_ += climb(step() + first, over) + busy - first;
      const auto threads = [&](double bytes) {
        const double flags = split ? step() - std::min(bytes, turn) / rate : step();
        return turns(bytes, rate, turn) + (ll() ? std::max(0.0, flags) : 0);
      };
      slowest = std::max(slowest, threads(chunk_)), slowest_last = std::max(slowest_last, threads(rest));
      all += std::max(threads(chunk_), on_cards(chunk_)), last += std::max(threads(rest), on_cards(rest));
    }
    if (split) {
      const double both = 2 / kernel_rate(collective_);  // channels and links carry data up and down
      slowest = std::max(slowest, chunk_ * both), slowest_last = std::max(slowest_last, rest * both);
      all = std::max(slowest, on_cards(chunk_)), last = std::max(slowest_last, on_cards(rest));
    }
    const double following = loops_ > 1 ? (loops_ - 2) * all + last : 0;
    limit_ = following < moving_          ? by_latency
             : on_cards(chunk_) > slowest ? network_cards
                                          : held_by(kernel_rate(collective_));
    moving_ += following;
  }

  int minor_, all_channels_;
  Collective collective_;
  Rank ranks_, nodes_;
  double message_;
  const Situation& s_;
  Shape shape_;
  Protocol protocol_;
  const Software& software_;
  const Squeeze& squeeze_;
  const Kernel& kernel_;

  Play play_;
  double share_ = 0;    ///< bytes of the message that a channel carries
  double on_rail_ = 1;  ///< channels that share a network card
  double turn_ = 0;     ///< bytes that a channel moves in one turn of its loop
  double chunk_ = 0, loops_ = 1;
  Ways ways_;              ///< of a tree
  double passed_ = 0;      ///< bytes of a chunk that are passed on while the others come; 0: a whole chunk
  double last_chunk_ = 0;  ///< of a ring's last loop
  double held_ = 0;        ///< how many of a channel's chunks hold data in the last loop
  double filled_ = 1;      ///< share of an allreduce's chunks that hold data, as sizes are rounded up
  double moving_ = 0;
  const char* limit_ = by_latency;
};

}  // namespace

int channels(const Policy& policy, const Call& call, const Situation& s, Shape shape, Protocol protocol) {
  const int all = policy.all_channels(s);
  if (!has_transport(shape)) return all;
  return shared_out(all, shape, kernel(protocol, s.gpu), protocol == Protocol::ll, call.ranks,
                    std::max(1.0, call.message.value))
      .first;
}

Play play(const Policy& policy, Collective collective, const Call& call, const Situation& s,
          const Candidate& candidate, const Software& software, const Squeeze& squeeze) {
  if (!has_transport(candidate.shape))
    throw InputError("how NCCL plays " + std::string(name(candidate.shape)) + " is not modelled");
  return Player(policy, collective, call, s, candidate, software, squeeze).run();
}

}  // namespace collcast::nccl
