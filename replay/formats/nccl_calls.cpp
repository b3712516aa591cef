// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/nccl_calls.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/members.hpp"
#include "replay/formats/message_group.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast::nccl {
namespace {

/// Sizes of ncclDataType_t 0 to 11 (nccl.h).
constexpr int nccl_type_bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

bool is_message(const LoggedCall& c) {
  return c.operation == "Send" || c.operation == "Recv";
}

/// Whether consecutive messages are of one group: by the log's group calls, else by their number.
bool together(const LoggedCall& a, const LoggedCall& b) {
  if (a.group >= 0 || b.group >= 0) return a.group == b.group;
  return a.number == b.number && a.communicator == b.communicator;
}

/// Gives devices their ranks and communicators their members, and the calls to a source.
class Job {
 public:
  explicit Job(const CallLog& log) : log_(log) {}

  std::unique_ptr<RecordedSource> build() {
    number_ranks();
    look_at_communicators();
    auto source = std::make_unique<RecordedSource>(world_);
    const bool any_calls = log_.calls() > 0;
    for (std::size_t i = 0; i < log_.order.size(); ++i) {
      const DeviceLog& d = log_.devices.at(log_.order[i]);
      if (d.calls.empty() && any_calls) continue;
      if (!any_calls) set_up(*source, i, d);
      source->info().recorded_ranks.push_back(rank_[i]);
      calls(*source, i, d);
    }
    std::ranges::sort(source->info().recorded_ranks);
    if (unnamed_ > 1)
      source->info().notes.push_back(
          text::counted(unnamed_, "device") +
          " without INIT lines, or of another job, are ranks by the numbers of their GPUs, "
          "hosts in the order in which they appear: nothing says who is which");
    if (by_tasks_ > 0)
      source->info().notes.push_back(text::counted(by_tasks_, "device") +
                                     " without INIT lines, or of another job, are the ranks of the tasks to "
                                     "which a launcher gives their lines");
    if (inferred_)
      source->info().notes.push_back(
          "communicators without INIT lines: their members are taken as consecutive ranks, and a rank that "
          "is "
          "alone named in no message as the device's own");
    if (by_places_)
      source->info().notes.push_back(
          "communicators without a commId (before NCCL 2.18), or of which not all ranks were recorded: their "
          "members are taken as ranks at equal distances, in which the places that the log says fit");
    return source;
  }

 private:
  /// A device's rank is that in the largest communicator that it set up; the others follow in order.
  void number_ranks() {
    rank_.assign(log_.order.size(), -1);
    for (const Device& device : log_.order)
      for (const auto& [pointer, c] : log_.devices.at(device).communicators)
        world_ = std::max(world_, c.ranks);
    refuse_two_jobs();
    std::set<Rank> taken;
    for (std::size_t i = 0; i < log_.order.size(); ++i)
      for (const std::string& pointer : log_.devices.at(log_.order[i]).order) {
        const DeviceLog& d = log_.devices.at(log_.order[i]);
        if (d.communicators.at(pointer).ranks != world_ || rank_[i] >= 0) continue;
        if (const Rank r = own_rank(d, pointer); r >= 0 && taken.insert(r).second) rank_[i] = r;
      }
    number_by_tasks(taken);
    const std::vector<std::size_t> unnamed = without_rank();
    unnamed_ = std::ssize(unnamed);
    Rank next = 0;
    for (const std::size_t i : unnamed) {
      while (taken.contains(next)) ++next;
      taken.insert(rank_[i] = next);
    }
    world_ = std::max(world_, taken.empty() ? 1 : *taken.rbegin() + 1);
  }

  /// The devices of unknown rank: hosts in the order in which they appear, and each one's GPUs by number.
  std::vector<std::size_t> without_rank() const {
    std::map<std::string, std::size_t> hosts;
    std::vector<std::size_t> devices;
    for (std::size_t i = 0; i < rank_.size(); ++i) {
      hosts.try_emplace(log_.order[i].host, hosts.size());
      if (rank_[i] < 0) devices.push_back(i);
    }
    std::ranges::stable_sort(devices, {}, [&](std::size_t i) {
      return std::pair(hosts.at(log_.order[i].host), log_.order[i].device);
    });
    return devices;
  }

  /// Gives devices of unknown rank the number of their task, if each of them has a different one.
  void number_by_tasks(std::set<Rank>& taken) {
    std::map<Rank, std::size_t> by_task;
    for (std::size_t i = 0; i < rank_.size(); ++i) {
      const Rank task = log_.devices.at(log_.order[i]).task;
      if (rank_[i] < 0 && (task < 0 || taken.contains(task) || !by_task.emplace(task, i).second)) return;
    }
    for (const auto& [task, i] : by_task) taken.insert(rank_[i] = task);
    by_tasks_ = std::ssize(by_task);
  }

  /// Visits the largest communicators, if INIT lines say the id, the rank and the GPU.
  template <class Visit>
  void for_each_of_all(Visit visit) const {
    for (const Device& device : log_.order) {
      const DeviceLog& d = log_.devices.at(device);
      for (const auto& [pointer, c] : d.communicators)
        if (c.ranks == world_ && !c.id.empty() && c.rank >= 0 && !d.bus.empty()) visit(device, d, c);
    }
  }

  /// Throws InputError for ranks of two jobs. Groups of one job may be alike, and none need have all ranks.
  /// But two processes with the same rank on the same GPU, in communicators that share no process, are of two
  /// jobs.
  void refuse_two_jobs() const {
    if (world_ < 2) return;
    std::map<std::string, std::set<Device>> members;  // by communicator
    for_each_of_all(
        [&](const Device& device, const DeviceLog&, const Communicator& c) { members[c.id].insert(device); });
    std::map<std::tuple<std::string, std::string, Rank>, std::pair<Device, std::string>> first;
    for_each_of_all([&](const Device& device, const DeviceLog& d, const Communicator& c) {
      const auto& other = first.try_emplace({device.host, d.bus, c.rank}, device, c.id).first->second;
      if (disjoint(members[other.second], members[c.id]))
        throw InputError("ranks of two different jobs: processes " + std::to_string(other.first.process) +
                         " and " + std::to_string(device.process) + " on " + device.host + " are rank " +
                         std::to_string(c.rank) + " of " + std::to_string(world_) +
                         " on one GPU, in communicators " + other.second + " and " + c.id +
                         " that share no process; name the log of one job");
    });
  }
  static bool disjoint(const std::set<Device>& a, const std::set<Device>& b) {
    return std::ranges::none_of(a, [&](const Device& device) { return b.contains(device); });
  }

  /// A device's rank in a communicator: as it was set up, or else the only rank that none of its messages
  /// names.
  static Rank own_rank(const DeviceLog& d, const std::string& pointer) {
    const Communicator& c = d.communicators.at(pointer);
    if (c.rank >= 0) return c.rank;
    std::set<Rank> peers;
    for (const LoggedCall& call : d.calls)
      if (is_message(call) && call.communicator == pointer && call.root >= 0 && call.root < c.ranks)
        peers.insert(call.root);
    if (std::ssize(peers) + 1 != c.ranks) return -1;
    Rank own = 0;
    while (peers.contains(own)) ++own;
    return own;
  }

  /// Notes the places of ranks that INIT lines say: in communicators of one id, and in those without an id
  /// that are the n-th of their size on each device.
  void look_at_communicators() {
    for (std::size_t i = 0; i < log_.order.size(); ++i) {
      const DeviceLog& d = log_.devices.at(log_.order[i]);
      std::map<Rank, int> without_id;  // by size
      for (const std::string& pointer : d.order) {
        const Communicator& c = d.communicators.at(pointer);
        const auto alike = c.id.empty() ? Alike{"", c.ranks, without_id[c.ranks]++} : Alike{c.id, 0, 0};
        alike_[{i, pointer}] = alike;
        if (c.rank >= 0) places_[alike].emplace_back(c.rank, rank_[i]);
      }
    }
  }

  int communicator(RecordedSource& source, std::size_t device, const DeviceLog& log,
                   const std::string& pointer) {
    const auto [known, is_new] = numbers_.try_emplace({device, pointer}, 0);
    if (is_new) known->second = find_communicator(source, device, log, pointer);
    return known->second;
  }

  int find_communicator(RecordedSource& source, std::size_t device, const DeviceLog& log,
                        const std::string& pointer) {
    const Communicator& c = log.communicators.at(pointer);
    if (c.ranks <= 0) return 0;
    if (c.ranks == world_ && c.id.empty()) {
      const Rank own = own_rank(log, pointer);
      if (own < 0 || own == rank_[device]) return 0;
      inferred_ = true;
      std::vector<Rank> members = source.communicators()[0];
      std::swap(members[static_cast<std::size_t>(own)], members[static_cast<std::size_t>(rank_[device])]);
      return source.communicator("", members);
    }
    std::vector<Rank> members(static_cast<std::size_t>(c.ranks), -1);
    const auto& places = places_[alike_.at({device, pointer})];
    for (const auto& [place, rank] : places) {
      if (c.id.empty() || place >= c.ranks) continue;
      Rank& member = members[static_cast<std::size_t>(place)];
      if (member >= 0 && member != rank)
        throw InputError("ranks of two different jobs, or one twice: two devices are rank " +
                         std::to_string(place) + " of communicator " + c.id);
      member = rank;
    }
    std::set<Rank> distinct(members.begin(), members.end());
    if (distinct.contains(-1) || distinct.size() != members.size()) {
      if (c.ranks == world_) return 0;
      (c.rank >= 0 ? by_places_ : inferred_) = true;
      members = equidistant_group(rank_[device], c.rank, c.ranks, world_, [&](Rank distance) {
        return std::ranges::all_of(
            places, [&](const auto& said) { return is_place(said.second, said.first, c.ranks, distance); });
      });
    }
    if (world_id_.empty() && members == source.communicators()[0]) world_id_ = c.id;
    if (!c.id.empty() && c.id == world_id_) return 0;
    const int number = source.communicator(c.id, members);
    source.name(number, c.id);
    return number;
  }

  /// Gives the source the communicators of a log in which nobody calls.
  void set_up(RecordedSource& source, std::size_t device, const DeviceLog& log) {
    for (const std::string& pointer : log.order)
      if (log.communicators.at(pointer).rank >= 0) communicator(source, device, log, pointer);
  }

  void calls(RecordedSource& source, std::size_t device, const DeviceLog& log) {
    auto& stream = source.at(rank_[device]);
    MessageGroup group(stream);
    const LoggedCall* last = nullptr;
    for (const LoggedCall& c : log.calls) {
      const int comm = communicator(source, device, log, c.communicator);
      const bool message = is_message(c);
      if (!message || !last || !together(*last, c)) group.finish();
      last = &c;
      if (message)
        group.add(point_to_point(source, c, comm));
      else
        stream.push_back(collective(source, c, comm));
    }
    group.finish();
  }

  static Rank size(const RecordedSource& source, int communicator) {
    return static_cast<Rank>(source.communicators()[static_cast<std::size_t>(communicator)].size());
  }

  static Activity point_to_point(RecordedSource& source, const LoggedCall& c, int communicator) {
    Activity a = message_activity(c.operation == "Send", communicator, c.root, Bytes(c.bytes));
    a.sized = c.sized;
    a.synchronous = true;
    if (c.root < 0 || c.root >= size(source, communicator)) {
      a.kind = Activity::Kind::skipped;
      a.note = "its peer is not in the communicator";
    }
    return a;
  }

  static Activity collective(RecordedSource& source, const LoggedCall& c, int communicator) {
    const auto known = collective_of(c.operation);
    const Rank ranks = size(source, communicator);
    if (!known || c.root < 0 || c.root >= ranks) {
      Activity a;
      a.kind = Activity::Kind::skipped;
      a.operation = a.call = source.keep(c.operation);
      a.note = known ? "its root is not in the communicator" : "is no collective that is known";
      return a;
    }
    Activity a = collective_activity(*known, communicator, message_by_count(*known, Bytes(c.bytes), ranks));
    a.sized = c.sized;
    a.root = c.root;
    return a;
  }

  const CallLog& log_;
  Rank world_ = 0;
  std::vector<Rank> rank_;  ///< by device, in the log's order
  std::map<std::pair<std::size_t, std::string>, int> numbers_;
  std::string world_id_;                                        ///< id of the first communicator of all ranks
  using Alike = std::tuple<std::string, Rank, int>;             ///< an id, or a size and a number
  std::map<std::pair<std::size_t, std::string>, Alike> alike_;  ///< by device and pointer
  std::map<Alike, std::vector<std::pair<Rank, Rank>>> places_;  ///< a rank in it, and which rank that is
  bool inferred_ = false, by_places_ = false;
  std::ptrdiff_t unnamed_ = 0;   ///< devices of unknown rank
  std::ptrdiff_t by_tasks_ = 0;  ///< devices that have the rank of their task
};

}  // namespace

std::string_view word_after(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at > 0 && text[at - 1] != ' ' && text[at - 1] != '[') continue;
    const std::string_view rest = text.substr(at + key.size());
    return rest.substr(0, rest.find_first_of(" ],\r"));
  }
  return {};
}

void LoggedCall::size(std::int64_t count, std::int64_t type) {
  sized = count >= 0 && type >= 0 && type < static_cast<std::int64_t>(std::size(nccl_type_bytes));
  bytes = sized ? static_cast<double>(count) * nccl_type_bytes[type] : 0;
}

DeviceLog& CallLog::log(const Device& device) {
  const auto [found, is_new] = devices.try_emplace(device);
  if (is_new) order.push_back(device);
  return found->second;
}

std::size_t CallLog::calls() const {
  std::size_t n = 0;
  for (const auto& [device, d] : devices) n += d.calls.size();
  return n;
}

std::unique_ptr<RecordedSource> source_of(const CallLog& log) {
  auto source = Job(log).build();
  compare_ranks(*source);
  return source;
}

}  // namespace collcast::nccl
