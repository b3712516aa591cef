// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/nccl_log.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replay/formats/input.hpp"
#include "replay/formats/nccl_calls.hpp"
#include "replay/formats/nccl_graph.hpp"
#include "replay/formats/one_job.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

constexpr std::string_view marker = "NCCL INFO ", nccl_call = "NCCL CALL ";

using nccl::Communicator, nccl::Device, nccl::DeviceLog, nccl::LoggedCall, nccl::number, nccl::word_after;

/// What a file has in common with other files of its job.
struct OfFile {
  std::set<std::string> hosts, ids;
  std::set<Rank> sizes;  ///< sizes of communicators
};

template <class Of>
bool have_common(const std::set<Of>& a, const std::set<Of>& b) {
  return std::ranges::any_of(a, [&](const Of& one) { return b.contains(one); });
}

/// The files that are bound to the first one, directly or through others.
template <class Bound>
std::set<std::string> bound_to_first(const std::map<std::string, OfFile>& files, Bound bound) {
  std::set<std::string> together = {files.begin()->first};
  std::vector<std::string> next = {files.begin()->first};
  while (!next.empty()) {
    const OfFile& one = files.at(next.back());
    next.pop_back();
    for (const auto& [path, other] : files)
      if (bound(one, other) && together.insert(path).second) next.push_back(path);
  }
  return together;
}

class LogReader : public nccl::CallLog {
 public:
  void read(const std::string& path) {
    Input input(path);
    path_ = path;
    for (std::string line; input.line(line);) {
      version(line);
      const auto told = line.rfind(marker), traced = line.rfind(nccl_call);
      const bool is_traced = traced != std::string::npos && (told == std::string::npos || told < traced);
      const auto at = is_traced ? traced : told;
      if (at == std::string::npos) {
        unreadable += line.find(": opCount ") != std::string::npos;
        continue;
      }
      // Threads write into each other's lines: of two messages in one, the first may be cut.
      unreadable += line.find(": opCount ") < at;
      Device device;
      if (!whose(std::string_view(line).substr(0, at), device)) {
        ++unreadable;
        continue;
      }
      ++readable;
      tell_task(device, task_of(line));
      if (input.cut())
        ++cut;
      else if (is_traced)
        trace(device, thread_of(std::string_view(line).substr(0, at)),
              std::string_view(line).substr(at + nccl_call.size()));
      else
        message(device, std::string_view(line).substr(at + marker.size()));
    }
  }

  /// How each communicator was set up. That of all ranks is called "world", others by their id.
  std::vector<SetUp> set_up() const {
    std::vector<SetUp> all;
    for (const auto& [key, graph] : graphs_) {
      const auto& [ranks, id] = key;
      const std::string name = ranks == largest()
                                   ? "world"
                                   : (id.empty() ? "" : id + " ") + "(" + text::counted(ranks, "rank") + ")";
      for (SetUp& row : graph.rows(name)) all.push_back(std::move(row));
    }
    return all;
  }

  /// Gives devices the task that wrote their lines, if their process drives no other device.
  void tell_tasks() {
    std::map<Device, int> driven;
    for (const Device& device : order) ++driven[process_of(device)];
    for (auto& [device, d] : devices)
      if (const auto task = tasks_.find(process_of(device));
          task != tasks_.end() && driven[process_of(device)] == 1)
        d.task = task->second;
  }

  /// Whether INIT lines say who is in some communicator, or TUNING lines what was chosen.
  bool shows_set_up() const {
    return !choices.empty() || std::ranges::any_of(devices, [](const auto& device) {
      return std::ranges::any_of(device.second.communicators,
                                 [](const auto& named) { return named.second.rank >= 0; });
    });
  }

  /// Splits devices that are named for several ranks, as a thread that calls for several ranks may name one
  /// device for all. If no INIT lines say whose a communicator is, RCCL's `globalrank` does: it differs
  /// between the communicators of all ranks.
  void tell_callers_apart() {
    if (!ranks_are_said_once()) return;
    CallLog parted;
    for (const Device& device : order) {
      DeviceLog& d = devices.at(device);
      if (ranks_said(d).size() < 2) {
        parted.log(device) = std::move(d);
      } else {
        ++several_callers;
        part(parted, device, d);
      }
    }
    devices = std::move(parted.devices), order = std::move(parted.order);
  }

  /// How many devices may be one rank or several: they have several communicators of all ranks, and nothing
  /// says whose these are.
  std::int64_t of_unknown_callers() const {
    const auto unsaid = [&](const auto& named) {
      return all_ranks_ > 1 && named.second.ranks == all_ranks_ && named.second.id.empty() &&
             named.second.rank < 0;
    };
    return std::ranges::count_if(devices, [&](const auto& device) {
      return std::ranges::count_if(device.second.communicators, unsaid) > 1;
    });
  }

  /// Throws InputError if files share no host, no communicator and no size of one. False if they share only
  /// sizes, so that nothing says that they are of one job.
  bool of_one_job() const {
    if (of_files_.size() < 2) return true;
    const auto known = [](const OfFile& a, const OfFile& b) {
      return have_common(a.hosts, b.hosts) || have_common(a.ids, b.ids);
    };
    const auto alike = [&](const OfFile& a, const OfFile& b) {
      return known(a, b) || have_common(a.sizes, b.sizes);
    };
    const std::set<std::string> together = bound_to_first(of_files_, alike);
    for (const auto& [path, other] : of_files_)
      if (!together.contains(path))
        throw InputError("ranks of two different jobs: " + of_files_.begin()->first + " has communicators " +
                         sizes_in_words(of_files_.begin()->second) + ", " + path + " " +
                         sizes_in_words(other) + ", and they share no host; name the log of one job");
    return bound_to_first(of_files_, known).size() == of_files_.size();
  }

  std::map<std::string, std::int64_t> choices;
  std::int64_t readable = 0, unreadable = 0, cut = 0, incomplete = 0;
  std::int64_t repeated = 0;         ///< calls that Ray left out as alike to one that it shows
  std::int64_t several_callers = 0;  ///< devices that were named for several ranks
  std::int64_t callerless = 0;       ///< calls for one of several ranks, and it is not said which
  std::int64_t strange = 0;          ///< traced calls for communicators of which no line tells

 private:
  /// "of 2 and 4 ranks"
  static std::string sizes_in_words(const OfFile& file) {
    const auto written = [](Rank r) { return std::to_string(r); };
    return "of " + text::join(file.sizes, " and ", written) + " ranks";
  }

  /// Reads "NCCL version 2.18.3+cuda11.8", with or without NCCL's prefix; the first one in a file counts.
  void version(std::string_view line) {
    constexpr std::string_view key = "CCL version ";
    const auto at = line.find(key);
    if (at == std::string_view::npos || at == 0) return;
    const std::string library(line.substr(at - 1, key.size() + 1));
    std::string_view number = line.substr(at + key.size());
    number = number.substr(0, number.find_first_not_of("0123456789."));
    if (!number.empty() && said_.insert(path_ + library).second)
      versions_[library].say(path_, library + std::string(number));
  }

  /// The task that wrote a line, by the launcher's prefix: "3: " of `srun -l`, "[1,3]<stdout>:" of Open MPI;
  /// -1: none.
  static Rank task_of(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const bool tagged = line.starts_with('[');
    if (tagged) {
      const auto comma = line.find(',');
      if (comma == std::string_view::npos || !is_number(line.substr(1, comma - 1))) return -1;
      line.remove_prefix(comma + 1);
    }
    const auto end = line.find(tagged ? "]<std" : ": ");
    if (end == std::string_view::npos || end > 7 || !is_number(line.substr(0, end))) return -1;
    return number<Rank>(line);
  }
  static bool is_number(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
  }

  /// Notes the task of a process. A process whose lines are of several tasks has none.
  void tell_task(const Device& device, Rank task) {
    constexpr Rank several = -1;
    if (task < 0) return;
    Rank& known = tasks_.try_emplace(process_of(device), task).first->second;
    if (known != task) known = several;
  }

  /// Reads "[launcher's and time] host:process:thread [device] "; false for other lines.
  static bool whose(std::string_view prefix, Device& device) {
    while (prefix.ends_with(' ')) prefix.remove_suffix(1);
    // RCCL of 2019 writes the time behind the device.
    if (const auto time = prefix.rfind("] "); time != std::string_view::npos)
      if (prefix.find_first_not_of("0123456789", time + 2) == std::string_view::npos)
        prefix = prefix.substr(0, time + 1);
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

  static std::int64_t thread_of(std::string_view prefix) {
    return number(prefix.substr(prefix.rfind(':') + 1));
  }

  /// Reads the line of a call as NCCL_DEBUG=TRACE and NCCL_DEBUG_SUBSYS=CALL write it for NCCL's replay tool:
  /// "ncclSend(7f80,0,1024,7,0,1,0x55d8,0x55d9)" has the buffers, count, type, operator, root or peer,
  /// communicator and stream. COLL lines have the same calls, and more of them.
  void trace(const Device& device, std::int64_t thread, std::string_view text) {
    const auto open = text.find('('), close = text.find(')');
    if (!text.starts_with("nccl") || close == std::string_view::npos || close < open)
      return void(++unreadable);
    const std::string_view name = text.substr(4, open - 4);
    std::vector<std::string> v;
    for (std::string_view rest = text.substr(open + 1, close - open - 1); !rest.empty();) {
      const auto end = std::min(rest.find(','), rest.size());
      v.emplace_back(rest.substr(rest.starts_with(' '), end - rest.starts_with(' ')));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    TracedGroup& group = traced_groups_[{process_of(device), thread}];
    if (name == "GroupStart" && ++group.depth == 1) group.number = ++groups_;
    if (name == "GroupEnd") group.depth = std::max(group.depth - 1, 0);
    if (name == "CommInitRank" && v.size() == 5)
      init(device,
           "comm " + v[0] + " rank " + v[3] + " nranks " + v[1] + " cudaDev " + v[4] + " commId " + v[2]);
    if (name == "CommSplit" && v.size() == 6)
      init(caller(device, v[0]),
           "comm " + v[3] + " rank " + v[4] + " nranks " + v[5] + " parent " + v[0] + " color " + v[1]);
    if (v.size() != 8 || told_.contains({process_of(device), v[6]})) return;
    const auto owner = owners_.find({process_of(device), v[6]});
    if (owner == owners_.end()) return void(++strange);
    LoggedCall c;
    c.operation = name;
    c.number = ++traced_calls_;
    c.size(number(v[2]), number(v[3]));
    c.root = static_cast<int>(number(v[5], std::int64_t{0}));
    if (group.depth > 0) c.group = group.number;
    add(device, v[6], std::move(c), -1, -1);
  }

  void message(const Device& device, std::string_view text) {
    if (text.find(": opCount ") != std::string_view::npos) return call(device, text);
    if (text.find("comm ") != std::string_view::npos && text.find("Init ") != std::string_view::npos)
      return init(device, text);
    if (const auto arrow = text.find(" Bytes -> Algo "); arrow != std::string_view::npos)
      return choice(text, arrow);
    graph_of(device).read(text);
  }

  /// The communicator that a device's lines are about: the one that it sets up, or, from NCCL 2.22 on, the
  /// one that called last, as its connections are made then. Before 2.18, no line says where a set-up begins.
  nccl::Graph& graph_of(const Device& device) {
    const auto of = setups_.find(device);
    const bool complete = of != setups_.end() && of->second.begun && of->second.open == 0;
    const auto last = complete ? graphs_.find(of->second.last) : graphs_.end();
    return last == graphs_.end() ? setting_up_[device] : last->second;
  }

  /// Whether a call's line is complete: it ends with the communicator and its number of ranks, "comm 0x7
  /// [nranks=2]".
  static bool whole(std::string_view text) {
    const std::size_t at = text.find("[nranks=");
    return !word_after(text, "comm ").empty() && at != std::string_view::npos &&
           text.find(']', at) != std::string_view::npos;
  }

  /// The number of lines for which Ray shows one, as in "[repeated 4x across cluster]".
  static std::int64_t shown_for(std::string_view text) {
    constexpr std::string_view key = "[repeated ";
    const auto at = text.find(key);
    const bool by_ray =
        at != std::string_view::npos && text.find("x across cluster]", at) != std::string_view::npos;
    return by_ray ? std::clamp<std::int64_t>(number(text.substr(at + key.size())), 1, 1 << 30) : 1;
  }

  void call(const Device& named, std::string_view text) {
    repeated += shown_for(text) - 1;
    if (!whole(text)) return void(++incomplete);
    const std::string_view pointer = word_after(text, "comm ");
    told_.emplace(process_of(named), pointer);
    LoggedCall c;
    c.operation = text.substr(0, text.find(':'));
    c.number = number<std::uint64_t>(word_after(text, "opCount "), 0, 16);
    const auto type = number(word_after(text, "datatype "));
    const auto count = number(word_after(text, "count "));
    c.size(count, type);
    c.root = static_cast<int>(number(word_after(text, "root "), std::int64_t{0}));
    // RCCL says which of the communicator's ranks calls.
    add(named, pointer, std::move(c), number(word_after(text, "nranks=")),
        number(word_after(text, "globalrank ")));
  }

  /// Adds a call for the communicator with that pointer, of `ranks` ranks, as its rank `own` made it;
  /// negative: not said.
  void add(const Device& named, std::string_view pointer, LoggedCall c, std::int64_t ranks,
           std::int64_t own) {
    const Device device = caller(named, pointer);
    DeviceLog& d = log(device);
    if (const std::string& first = files_.try_emplace(device, path_).first->second; first != path_)
      throw InputError("two files have calls of process " + std::to_string(device.process) + " on " +
                       device.host + ", device " + std::to_string(device.device) + ": " + first + " and " +
                       path_ + "; if they are parts of one log, join them");
    c.communicator = key(device, pointer);
    Communicator& communicator = d.communicator(c.communicator);
    if (ranks > 0 && ranks <= most_recorded_ranks) communicator.ranks = static_cast<Rank>(ranks);
    of_files_[path_].hosts.insert(device.host);
    of_files_[path_].sizes.insert(communicator.ranks);
    if (communicator.rank < 0 && own >= 0 && own < communicator.ranks)
      communicator.rank = static_cast<Rank>(own);
    if (const auto of = setups_.find(named); of != setups_.end())
      of->second.last = {communicator.ranks, communicator.id};
    d.calls.push_back(std::move(c));
  }

  void init(Device device, std::string_view text) {
    const Device writer = device;
    device.device = number(word_after(text, "cudaDev "), device.device);
    auto ranks = number(word_after(text, "nranks "));
    if (ranks < 0) ranks = number(word_after(text, "nRanks "));
    const auto rank = number(word_after(text, "rank "));
    if (rank < 0 || ranks <= rank || ranks > most_recorded_ranks) return;
    const std::string pointer(word_after(text, "comm "));
    owners_[{process_of(device), pointer}] = device;
    std::string& name = keys_.try_emplace({device, pointer}, pointer).first->second;
    if (const auto bus = word_after(text, "busId "); !bus.empty()) log(device).bus = bus;
    const std::string before = log(device).communicator(name).id;
    std::string id(word_after(text, "commId "));
    if (id.empty() && (before.empty() || text.find("Init START") != std::string_view::npos))
      id = split_id(device, pointer, text);
    // A new communicator may have the address of a destroyed one.
    if (!id.empty() && !before.empty() && before != id) name = pointer + "/" + id;
    Communicator& c = log(device).communicator(name);
    c.rank = static_cast<Rank>(rank);
    c.ranks = static_cast<Rank>(ranks);
    if (!id.empty()) c.id = id, of_files_[path_].ids.insert(id);
    SetUps& of = setups_[writer];
    if (text.find("Init START") != std::string_view::npos) of.begun = true, ++of.open;
    if (text.find("Init COMPLETE") != std::string_view::npos) {
      of.open = std::max(of.open - 1, 0);
      of.last = {c.ranks, c.id};
      graphs_[of.last].add(std::exchange(setting_up_[writer], {}));
    }
    of_files_[path_].sizes.insert(c.ranks);
  }

  static Device process_of(Device device) {
    device.device = -1;
    return device;
  }

  /// The device whose call it is: the one that set the communicator up. The device that the line names is the
  /// one that its thread had chosen last.
  Device caller(const Device& named, std::string_view pointer) const {
    if (keys_.contains({named, std::string(pointer)})) return named;
    const auto owner = owners_.find({process_of(named), std::string(pointer)});
    return owner == owners_.end() ? named : owner->second;
  }

  Rank largest() const {
    Rank ranks = 0;
    for (const auto& [device, d] : devices)
      for (const auto& [pointer, c] : d.communicators) ranks = std::max(ranks, c.ranks);
    return ranks;
  }

  /// The ranks of the largest communicators that a device is said to be, if no INIT lines say more.
  std::set<Rank> ranks_said(const DeviceLog& d) const {
    std::set<Rank> said;
    for (const auto& [pointer, c] : d.communicators)
      if (c.ranks == all_ranks_ && c.id.empty() && c.rank >= 0) said.insert(c.rank);
    return said;
  }

  /// Whether no two devices are said to be the same rank, as would be in groups of a part of the ranks.
  bool ranks_are_said_once() {
    all_ranks_ = largest();
    std::set<Rank> taken;
    for (const auto& [device, d] : devices)
      for (const Rank r : ranks_said(d))
        if (!taken.insert(r).second) return false;
    return true;
  }

  /// Gives each of the device's calls to the rank that its communicator says.
  void part(CallLog& parted, Device device, DeviceLog& d) {
    for (LoggedCall& c : d.calls) {
      const Communicator& communicator = d.communicators.at(c.communicator);
      if (communicator.ranks != all_ranks_ || communicator.rank < 0) {
        ++callerless;
        continue;
      }
      device.caller = communicator.rank;
      DeviceLog& own = parted.log(device);
      own.communicator(c.communicator) = communicator;
      own.calls.push_back(std::move(c));
    }
  }

  std::string key(const Device& device, std::string_view pointer) {
    const auto known = keys_.find({device, std::string(pointer)});
    return known == keys_.end() ? std::string(pointer) : known->second;
  }

  /// The id of a communicator that was split off, as NCCL 2.18 to 2.23 logs no commId for it: the parent's
  /// id, the number of the split and its color, which are the same on all its ranks.
  std::string split_id(const Device& device, const std::string& pointer, std::string_view text) {
    const auto parent = word_after(text, "parent ");
    if (parent.empty()) return {};
    const std::string of = log(device).communicator(key(device, parent)).id;
    if (of.empty()) return {};
    std::string split(word_after(text, "splitCount "));
    if (split.empty()) {  // before 2.22
      std::vector<std::string>& children = children_[{device, of}];
      if (std::ranges::find(children, pointer) == children.end()) children.push_back(pointer);
      split = std::to_string(std::ranges::find(children, pointer) - children.begin());
    }
    return of + "." + split + "." + std::string(word_after(text, "color "));
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

  struct TracedGroup {
    int depth = 0;  ///< of group calls
    std::int64_t number = -1;
  };

  std::string path_;  ///< the file that is read
  std::map<std::string, OfFile> of_files_;
  std::map<Device, Rank> tasks_;  ///< by process
  using SizeAndId = std::pair<Rank, std::string>;
  struct SetUps {
    bool begun = false;  ///< lines say where set-ups begin
    int open = 0;
    SizeAndId last;  ///< the communicator that was complete or called last
  };
  std::map<Device, nccl::Graph> setting_up_;   ///< the communicator that is not complete yet
  std::map<Device, SetUps> setups_;            ///< by the device that lines name
  std::map<SizeAndId, nccl::Graph> graphs_;    ///< of communicators
  std::map<std::string, SaidAlike> versions_;  ///< by library
  std::set<std::string> said_;                 ///< file and library
  Rank all_ranks_ = 0;                         ///< size of the largest communicators
  std::map<Device, std::string> files_;        ///< the file with a device's calls
  /// The key of the communicator that a device's pointer stands for now.
  std::map<std::pair<Device, std::string>, std::string> keys_;
  /// The device that set a communicator up, by process and pointer.
  std::map<std::pair<Device, std::string>, Device> owners_;
  std::set<std::pair<Device, std::string>> told_;  ///< process and pointer with COLL lines
  std::map<std::pair<Device, std::int64_t>, TracedGroup> traced_groups_;  ///< by process and thread
  std::int64_t groups_ = 0;
  std::uint64_t traced_calls_ = 0;
  std::map<std::pair<Device, std::string>, std::vector<std::string>> children_;  ///< split off, by parent
};

/// Throws InputError if nothing in the log, or none of its calls, can be read.
void refuse_unreadable(const LogReader& log, const std::string& file) {
  if (log.readable == 0)
    throw InputError(file + ": an NCCL log that cannot be read: no line has host, process and thread " +
                     "before it, as in `node:10:11 [0] NCCL INFO`");
  if (log.calls() == 0 && log.incomplete > 0)
    throw InputError(file +
                     ": an NCCL log of which all calls are cut before their communicator and how many ranks "
                     "it has, as in `comm 0x7f80 [nranks=2]`; take the lines whole");
  if (log.calls() == 0 && log.strange > 0)
    throw InputError(file +
                     ": an NCCL log of which all calls are for communicators that no ncclCommInitRank sets "
                     "up; take the log from its beginning");
}

void tell(SourceInfo& info, const LogReader& log) {
  for (const auto& [what, count] : log.choices)
    info.notes.push_back(what + ", " + text::counted(count, "time"));
  info.lose("log line", log.unreadable,
            "without NCCL INFO or host, process and thread, or with a second one in it");
  info.lose("log line", log.incomplete, "cut before its communicator, or how many ranks this has");
  info.lose("call", log.repeated, "left out by Ray, which shows like lines once; set RAY_DEDUP_LOGS=0");
  info.lose("call", log.strange, "for a communicator that no ncclCommInitRank sets up");
  info.lose("call", log.callerless, "of one of the ranks for which one device is named");
  if (log.several_callers)
    info.notes.push_back(text::counted(log.several_callers, "device") +
                         " named for several ranks: their calls are told apart by `globalrank`");
  if (const std::int64_t n = log.of_unknown_callers())
    info.notes.push_back(text::counted(n, "device") +
                         " named for several communicators of all ranks, and neither INIT lines nor "
                         "`globalrank` say whose these are: taken for one rank each");
  info.lose("log line", log.cut, "cut in its middle, where its file ends");
}

}  // namespace

bool is_nccl_log(std::string_view head) {
  return head.find(marker) != std::string_view::npos || head.find("NCCL CALL nccl") != std::string_view::npos;
}

std::unique_ptr<Source> open_nccl_log(const std::vector<std::string>& files, const OpenOptions&) {
  LogReader log;
  for (const std::string& file : files) log.read(file);
  refuse_unreadable(log, files[0]);
  const bool calls = log.calls() > 0;
  const std::string without_calls =
      "an NCCL log without calls; run with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL,TUNING (a table "
      "of nccl-tests is for collcast validate --measurements)";
  if (!calls && !log.shows_set_up()) throw InputError(files[0] + ": " + without_calls);
  const bool of_one_job = log.of_one_job();
  log.tell_callers_apart();
  log.tell_tasks();
  auto source = nccl::source_of(log);
  SourceInfo& info = source->info();
  info.unknown = {"durations and computation (a replay has communication alone)", "which streams overlap",
                  "calls inside replayed CUDA graphs (logged once, at capture)"};
  if (!calls) {
    info.unplayable = info.unscalable = without_calls;
    info.unknown = {"calls: they are logged with NCCL_DEBUG_SUBSYS=COLL"};
    if (log.order.empty()) info.unknown.emplace_back("how many ranks there are");
  }
  info.set_up = log.set_up();
  if (!of_one_job)
    info.notes.push_back(
        "the files have no host and no commId in common, but communicators of one size: taken for one job");
  tell(info, log);
  return source;
}

}  // namespace collcast
