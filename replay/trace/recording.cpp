// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/recording.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>

#include "replay/trace/edges.hpp"
#include "replay/trace/event_checker.hpp"
#include "replay/trace/writer.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

namespace collcast::trace {
namespace {

namespace fs = std::filesystem;

/// The source and tag that a wildcard receive matched; proc_null for a request that was cancelled.
struct Match {
  int source, tag;
  std::int64_t number;
};

/// One rank's file, and what is needed to turn its events into a trace's.
struct Part {
  PieceFile file;
  std::vector<CommId> global;                  ///< the trace's number of each communicator of this rank
  std::unordered_map<CommId, CommId> parents;  ///< of this rank's communicators whose creation is an event
  std::unordered_map<RequestId, Match> matches;
  int threads = 1;         ///< threads that call
  std::int64_t calls = 0;  ///< calls besides MPI_Init and MPI_Finalize
};

/// The members of a communicator, and the trace's number of its parent; none if that is unknown.
using Origin = std::pair<std::vector<int>, CommId>;

/// Numbers the communicators of all ranks. The members of a communicator create its children in the same
/// order, so the n-th communicator of a rank with certain members and a certain parent is the n-th such one
/// on every rank. So the ranks needed no message to name it.
class Registry {
 public:
  CommId number(const Origin& origin, int occurrence) {
    const auto [at, fresh] = ids_.try_emplace({origin, occurrence}, static_cast<CommId>(all_.size()));
    if (fresh) all_.push_back(origin.first);
    return at->second;
  }
  const std::vector<std::vector<int>>& all() const { return all_; }

 private:
  std::map<std::pair<Origin, int>, CommId> ids_;
  std::vector<std::vector<int>> all_;
};

Json read_json(const PieceFile& file, const PieceRef& piece) {
  std::vector<std::uint8_t> raw;
  file.read(piece, raw);
  auto json = parse_json(raw);
  if (!json.is_object()) throw InputError(file.where(piece.offset) + ": damaged: no JSON object is here");
  return json;
}

PieceFile open_part(const std::string& folder, int rank, int ranks) {
  const std::string path = folder + "/" + recording_name(rank);
  if (!fs::exists(path))
    throw InputError(folder + ": the file of rank " + std::to_string(rank) + " is missing (" +
                     recording_name(rank) + "); a recording of " + std::to_string(ranks) +
                     " ranks has one file per rank");
  return PieceFile(path, FileKind::recording);
}

Json part_metadata(const PieceFile& file) {
  if (file.others().empty() || file.others().front().kind != PieceKind::metadata)
    throw InputError(file.path() + ": has no metadata: the recording ended before it began");
  return read_json(file, file.others().front());
}

/// The file of the lowest rank present; it says how many ranks there should be.
PieceFile first_part(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".cctr") names.push_back(entry.path().string());
  if (error) throw InputError(folder + ": cannot be read: " + error.message());
  if (names.empty()) throw InputError(folder + ": holds no rank's recording (rank-000000.cctr and so on)");
  return PieceFile(*std::min_element(names.begin(), names.end()), FileKind::recording);
}

void read_communicators(Part& part, int ranks, Registry& registry) {
  std::map<Origin, int> seen;
  std::vector<std::uint8_t> raw;
  for (const auto& piece : part.file.others()) {
    if (piece.kind != PieceKind::communicators) continue;
    part.file.read(piece, raw);
    Communicators groups;
    decode_groups({raw, part.file.where(piece.offset)}, piece.count, ranks, part.file.room(), groups);
    for (auto& members : groups) {
      const auto found = part.parents.find(static_cast<CommId>(part.global.size()));
      const auto parent = static_cast<std::size_t>(found == part.parents.end() ? none : found->second);
      Origin origin{std::move(members), parent < part.global.size() ? part.global[parent] : none};
      part.global.push_back(registry.number(origin, seen[origin]++));
    }
  }
}

/// Calls `visit` with each event of a piece.
template <class Visit>
void each_event(const PieceFile& file, const PieceRef& piece, int ranks, Visit visit) {
  std::vector<std::uint8_t> raw;
  file.read(piece, raw);
  Decoder decoder(raw, file.where(piece.offset), ranks);
  Event event;
  while (decoder.next(event)) visit(event, decoder);
}

/// Reads what other events, also of other ranks, depend on: matches, and parents of communicators.
void read_matches_and_parents(Part& part, int rank, int ranks) {
  for (const auto& piece : part.file.events(rank))
    each_event(part.file, piece, ranks, [&](const Event& event, const Decoder&) {
      part.calls += class_of(event.op) != OpClass::control;
      part.threads = std::max(part.threads, event.thread + 1);
      if (event.new_comm != none && event.comm != none) part.parents[event.new_comm] = event.comm;
      for (const auto& done : event.completed)
        if (done.cancelled)
          part.matches[done.request] = {proc_null, none, none};
        else if (done.source != none)
          part.matches[done.request] = {done.source, done.tag, done.number};
    });
}

void cancel(Event& event) {
  if (event.dest != none) event.dest = proc_null;
  if (event.source != none) event.source = proc_null;
  if (event.recv_tag == any) event.recv_tag = none;
  event.send_number = event.recv_number = none;
}

/// Enters what a wildcard receive matched, or that the operation was cancelled, into the event that began it.
void resolve(const Part& part, Event& event) {
  const auto match = part.matches.find(event.request);
  if (match == part.matches.end()) return;
  if (match->second.source == proc_null) return cancel(event);
  if (event.source == any) event.source = match->second.source;
  if (event.recv_tag == any) event.recv_tag = match->second.tag;
  if (match->second.number != none) event.recv_number = match->second.number;
}

void translate(const Part& part, Event& event, const Decoder& decoder) {
  for (CommId* comm : {&event.comm, &event.new_comm}) {
    if (*comm == none) continue;
    if (*comm < 0 || static_cast<std::size_t>(*comm) >= part.global.size())
      decoder.damaged("communicator " + std::to_string(*comm) + " is unknown");
    *comm = part.global[static_cast<std::size_t>(*comm)];
  }
  if (event.nonblocking()) resolve(part, event);
}

/// Gathers what the ranks say of the run.
class Report {
 public:
  Report(int ranks, bool write_failed) : write_failed_(write_failed) { metadata_.ranks = ranks; }

  void add(const Part& part, int rank) {
    const auto json = part_metadata(part.file);
    if (rank == 0) copy_common(json);
    const std::string host = json.value("host", "");
    if (std::find(metadata_.hosts.begin(), metadata_.hosts.end(), host) == metadata_.hosts.end())
      metadata_.hosts.push_back(host);
    metadata_.threads = std::max(metadata_.threads, part.threads);
    calls_ += part.calls;
    add_status(part.file, rank);
  }

  const std::string& window() const { return metadata_.window; }
  void lose(const std::vector<Loss>& losses) {
    for (const Loss& loss : losses) losses_.add(loss.operation, loss.reason, loss.count);
  }

  Metadata metadata() const {
    Metadata all = metadata_;
    for (Loss& loss : losses_.all()) all.losses.push_back(std::move(loss));
    if (!all.window.empty() && calls_ == 0)
      all.inferred.push_back(
          "no call lies in the window " + all.window +
          ": collectives on MPI_COMM_WORLD in the whole run: " + std::to_string(collectives_));
    return all;
  }

 private:
  void copy_common(const Json& json) {
    metadata_.command = json.value("command", "");
    metadata_.mpi = json.value("mpi", "");
    metadata_.recorded_at = json.value("recorded_at", "");
    metadata_.clocks = json.value("clocks", "");
    metadata_.window = json.value("window", "");
  }

  void add_status(const PieceFile& file, int rank) {
    const auto& pieces = file.others();
    const auto last = std::find_if(pieces.rbegin(), pieces.rend(),
                                   [](const PieceRef& piece) { return piece.kind == PieceKind::status; });
    const auto status = last == pieces.rend() ? Json::object() : read_json(file, *last);
    metadata_.recorded_time = std::max(
        metadata_.recorded_time, recorded_time(status.value("wall_s", Json(0.0)), file.path() + ": wall_s"));
    if (file.tail())
      metadata_.recorded_time =
          std::max(metadata_.recorded_time, Seconds(static_cast<double>(file.tail()->wall_ns) * 1e-9));
    collectives_ = std::max(collectives_, whole_number(status.value("collectives", Json(0)),
                                                       file.path() + ": collectives", 0, INT64_MAX));
    for (const auto& loss : status.value("not_modelled", Json::array()))
      losses_.add(loss.value("operation", ""), loss.value("reason", ""),
                  whole_number(loss.value("count", Json(0)), file.path() + ": count", 0, INT64_MAX));
    if (!status.value("finished", false))
      metadata_.notes.push_back(
          "rank " + std::to_string(rank) + ": the recording ends before MPI_Finalize (" +
          (write_failed_ ? "the disk was full" : "the application was killed or aborted") + ")");
  }

  Metadata metadata_;
  bool write_failed_;
  std::int64_t calls_ = 0, collectives_ = 0;
  LossSums losses_;
};

/// Finds the messages at the edges of a window.
Edges edges_of(const std::vector<Part>& parts, const Communicators& communicators) {
  Edges edges;
  const int ranks = static_cast<int>(parts.size());
  for (int rank = 0; rank < ranks; ++rank) {
    const Part& part = parts[static_cast<std::size_t>(rank)];
    EventChecker checker(communicators, rank);
    for (const auto& piece : part.file.events(rank))
      each_event(part.file, piece, ranks, [&](Event& event, const Decoder& decoder) {
        translate(part, event, decoder);
        edges.count(event, event.comm == none ? none : checker.place(event.comm));
      });
  }
  return edges;
}

/// Copies the ranks' pieces in turn, so that a trace cut short has the beginning of every rank.
long long copy_events(const std::vector<Part>& parts, const Communicators& communicators, int threads,
                      std::optional<Edges>& edges, Writer& writer) {
  long long events = 0;
  const int ranks = static_cast<int>(parts.size());
  std::vector<EventChecker> checkers;
  for (int r = 0; r < ranks; ++r) checkers.emplace_back(communicators, r, threads);
  bool more = true;
  for (std::size_t round = 0; std::exchange(more, false); ++round)
    for (std::size_t r = 0; r < parts.size(); ++r) {
      const int rank = static_cast<int>(r);
      const auto& pieces = parts[r].file.events(rank);
      if (round >= pieces.size()) continue;
      each_event(parts[r].file, pieces[round], ranks, [&](Event& event, const Decoder& decoder) {
        translate(parts[r], event, decoder);
        if (const std::string what = checkers[r].complaint(event); !what.empty())
          throw InputError(parts[r].file.path() + ": " + what);
        if (edges) edges->cut(event, event.comm == none ? none : checkers[r].place(event.comm));
        writer.put(rank, event);
        ++events;
      });
      more = true;
    }
  return events;
}

}  // namespace

std::string recording_name(int rank) {
  const std::string digits = std::to_string(rank);
  return "rank-" + std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits + ".cctr";
}

Merged merge(const std::string& folder, const std::string& path) try {
  const auto ranks = static_cast<int>(
      whole_number(part_metadata(first_part(folder)).at("ranks"), folder + ": ranks", 1, most_ranks));
  Registry registry;
  Report report(ranks, fs::exists(folder + "/" + write_failure_mark));
  std::vector<Part> parts;
  for (int rank = 0; rank < ranks; ++rank) {
    Part& part = parts.emplace_back(Part{open_part(folder, rank, ranks), {}, {}, {}});
    read_matches_and_parents(part, rank, ranks);
    read_communicators(part, ranks, registry);
    report.add(part, rank);
  }
  if (registry.all().empty() || registry.all()[world].size() != parts.size())
    throw InputError(folder + ": rank 0 does not say first who is in the world");
  std::optional<Edges> edges;
  if (!report.window().empty()) edges = edges_of(parts, registry.all());
  if (edges) report.lose(edges->losses());
  const Metadata metadata = report.metadata();
  Writer writer(path, metadata, registry.all());
  const long long events = copy_events(parts, registry.all(), metadata.threads, edges, writer);
  writer.close();
  return {path, ranks, events, fs::file_size(path)};
} catch (const Json::exception& error) {
  throw InputError(folder + ": damaged: " + error.what());
}

}  // namespace collcast::trace
