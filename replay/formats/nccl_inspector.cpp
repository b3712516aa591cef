// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/nccl_inspector.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/json.hpp"
#include "replay/formats/message_group.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// A rank of a communicator.
struct InspectorMember {
  std::string process, communicator;
  Rank rank = -1, ranks = 0;
};

/// A line: one operation of a member.
struct InspectorLine : InspectorMember {
  std::string operation;
  std::int64_t number = 0;
  double bytes = -1, seconds = -1, begin_us = -1;
  Rank peer = -1;
};

/// The member whose record it is; without a communicator if the record does not say.
InspectorMember member_of(const JsonValue& value) {
  const JsonValue header = value["header"], metadata = value["metadata"];
  const auto rank = header["rank"].integer().value_or(-1), ranks = header["n_ranks"].integer().value_or(-1);
  if (rank < 0 || ranks <= rank || ranks > most_recorded_ranks) return {};
  return {
      std::string(metadata["hostname"].text()) + ":" + std::to_string(metadata["pid"].integer().value_or(0)),
      std::string(header["id"].text()), static_cast<Rank>(rank), static_cast<Rank>(ranks)};
}

/// Reads an operation; false if it is none, or not of the line's member.
bool read_operation(const JsonValue& value, InspectorLine& line) {
  const JsonValue coll = value["coll_perf"], p2p = value["p2p_perf"];
  const bool message = coll.null();
  const JsonValue perf = message ? p2p : coll;
  const std::string prefix = message ? "p2p" : "coll";
  if (perf.null() || line.rank < 0) return false;
  line.operation = perf[prefix].text();
  line.number =
      std::clamp<std::int64_t>(perf[prefix + "_sn"].integer().value_or(-1), -1, std::int64_t{1} << 60);
  line.bytes = perf[prefix + "_msg_size_bytes"].number().value_or(-1);
  line.seconds = 1e-6 * perf[prefix + "_exec_time_us"].number().value_or(-1e6);
  const auto peer = perf["p2p_peer"].integer().value_or(-1);
  line.peer = peer >= 0 && peer < line.ranks ? static_cast<Rank>(peer) : -1;
  const JsonValue trace = perf["event_trace_ts"];
  for (const JsonValue& kernel : trace["kernel_events"].items())
    if (const auto at = kernel["kernel_start_ts"].number())
      line.begin_us = line.begin_us < 0 ? *at : std::min(line.begin_us, *at);
  if (line.begin_us < 0) line.begin_us = trace[prefix + "_start_ts"].number().value_or(-1);
  return line.bytes >= 0 && line.bytes < 1e18 && !line.operation.empty();
}

/// The records of all files.
struct InspectorRecords {
  std::vector<InspectorLine> lines;
  std::int64_t damaged = 0, lost_collectives = 0, lost_messages = 0;
  InspectorMember dumped;  ///< the member of the last `dump_stats`; from format 4.3 on, its lines follow that

  void add(const JsonValue& value) {
    const JsonValue stats = value["dump_stats"];
    const auto lost = [&](const char* key) {
      return std::clamp<std::int64_t>(stats[key].integer().value_or(0), 0, std::int64_t{1} << 40);
    };
    if (!stats.null()) {
      dumped = member_of(value);
      lost_collectives += lost("coll_dropped_since_last_dump");
      lost_messages += lost("p2p_dropped_since_last_dump");
    } else if (value["proxy_trace"].null()) {
      InspectorLine line{value["header"].null() ? dumped : member_of(value), {}};
      if (read_operation(value, line))
        lines.push_back(std::move(line));
      else
        ++damaged;
    }
  }
};

/// Compares files. Throws InputError if two have the same call of a member.
class InspectorFiles {
 public:
  void take(const InspectorRecords& records, const std::string& file) {
    for (; seen_ < records.lines.size(); ++seen_) {
      const InspectorLine& l = records.lines[seen_];
      if (l.number < 0) continue;
      const std::string& first =
          whose_.try_emplace({l.communicator, l.operation, l.rank, l.peer, l.number}, file).first->second;
      if (first != file)
        throw InputError("two files claim rank " + std::to_string(l.rank) + " of communicator " +
                         l.communicator + ": " + first + " and " + file);
    }
  }

 private:
  std::size_t seen_ = 0;
  std::map<std::tuple<std::string, std::string, Rank, Rank, std::int64_t>, std::string> whose_;
};

/// A communicator, with its recorded ranks and their processes.
struct InspectorGroup {
  std::string id;
  Rank ranks;
  std::map<Rank, std::string> processes;
  std::map<Rank, std::size_t> gpus;
  std::vector<Rank> members;  ///< ranks of the job; empty: not known
};

/// Finds which process is which rank of the job. A process with several GPUs is several ranks.
class InspectorJob {
 public:
  explicit InspectorJob(const std::vector<InspectorLine>& lines) {
    for (const InspectorLine& l : lines) {
      const auto [at, is_new] = index_.try_emplace(l.communicator, groups_.size());
      if (is_new) groups_.push_back({l.communicator, l.ranks, {}, {}, {}});
      InspectorGroup& g = groups_[at->second];
      const auto [known, first] = g.processes.try_emplace(l.rank, l.process);
      if (known->second != l.process || g.ranks != l.ranks)
        throw InputError("files of two jobs: communicator " + g.id + " has rank " + std::to_string(l.rank) +
                         " of " + std::to_string(l.ranks) + " in process " + l.process + " and rank " +
                         std::to_string(known->first) + " of " + std::to_string(g.ranks) + " in process " +
                         known->second);
    }
    std::ranges::stable_sort(groups_, std::greater<>(), &InspectorGroup::ranks);
    for (std::size_t i = 0; i < groups_.size(); ++i) index_[groups_[i].id] = i;
    find_gpus();
    number_ranks();
    for (InspectorGroup& g : groups_) find_members(g);
  }

  Rank ranks() const { return world_; }
  /// The first communicator of all ranks, in their order; empty if there is none.
  std::string world() const {
    for (const InspectorGroup& g : groups_)
      if (g.ranks == world_ && std::ranges::is_sorted(g.members) && !g.members.empty()) return g.id;
    return {};
  }
  const InspectorGroup& group(const std::string& id) const { return groups_[index_.at(id)]; }
  Rank rank(const InspectorLine& l) const { return rank_[group(l.communicator).gpus.at(l.rank)]; }

  std::set<std::string> notes;

 private:
  /// Finds the GPUs. A process drives as many as it has ranks in any one communicator. The records do not say
  /// which of them are in a smaller communicator: they are taken in turn, by communicators of the same size.
  void find_gpus() {
    std::map<std::string, std::size_t> gpus, first;
    for (const InspectorGroup& g : groups_)
      for (const auto& [process, ranks] : by_process(g))
        gpus[process] = std::max(gpus[process], ranks.size());
    std::size_t all = 0;
    for (const auto& [process, count] : gpus) first[process] = all, all += count;
    rank_.assign(all, -1);
    std::map<std::pair<std::string, Rank>, std::size_t> taken;
    for (InspectorGroup& g : groups_)
      for (const auto& [process, ranks] : by_process(g)) {
        std::size_t& next = taken[{process, g.ranks}];
        if (ranks.size() < gpus[process])
          notes.insert("which GPUs of a process are in which group is not said: they are taken in order");
        for (const Rank r : ranks) g.gpus[r] = first[process] + next++ % gpus[process];
      }
  }

  static std::map<std::string, std::vector<Rank>> by_process(const InspectorGroup& g) {
    std::map<std::string, std::vector<Rank>> all;
    for (const auto& [rank, process] : g.processes) all[process].push_back(rank);
    return all;
  }

  /// Numbers the ranks. Those of the largest communicator are the job's. A communicator that shares no GPU
  /// with the ones before it adds its ranks behind theirs. A GPU that is only in other communicators takes a
  /// free rank.
  void number_ranks() {
    std::set<Rank> taken;
    for (const InspectorGroup& g : groups_) {
      const bool beside =
          std::ranges::none_of(g.gpus, [&](const auto& seat) { return rank_[seat.second] >= 0; });
      if (beside && world_ > 0)
        notes.insert("communicators that share no process are put side by side, in the order of their size");
      const Rank base = world_;
      if (beside) world_ += g.ranks;
      if (world_ > most_recorded_ranks) throw InputError("the communicators have too many ranks for one job");
      for (const auto& [r, gpu] : g.gpus) {
        if (rank_[gpu] >= 0) continue;
        Rank mine = beside ? base + r : 0;
        while (taken.contains(mine)) ++mine;
        if (!beside) notes.insert("processes without a call in the largest communicator take its free ranks");
        taken.insert(rank_[gpu] = mine);
        world_ = std::max(world_, mine + 1);
      }
    }
  }

  /// Finds the members of a group if not all its ranks were recorded: ranks at equal distances, in groups
  /// side by side, at the least distance that fits. Recorded members keep their places, recorded ranks
  /// without a call in the group are not in it, and different groups get different members if that is
  /// possible.
  void find_members(InspectorGroup& g) {
    std::vector<Rank> seen(static_cast<std::size_t>(g.ranks), -1);
    for (const auto& [r, gpu] : g.gpus) seen[static_cast<std::size_t>(r)] = rank_[gpu];
    const std::set<Rank> recorded(rank_.begin(), rank_.end());
    const auto& [r, gpu] = *g.gpus.begin();
    if (g.gpus.size() == seen.size()) g.members = seen;
    for (Rank stride = 1; stride <= world_ / g.ranks && (g.members.empty() || given_.contains(g.members));
         ++stride) {
      if (g.gpus.size() == seen.size()) break;
      const Rank first = rank_[gpu] - r * stride;
      if (first < 0 || first % (stride * g.ranks) >= stride || first + (g.ranks - 1) * stride >= world_)
        continue;
      std::vector<Rank> members(seen.size());
      bool possible = true;
      for (std::size_t i = 0; i < seen.size(); ++i) {
        members[i] = first + static_cast<Rank>(i) * stride;
        possible = possible && (seen[i] < 0 ? !recorded.contains(members[i]) : seen[i] == members[i]);
      }
      if (possible && (g.members.empty() || !given_.contains(members))) g.members = members;
    }
    given_.insert(g.members);
    if (g.gpus.size() < seen.size() && g.ranks < world_)
      notes.insert(
          "groups of " + std::to_string(g.ranks) +
          " ranks of which not all were recorded are taken for ranks of equal distance, side by side");
  }

  std::vector<InspectorGroup> groups_;
  std::map<std::string, std::size_t> index_;  ///< index into groups_
  std::vector<Rank> rank_;                    ///< of each GPU
  std::set<std::vector<Rank>> given_;         ///< members of the groups so far
  Rank world_ = 0;
};

/// A rank's activities. Messages of a communicator that were under way at the same time begin together, as
/// the format does not say which were in one group.
class InspectorMessages {
 public:
  explicit InspectorMessages(RecordedSource::Stream& stream) : stream_(stream), group_(stream) {}

  void add(const InspectorLine& line, Activity activity, bool message) {
    const bool joins =
        message && line.communicator == communicator_ && (line.begin_us < 0 || line.begin_us < end_us_);
    if (!joins) finish();
    if (!message) return stream_.push_back(std::move(activity));
    communicator_ = line.communicator;
    end_us_ = std::max(end_us_, line.begin_us + 1e6 * std::max(line.seconds, 0.0));
    group_.add(std::move(activity));
  }

  void finish() {
    const std::int64_t messages = group_.finish();
    if (messages > 1) grouped += messages;
    communicator_.clear();
    end_us_ = -1;
  }

  std::int64_t grouped = 0;

 private:
  RecordedSource::Stream& stream_;
  MessageGroup group_;
  std::string communicator_;
  double end_us_ = -1;
};

/// Reads the records of all files: a value per line, or laid out otherwise, as some tools do.
InspectorRecords read_records(const std::vector<std::string>& files) {
  InspectorRecords records;
  InspectorFiles claims;
  JsonText json;
  for (const std::string& file : files) {
    Input input(file);
    records.dumped = {};
    for (std::string text; input.line(text);)
      if (!text.empty()) records.add(json.parse(text));
    claims.take(records, file);
  }
  if (!records.lines.empty()) return records;
  records = {};
  for (const std::string& file : files) {
    records.dumped = {};
    const JsonEnd end = read_values(file, [&](const JsonValue& value) { records.add(value); });
    records.damaged += end.damaged + !end.closed;
    claims.take(records, file);
  }
  if (records.lines.empty())
    throw InputError(files[0] +
                     ": has no line with coll_perf or p2p_perf whose header is in it or in a line of "
                     "dump_stats before it");
  return records;
}

/// Makes a source of records.
class InspectorSource {
 public:
  explicit InspectorSource(InspectorRecords records)
      : records_(std::move(records)),
        job_(records_.lines),
        largest_(job_.world()),
        source_(std::make_unique<RecordedSource>(job_.ranks())) {
    std::vector<InspectorLine>& lines = records_.lines;
    std::ranges::stable_sort(lines, {}, &InspectorLine::begin_us);
    const auto timed = std::ranges::find_if(lines, [](const InspectorLine& l) { return l.begin_us >= 0; });
    if (timed != lines.end()) first_us_ = timed->begin_us;
    for (const InspectorLine& l : lines) add(l);
    tell();
    leave_out_lost(*source_, true);
    compare_ranks(*source_);
    std::map<Rank, Seconds> together;
    for (const Rank r : source_->info().recorded_ranks) together[r] = Seconds();
    begin_as_recorded(*source_, together);
  }
  std::unique_ptr<Source> source() && { return std::move(source_); }

 private:
  void add(const InspectorLine& l) {
    const Rank me = job_.rank(l);
    const InspectorGroup& group = job_.group(l.communicator);
    const auto collective = collective_of(l.operation);
    const int communicator =
        group.members.empty() || group.id == largest_ ? 0 : source_->communicator(group.id, group.members);
    if (collective) count_missing(l);
    Activity a = collective ? collective_activity(*collective, communicator,
                                                  message_by_count(*collective, Bytes(l.bytes), l.ranks))
                            : message(l, communicator);
    if (group.members.empty())
      a.kind = Activity::Kind::skipped, a.note = "its communicator's members were not recorded";
    if (collective) a.number = l.number;
    if (l.seconds >= 0) a.duration = a.time = Seconds(l.seconds);
    if (l.begin_us >= 0) a.begin = Seconds(1e-6 * (l.begin_us - first_us_));
    messages_.try_emplace(me, source_->at(me)).first->second.add(l, std::move(a), !collective);
  }

  static Activity message(const InspectorLine& l, int communicator) {
    Activity a = message_activity(l.operation == "Send", communicator, std::max(l.peer, 0), Bytes(l.bytes));
    if (l.peer < 0) a.kind = Activity::Kind::skipped;
    a.note = "its peer is not in the communicator";
    return a;
  }

  void count_missing(const InspectorLine& l) {
    if (l.number < 0) return;
    std::int64_t& last = last_.try_emplace({l.communicator, l.operation, l.rank}, l.number - 1).first->second;
    missing_ += std::max<std::int64_t>(0, std::min<std::int64_t>(l.number - last - 1, 1'000'000'000));
    last = std::max(last, l.number);
  }

  void tell() {
    SourceInfo& info = source_->info();
    info.unknown = {"element types, roots, reduction operators, streams", "computation between operations",
                    "operations below the least recorded size, and beyond the ring of 1024"};
    std::int64_t grouped = 0;
    for (auto& [rank, m] : messages_) {
      m.finish();
      grouped += m.grouped;
      info.recorded_ranks.push_back(rank);
    }
    info.lose("collective", missing_, "missing by their sequence numbers; their sizes are unknown");
    if (records_.lost_collectives > missing_)
      info.lose("collective", records_.lost_collectives,
                "dropped from the Inspector's ring, gaps in sequence numbers among them");
    info.lose("message", records_.lost_messages, "dropped from the Inspector's ring");
    info.lose("line", records_.damaged, "damaged, or of another kind");
    info.notes.assign(job_.notes.begin(), job_.notes.end());
    if (grouped > 0)
      info.notes.push_back(
          std::to_string(grouped) +
          " messages that were under way together, or follow each other where there are no times, are "
          "taken for groups");
    if (first_us_ < 0)
      info.notes.push_back("without event_trace_ts: operations are in the order of the file");
  }

  InspectorRecords records_;
  const InspectorJob job_;
  const std::string largest_;  ///< the communicator of all ranks
  std::unique_ptr<RecordedSource> source_;
  double first_us_ = -1;
  std::map<Rank, InspectorMessages> messages_;
  std::map<std::tuple<std::string, std::string, Rank>, std::int64_t> last_;  ///< last sequence numbers
  std::int64_t missing_ = 0;  ///< collectives, by gaps in sequence numbers
};

}  // namespace

bool is_nccl_inspector(std::string_view head) {
  for (const std::string_view key : {"\"coll_perf\"", "\"p2p_perf\"", "\"dump_stats\""})
    if (head.find(key) != std::string_view::npos) return true;
  return false;
}

std::unique_ptr<Source> open_nccl_inspector(const std::vector<std::string>& files, const OpenOptions&) {
  return InspectorSource(read_records(files)).source();
}

}  // namespace collcast
