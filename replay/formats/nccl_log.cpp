// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/nccl_log.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "replay/formats/input.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

constexpr std::string_view marker = "NCCL INFO ";
/// Sizes of ncclDataType_t 0 to 11 (nccl.h).
constexpr int nccl_type_bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

/// The word after `key`, which stands at a word's begin; empty if there is none.
std::string_view word_after(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at > 0 && text[at - 1] != ' ' && text[at - 1] != '[') continue;
    const std::string_view rest = text.substr(at + key.size());
    return rest.substr(0, rest.find_first_of(" ]\r"));
  }
  return {};
}

template <class Number = std::int64_t>
Number number(std::string_view text, Number otherwise = -1, int base = 10) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  Number n = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), n, base);
  return n;
}

/// A GPU that a process drives.
struct Device {
  std::string host;
  std::int64_t process, device;
  auto operator<=>(const Device&) const = default;
};

struct Communicator {
  std::string id;  ///< equal on all ranks; empty: the log does not say
  Rank rank = -1, ranks = 0;
};

struct LoggedCall {
  std::string operation, communicator;
  std::uint64_t number;
  double bytes;
  bool sized;
  int root;
};

struct DeviceLog {
  std::map<std::string, Communicator> communicators;  ///< by pointer
  std::vector<std::string> order;                     ///< of their first appearance
  std::vector<LoggedCall> calls;

  Communicator& communicator(std::string_view pointer) {
    const auto [found, is_new] = communicators.try_emplace(std::string(pointer));
    if (is_new) order.emplace_back(pointer);
    return found->second;
  }
};

class LogReader {
 public:
  void read(const std::string& path) {
    Input input(path);
    for (std::string line; input.line(line);) {
      const auto at = line.rfind(marker);
      if (at == std::string::npos) continue;
      Device device;
      if (!whose(std::string_view(line).substr(0, at), device)) {
        ++unreadable;
        continue;
      }
      message(device, std::string_view(line).substr(at + marker.size()));
    }
  }

  std::map<Device, DeviceLog> devices;
  std::vector<Device> order;
  std::map<std::string, std::int64_t> choices;
  std::int64_t unreadable = 0;

 private:
  /// "[launcher's and time] host:process:thread [device] "
  static bool whose(std::string_view prefix, Device& device) {
    while (prefix.ends_with(' ')) prefix.remove_suffix(1);
    device.device = 0;
    if (prefix.ends_with(']')) {
      const auto open = prefix.rfind('[');
      if (open == std::string_view::npos) return false;
      device.device = number(prefix.substr(open + 1));
      prefix = prefix.substr(0, open);
      while (prefix.ends_with(' ')) prefix.remove_suffix(1);
    }
    if (const auto space = prefix.find_last_of(" >"); space != std::string_view::npos)
      prefix.remove_prefix(space + 1);
    const auto thread = prefix.rfind(':');
    if (thread == std::string_view::npos || thread == 0) return false;
    const auto process = prefix.rfind(':', thread - 1);
    if (process == std::string_view::npos) return false;
    device.process = number(prefix.substr(process + 1, thread - process - 1));
    prefix = prefix.substr(0, process);
    if (const auto launcher = prefix.rfind(':'); launcher != std::string_view::npos)
      prefix.remove_prefix(launcher + 1);
    device.host = prefix;
    return device.process >= 0;
  }

  DeviceLog& log(const Device& device) {
    const auto [found, is_new] = devices.try_emplace(device);
    if (is_new) order.push_back(device);
    return found->second;
  }

  void message(const Device& device, std::string_view text) {
    if (text.find(": opCount ") != std::string_view::npos) return call(device, text);
    if (text.find("comm ") != std::string_view::npos && text.find("Init ") != std::string_view::npos)
      return init(device, text);
    if (const auto arrow = text.find(" Bytes -> Algo "); arrow != std::string_view::npos) choice(text, arrow);
  }

  void call(const Device& device, std::string_view text) {
    DeviceLog& d = log(device);
    LoggedCall c;
    c.operation = text.substr(0, text.find(':'));
    c.communicator = word_after(text, "comm ");
    c.number = number<std::uint64_t>(word_after(text, "opCount "), 0, 16);
    const auto type = number(word_after(text, "datatype "));
    const auto count = number(word_after(text, "count "));
    c.sized = count >= 0 && type >= 0 && type < static_cast<std::int64_t>(std::size(nccl_type_bytes));
    c.bytes = c.sized ? static_cast<double>(count) * nccl_type_bytes[type] : 0;
    c.root = static_cast<int>(number(word_after(text, "root "), std::int64_t{0}));
    Communicator& communicator = d.communicator(c.communicator);
    if (const auto ranks = number(word_after(text, "nranks=")); ranks > 0 && ranks <= most_recorded_ranks)
      communicator.ranks = static_cast<Rank>(ranks);
    d.calls.push_back(std::move(c));
  }

  void init(const Device& device, std::string_view text) {
    auto ranks = number(word_after(text, "nranks "));
    if (ranks < 0) ranks = number(word_after(text, "nRanks "));
    const auto rank = number(word_after(text, "rank "));
    if (rank < 0 || ranks <= rank || ranks > most_recorded_ranks) return;
    Communicator& c = log(device).communicator(word_after(text, "comm "));
    c.rank = static_cast<Rank>(rank);
    c.ranks = static_cast<Rank>(ranks);
    if (const auto id = word_after(text, "commId "); !id.empty()) c.id = id;
  }

  void choice(std::string_view text, std::size_t arrow) {
    constexpr std::size_t most = 64;
    static constexpr std::string_view algorithms[] = {
        "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
    static constexpr std::string_view protocols[] = {"LL", "LL128", "Simple"};
    auto named = [](std::string_view word, const auto& names) {
      const auto n = number(word);
      return n >= 0 && n < static_cast<std::int64_t>(std::size(names)) ? std::string(names[n])
                                                                       : std::string(word);
    };
    const std::string line = std::string(text.substr(0, arrow)) + " B by " +
                             named(word_after(text, "Algo "), algorithms) + " / " +
                             named(word_after(text, "proto "), protocols);
    if (choices.contains(line) || choices.size() < most) ++choices[line];
  }
};

/// Gives devices their ranks and communicators their members, and the calls to a source.
class Job {
 public:
  explicit Job(LogReader& log) : log_(log) {}

  std::unique_ptr<RecordedSource> build() {
    number_ranks();
    auto source = std::make_unique<RecordedSource>(world_);
    for (std::size_t i = 0; i < log_.order.size(); ++i) {
      const DeviceLog& d = log_.devices.at(log_.order[i]);
      if (d.calls.empty()) continue;
      source->info().recorded_ranks.push_back(rank_[i]);
      calls(*source, i, d);
    }
    std::ranges::sort(source->info().recorded_ranks);
    if (inferred_)
      source->info().notes.push_back(
          "communicators without INIT lines: their members are taken as consecutive ranks");
    return source;
  }

 private:
  /// A device's rank is that in the largest communicator that it set up; the others follow in order.
  void number_ranks() {
    rank_.assign(log_.order.size(), -1);
    for (const Device& device : log_.order)
      for (const auto& [pointer, c] : log_.devices.at(device).communicators)
        world_ = std::max(world_, c.ranks);
    std::set<Rank> taken;
    for (std::size_t i = 0; i < log_.order.size(); ++i)
      for (const std::string& pointer : log_.devices.at(log_.order[i]).order) {
        const Communicator& c = log_.devices.at(log_.order[i]).communicators.at(pointer);
        if (rank_[i] < 0 && c.rank >= 0 && c.ranks == world_ && taken.insert(c.rank).second)
          rank_[i] = c.rank;
      }
    Rank next = 0;
    for (Rank& r : rank_) {
      if (r >= 0) continue;
      while (taken.contains(next)) ++next;
      taken.insert(r = next);
    }
    world_ = std::max(world_, taken.empty() ? 1 : *taken.rbegin() + 1);
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
    if (c.ranks <= 0 || (c.ranks == world_ && c.id.empty())) return 0;
    std::vector<Rank> members(static_cast<std::size_t>(c.ranks), -1);
    if (!c.id.empty())
      for (std::size_t i = 0; i < log_.order.size(); ++i)
        for (const auto& [other, o] : log_.devices.at(log_.order[i]).communicators)
          if (o.id == c.id && o.rank >= 0 && o.rank < c.ranks)
            members[static_cast<std::size_t>(o.rank)] = rank_[i];
    std::set<Rank> distinct(members.begin(), members.end());
    if (distinct.contains(-1) || distinct.size() != members.size()) {
      if (c.ranks == world_) return 0;
      inferred_ = true;
      const Rank first = std::min(rank_[device] / c.ranks * c.ranks, world_ - c.ranks);
      for (Rank r = 0; r < c.ranks; ++r) members[static_cast<std::size_t>(r)] = first + r;
    }
    return source.communicator(c.id, members);
  }

  void calls(RecordedSource& source, std::size_t device, const DeviceLog& log) {
    auto& stream = source.at(rank_[device]);
    std::vector<std::int64_t> group;
    const LoggedCall* first = nullptr;
    auto finish = [&] {
      if (group.empty()) return;
      Activity& wait = stream.emplace_back();
      wait.kind = Activity::Kind::wait;
      wait.operation = wait.call = "group";
      wait.requests = std::move(group);
      group.clear();
    };
    std::int64_t requests = 0;
    for (const LoggedCall& c : log.calls) {
      const int comm = communicator(source, device, log, c.communicator);
      const bool message = c.operation == "Send" || c.operation == "Recv";
      if (!message || !first || first->number != c.number || first->communicator != c.communicator) finish();
      first = &c;
      if (message) {
        stream.push_back(point_to_point(source, c, comm, requests));
        if (stream.back().kind != Activity::Kind::skipped) group.push_back(requests++);
      } else {
        stream.push_back(collective(source, c, comm));
      }
    }
    finish();
  }

  static Rank size(const RecordedSource& source, int communicator) {
    return static_cast<Rank>(source.communicators()[static_cast<std::size_t>(communicator)].size());
  }

  static Activity point_to_point(RecordedSource& source, const LoggedCall& c, int communicator,
                                 std::int64_t request) {
    const bool sends = c.operation == "Send";
    Activity a;
    a.kind = sends ? Activity::Kind::send : Activity::Kind::receive;
    a.operation = a.call = sends ? "send" : "recv";
    a.communicator = communicator;
    a.sized = c.sized;
    a.synchronous = true;
    a.request = request;
    (sends ? a.to : a.from) = c.root;
    (sends ? a.bytes : a.received_bytes) = Bytes(c.bytes);
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

  LogReader& log_;
  Rank world_ = 0;
  std::vector<Rank> rank_;  ///< of each device in the log's order
  std::map<std::pair<std::size_t, std::string>, int> numbers_;
  bool inferred_ = false;
};

}  // namespace

bool is_nccl_log(std::string_view head) {
  return head.find(marker) != std::string_view::npos;
}

std::unique_ptr<Source> open_nccl_log(const std::vector<std::string>& files, const OpenOptions&) {
  LogReader log;
  for (const std::string& file : files) log.read(file);
  std::size_t calls = 0;
  for (const auto& [device, d] : log.devices) calls += d.calls.size();
  if (calls == 0)
    throw InputError(
        files[0] +
        ": an NCCL log without calls; run with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL,TUNING");
  auto source = Job(log).build();
  SourceInfo& info = source->info();
  info.unknown = {"durations and computation (a replay has communication alone)", "which streams overlap",
                  "calls inside replayed CUDA graphs (logged once, at capture)"};
  for (const auto& [what, count] : log.choices)
    info.notes.push_back(what + ", " + std::to_string(count) + " times");
  if (log.unreadable) info.losses.push_back({"log line", log.unreadable, "without host, process and thread"});
  compare_ranks(*source);
  return source;
}

}  // namespace collcast
