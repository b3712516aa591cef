// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>

#include "replay/formats/conversion.hpp"
#include "replay/source/merged.hpp"
#include "support/output_file.hpp"

namespace collcast {
namespace {

using Kind = Activity::Kind;

std::string list(const std::vector<std::int64_t>& counts) {
  std::string text;
  for (const std::int64_t c : counts) text += " " + std::to_string(c);
  return text;
}

constexpr Collective with_actions[] = {Collective::barrier,   Collective::broadcast,     Collective::reduce,
                                       Collective::allreduce, Collective::scan,          Collective::exscan,
                                       Collective::alltoall,  Collective::allgather,     Collective::gather,
                                       Collective::scatter,   Collective::reduce_scatter};

/// A collective's action, without the rank, for rank `me` of `p`. All types are bytes (number 6).
std::string collective_action(const Activity& a, Rank p, Rank me) {
  const bool shares = a.counts && !a.counts->shares.empty();
  const auto parts = shares ? wholes(a.counts->shares, p) : std::vector<std::int64_t>();
  const std::string n = std::to_string(whole(a.message)),
                    each = std::to_string(shares ? parts[static_cast<std::size_t>(me)]
                                                 : whole(a.message / static_cast<double>(p))),
                    root = " " + std::to_string(a.root);
  if (a.direct && a.counts && a.collective == Collective::alltoall) {
    const auto sent = wholes(a.counts->sent, p), received = wholes(a.counts->received, p);
    return "alltoallv " + n + list(sent) + " " + n + list(received) + " 6 6";
  }
  if (a.direct && a.counts) {  // only the root knows all sizes; the others write zeros
    const bool gathers = a.collective == Collective::gather;
    const auto& of_root = gathers ? a.counts->received : a.counts->sent;
    const auto& own = gathers ? a.counts->sent : a.counts->received;
    const std::string all = list(me == a.root ? wholes(of_root, p)
                                              : std::vector<std::int64_t>(static_cast<std::size_t>(p), 0)),
                      mine = std::to_string(wholes(own, p)[static_cast<std::size_t>(a.root)]);
    return gathers ? "gatherv " + mine + all + root + " 6 6" : "scatterv" + all + " " + mine + root + " 6 6";
  }
  switch (a.collective) {
    case Collective::barrier:
      return "barrier";
    case Collective::broadcast:
      return "bcast " + n + root + " 6";
    case Collective::reduce:
      return "reduce " + n + " 0" + root + " 6";
    case Collective::allreduce:
      return "allreduce " + n + " 0 6";
    case Collective::scan:
      return "scan " + n + " 0 6";
    case Collective::exscan:
      return "exscan " + n + " 0 6";
    case Collective::alltoall:
      return "alltoall " + each + " " + each + " 6 6";
    case Collective::allgather:
      if (shares) return "allgatherv " + each + list(parts) + " 6 6";
      return "allgather " + each + " " + each + " 6 6";
    case Collective::gather:
      if (shares) return "gatherv " + each + list(parts) + root + " 6 6";
      return "gather " + each + " " + each + root + " 6 6";
    case Collective::scatter:
      if (shares) return "scatterv" + list(parts) + " " + each + root + " 6 6";
      return "scatter " + each + " " + each + root + " 6 6";
    default: {  // reduce-scatter
      std::vector<std::int64_t> counts = parts;
      for (Rank r = 0; !shares && r < p; ++r)
        counts.push_back(whole(a.message) / p + (r < whole(a.message) % p));
      return "reducescatter" + list(counts) + " 0 6";
    }
  }
}

class ActionWriter {
 public:
  ActionWriter(const Source& source, const Holds& holds, Rank rank, std::ostream& out, LossCount& losses,
               TagsOfAll& tags)
      : source_(source), holds_(holds), rank_(rank), out_(out), losses_(losses), tags_(tags) {}

  void write(const Activity& a) {
    if (a.kind == Kind::compute || a.kind == Kind::pause) return compute(a.time);
    if (a.kind == Kind::wait) return wait(a);
    if (a.kind == Kind::collective) return collective(a);
    const auto& members = members_of(source_, a);
    /// What a wait for the message names.
    const auto message = [&](bool sends, bool starts, Rank peer, int its_tag, Bytes size) {
      const int tag = tags_(a.communicator, its_tag);
      const Rank other = members.at(static_cast<std::size_t>(peer));
      line((starts ? "i" : "") + std::string(sends ? "send " : "recv ") + std::to_string(other) + " " +
           std::to_string(tag) + " " + std::to_string(whole(size)) + " 6");
      return std::to_string(sends ? rank_ : other) + " " + std::to_string(sends ? other : rank_) + " " +
             std::to_string(tag);
    };
    if (a.kind == Kind::exchange) {  // the format's sendRecv has no tags
      const std::string sent = message(true, true, a.to, a.tag, a.bytes),
                        received = message(false, true, a.from, a.received_tag, a.received_bytes);
      return line("wait " + sent), line("wait " + received);
    }
    const bool sends = a.kind == Kind::send;
    const std::string named = message(sends, a.request >= 0, sends ? a.to : a.from,
                                      sends ? a.tag : a.received_tag, sends ? a.bytes : a.received_bytes);
    if (a.request >= 0) open_[a.request] = named;
  }

 private:
  void line(const std::string& action) { out_ << rank_ << ' ' << action << '\n'; }
  void compute(Seconds time) {
    if (const std::int64_t ns = flops_(time); ns > 0) line("compute " + std::to_string(ns));
  }
  void wait(const Activity& a) {
    for (const std::int64_t r : a.requests)
      if (const auto found = open_.find(r); found != open_.end())
        line("wait " + found->second), open_.erase(found);
  }
  void collective(const Activity& a) {
    if (!holds_(a)) return losses_.add(a.operation, "has no action in the format", a.duration);
    if (a.request >= 0) losses_.add(a.operation, "holds its rank up, as the format has no other", a.duration);
    line(collective_action(a, source_.ranks(), rank_));
  }

  const Source& source_;
  const Holds& holds_;
  Rank rank_;
  std::ostream& out_;
  LossCount& losses_;
  TagsOfAll& tags_;
  WholeTimes flops_{1e-9};
  std::map<std::int64_t, std::string> open_;
};

}  // namespace

Holds time_independent_holds(const Source& source) {
  return [&source, sorted = in_order(source)](const Activity& a) {
    return std::ranges::find(with_actions, a.collective) != std::end(with_actions) &&
           members_of(source, a).size() == static_cast<std::size_t>(source.ranks()) &&
           sorted[static_cast<std::size_t>(a.communicator)] && (!a.direct || a.counts);
  };
}

Losses write_time_independent(const Source& source, const std::string& path) {
  const OneStream merged(source);
  LossCount losses;
  TagsOfAll tags;
  const Holds holds = time_independent_holds(source);
  OutputStream file(path);
  for (Rank r = 0; r < source.ranks(); ++r) {
    ActionWriter writer(source, holds, r, file, losses, tags);
    file << r << " init\n";
    for_each_activity(merged, r, losses, [&](const Activity& a) { writer.write(a); });
    file << r << " finalize\n";
  }
  file.commit();
  losses.add(merged.losses());
  Losses all = losses.losses(source);
  add_lost_facts(all, source);
  return all;
}

}  // namespace collcast
