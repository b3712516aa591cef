// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/flight_recorder.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/json.hpp"
#include "replay/formats/members.hpp"
#include "replay/formats/message_group.hpp"
#include "replay/formats/names.hpp"
#include "replay/formats/one_job.hpp"
#include "replay/formats/plain_data.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using Value = PlainValue;

Bytes tensors(const Value* shapes, const Value* types) {
  double bytes = 0;
  if (!shapes) return Bytes(0);
  for (std::size_t i = 0; i < shapes->items.size(); ++i) {
    double n = 1;
    for (const Value* d : shapes->items[i]->items) n *= std::max(d->number, 0.0);
    const std::size_t t = types ? std::min(i, types->items.size() - 1) : 0;
    bytes += n * (types && !types->items.empty() ? element_bytes(types->items[t]->text) : 0);
  }
  return Bytes(bytes);
}

/// Whether a call's shapes and types say its size, which may be 0.
bool says_size(const Value& call) {
  const auto says = [&](std::string_view sizes, std::string_view types_of) {
    const Value *shapes = call.find(sizes), *types = call.find(types_of);
    return shapes && types && !shapes->items.empty() && !types->items.empty() &&
           std::ranges::all_of(types->items, [](const Value* t) { return element_bytes(t->text) > 0; });
  };
  return says("input_sizes", "input_dtypes") || says("output_sizes", "output_dtypes");
}

struct Dump {
  std::string path;
  Rank rank = -1;
  bool guessed = false;             ///< its rank was guessed by the order of the files
  std::unique_ptr<PlainData> data;  ///< owns the values
  std::vector<const Value*> entries;
  std::map<std::string, std::vector<Rank>, std::less<>> groups;
  std::map<std::string, std::string> descriptions;  ///< of groups, as "TENSOR_MODEL_PARALLEL_GROUP"
};

/// A group's ranks: a dict's `ranks`, written as a text, or in version 1 the list itself.
std::vector<Rank> members(const Value& group) {
  const Value* ranks = group.find("ranks");
  if (const auto listed = integers(ranks ? ranks->text : group.text)) return *listed;
  std::vector<Rank> all;
  for (const Value* r : (ranks ? *ranks : group).items)
    if (r->kind == Value::Kind::number && std::abs(r->number) <= most_recorded_ranks)
      all.push_back(static_cast<Rank>(r->number));
  return group.kind == Value::Kind::dict && !ranks ? std::vector<Rank>() : all;
}

std::string name_of_group(const Value& name) {
  return name.kind == Value::Kind::number ? std::to_string(std::llround(name.number))
                                          : std::string(name.text);
}

/// The members that all of a dump's groups share, without impossible ones. The dump's rank is among them, as
/// torch lists only groups that the rank is in.
std::set<Rank> shared_by_groups(const Dump& d) {
  std::set<Rank> shared;
  for (const auto& [name, ranks] : d.groups) {
    std::set<Rank> both;
    for (const Rank r : ranks)
      if (possible_rank(r) >= 0 && (name == d.groups.begin()->first || shared.contains(r))) both.insert(r);
    shared = std::move(both);
  }
  return shared;
}

/// "0, 1": the ranks that may have written a dump.
std::string listed(std::vector<Rank> ranks) {
  constexpr std::size_t most = 8;
  std::erase_if(ranks, [](Rank r) { return possible_rank(r) < 0; });
  if (ranks.empty()) return "none that a job has";
  std::string all;
  for (std::size_t i = 0; i < std::min(ranks.size(), most); ++i)
    all += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  return all + (ranks.size() > most ? ", ..." : "");
}

/// Gives a dump its rank: the number in its name, unless its groups say otherwise; without a number its place
/// among the files.
void find_rank(Dump& d, Rank position) {
  const int said = rank_in_name(std::filesystem::path(d.path).filename().string());
  const int number = said >= 0 ? said : number_in_name(d.path);
  const std::set<Rank> shared = shared_by_groups(d);
  if (shared.size() == 1) return void(d.rank = *shared.begin());
  d.rank = number >= 0 ? number : position;
  d.guessed = number < 0;
  const auto all = d.groups.find("0");
  if (shared.contains(d.rank) || all == d.groups.end()) return;
  if (shared.empty() && std::ranges::find(all->second, d.rank) != all->second.end()) return;
  const std::string its = d.guessed ? "that of its place among the files, " : "the one in its name, ";
  throw InputError(d.path +
                   ": which rank wrote it is not known: its groups have several ranks in common, or "
                   "none, and not " +
                   its + std::to_string(d.rank) + "; end its name in its rank, as in dump_rank0, of " +
                   listed(shared.empty() ? all->second : std::vector<Rank>(shared.begin(), shared.end())));
}

Dump read(const std::string& path, Rank position) {
  Dump d;
  d.path = path;
  d.data = std::make_unique<PlainData>(path);
  const Value& top = d.data->top();
  // A dump of version 1.0 is only the list of entries.
  const bool listed =
      top.kind == Value::Kind::list && !top.items.empty() && top.items[0]->find("profiling_name") != nullptr;
  if (!listed && !top.find("entries") && !top.find("pg_config"))
    throw InputError(path + ": a pickle without entries, so not the Flight Recorder's");
  if (const Value* entries = listed ? &top : top.find("entries")) d.entries = entries->items;
  if (const Value* groups = top.find("pg_config"))
    for (std::size_t i = 0; i + 1 < groups->items.size(); i += 2)
      if (auto ranks = members(*groups->items[i + 1]); !ranks.empty()) {
        const std::string name = name_of_group(*groups->items[i]);
        d.groups[name] = std::move(ranks);
        d.descriptions[name] = groups->items[i + 1]->text_of("desc");
      }
  find_rank(d, position);
  return d;
}

/// When a dump's entries were created, and how long its rank waits for others; none if no entry says when.
std::optional<WallTime> period_of(const Dump& d) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0;
  Seconds patience;
  for (const Value* e : d.entries) {
    patience = std::max(patience, Seconds(1e-3 * e->number_of("timeout_ms", 0)));
    const std::int64_t at = e->ns_of("time_created_ns");
    if (at > 0) first = std::min(first, at), last = std::max(last, at);
  }
  if (last == 0) return std::nullopt;
  return WallTime{d.path, Seconds(1e-9 * static_cast<double>(first)),
                  Seconds(1e-9 * static_cast<double>(last)),
                  patience > Seconds() ? patience : usual_patience};
}

/// The dump's groups by torch's description, without descriptions that several groups have.
std::map<std::string, const std::vector<Rank>*> described_once(const Dump& d) {
  std::map<std::string, const std::vector<Rank>*> once;
  for (const auto& [name, description] : d.descriptions)
    if (const auto group = d.groups.find(name);
        !description.empty() && description != "undefined" && group != d.groups.end()) {
      const auto [known, is_new] = once.try_emplace(description, &group->second);
      if (!is_new) known->second = nullptr;
    }
  std::erase_if(once, [](const auto& group) { return group.second == nullptr; });
  return once;
}

/// Throws InputError if a rank is in another rank's group of some description, but its own group of that
/// description is a different one.
void refuse_other_groups(const std::vector<Dump>& dumps) {
  std::map<std::pair<std::string, Rank>, std::pair<const Dump*, const std::vector<Rank>*>> said;
  for (const Dump& d : dumps)
    for (const auto& [description, ranks] : described_once(d)) said[{description, d.rank}] = {&d, ranks};
  for (const auto& [key, group] : said)
    for (const Rank r : *group.second)
      if (const auto own = said.find({key.first, r});
          own != said.end() && *own->second.second != *group.second)
        throw InputError("ranks of two different jobs: " + key.first + " has " +
                         ranks_in_words(*group.second) + " in " + group.first->path + " and " +
                         ranks_in_words(*own->second.second) + " in " + own->second.first->path);
}

/// Throws InputError if dumps say that they are of different jobs. Returns the longest time between them.
Seconds compare_jobs(const std::vector<Dump>& dumps) {
  SaidAlike library;
  std::vector<WallTime> periods;
  for (const Dump& d : dumps) {
    for (const std::string_view key : {"nccl_version", "comm_lib_version"})
      if (const std::string_view version = d.data->top().text_of(key); !version.empty())
        library.say(d.path, "NCCL " + std::string(version));
    if (auto period = period_of(d)) periods.push_back(*std::move(period));
  }
  refuse_other_groups(dumps);
  return longest_gap(std::move(periods));
}

/// Throws InputError if dumps differ in the default group, which is all ranks of a job.
void refuse_two_jobs(const std::vector<Dump>& dumps) {
  const Dump* first = nullptr;
  for (const Dump& d : dumps) {
    const auto group = d.groups.find("0");
    if (group == d.groups.end()) continue;
    if (!first) first = &d;
    const std::vector<Rank>& ranks = first->groups.find("0")->second;
    if (group->second != ranks)
      throw InputError("ranks of two different jobs: group 0 has " +
                       text::counted(std::ssize(ranks), "rank") + " in " + first->path + " and " +
                       std::to_string(group->second.size()) + " in " + d.path);
  }
}

/// When a collective was called and known to be done, by the wall clocks of its ranks' hosts.
struct KnownCall {
  std::int64_t last_begin = 0, first_end = std::numeric_limits<std::int64_t>::max();  ///< [ns]
};
using KnownCalls = std::map<std::pair<int, std::int64_t>, KnownCall>;  ///< by communicator and number

std::int64_t first_ns(const std::vector<Dump>& dumps) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Dump& d : dumps)
    for (const Value* e : d.entries)
      if (const std::int64_t at = e->ns_of("time_created_ns"); at >= 0) first = std::min(first, at);
  return first;
}

/// Entries of which something is not known.
struct Gaps {
  double lost = 0;
  std::int64_t unfinished = 0, sizeless = 0, unlisted = 0;
};

/// Plays one rank's entries, with times since `first_ns`.
class FlightRank {
 public:
  FlightRank(RecordedSource& source, const Dump& dump, std::int64_t first_ns, KnownCalls& known, Gaps& gaps)
      : source_(source),
        dump_(dump),
        group_(source.at(dump.rank)),
        first_ns_(first_ns),
        known_(known),
        gaps_(gaps) {}

  void build() {
    std::vector<const Value*> entries = dump_.entries;
    std::ranges::stable_sort(entries, {}, [](const Value* e) { return e->number_of("record_id", 0); });
    for (const Value* e : entries)
      if (const double id = e->number_of("record_id", -1); id > last_id_ && id < 1e15)
        gaps_.lost += id - last_id_ - 1, last_id_ = id;
    const std::set<const Value*> grouped = grouped_messages(entries);
    closed_.insert(grouped.begin(), grouped.end());
    for (const Value* e : entries) entry(*e, grouped.contains(e));
    group_.finish();
  }

 private:
  static std::string_view name_of(const Value& e) {
    const std::string_view name = e.text_of("profiling_name");
    return name.substr(std::min(name.find(':') + 1, name.size()));
  }
  static bool is_message(const Value& e) {
    return name_of(e).starts_with("send ") || name_of(e).starts_with("recv ");
  }

  /// The messages that are grouped: before each `coalesced`, the last messages of its process group that have
  /// the same number.
  std::set<const Value*> grouped_messages(const std::vector<const Value*>& entries) {
    std::set<const Value*> grouped;
    std::map<int, std::vector<const Value*>> open, collectives;
    for (const Value* e : entries) {
      auto& messages = open[communicator(*e)];
      auto& others = collectives[communicator(*e)];
      if (is_message(*e)) {
        if (!messages.empty() && number(*e) != number(*messages.back())) messages.clear();
        messages.push_back(e);
        continue;
      }
      if (name_of(*e) == "coalesced") {
        grouped.insert(messages.begin(), messages.end());
        if (messages.empty()) close(others, *e);
        others.clear();
      } else {
        others.push_back(e);
      }
      messages.clear();
    }
    return grouped;
  }
  static double number(const Value& message) { return message.number_of("p2p_seq_id", 0); }

  /// Collectives with the number of the `coalesced` are one group with it; the first one has the group's
  /// time.
  void close(const std::vector<const Value*>& collectives, const Value& coalesced) {
    bool first = true;
    for (const Value* c : collectives) {
      if (number_of_collective(*c) != number_of_collective(coalesced)) continue;
      closed_.insert(c);
      if (first && number_of_collective(*c) >= 0) ends_.emplace(c, &coalesced);
      first = false;
    }
  }

  void entry(const Value& e, bool grouped) {
    const std::string_view name = name_of(e);
    if (name.starts_with("split") || name.starts_with("new_window")) return;
    gaps_.unfinished += e.text_of("state") != "completed" && !closed_.contains(&e);
    if (name == "coalesced") {
      if (group_.finish() > 0) time(source_.at(dump_.rank).back(), e);
      return;
    }
    const Bytes in = tensors(e.find("input_sizes"), e.find("input_dtypes")),
                out = tensors(e.find("output_sizes"), e.find("output_dtypes"));
    const int group = communicator(e);
    if (const std::string of = group_of(e); of != "0") gaps_.unlisted += !dump_.groups.contains(of);
    const auto ranks =
        static_cast<Rank>(source_.communicators()[static_cast<std::size_t>(std::max(group, 0))].size());
    Activity a;
    if (group < 0) {
      a.kind = Activity::Kind::skipped;
      a.operation = a.call = source_.keep(name);
      a.note = "the members of its group in pg_config are impossible, or without this rank";
    } else if (is_message(e)) {
      a = message(name, group, ranks, name.starts_with("send ") ? in : std::max(in, out));
      tell_size(a, e, in + out);
    } else if (const auto collective = collective_of(name)) {
      a = collective_activity(*collective, group, message_of(*collective, in, out, ranks));
      if (*collective != Collective::barrier) tell_size(a, e, in + out);
      a.number = number_of_collective(e);
      know(e, a);
    } else {
      a.kind = Activity::Kind::skipped;
      a.operation = a.call = source_.keep(name);
      a.note = "is no collective that is known";
    }
    time(a, e);
    if (const auto end = ends_.find(&e); end != ends_.end() && a.duration < Seconds()) last(a, *end->second);
    if (grouped)
      group_.add(std::move(a));
    else
      source_.at(dump_.rank).push_back(std::move(a));
  }

  void tell_size(Activity& a, const Value& e, Bytes moved) {
    a.sized = moved > Bytes() || says_size(e);
    gaps_.sizeless += !a.sized && e.find("input_sizes") != nullptr && e.find("input_dtypes") == nullptr;
  }

  static void last(Activity& a, const Value& e) {
    if (const double ms = e.number_of("duration_ms", -1); ms > 0) a.duration = a.time = Seconds(1e-3 * ms);
  }
  void time(Activity& a, const Value& e) const {
    last(a, e);
    if (const std::int64_t at = e.ns_of("time_created_ns"); at >= 0)
      a.begin = Seconds(1e-9 * static_cast<double>(at - first_ns_));
  }

  static std::int64_t number_of_collective(const Value& e) {
    const double n = e.number_of("collective_seq_id", -1);
    return n >= 0 && n < 1e15 ? static_cast<std::int64_t>(n) : -1;
  }

  void know(const Value& e, const Activity& a) {
    if (a.number < 0 || !holds_up_all(a.collective)) return;
    KnownCall& call = known_[{a.communicator, a.number}];
    call.last_begin = std::max(call.last_begin, e.ns_of("time_created_ns"));
    if (const std::int64_t end = e.ns_of("time_discovered_completed_ns"); end > 0)
      call.first_end = std::min(call.first_end, end);
  }

  Activity message(std::string_view name, int group, Rank ranks, Bytes size) {
    const bool sends = name.starts_with("send");
    Rank from = -1, to = -1;
    const char* const end = name.data() + name.size();
    const auto arrow = name.find_first_of("<-", 5);
    std::from_chars(name.data() + 5, end, sends ? from : to);
    if (arrow != std::string_view::npos && arrow + 2 <= name.size())
      std::from_chars(name.data() + arrow + 2, end, sends ? to : from);
    Activity a = message_activity(sends, group, sends ? to : from, size);
    if (from < 0 || to < 0 || from >= ranks || to >= ranks) {
      a.kind = Activity::Kind::skipped;
      a.note = "its peer is not in the group";
    }
    return a;
  }

  /// The entry's group; if it names none, the default group, which is all ranks.
  static std::string group_of(const Value& e) {
    const Value* group = e.find("process_group");
    if (group && !group->items.empty()) group = group->items[0];
    if (!group) group = e.find("pg_id");  // before version 2
    return group ? name_of_group(*group) : "0";
  }

  /// The entry's communicator; -1: its group cannot have this rank.
  int communicator(const Value& e) {
    const auto [known, is_new] = numbers_.try_emplace(group_of(e), 0);
    if (is_new) known->second = communicator_of(known->first);
    return known->second;
  }
  int communicator_of(const std::string& group) {
    const auto found = dump_.groups.find(group);
    if (found == dump_.groups.end() || found->second == source_.communicators()[0]) return 0;
    if (!possible_group(found->second, dump_.rank, source_.ranks())) return -1;
    const int number = source_.communicator(found->first, found->second);
    if (const auto said = dump_.descriptions.find(group); said != dump_.descriptions.end())
      source_.name(number, said->second);
    return number;
  }

  RecordedSource& source_;
  const Dump& dump_;
  MessageGroup group_;
  std::map<std::string, int> numbers_;  ///< communicators by group
  std::set<const Value*> closed_;       ///< members of a group that a `coalesced` ended; its state is theirs
  /// The `coalesced` that ends a group of collectives, by the first one of the group.
  std::map<const Value*, const Value*> ends_;
  std::int64_t first_ns_;
  double last_id_ = -1;
  KnownCalls& known_;
  Gaps& gaps_;
};

/// Compares the hosts' clocks. They agree if no rank was done with a collective before another one called it.
void compare_clocks(SourceInfo& info, const KnownCalls& calls) {
  std::int64_t apart = 0;
  for (const auto& [call, known] : calls) apart = std::max(apart, known.last_begin - known.first_end);
  info.one_clock = apart <= 0;
  if (apart > 0)
    info.notes.push_back("the ranks' clocks disagree, by " +
                         text::seconds(1e-9 * static_cast<double>(apart)) + " at least");
}

/// Reads the dumps. Throws InputError if two are of one rank.
std::vector<Dump> read_all(const std::vector<std::string>& files) {
  std::vector<Dump> dumps;
  std::map<Rank, std::string> claimed;
  for (const std::string& file : files) {
    const Dump& d = dumps.emplace_back(read(file, static_cast<Rank>(dumps.size())));
    if (d.rank >= most_recorded_ranks) throw InputError(file + ": its name ends in no rank");
    claim_rank(claimed, d.rank, file);
  }
  return dumps;
}

/// The number of ranks that the dumps and their groups need.
Rank world_of(const std::vector<Dump>& dumps) {
  Rank world = 0;
  for (const Dump& d : dumps) {
    world = std::max(world, d.rank + 1);
    for (const auto& [name, ranks] : d.groups)
      for (const Rank r : ranks) world = std::max(world, std::min(r, most_recorded_ranks) + 1);
  }
  return std::min(world, most_recorded_ranks);
}

/// Whether all entries are of gloo's groups, whose recorder writes dumps of its own.
bool of_gloo(const std::vector<Dump>& dumps) {
  std::size_t all = 0, gloos = 0;
  for (const Dump& d : dumps)
    for (const Value* e : d.entries) ++all, gloos += e->text_of("profiling_name").starts_with("gloo:");
  return all > 0 && gloos == all;
}

void tell(SourceInfo& info, const Gaps& gaps) {
  info.lose("entry", static_cast<std::int64_t>(gaps.lost),
            "not in the dumps: overwritten in the ring, or left out when done");
  const auto note = [&](std::int64_t entries, const std::string& what) {
    if (entries > 0) info.notes.push_back(std::to_string(entries) + " entries " + what);
  };
  note(gaps.unfinished, "were not completed when the recorder was dumped");
  note(gaps.sizeless,
       "have shapes and no types of data, which torch notes from version 2.0 on: their sizes are unknown");
  note(gaps.unlisted, "are of groups whose members pg_config does not say: all ranks are taken to take part");
}

}  // namespace

bool is_flight_recorder(std::string_view head) {
  if (is_pickle(head)) return true;
  // torch sorts the keys of its JSON, so the entries come first.
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  const auto first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (head[first] != '{' && head[first] != '[')) return false;
  return (has("\"pg_config\"") && has("\"pg_status\"")) ||
         (has("\"profiling_name\"") && has("\"time_created_ns\""));
}

std::unique_ptr<Source> open_flight_recorder(const std::vector<std::string>& files, const OpenOptions&) {
  const std::vector<Dump> dumps = read_all(files);
  refuse_two_jobs(dumps);
  const Seconds apart = compare_jobs(dumps);
  auto source = std::make_unique<RecordedSource>(world_of(dumps));
  SourceInfo& info = source->info();
  info.unknown = {"roots, reduction operators and streams", "computation (only when the host enqueued what)",
                  "how all-to-alls are split", "durations, unless TORCH_NCCL_ENABLE_TIMING was set"};
  info.by_mpi = of_gloo(dumps);
  info.memory = info.by_mpi ? Memory::host : Memory::device;
  if (info.by_mpi)
    info.notes.push_back("the calls are gloo's: played in host memory, as an MPI library would");
  if (std::ranges::all_of(dumps, [](const Dump& d) { return d.entries.empty(); }))
    info.notes.push_back(
        "no dump has an entry: the recorder was off (TORCH_NCCL_TRACE_BUFFER_SIZE is 0), or nothing was "
        "called");
  const std::int64_t first = first_ns(dumps);
  KnownCalls known;
  Gaps gaps;
  for (const Dump& d : dumps) {
    FlightRank(*source, d, first, known, gaps).build();
    info.recorded_ranks.push_back(d.rank);
  }
  std::ranges::sort(info.recorded_ranks);
  tell(info, gaps);
  if (const auto guessed = std::ranges::count_if(dumps, &Dump::guessed))
    info.notes.push_back("nothing says which rank wrote " + text::counted(guessed, "dump") +
                         ": taken by the order of the files; a name that ends in the rank says it");
  if (apart > Seconds(1))
    info.notes.push_back("between the dumps' entries " + text::seconds(apart.value) +
                         " pass in which no rank has any: taken for one job");
  compare_clocks(info, known);
  leave_out_lost(*source, false);
  compare_ranks(*source);
  info.truncated = true;
  return source;
}

}  // namespace collcast
