// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/ranges.hpp"
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

/// The action of a collective, in which letters stand for numbers. N: the message; E: a rank's part of it; P:
/// all parts; R: the root. All types are bytes (number 6).
struct CollectiveAction {
  Collective collective;
  std::string_view equal, unequal = {};  ///< unequal: if parts differ, which some actions cannot say
};
constexpr CollectiveAction collective_actions[] = {
    {Collective::barrier, "barrier"},
    {Collective::broadcast, "bcast N R 6"},
    {Collective::reduce, "reduce N 0 R 6"},
    {Collective::allreduce, "allreduce N 0 6"},
    {Collective::scan, "scan N 0 6"},
    {Collective::exscan, "exscan N 0 6"},
    {Collective::alltoall, "alltoall E E 6 6"},
    {Collective::allgather, "allgather E E 6 6", "allgatherv E P 6 6"},
    {Collective::gather, "gather E E R 6 6", "gatherv E P R 6 6"},
    {Collective::scatter, "scatter E E R 6 6", "scatterv P E R 6 6"},
    {Collective::reduce_scatter, "reducescatter P 0 6"},
};

const CollectiveAction* action_of(Collective collective) {
  const auto found = std::ranges::find(collective_actions, collective, &CollectiveAction::collective);
  return found == std::end(collective_actions) ? nullptr : found;
}

/// The sizes of the ranks' parts of a message that divides as evenly as bytes do.
std::vector<std::int64_t> equal_parts(std::int64_t message, Rank p) {
  std::vector<std::int64_t> parts;
  for (Rank r = 0; r < p; ++r) parts.push_back(message / p + (r < message % p));
  return parts;
}

/// A collective's action, without the rank, for rank `me` of `p`.
std::string collective_action(const Activity& a, Rank p, Rank me) {
  const std::int64_t message = whole(a.message);
  const std::string n = std::to_string(message), root = std::to_string(a.root);
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
    return gathers ? "gatherv " + mine + all + " " + root + " 6 6"
                   : "scatterv" + all + " " + mine + " " + root + " 6 6";
  }
  const bool shares = a.counts && !a.counts->shares.empty();
  const auto parts = shares ? wholes(a.counts->shares, p) : std::vector<std::int64_t>();
  const std::string each = std::to_string(shares ? parts[static_cast<std::size_t>(me)]
                                                 : whole(a.message / static_cast<double>(p)));
  const CollectiveAction& action = *action_of(a.collective);
  std::string text;
  for (const std::string& word :
       split(std::string(shares && !action.unequal.empty() ? action.unequal : action.equal), ' '))
    if (word == "P")
      text += list(shares ? parts : equal_parts(message, p));
    else
      text += (text.empty() ? "" : " ") + (word == "N" ? n : word == "E" ? each : word == "R" ? root : word);
  return text;
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
    return action_of(a.collective) &&
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
