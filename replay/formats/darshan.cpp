// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/darshan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>

#include "replay/formats/bytes.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/profile.hpp"
#include "replay/formats/unpack.hpp"
#include "support/error.hpp"
#include "support/printable.hpp"

namespace collcast {
namespace {

constexpr std::uint64_t darshan_magic = 6567223;
constexpr std::size_t magic_at = 8;
constexpr std::int64_t most_calls = 1'000'000'000'000'000;

/// The layout of a log version (include/darshan-log-format.h): where its parts are, and its modules by
/// number.
struct Layout {
  std::string_view first, last;  ///< the first and last version with this layout
  std::size_t parts_at;          ///< offset of the names' place and length; those of the modules follow
  std::size_t most_modules;
  bool nanoseconds;  ///< the job's times have nanoseconds
  std::array<std::string_view, 18> modules;
};
constexpr std::array<Layout, 3> layouts = {{
    {"3.10",
     "3.19",
     0x18,
     16,
     false,
     {"", "POSIX", "MPI-IO", "HDF5", "PNETCDF", "BG/Q", "LUSTRE", "STDIO", "DXT_POSIX", "DXT_MPIIO",
      "MDHIM"}},
    {"3.20",
     "3.21",
     0x18,
     16,
     false,
     {"", "POSIX", "MPI-IO", "H5F", "H5D", "PNETCDF", "BG/Q", "LUSTRE", "STDIO", "DXT_POSIX", "DXT_MPIIO",
      "MDHIM", "APXC", "APMPI", "HEATMAP"}},
    {"3.41",
     "3.41",
     0x20,
     64,
     true,
     {"", "POSIX", "MPI-IO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "BG/Q", "LUSTRE", "STDIO",
      "DXT_POSIX", "DXT_MPIIO", "MDHIM", "APXC", "APMPI", "HEATMAP", "DFS", "DAOS"}},
}};

/// An operation on files: its counters of calls, of bytes (-1: none), and of seconds.
struct FileOperation {
  std::string_view name;
  std::array<int, 5> counts;  ///< -1: no more
  int bytes, time;
};
/// A module with a record per file, and its numbers of integer counters and of counters in seconds.
struct FileModule {
  std::string_view name;
  std::uint64_t version;
  int counters, times;
  std::array<FileOperation, 3> operations;
};
constexpr std::array<FileModule, 3> file_modules = {{
    {"POSIX",
     4,
     69,
     17,
     {{{"POSIX read", {3, -1}, 14, 8},
       {"POSIX write", {4, -1}, 15, 9},
       {"POSIX open, seek, stat", {0, 5, 6, -1}, -1, 10}}}},
    {"MPI-IO",
     3,
     51,
     17,
     {{{"MPI-IO read", {2, 4, 6, 8, -1}, 14, 8},
       {"MPI-IO write", {3, 5, 7, 9, -1}, 15, 9},
       {"MPI-IO open", {0, 1, -1}, -1, 10}}}},
    {"STDIO",
     2,
     14,
     15,
     {{{"STDIO read", {2, -1}, 7, 2},
       {"STDIO write", {3, -1}, 6, 1},
       {"STDIO open, seek, flush", {0, 4, 5, -1}, -1, 0}}}},
}};

/// The calls of a record of APMPI 1, in order (autoperf's darshan-apmpi-log-format.h); those with a "*" have
/// only a count, the others also bytes and six sizes.
constexpr std::array<std::string_view, 74> apmpi_calls = {"Send",
                                                          "Ssend",
                                                          "Rsend",
                                                          "Bsend",
                                                          "Recv",
                                                          "Sendrecv",
                                                          "Sendrecv_replace",
                                                          "Isend",
                                                          "Issend",
                                                          "Irsend",
                                                          "Ibsend",
                                                          "Irecv",
                                                          "*Probe",
                                                          "*Iprobe",
                                                          "*Test",
                                                          "*Testany",
                                                          "*Testall",
                                                          "*Testsome",
                                                          "*Wait",
                                                          "*Waitany",
                                                          "*Waitall",
                                                          "*Waitsome",
                                                          "*Barrier",
                                                          "*Ibarrier",
                                                          "Bcast",
                                                          "Gather",
                                                          "Gatherv",
                                                          "Scatter",
                                                          "Scatterv",
                                                          "Scan",
                                                          "Exscan",
                                                          "Allgather",
                                                          "Allgatherv",
                                                          "Reduce",
                                                          "Allreduce",
                                                          "Reduce_scatter",
                                                          "Alltoall",
                                                          "Alltoallv",
                                                          "Alltoallw",
                                                          "Ibcast",
                                                          "Igather",
                                                          "Igatherv",
                                                          "Iscatter",
                                                          "Iscatterv",
                                                          "Iscan",
                                                          "Iexscan",
                                                          "Iallgather",
                                                          "Iallgatherv",
                                                          "Ireduce",
                                                          "Iallreduce",
                                                          "Ireduce_scatter",
                                                          "Ialltoall",
                                                          "Ialltoallv",
                                                          "Ialltoallw",
                                                          "Put",
                                                          "Get",
                                                          "Accumulate",
                                                          "Get_accumulate",
                                                          "*Fetch_and_op",
                                                          "*Compare_and_swap",
                                                          "*Win_fence",
                                                          "*Win_start",
                                                          "*Win_complete",
                                                          "*Win_post",
                                                          "*Win_wait",
                                                          "*Win_test",
                                                          "*Win_lock",
                                                          "*Win_unlock",
                                                          "*Win_unlock_all",
                                                          "*Win_flush",
                                                          "*Win_flush_all",
                                                          "*Win_flush_local",
                                                          "*Win_flush_local_all",
                                                          "*Win_sync"};
constexpr std::size_t counters_of_sized = 8, whole_counters = 46 * counters_of_sized + 28;
constexpr std::size_t base_bytes = 16;  ///< at the start of every record: its number, its rank
constexpr std::size_t apmpi_head_bytes = 48,
                      apmpi_bytes = base_bytes + 8 * (whole_counters + 3 * apmpi_calls.size() + 16 + 2) + 128;

class DarshanLog {
 public:
  explicit DarshanLog(const std::string& path)
      : path_(path), text_(text_of(path)), most_(most_activities(path)) {
    head();
    job();
    for (std::size_t i = 1; i < modules_.size(); ++i) module(i);
  }

  std::unique_ptr<Source> source() {
    auto source = std::make_unique<RecordedSource>(ranks_);
    SourceInfo& info = source->info();
    info.recorded = seconds_;
    info.unknown = unknown_to_profiles();
    info.unknown.emplace_back("sizes but means");
    if (!communication_)
      info.unknown.emplace_back(
          "messages and collectives: the log has none, only operations on files (Darshan's MPI module was "
          "not there)");
    info.notes = std::move(notes_);
    info.losses = std::move(losses_);
    for (auto& [rank, sums] : of_rank_) {
      std::vector<ProfiledCall> calls;
      for (const auto& [name, sum] : sums)
        calls.push_back({name, sum.count, Seconds(sum.seconds),
                         sum.bytes < 0 ? -1 : sum.bytes / static_cast<double>(sum.count)});
      info.recorded_ranks.push_back(rank);
      add_profile(*source, rank, calls);
    }
    return source;
  }

 private:
  struct Sum {
    std::int64_t count = 0;
    double bytes = -1, seconds = 0;
  };
  /// A module's place in the file, and its version.
  struct Part {
    std::string_view name;
    std::uint64_t at = 0, length = 0, version = 0;
    bool partial = false;
  };

  [[noreturn]] void refuse(const std::string& what) const { throw InputError(path_ + ": " + what); }
  std::uint64_t number(std::size_t at, std::size_t length) const {
    if (at + length > text_.size()) refuse("a Darshan log that is cut short in its head");
    return number_of_bytes(text_.data() + at, length, big_);
  }

  void head() {
    big_ = number_of_bytes(text_.data() + magic_at, 8, true) == darshan_magic;
    const std::string version = text_.substr(0, std::min<std::size_t>(text_.find('\0'), magic_at));
    const auto found = std::ranges::find_if(layouts, [&](const Layout& l) {
      return version.size() == 4 && version >= l.first && version <= l.last;
    });
    if (found == layouts.end())
      refuse("a Darshan log of version '" + printable(version) +
             "'; 3.10 to 3.21 and 3.41 are read (Darshan 3.1 to 3.5)");
    layout_ = *found;
    const std::uint64_t packing = number(16, 1);
    if (packing > 2)
      refuse("a Darshan log whose packing " + std::to_string(packing) +
             " is none of 0 (zlib), 1 (bzip2) and 2 (none)");
    packing_ = std::array{Packing::zlib, Packing::bzip2, Packing::none}[packing];
    if (!can_unpack(packing_))
      refuse(
          "a Darshan log that is packed by bzip2, which this program was built without; darshan-convert "
          "packs it by zlib");
    const std::size_t places = layout_.parts_at + 16, versions = places + 16 * layout_.most_modules;
    const std::uint64_t partial = layout_.nanoseconds ? number(0x18, 8) : number(0x14, 4);
    head_end_ = versions + 4 * layout_.most_modules;
    names_at_ = number(layout_.parts_at, 8);
    modules_.resize(layout_.most_modules);
    for (std::size_t i = 0; i < modules_.size(); ++i)
      modules_[i] = {i < layout_.modules.size() ? layout_.modules[i] : "", number(places + 16 * i, 8),
                     number(places + 16 * i + 8, 8), number(versions + 4 * i, 4), (partial >> i & 1) != 0};
  }

  std::string_view part(std::uint64_t at, std::uint64_t length, std::string_view name) const {
    if (at < head_end_ || at > text_.size() || length > text_.size() - at)
      refuse("a Darshan log that is cut short: its " + std::string(name) + " is beyond its end");
    return std::string_view(text_).substr(at, length);
  }

  /// Reads the job, behind the head: user, begin, end, processes, number, metadata; then the command and the
  /// mounts.
  void job() {
    constexpr std::size_t metadata = 1024, most_job = 1 << 20;
    const std::size_t times = layout_.nanoseconds ? 2 : 1, fields = 8 * (3 + 2 * times);
    std::uint64_t end = names_at_;
    for (const Part& m : modules_)
      if (m.length > 0) end = end == 0 ? m.at : std::min(end, m.at);
    const auto text = unpacked(part(head_end_, end - head_end_, "job"), packing_, most_job);
    if (!text || text->size() < fields + metadata) refuse("a Darshan log whose job is damaged");
    const auto field = [&](std::size_t i) {
      return static_cast<std::int64_t>(number_of_bytes(text->data() + 8 * i, 8, big_));
    };
    const std::int64_t processes = field(1 + 2 * times);
    if (processes < 1 || processes > most_recorded_ranks)
      refuse("a Darshan log of " + std::to_string(processes) + " processes; from 1 to " +
             std::to_string(most_recorded_ranks) + " are read");
    ranks_ = static_cast<Rank>(processes);
    const double lasted =
        static_cast<double>(field(1 + times)) - static_cast<double>(field(1)) +
        (times == 2 ? 1e-9 * (static_cast<double>(field(4)) - static_cast<double>(field(2))) : 0);
    if (lasted > 0 && lasted < 1e9) seconds_ = Seconds(lasted);
    const std::string command =
        text->substr(fields + metadata, text->find('\n', fields + metadata) - fields - metadata);
    notes_.push_back("job " + std::to_string(field(2 + 2 * times)) + ": " +
                     printable(command.substr(0, command.find('\0'))));
  }

  void module(std::size_t i) {
    const Part& m = modules_[i];
    if (m.length == 0) return;
    const std::string name = m.name.empty() ? "module " + std::to_string(i) : std::string(m.name);
    if (m.partial) losses_.push_back({name, 1, "of which not all records fitted into Darshan's memory"});
    const auto file = std::ranges::find(file_modules, m.name, &FileModule::name);
    if (m.name == "APMPI" && m.version == 1) {
      communication_ = true;
      return records(m, apmpi_head_bytes, apmpi_bytes, [&](const char* r, Rank rank) { apmpi(r, rank); });
    }
    if (file != file_modules.end() && m.version == file->version) {
      const auto bytes = base_bytes + 8 * static_cast<std::size_t>(file->counters + file->times);
      return records(m, 0, bytes, [&](const char* r, Rank rank) { files(*file, r, rank); });
    }
    losses_.push_back(
        {name, 1,
         file == file_modules.end() && m.name != "APMPI"
             ? "a part of the log that is not read"
             : "a part of the log of version " + std::to_string(m.version) + ", which is not read"});
  }

  /// Visits each record with its rank (-1: all ranks together) and what follows in it.
  template <class Visit>
  void records(const Part& m, std::size_t head, std::size_t bytes, Visit&& visit) {
    Unpacker unpacker(part(m.at, m.length, m.name), packing_);
    std::string record(std::max(head, bytes), '\0');
    const auto next = [&](std::size_t wanted) {
      std::size_t got = 0;
      for (std::optional<std::size_t> n; got < wanted; got += *n)
        if (!(n = unpacker.read(record.data() + got, wanted - got)) || (*n == 0 && got > 0))
          refuse("a Darshan log whose " + std::string(m.name) + " is damaged");
        else if (*n == 0)
          return false;
      return true;
    };
    if (head > 0) next(head);
    while (next(bytes)) {
      const auto rank = static_cast<std::int64_t>(number_of_bytes(record.data() + 8, 8, big_));
      if (rank < -1 || rank >= ranks_)
        refuse("a Darshan log whose " + std::string(m.name) + " has rank " + std::to_string(rank) + " of " +
               std::to_string(ranks_));
      if (rank < 0 && !shared_)
        notes_.emplace_back("operations of all ranks on files that they share are rank 0's");
      shared_ = shared_ || rank < 0;
      visit(record.data() + base_bytes, static_cast<Rank>(std::max<std::int64_t>(rank, 0)));
    }
  }

  std::int64_t whole(const char* counters, int i) const {
    return std::max<std::int64_t>(static_cast<std::int64_t>(number_of_bytes(counters + 8 * i, 8, big_)), 0);
  }
  double real(const char* counters, int i) const {
    return std::bit_cast<double>(number_of_bytes(counters + 8 * i, 8, big_));
  }

  void add(Rank rank, const std::string& name, std::int64_t count, double bytes, double seconds) {
    if (count > most_calls || !(bytes < 1e18) || !(seconds > -1e9 && seconds < 1e15))
      refuse("a Darshan log whose '" + name + "' has a value that none can have");
    if (count == 0) return;
    const auto [at, fresh] = of_rank_[rank].try_emplace(name);
    if (fresh && ++activities_ > most_)
      refuse("has more operations of ranks than a file of its size is read with, " + std::to_string(most_));
    Sum& sum = at->second;
    sum.count = std::min(most_calls, sum.count + count);
    sum.seconds += std::max(seconds, 0.0);
    if (bytes >= 0) sum.bytes = std::max(sum.bytes, 0.0) + bytes;
  }

  void files(const FileModule& m, const char* counters, Rank rank) {
    if (!files_) notes_.emplace_back("operations on files are counted among the communication of a rank");
    files_ = true;
    for (const FileOperation& o : m.operations) {
      std::int64_t count = 0;
      for (const int i : o.counts) {
        if (i < 0) break;
        count += std::min(whole(counters, i), most_calls + 1);
      }
      add(rank, std::string(o.name), count, o.bytes < 0 ? -1 : static_cast<double>(whole(counters, o.bytes)),
          real(counters + 8 * m.counters, o.time));
    }
  }

  void apmpi(const char* counters, Rank rank) {
    int at = 0;
    for (std::size_t i = 0; i < apmpi_calls.size(); ++i) {
      std::string_view name = apmpi_calls[i];
      const bool sized = name[0] != '*';
      if (!sized) name.remove_prefix(1);
      add(rank, "MPI_" + std::string(name), whole(counters, at),
          sized ? static_cast<double>(whole(counters, at + 1)) : -1,
          real(counters + 8 * whole_counters, static_cast<int>(3 * i)));
      at += sized ? static_cast<int>(counters_of_sized) : 1;
    }
  }

  std::string path_, text_;
  std::size_t most_, activities_ = 0;
  bool big_ = false, communication_ = false, files_ = false, shared_ = false;
  Layout layout_{};
  Packing packing_ = Packing::zlib;
  std::uint64_t head_end_ = 0, names_at_ = 0;
  std::vector<Part> modules_;
  Rank ranks_ = 1;
  Seconds seconds_;
  std::vector<std::string> notes_;
  std::vector<Loss> losses_;
  std::map<Rank, std::map<std::string, Sum>> of_rank_;
};

}  // namespace

bool is_darshan(std::string_view head) {
  return head.size() >= 16 && (number_of_bytes(head.data() + magic_at, 8, false) == darshan_magic ||
                               number_of_bytes(head.data() + magic_at, 8, true) == darshan_magic);
}

std::unique_ptr<Source> open_darshan(const std::vector<std::string>& files, const OpenOptions&) {
  require_one(files, "a Darshan log has all ranks in one file");
  return DarshanLog(files[0]).source();
}

}  // namespace collcast
