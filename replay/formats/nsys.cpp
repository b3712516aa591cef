// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/nsys.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>

#include "replay/formats/bytes.hpp"
#include "replay/formats/gpu_time.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/json.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using gpu::Comm, gpu::HostCall, gpu::RankTrace, gpu::Span;

constexpr std::string_view sqlite_magic{"SQLite format 3\0", 16};
constexpr double us = 1e-3;            // us per ns
constexpr std::int64_t tid = 1 << 24;  // a globalTid or globalPid is the process times this, plus the thread

/// An SQLite file, read in place or, if it is compressed, from memory; never written.
class Database {
 public:
  explicit Database(const std::string& path) : path_(path) {
    std::string head(sqlite_magic.size(), '\0');
    std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
    if (head != sqlite_magic) content_ = text_of(path);
    sqlite3* opened = nullptr;
    const int code = sqlite3_open_v2(content_.empty() ? uri(path).c_str() : ":memory:", &opened,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    file_.reset(opened);
    check(code);
    if (!content_.empty()) {
      const auto size = static_cast<sqlite3_int64>(content_.size());
      check(sqlite3_deserialize(opened, "main", reinterpret_cast<unsigned char*>(content_.data()), size, size,
                                SQLITE_DESERIALIZE_READONLY));
    }
    sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    rows("SELECT name FROM sqlite_master WHERE type = 'table'",
         [&](auto& row) { tables_.insert(row.text(0)); });
  }

  struct Row {
    sqlite3_stmt* statement;
    std::int64_t number(int column) const { return sqlite3_column_int64(statement, column); }
    std::string text(int column) const {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
      return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)))
                   : "";
    }
  };

  template <class Visit>
  void rows(const std::string& sql, Visit&& visit) const {
    sqlite3_stmt* statement = nullptr;
    int code = sqlite3_prepare_v2(file_.get(), sql.c_str(), -1, &statement, nullptr);
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> guard(statement, sqlite3_finalize);
    check(code);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      Row row{statement};
      visit(row);
    }
    if (code != SQLITE_DONE) check(code);
  }

  bool has(const std::string& table) const { return tables_.contains(table); }

  /// "a, b" with NULL in the place of the columns that this version of the table does not have.
  std::string columns(const std::string& table, const std::vector<std::string>& wanted) const {
    std::set<std::string> there;
    rows("PRAGMA table_info(" + table + ")", [&](auto& row) { there.insert(row.text(1)); });
    std::string list;
    for (const std::string& c : wanted)
      list +=
          (list.empty() ? "" : ", ") + (there.contains(c) ? "t.\"" + c + "\"" : "NULL") + " AS " + c + "_";
    return list;
  }

 private:
  static std::string uri(const std::string& path) {
    std::string text = "file:";
    for (const char c : path)
      text += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
    return text + "?immutable=1";
  }
  void check(int code) const {
    if (code == SQLITE_OK) return;
    throw InputError(path_ + ": the SQLite file is damaged: " +
                     (file_ ? sqlite3_errmsg(file_.get()) : sqlite3_errstr(code)));
  }

  std::string path_, content_;
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> file_{nullptr, sqlite3_close};
  std::set<std::string> tables_;
};

/// The fields of NCCL's payloads, by their names: numbers.
using Payload = std::map<std::string, std::uint64_t, std::less<>>;

/// What a GPU says of a communicator that it sets up.
struct CommInit {
  Rank ranks, rank;
  std::string parent;     ///< the communicator that it was split off; empty: none
  std::uint64_t key = 0;  ///< orders the ranks of a split
};

/// One GPU of one process.
struct Gpu {
  RankTrace trace;
  std::int64_t process, device;
  std::map<std::string, CommInit> inits;  ///< by the communicator's id
};

/// Reads one file's kernels, launches and ranges.
class Export {
 public:
  explicit Export(const std::string& path) : path_(path), file_(path) {
    if (!file_.has("StringIds"))
      throw InputError(
          path + ": is an SQLite file without the tables of nsys; nsys export --type sqlite makes them");
  }

  std::vector<Gpu> read() {
    for (const auto* kind : {"KERNEL", "GRAPH_TRACE", "MEMCPY", "MEMSET"}) kernels(kind);
    for (const auto* kind : {"COLLECTIVES", "P2P"}) mpi_calls(kind);
    if (gpus_.empty())
      throw InputError(path_ + ": has no kernels of a GPU; profile with --trace=cuda,nvtx" +
                       (mpi > 0 ? " (its calls of MPI are not read)" : ""));
    runtime();
    schemas();
    ranges();
    std::vector<Gpu> all;
    for (auto& [key, gpu] : gpus_) all.push_back(std::move(gpu));
    all[0].trace.lost = lost_events();
    return all;
  }

  std::int64_t graphs = 0;
  std::int64_t mpi = 0;  ///< calls of MPI
  double mpi_s = 0;      ///< how long they took

 private:
  /// The number of lost events in "Not all CUDA events might have been collected. 12345 events were lost"; at
  /// least one if no number is said.
  std::int64_t lost_events() {
    std::int64_t all = 0;
    if (!file_.has("DIAGNOSTIC_EVENT")) return all;
    file_.rows("SELECT text_ FROM (SELECT " + file_.columns("DIAGNOSTIC_EVENT", {"text"}) +
                   " FROM DIAGNOSTIC_EVENT t) WHERE text_ LIKE '%lost%' OR text_ LIKE '%dropped%' OR text_ "
                   "LIKE '%not all%events%'",
               [&](auto& row) {
                 const std::string text = row.text(0);
                 const auto digit = std::min(text.find_first_of("0123456789"), text.size());
                 const auto count = leading_or<std::int64_t>(std::string_view(text).substr(digit), 1);
                 all += std::clamp<std::int64_t>(count, 1, std::int64_t{1} << 40);
               });
    return all;
  }

  void kernels(const std::string& kind) {
    const std::string table = "CUPTI_ACTIVITY_KIND_" + kind;
    if (!file_.has(table)) return;
    const bool named = kind == "KERNEL", copies = kind.starts_with("MEM");
    processes_ = processes_ || file_.columns(table, {"globalPid"}).starts_with("t.");
    const std::string list = file_.columns(table, {"start", "end", "deviceId", "streamId", "correlationId",
                                                   "globalPid", "shortName", "demangledName"});
    file_.rows("SELECT k.*, coalesce(d.value, s.value) FROM (SELECT " + list + " FROM " + table +
                   " t) k LEFT JOIN StringIds s ON s.id = shortName_ LEFT JOIN StringIds d ON d.id = "
                   "demangledName_",
               [&](auto& row) {
                 gpu::Kernel k{{row.number(0) * us, row.number(1) * us}, row.number(4), {}, false, copies};
                 k.stream = {row.number(2), row.number(3)};
                 Comm comm;
                 if (named) comm.name = gpu::communicating(row.text(8));
                 k.communicates = !comm.name.empty();
                 graphs += kind == "GRAPH_TRACE";
                 gpu(row.number(5) / tid, row.number(2)).trace.add(std::move(k), std::move(comm));
               });
  }

  void mpi_calls(const std::string& kind) {
    const std::string table = "MPI_" + kind + "_EVENTS";
    if (!file_.has(table)) return;
    file_.rows("SELECT count(*), total(end_ - start_) FROM (SELECT " +
                   file_.columns(table, {"start", "end"}) + " FROM " + table + " t)",
               [&](auto& row) {
                 mpi += row.number(0);
                 mpi_s += 1e-9 * static_cast<double>(row.number(1));
               });
  }

  Gpu& gpu(std::int64_t process, std::int64_t device) {
    Gpu& g = gpus_[{device, process}];
    if (g.trace.path.empty()) {
      if (gpus_.size() > 4096) throw InputError(path_ + ": has kernels of more than 4096 GPUs");
      g.trace.path = path_, g.process = process, g.device = device;
    }
    return g;
  }

  /// Visits the kernels of the thread's process; all kernels if these do not name their process.
  template <class Visit>
  void of_process(std::int64_t thread, Visit&& visit) {
    for (auto& [key, g] : gpus_)
      if (!processes_ || g.process == thread / tid) visit(g);
  }

  void runtime() {
    const std::string table = "CUPTI_ACTIVITY_KIND_RUNTIME";
    if (!file_.has(table)) return;
    file_.rows("SELECT r.*, s.value FROM (SELECT " +
                   file_.columns(table, {"start", "globalTid", "correlationId", "nameId"}) + " FROM " +
                   table +
                   " t) r JOIN StringIds s ON s.id = nameId_ WHERE s.value LIKE '%Launch%' OR s.value LIKE "
                   "'%Mem%' OR s.value LIKE '%StreamWait%'",
               [&](auto& row) {
                 const std::string name = row.text(4);
                 of_process(row.number(1), [&](Gpu& g) {
                   g.trace.runtime(name, row.number(0) * us, row.number(1), row.number(2));
                 });
               });
  }

  void schemas() {
    if (!file_.has("NVTX_PAYLOAD_SCHEMA_ENTRIES")) return;
    file_.rows("SELECT " +
                   file_.columns("NVTX_PAYLOAD_SCHEMA_ENTRIES", {"schemaId", "name", "offset", "type"}) +
                   " FROM NVTX_PAYLOAD_SCHEMA_ENTRIES t",
               [&](auto& row) {
                 const std::size_t width = row.number(3) == 18 || row.number(3) == 22 ? 8 : 4;
                 schemas_[row.number(0)][row.text(1)] = {static_cast<std::size_t>(row.number(2)), width};
               });
  }

  /// Reads the NVTX ranges of NCCL's calls, torch's ranges of them, and those that are steps.
  void ranges() {
    if (!file_.has("NVTX_EVENTS")) return;
    file_.rows(
        "SELECT * FROM (SELECT e.*, coalesce(text_, s.value) AS name, coalesce(jsonText_, j.value) FROM "
        "(SELECT " +
            file_.columns("NVTX_EVENTS", {"start", "end", "globalTid", "binaryData", "text", "textId",
                                          "jsonText", "jsonTextId"}) +
            " FROM NVTX_EVENTS t) e LEFT JOIN StringIds s ON s.id = textId_ LEFT JOIN StringIds j ON j.id = "
            "jsonTextId_) WHERE end_ IS NOT NULL AND (name LIKE 'nccl%' OR name LIKE '%step%' OR name LIKE "
            "'%iter%') ORDER BY globalTid_, start_",
        [&](auto& row) {
          range(row.text(8), {row.number(0) * us, row.number(1) * us}, row.number(2),
                payload(row.text(9), row.text(3)));
        });
  }

  Payload payload(const std::string& json, const std::string& blob) {
    Payload fields;
    text_.parse(json).members([&](std::string_view name, const JsonValue& value) {
      std::string digits;
      for (const char c : value.text())
        if (std::isdigit(static_cast<unsigned char>(c)) && digits.size() < 19) digits += c;
      if (const auto n = value.integer()) fields[std::string(name)] = static_cast<std::uint64_t>(*n);
      if (!digits.empty()) fields[std::string(name)] = std::stoull(digits);
    });
    // A blob has a head of 32 bytes with the schema's number at byte 8.
    constexpr std::size_t head = 32;
    if (!fields.empty() || blob.size() <= head) return fields;
    const auto schema = schemas_.find(static_cast<std::int64_t>(little_endian(blob, 8, 4)));
    if (schema == schemas_.end()) return fields;
    for (const auto& [name, place] : schema->second)
      if (place.first <= blob.size() && head + place.first + place.second <= blob.size())
        fields[name] = little_endian(blob, head + place.first, place.second);
    return fields;
  }

  void range(const std::string& name, Span span, std::int64_t thread, const Payload& fields) {
    if (!name.starts_with("nccl")) return step(name, span, thread);
    Group& group = groups_[thread];
    if (name == "ncclGroupStart") {
      if (group.depth++ == 0) group.begin = span.begin;
    } else if (name == "ncclGroupEnd") {
      if (group.depth == 0 || --group.depth > 0) return;
      one_of_each_gpu(thread, group.calls);
      if (!group.calls.empty()) call(thread, {group.begin, span.end}, gpu::merged(group.calls));
      group.calls.clear();
    } else if (name.starts_with("ncclCommInit") || name == "ncclCommSplit" || name == "ncclCommShrink" ||
               name == "ncclCommGrow") {
      init(thread, fields);
    } else if (const auto comm = said(name, fields)) {
      if (group.depth > 0)
        group.calls.push_back(*comm);
      else
        call(thread, span, *comm);
    }
  }

  /// Splits a process's calls by GPU: a process with several GPUs calls a collective for all of them in one
  /// group.
  void one_of_each_gpu(std::int64_t thread, std::vector<Comm>& calls) {
    std::size_t gpus = 0;
    of_process(thread, [&](Gpu&) { ++gpus; });
    if (gpus < 2 || calls.size() != gpus || !collective_of(calls[0].name)) return;
    for (const Comm& c : calls)
      if (c.name != calls[0].name || c.bytes != calls[0].bytes) return;
    calls.resize(1);
  }

  void call(std::int64_t thread, Span span, const Comm& comm) {
    of_process(thread, [&](Gpu& g) { g.trace.calls[thread].push_back(HostCall{span, comm}); });
  }

  void init(std::int64_t thread, const Payload& fields) {
    const auto id = fields.find("NCCL communicator ID"), ranks = fields.find("No. of ranks"),
               rank = fields.find("Rank");
    if (id == fields.end() || ranks == fields.end() || rank == fields.end()) return;
    if (ranks->second > most_recorded_ranks || rank->second >= ranks->second) return;
    CommInit said{static_cast<Rank>(ranks->second), static_cast<Rank>(rank->second), {}};
    const auto parent = fields.find("Parent NCCL communicator ID"), key = fields.find("Key"),
               device = fields.find("CUDA device");
    if (parent != fields.end()) said.parent = std::to_string(parent->second);
    if (key != fields.end()) said.key = key->second;
    std::int64_t own = 0;
    of_process(thread, [&](Gpu&) { ++own; });
    of_process(thread, [&](Gpu& g) {
      if (own == 1 || (device != fields.end() && static_cast<std::int64_t>(device->second) == g.device))
        g.inits[std::to_string(id->second)] = said;
    });
  }

  /// The call of a range "ncclAllReduce" with its payload, or of torch's "nccl:all_reduce, op_id = 5".
  static std::optional<Comm> said(const std::string& name, const Payload& fields) {
    Comm comm;
    const auto colon = name.find(':');
    comm.name = colon == std::string::npos ? name : name.substr(colon + 1, name.find(',') - colon - 1);
    if (comm.name == "ncclSend") comm.name = "send";
    if (comm.name == "ncclRecv") comm.name = "recv";
    if (!collective_of(comm.name) && comm.name != "send" && comm.name != "recv") return {};
    for (const auto& [field, value] : fields) {
      // Before 2.23, NCCL wrote "Bytes" for broadcasts and messages.
      if ((field.starts_with("Message size") || field == "Bytes") && value < std::uint64_t{1} << 50)
        comm.bytes = static_cast<double>(value);
      if (field == "NCCL communicator ID") comm.group = std::to_string(value);
      if (field == "Root" && value < most_recorded_ranks) comm.root = static_cast<int>(value);
      if (field == "Peer rank" && value < most_recorded_ranks) comm.peer = static_cast<int>(value);
    }
    return comm;
  }

  /// Adds a step: "ProfilerStep#12", "step 12", "iteration_12".
  void step(const std::string& name, Span span, std::int64_t thread) {
    const auto digit = name.find_last_not_of("0123456789") + 1;
    if (digit == name.size() || name.size() - digit > 12 || digit > 24) return;
    std::string word;
    for (const char c : name.substr(0, digit))
      if (std::isalpha(static_cast<unsigned char>(c)))
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!word.ends_with("step") && !word.ends_with("iter") && !word.ends_with("iteration")) return;
    of_process(thread, [&](Gpu& g) { g.trace.steps.push_back({span, std::stoll(name.substr(digit))}); });
  }

  struct Group {
    int depth = 0;
    double begin = 0;
    std::vector<Comm> calls;
  };

  std::string path_;
  Database file_;
  JsonText text_;
  bool processes_ = false;
  std::map<std::pair<std::int64_t, std::int64_t>, Gpu> gpus_;
  std::map<std::int64_t, std::map<std::string, std::pair<std::size_t, std::size_t>>> schemas_;
  std::map<std::int64_t, Group> groups_;
};

/// Throws InputError if files have the same GPU of the same process.
void refuse_copies(const std::vector<Gpu>& gpus) {
  std::map<std::pair<std::int64_t, std::int64_t>, const Gpu*> first;
  for (const Gpu& g : gpus) {
    const Gpu& before = *first.try_emplace({g.process, g.device}, &g).first->second;
    const auto same_begin = [](const RankTrace& a, const RankTrace& b) {
      return !a.kernels.empty() && a.kernels.size() == b.kernels.size() &&
             a.kernels[0].begin == b.kernels[0].begin && a.kernels[0].end == b.kernels[0].end;
    };
    if (before.trace.path != g.trace.path && same_begin(before.trace, g.trace))
      throw InputError("two files claim GPU " + std::to_string(g.device) + " of process " +
                       std::to_string(g.process) + ": " + before.trace.path + " and " + g.trace.path);
  }
}

/// If some GPUs set up communicators, leaves out those that set up none and do not communicate; returns how
/// many.
std::int64_t leave_out_gpus_without_nccl(std::vector<Gpu>& gpus) {
  const auto makes_none = [](const Gpu& g) { return g.inits.empty(); };
  const auto is_stranger = [&](const Gpu& g) {
    return makes_none(g) && std::ranges::none_of(g.trace.kernels, &gpu::Kernel::communicates);
  };
  if (std::ranges::all_of(gpus, makes_none)) return 0;
  std::int64_t lost = 0;
  for (const Gpu& g : gpus) lost += is_stranger(g) ? g.trace.lost : 0;
  const auto left_out = static_cast<std::int64_t>(std::erase_if(gpus, is_stranger));
  gpus[0].trace.lost += lost;
  return left_out;
}

/// Whether the split communicator differs from its parent in size or rank.
bool differs_from_parent(const Gpu& g, const CommInit& split) {
  const auto parent = g.inits.find(split.parent);
  return parent != g.inits.end() && parent->second.parent.empty() &&
         (parent->second.ranks != split.ranks || parent->second.rank != split.rank);
}

/// Numbers the ranks of splits. For a split, NCCL 2.28 gives the size and rank of the parent; then the
/// split's ranks are the GPUs that set it up, in the order of their keys. They are not known if not all of
/// the parent's ranks were recorded.
void number_splits(std::vector<Gpu>& gpus) {
  std::map<std::string, std::vector<CommInit*>> splits;
  std::map<std::string, std::set<Rank>> split, own;  // ranks by parent, and by split
  std::set<std::string> sure;
  for (Gpu& g : gpus)
    for (auto& [id, init] : g.inits) {
      if (init.parent.empty()) continue;
      splits[id].push_back(&init);
      split[init.parent].insert(init.rank), own[id].insert(init.rank);
      if (differs_from_parent(g, init)) sure.insert(id);
    }
  std::set<std::string> unknown;
  for (auto& [id, inits] : splits) {
    const Rank said = inits[0]->ranks;
    if (sure.contains(id) || (std::ssize(inits) == said && std::ssize(own[id]) == said)) continue;
    if (std::ssize(split[inits[0]->parent]) != said) unknown.insert(id);
    std::ranges::sort(inits, {}, [](const CommInit* i) { return std::pair(i->key, i->rank); });
    Rank next = 0;
    for (CommInit* init : inits) init->ranks = static_cast<Rank>(inits.size()), init->rank = next++;
  }
  for (Gpu& g : gpus) std::erase_if(g.inits, [&](const auto& init) { return unknown.contains(init.first); });
}

/// Gives a call what the GPUs that set up its communicator say of it.
void size_call(Comm& comm, const Gpu& g, const std::map<std::string, Rank>& sizes) {
  if (const auto size = sizes.find(comm.group); size != sizes.end()) comm.size = size->second;
  if (const auto init = g.inits.find(comm.group); init != g.inits.end()) comm.own = init->second.rank;
  for (Comm& message : comm.messages) size_call(message, g, sizes);
}

/// Finds ranks and members of communicators, if every GPU says its rank in the largest one.
void number_gpus(std::vector<Gpu>& gpus) {
  number_splits(gpus);
  Rank world = 0;
  std::map<std::string, Rank> sizes;
  for (const Gpu& g : gpus)
    for (const auto& [id, init] : g.inits) world = std::max(world, sizes[id] = init.ranks);
  for (Gpu& g : gpus) {
    g.trace.nccl_ids = true;
    for (auto& [thread, calls] : g.trace.calls)
      for (HostCall& c : calls) size_call(c.comm, g, sizes);
  }
  std::set<Rank> taken;
  for (Gpu& g : gpus)
    for (const auto& [id, init] : g.inits)
      if (g.trace.rank < 0 && init.ranks == world && taken.insert(init.rank).second) g.trace.rank = init.rank;
  if (taken.size() != gpus.size()) {
    for (Gpu& g : gpus) g.trace.rank = -1;
    return;
  }
  std::map<std::string, std::vector<Rank>> members;
  for (const Gpu& g : gpus)
    for (const auto& [id, init] : g.inits) {
      auto& list = members[id];
      list.resize(static_cast<std::size_t>(init.ranks), -1);
      if (init.rank < std::ssize(list)) list[static_cast<std::size_t>(init.rank)] = g.trace.rank;
    }
  for (Gpu& g : gpus) {
    g.trace.world = world;
    for (const auto& [id, init] : g.inits) {
      const auto& list = members.at(id);
      if (std::ranges::find(list, -1) == list.end()) g.trace.groups[id] = list;
    }
  }
}

}  // namespace

bool is_nsys(std::string_view head) {
  return head.starts_with(sqlite_magic);
}

std::unique_ptr<Source> open_nsys(const std::vector<std::string>& files, const OpenOptions& options) {
  std::vector<Gpu> gpus;
  std::int64_t graphs = 0, mpi = 0;
  double mpi_s = 0;
  for (const std::string& file : files) {
    Export one(file);
    for (Gpu& g : one.read()) gpus.push_back(std::move(g));
    graphs += one.graphs, mpi += one.mpi, mpi_s += one.mpi_s;
  }
  refuse_copies(gpus);
  const std::int64_t strangers = leave_out_gpus_without_nccl(gpus);
  number_gpus(gpus);
  std::vector<RankTrace> traces;
  for (Gpu& g : gpus) traces.push_back(std::move(g.trace));
  auto source =
      gpu::source_of(traces, options, "profile with --trace=cuda,nvtx, and export with --include-blobs=true");
  SourceInfo& info = source->info();
  if (strangers)
    info.notes.push_back(text::counted(strangers, "GPU") +
                         " without a communicator of NCCL, which others make, left out");
  info.lose("CUDA graph", graphs, "traced as a whole, so computation; profile with --cuda-graph-trace=node");
  info.lose("MPI call", mpi, "not read from exports of Nsight Systems: only what GPUs do is played", mpi_s);
  return source;
}

}  // namespace collcast
