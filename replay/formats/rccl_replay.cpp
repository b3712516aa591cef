// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/rccl_replay.hpp"

#include <algorithm>
#include <bit>

#include "replay/formats/bytes.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/names.hpp"
#include "replay/formats/nccl_calls.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

using nccl::number, nccl::word_after;

/// The calls that are played, by their number in a binary log (RCCL's recorder.h).
constexpr std::string_view rccl_names[] = {
    "Broadcast", "Reduce",    "AllGather", "ReduceScatter", "AllReduce", "AllReduceWithBias", "Send", "Recv",
    "AllToAll",  "AllToAllv", "Gather",    "Scatter",       "Bcast"};
constexpr std::uint64_t all_to_all_v = 9, group_start = 13, group_end = 14, simulated_end = 15,
                        init_device = 17, init_all = 19, types = 32;
constexpr std::size_t record_bytes = 160;

/// A call as a line of text or a binary record gives it.
struct Said {
  std::string name, comm, id;
  std::uint64_t number = 0;
  std::int64_t count = -1, type = -1, root = 0, ranks = -1, rank = -1, device = 0, captured = 0;
};

bool is_communication(std::string_view name) {
  return name == "Send" || name == "Recv" || collective_of(name);
}

/// Whether the bytes are the begin of a record: a process, a thread, ms since 1970 and a known type.
bool is_record(std::string_view bytes) {
  if (bytes.size() < record_bytes) return false;
  const double time = std::bit_cast<double>(little_endian(bytes, 16, 8));
  return little_endian(bytes, 0, 4) - 1 < 1 << 30 && little_endian(bytes, 4, 4) - 1 < 1 << 30 &&
         time > 1e11 && time < 1e14 && little_endian(bytes, 36, 4) < types;
}

Said said_by(std::string_view bytes) {
  auto word = [&](std::size_t at) {
    return std::int64_t{static_cast<std::int32_t>(little_endian(bytes, at, 4))};
  };
  const std::uint64_t type = little_endian(bytes, 36, 4);
  Said said;
  said.name = type < std::size(rccl_names) ? rccl_names[type] : type == init_device ? "CommInitDev" : "";
  said.number = little_endian(bytes, 40, 8);
  said.count = static_cast<std::int64_t>(little_endian(bytes, 104, 8));
  said.type = word(112);
  said.root = word(120);
  said.ranks = word(124);
  said.rank = word(148);
  said.comm = std::to_string(little_endian(bytes, 128, 8));
  said.id = std::to_string(little_endian(bytes, 152, 8));
  said.device = type == init_device ? said.root : word(8);
  said.captured = word(32);
  return said;
}

class RcclReader : public nccl::CallLog {
 public:
  void read(const std::string& path) {
    path_ = path;
    device_of_.clear();
    depth_ = 0;
    if (is_record(head_of(path, record_bytes)))
      binary(text_of(path));
    else
      text();
  }

  std::int64_t captured = 0, cut = 0;

 private:
  void binary(std::string_view bytes) {
    while (bytes.size() >= record_bytes) {
      Said said = said_by(bytes);
      const std::uint64_t type = little_endian(bytes, 36, 4);
      const bool devices = type == init_all && little_endian(bytes, 48, 8) != 0;
      if (type >= types)
        throw InputError(path_ + ": a record is of a type that is not known: " + std::to_string(type));
      bytes.remove_prefix(record_bytes);
      if (type == group_start) open_group();
      if (type == group_end || type == simulated_end) depth_ = std::max(0, depth_ - 1);
      const auto ranks =
          static_cast<std::uint64_t>(std::clamp<std::int64_t>(said.ranks, 0, most_recorded_ranks));
      if (type == all_to_all_v && bytes.size() >= ranks * 32) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < ranks; ++i) sum += little_endian(bytes, 8 * i, 8);
        said.count = static_cast<std::int64_t>(sum / std::max<std::uint64_t>(ranks, 1));
        bytes.remove_prefix(ranks * 32);
      } else if (devices) {
        const auto n =
            static_cast<std::uint64_t>(std::clamp<std::int64_t>(said.root, 0, most_recorded_ranks));
        bytes.remove_prefix(std::min<std::size_t>(bytes.size(), 4 * n));
      }
      take(said);
    }
    cut += !bytes.empty();
  }

  /// Reads a text, one call per line: "Name : [key : value, ..., context : [...]]". Spaces before colons, and
  /// quotes, may be absent.
  void text() {
    Input input(path_);
    depth_ = -1;  // all calls are in a pair of braces
    for (std::string raw, line; input.line(raw);) {
      line.clear();
      for (const char c : raw)
        if (c == ':' && line.ends_with(' '))
          line.back() = c;
        else if (c != '"')
          line += c;
      entry(line);
    }
  }

  void entry(std::string_view line) {
    const auto begin = line.find_first_not_of(" ,"), end = line.find(": [");
    if (begin != std::string_view::npos && line[begin] == '{') open_group();
    if (begin != std::string_view::npos && line[begin] == '}') depth_ = std::max(-1, depth_ - 1);
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return;
    Said said;
    said.name = line.substr(begin, end - begin);
    const bool whole =
        line.find(']') != std::string_view::npos && line.find("context: [") != std::string_view::npos;
    cut += !whole && is_communication(said.name);
    if (!whole) return;
    said.comm = word_after(line, "comm: ");
    said.number = number<std::uint64_t>(word_after(line, "opCount: "), 0, 16);
    said.count = number(word_after(line, "count: "));
    said.type = number(word_after(line, "datatype: "));
    said.root = number(word_after(line, "root: "), std::int64_t{0});
    said.captured = number(word_after(line, "captured: "));
    said.device = number(word_after(line, "device: "), std::int64_t{0});
    said.ranks = number(word_after(line, "nranks: "));
    said.rank = number(word_after(line, "globalrank: "));
    if (said.name == "CommInitDev") {
      said.id = word_after(line, "uniqueID: ");
      said.ranks = number(word_after(line, "size: "));
      said.rank = number(word_after(line, "rank: "));
      said.device = number(word_after(line, "dev: "), std::int64_t{0});
    }
    if (said.name == "AllToAllv") said.count = mean(line, "sendcounts: [");
    take(said);
  }

  /// Opens a group; groups within a group are part of that.
  void open_group() {
    if (++depth_ == 1) ++group_;
  }

  static std::int64_t mean(std::string_view line, std::string_view list) {
    const auto at = line.find(list);
    if (at == std::string_view::npos) return -1;
    line = line.substr(at + list.size());
    line = line.substr(0, line.find(']'));
    double sum = 0, n = 0;
    while (!line.empty()) {
      sum += static_cast<double>(std::max<std::int64_t>(number(line), 0)), ++n;
      line.remove_prefix(std::min(line.find_first_of("0123456789", line.find(',')), line.size()));
    }
    return static_cast<std::int64_t>(std::min(sum / std::max(n, 1.0), 1e18));
  }

  void take(const Said& said) {
    const bool makes = said.name == "CommInitDev";
    if (!makes && !is_communication(said.name)) return;
    if (makes) device_of_[said.comm] = said.device;
    const auto device = device_of_.find(said.comm);
    nccl::DeviceLog& d = log({path_, 0, device == device_of_.end() ? said.device : device->second});
    nccl::Communicator& c = d.communicator(said.comm);
    if (said.ranks > 0 && said.ranks <= most_recorded_ranks && said.rank >= 0 && said.rank < said.ranks)
      c.ranks = static_cast<Rank>(said.ranks), c.rank = static_cast<Rank>(said.rank);
    if (makes) c.id = said.id;
    captured += !makes && said.captured == 1;
    if (makes || said.captured == 1) return;
    nccl::LoggedCall call{said.name, said.comm, said.number, 0, false, 0};
    call.size(said.count, said.type);
    const bool rooted = said.name == "Send" || said.name == "Recv" || said.name == "Broadcast" ||
                        said.name == "Bcast" || said.name == "Reduce" || said.name == "Gather" ||
                        said.name == "Scatter";
    if (rooted) call.root = static_cast<int>(std::clamp<std::int64_t>(said.root, -1, most_recorded_ranks));
    if (depth_ > 0) call.group = group_;
    d.calls.push_back(std::move(call));
  }

  std::string path_;
  int depth_ = 0;  ///< depth in groups
  std::int64_t group_ = 0;
  std::map<std::string, std::int64_t> device_of_;  ///< device by communicator
};

}  // namespace

bool is_rccl_replay(std::string_view head) {
  if (is_record(head)) {
    const std::uint64_t type = little_endian(head, 36, 4);
    return type == all_to_all_v || type == init_all || head.size() < 2 * record_bytes ||
           is_record(head.substr(record_bytes));
  }
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{' &&
         head.find("context") != std::string_view::npos && head.find("graphID") != std::string_view::npos &&
         (head.find("version :") < 512 || head.find("\"version\"") < 512);
}

std::unique_ptr<Source> open_rccl_replay(const std::vector<std::string>& files, const OpenOptions&) {
  RcclReader log;
  for (const std::string& file : files) log.read(file);
  if (log.calls() == 0)
    throw InputError(files[0] + ": an RCCL Replayer log in which nothing communicates (" +
                     std::to_string(log.captured) + " calls were captured, none run)");
  auto source = nccl::source_of(log);
  SourceInfo& info = source->info();
  info.unknown = {"durations and computation (a replay has communication alone)", "which streams overlap",
                  "which bytes of an all-to-all go to whom (taken as equal)",
                  "members of communicators that were split off"};
  if (log.captured)
    info.notes.push_back(std::to_string(log.captured) +
                         " calls at the capture of graphs are left out: they ran when their graph did");
  info.lose("call", log.cut, "cut short in its middle");
  return source;
}

}  // namespace collcast
