// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/cube.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <pugixml.hpp>
#include <unordered_map>

#include "replay/formats/bytes.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/profile.hpp"
#include "replay/formats/tar.hpp"
#include "replay/formats/unpack.hpp"
#include "support/error.hpp"
#include "support/printable.hpp"

namespace collcast {
namespace {

constexpr std::string_view index_magic = "CUBEX.INDEX", data_magic = "CUBEX.DATA",
                           packed_magic = "ZCUBEX.DATA";
constexpr std::uint64_t most_anchor_bytes = 64 << 20;
constexpr std::ptrdiff_t most_tags = 3'000'000;
constexpr std::uint64_t most_values = std::uint64_t{1} << 27;

/// How a value is stored in a row.
struct ValueType {
  std::string_view name;
  std::size_t bytes, at, length;  ///< bytes of a value; place and bytes of the number in it
  char kind;                      ///< 'u': unsigned, 'i': signed, 'f': floating point
};

constexpr std::array<ValueType, 22> value_types = {{
    {"DOUBLE", 8, 0, 8, 'f'},
    {"FLOAT", 8, 0, 8, 'f'},
    {"MINDOUBLE", 8, 0, 8, 'f'},
    {"MAXDOUBLE", 8, 0, 8, 'f'},
    {"TAU_ATOMIC", 36, 20, 8, 'f'},  // stores count, minimum, maximum, sum, sum of squares
    {"UINT64", 8, 0, 8, 'u'},
    {"UNSIGNED INTEGER", 8, 0, 8, 'u'},
    {"INT64", 8, 0, 8, 'i'},
    {"INTEGER", 8, 0, 8, 'i'},
    {"SIGNED INTEGER", 8, 0, 8, 'i'},
    {"UINT32", 4, 0, 4, 'u'},
    {"UNSIGNED INT", 4, 0, 4, 'u'},
    {"INT32", 4, 0, 4, 'i'},
    {"INT", 4, 0, 4, 'i'},
    {"SIGNED INT", 4, 0, 4, 'i'},
    {"UINT16", 2, 0, 2, 'u'},
    {"UNSIGNED SHORT INT", 2, 0, 2, 'u'},
    {"INT16", 2, 0, 2, 'i'},
    {"SHORT INT", 2, 0, 2, 'i'},
    {"SIGNED SHORT INT", 2, 0, 2, 'i'},
    {"UINT8", 1, 0, 1, 'u'},
    {"INT8", 1, 0, 1, 'i'},
}};

double value(const char* at, const ValueType& type, bool big) {
  const std::uint64_t bits = number_of_bytes(at + type.at, type.length, big);
  if (type.kind == 'f') return std::bit_cast<double>(bits);
  if (type.kind == 'u') return static_cast<double>(bits);
  const std::size_t unused = 64 - 8 * type.length;
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

/// The metrics that are read, by their unique names.
enum Wanted : std::size_t { visits, time_s, bytes_sent, bytes_received, wanted };
constexpr std::array<std::string_view, wanted> metric_names = {"visits", "time", "bytes_sent",
                                                               "bytes_received"};

struct CubeMetric {
  std::string id;  ///< part of its files' names; empty: the profile lacks it
  bool inclusive = false;
  const ValueType* type = nullptr;
  std::vector<std::uint32_t> nodes;  ///< node of each row, by the row's number in the index
  std::vector<std::uint32_t> rows;   ///< the numbers of the rows in the file
  bool big_endian = false;
};

/// A node of the call tree. Nodes are in the order of the anchor file: parents before children.
struct CallNode {
  std::string call;  ///< name of an MPI call; empty: another function
  std::int64_t parent = -1;
  int number = -1;  ///< number of the MPI call; -1: no MPI call
  int within = -1;  ///< number of the nearest MPI call that it is, or is called from
};

class CubeProfile {
 public:
  explicit CubeProfile(const std::string& path) : path_(path) {
    anchor();
    indexes();
    for (Tar tar(path_); tar.next();)
      for (std::size_t w = 0; w < wanted; ++w)
        if (!metrics_[w].id.empty() && tar.name() == metrics_[w].id + ".data")
          data(tar, static_cast<Wanted>(w));
  }

  std::unique_ptr<Source> source() const {
    auto source = std::make_unique<RecordedSource>(*std::ranges::max_element(ranks_) + 1);
    SourceInfo& info = source->info();
    info.recorded_ranks = ranks_;
    info.unknown = unknown_to_profiles();
    info.unknown.emplace_back(
        "sizes but means over all ranks of what a call path sends or, if nothing, receives, as Score-P "
        "counts "
        "it: what goes to each member of a communicator counts anew");
    std::vector<double> bytes;
    for (std::size_t c = 0; c < names_.size(); ++c) bytes.push_back(mean_bytes(c));
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      std::vector<ProfiledCall> calls;
      for (std::size_t c = 0; c < names_.size(); ++c)
        if (const double count = sums_[visits][c * ranks_.size() + r]; count >= 1)
          calls.push_back(
              {names_[c], std::llround(count), timed(sums_[time_s][c * ranks_.size() + r]), bytes[c]});
      add_profile(*source, ranks_[r], calls);
    }
    return source;
  }

 private:
  Seconds timed(double seconds) const { return Seconds(metrics_[time_s].id.empty() ? -1 : seconds); }
  [[noreturn]] void refuse(const std::string& what) const { throw InputError(path_ + ": " + what); }

  void anchor() {
    std::string text;
    Tar tar(path_);
    while (text.empty() && tar.next())
      if (tar.name() == "anchor.xml") text = tar.text(most_anchor_bytes);
    if (text.empty()) refuse("a CUBE profile without anchor.xml, which says what its numbers are");
    if (text.starts_with("\x1f\x8b")) text = unpacked(text, Packing::zlib, most_anchor_bytes).value_or("");
    if (std::ranges::count(text, '<') + std::ranges::count(text, '=') > most_tags)
      refuse("its anchor.xml has more than " + std::to_string(most_tags) + " tags and attributes");
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_buffer_inplace(text.data(), text.size());
    if (!parsed)
      refuse("its anchor.xml is damaged: " + std::string(parsed.description()) + " at byte " +
             std::to_string(parsed.offset));
    const pugi::xml_node cube = document.child("cube");
    locations(cube.child("system"));
    tree(cube.child("program"));
    metrics(cube.child("metrics"));
  }

  /// Visits an element and all elements in it, parents first.
  template <class Visit>
  static void each(const pugi::xml_node& top, Visit&& visit) {
    for (pugi::xml_node n = top.first_child(); n;) {
      visit(n);
      if (n.first_child()) {
        n = n.first_child();
        continue;
      }
      while (n && n != top && !n.next_sibling()) n = n.parent();
      n = n == top ? pugi::xml_node() : n.next_sibling();
    }
  }

  /// Reads the locations. Rows have a value for each, in the order of their numbers; the locations of a
  /// process, its threads, are one rank.
  void locations(const pugi::xml_node& system) {
    std::vector<std::pair<std::int64_t, Rank>> all;
    each(system, [&](const pugi::xml_node& n) {
      const std::string_view name = n.name(), process = n.parent().name();
      if (name != "location" && name != "thread") return;
      const std::string_view type = n.parent().child_value("type");
      const std::int64_t rank = process == "locationgroup" || process == "process"
                                    ? n.parent().child("rank").text().as_llong(-1)
                                    : -1;
      if (rank < 0 || rank >= most_recorded_ranks)
        refuse("its anchor.xml has a location without a process that has a rank");
      all.emplace_back(n.attribute("Id").as_llong(-1),
                       type.empty() || type == "process" ? static_cast<Rank>(rank) : -1);
    });
    std::ranges::stable_sort(all, {}, [](const auto& l) { return l.first; });
    for (const auto& location : all) ranks_.push_back(location.second);
    columns_ = ranks_;
    std::erase(ranks_, -1);
    std::ranges::sort(ranks_);
    ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
    if (ranks_.empty()) refuse("its anchor.xml has no location of a process");
    for (Rank& rank : columns_)
      if (rank >= 0) rank = static_cast<Rank>(std::ranges::lower_bound(ranks_, rank) - ranks_.begin());
  }

  void tree(const pugi::xml_node& program) {
    std::unordered_map<std::string, std::string> regions;
    for (const pugi::xml_node& r : program.children("region"))
      if (const std::string name = r.child_value("name"); name.starts_with("MPI_"))
        regions.emplace(r.attribute("id").value(), name);
    std::unordered_map<std::size_t, std::int64_t> places;  // of an element
    std::vector<std::pair<std::int64_t, std::uint32_t>> ids;
    each(program, [&](const pugi::xml_node& n) {
      if (std::string_view(n.name()) != "cnode") return;
      CallNode node;
      if (const auto region = regions.find(n.attribute("calleeId").value()); region != regions.end())
        node.call = region->second;
      if (const auto parent = places.find(n.parent().hash_value()); parent != places.end())
        node.parent = parent->second;
      places.emplace(n.hash_value(), std::ssize(nodes_));
      ids.emplace_back(n.attribute("id").as_llong(-1), static_cast<std::uint32_t>(nodes_.size()));
      nodes_.push_back(std::move(node));
    });
    std::ranges::stable_sort(ids);
    for (const auto& id : ids) by_id_.push_back(id.second);
    number_calls();
  }

  /// Numbers MPI calls by call path, or if there are too many paths, by name, so that memory stays in
  /// proportion to the file.
  void number_calls() {
    const std::size_t cells = most_activities(path_);
    const auto paths = static_cast<std::uint64_t>(
        std::ranges::count_if(nodes_, [](const CallNode& n) { return !n.call.empty(); }));
    const bool by_path = paths * ranks_.size() <= cells;
    std::map<std::string, int> numbers;
    for (CallNode& n : nodes_) {
      if (n.parent >= 0) n.within = nodes_[static_cast<std::size_t>(n.parent)].within;
      if (n.call.empty()) continue;
      const auto next = static_cast<int>(names_.size());
      n.number = n.within = by_path ? next : numbers.emplace(n.call, next).first->second;
      if (n.number == next) names_.push_back(n.call);
    }
    if (names_.empty()) refuse("a CUBE profile in which nothing calls MPI");
    if (names_.size() * ranks_.size() > cells)
      refuse("has " + std::to_string(names_.size()) + " calls of " + std::to_string(ranks_.size()) +
             " ranks, more than a file of its size is read with");
    for (const Wanted w : {visits, time_s}) sums_[w].resize(names_.size() * ranks_.size());
    for (const Wanted w : {bytes_sent, bytes_received}) sums_[w].resize(names_.size());
  }

  void metrics(const pugi::xml_node& all) {
    each(all, [&](const pugi::xml_node& m) {
      const auto name = std::ranges::find(metric_names, std::string_view(m.child_value("uniq_name")));
      const std::string_view kind = m.attribute("type").value();
      if (name == metric_names.end() || std::string_view(m.name()) != "metric" ||
          kind.find("DERIVED") != kind.npos)
        return;
      CubeMetric& metric = metrics_[static_cast<std::size_t>(name - metric_names.begin())];
      const std::string type = m.child_value("dtype");
      metric.id = m.attribute("id").value();
      metric.type = std::ranges::find(value_types, type, &ValueType::name);
      if (metric.type == value_types.end())
        refuse("its metric " + std::string(*name) + " is of the type '" + printable(type) +
               "', which is none of numbers");
      metric.inclusive = kind == "INCLUSIVE";
      metric.nodes = kind == "INCLUSIVE" ? wide() : kind == "SIMPLE" ? by_id_ : deep();
    });
    if (metrics_[visits].id.empty())
      refuse("a CUBE profile without the metric visits: nothing says how often MPI was called");
  }

  /// The order of the rows of an inclusive metric: a node's children stand together, before their own
  /// children.
  std::vector<std::uint32_t> wide() const {
    std::vector<std::vector<std::uint32_t>> children(nodes_.size());
    std::vector<std::uint32_t> all, open;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].parent >= 0) children[static_cast<std::size_t>(nodes_[i].parent)].push_back(i);
    for (std::uint32_t root = 0; root < nodes_.size(); ++root) {
      if (nodes_[root].parent >= 0) continue;
      all.push_back(root);
      for (open = {root}; !open.empty();) {
        const auto& mine = children[open.back()];
        open.pop_back();
        all.insert(all.end(), mine.begin(), mine.end());
        open.insert(open.end(), mine.rbegin(), mine.rend());
      }
    }
    return all;
  }
  /// The order of the rows of an exclusive metric: that of the anchor file.
  std::vector<std::uint32_t> deep() const {
    std::vector<std::uint32_t> all(nodes_.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  void indexes() {
    for (Tar tar(path_); tar.next();)
      for (CubeMetric& m : metrics_)
        if (!m.id.empty() && tar.name() == m.id + ".index") index(tar, m);
    if (metrics_[visits].rows.empty()) refuse("a CUBE profile without data of the metric visits");
  }

  void index(Tar& tar, CubeMetric& m) {
    constexpr std::uint64_t header = 18, sparse = 1, dense = 3;  // magic, byte order, version, kind
    const std::string text = tar.text(header + 4 + 4 * nodes_.size());
    const bool whole = text.size() >= header && text.starts_with(index_magic);
    m.big_endian = whole && text[11] == 0;
    const auto kind = whole ? static_cast<std::uint64_t>(text[header - 1]) : 0;
    if (!whole || number_of_bytes(&text[11], 4, m.big_endian) != 1 || (kind != sparse && kind != dense) ||
        (kind == sparse && text.size() < header + 4))
      refuse(printable(tar.name()) + " in it is no index of rows");
    m.rows.clear();
    if (kind == dense) return void(m.rows = deep());
    const std::uint64_t count = number_of_bytes(&text[header], 4, m.big_endian);
    if (text.size() != header + 4 + 4 * count)
      refuse(printable(tar.name()) + " in it has not the " + std::to_string(count) + " rows that it says");
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t row = number_of_bytes(&text[header + 4 + 4 * i], 4, m.big_endian);
      if (row >= nodes_.size() || (i > 0 && row <= m.rows.back()))
        refuse(printable(tar.name()) + " in it has row " + std::to_string(row) + ", where rows ascend to " +
               std::to_string(nodes_.size() - 1));
      m.rows.push_back(static_cast<std::uint32_t>(row));
    }
  }

  /// The sum that a row belongs to; -1: none. An MPI call's time includes the exclusive times of what it
  /// calls.
  int place(const CubeMetric& m, Wanted w, std::uint32_t row) const {
    const CallNode& node = nodes_[m.nodes[row]];
    return w == time_s && !m.inclusive ? node.within : node.number;
  }

  void data(Tar& tar, Wanted w) {
    const CubeMetric& m = metrics_[w];
    const std::size_t row_bytes = columns_.size() * m.type->bytes;
    values_ += columns_.size() * static_cast<std::uint64_t>(std::ranges::count_if(
                                     m.rows, [&](std::uint32_t row) { return place(m, w, row) >= 0; }));
    if (values_ > most_values)
      refuse("has more than " + std::to_string(most_values) + " numbers on calls of MPI");
    std::string magic(data_magic.size(), '\0'), row(row_bytes, '\0');
    tar.read(magic.data(), magic.size());
    if (magic == packed_magic.substr(0, magic.size())) {
      tar.skip(packed_magic.size() - magic.size());
      return packed(tar, w, row_bytes);
    }
    if (magic != data_magic) refuse(printable(tar.name()) + " in it holds no rows");
    for (const std::uint32_t r : m.rows) {
      if (tar.left() == 0) return;  // CUBE leaves out the rows of zeros at the end
      if (place(m, w, r) < 0) {
        tar.skip(row_bytes);
        continue;
      }
      tar.read(row.data(), row_bytes);
      add(w, r, row);
    }
    if (tar.left() > 0) refuse(printable(tar.name()) + " in it is longer than its index says");
  }

  /// Reads compressed rows. Behind the magic stands the number of rows; for each row its place in the
  /// unpacked file, its place in the packed one, and its packed bytes; then the rows, in any order.
  void packed(Tar& tar, Wanted w, std::size_t row_bytes) {
    const CubeMetric& m = metrics_[w];
    const auto damaged = [&] {
      refuse(printable(tar.name()) + " in it is damaged: its packed rows are not where it says");
    };
    struct Packed {
      std::uint64_t at, bytes;
      std::uint32_t row;
    };
    std::vector<Packed> rows;
    char numbers[24];
    tar.read(numbers, 8);
    const std::uint64_t count = number_of_bytes(numbers, 8, m.big_endian);
    if (count > m.rows.size()) damaged();
    for (std::uint64_t i = 0; i < count; ++i) {
      tar.read(numbers, 24);
      const std::uint64_t place = number_of_bytes(numbers, 8, m.big_endian) / row_bytes;
      const std::uint64_t bytes = number_of_bytes(numbers + 16, 8, m.big_endian);
      if (bytes == 0) continue;
      if (place >= m.rows.size() || bytes > 2 * row_bytes + 512) damaged();
      rows.push_back({number_of_bytes(numbers + 8, 8, m.big_endian), bytes, m.rows[place]});
    }
    std::ranges::sort(rows, {}, &Packed::at);
    std::string text;
    std::uint64_t at = 0;
    for (const Packed& p : rows) {
      if (p.at < at) damaged();
      tar.skip(p.at - at);
      at = p.at + p.bytes;
      text.resize(p.bytes);
      tar.read(text.data(), p.bytes);
      if (place(m, w, p.row) < 0) continue;
      const auto row = unpacked(text, Packing::zlib, row_bytes);
      if (!row || row->size() != row_bytes) damaged();
      add(w, p.row, *row);
    }
  }

  void add(Wanted w, std::uint32_t row, std::string_view text) {
    const CubeMetric& m = metrics_[w];
    const auto call = static_cast<std::size_t>(place(m, w, row));
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] < 0) continue;
      const double n = value(text.data() + i * m.type->bytes, *m.type, m.big_endian);
      if (!(n >= 0 && n < 1e15))
        refuse("its metric " + std::string(metric_names[w]) + " of " + printable(names_[call]) +
               " has a value below 0 or above 1e15");
      const bool by_rank = w == visits || w == time_s;
      sums_[w][by_rank ? call * ranks_.size() + static_cast<std::size_t>(columns_[i]) : call] += n;
    }
  }

  /// Mean bytes of a call. Score-P counts at the root of a broadcast what it sends to each rank, so that the
  /// mean over the ranks is one message.
  double mean_bytes(std::size_t call) const {
    const auto first = sums_[visits].begin() + static_cast<std::ptrdiff_t>(call * ranks_.size());
    const double count = std::accumulate(first, first + std::ssize(ranks_), 0.0);
    const double bytes = sums_[bytes_sent][call] > 0 ? sums_[bytes_sent][call] : sums_[bytes_received][call];
    return bytes > 0 && count >= 1 ? bytes / count : -1;
  }

  std::string path_;
  std::vector<Rank> ranks_;    ///< the ranks in the file
  std::vector<Rank> columns_;  ///< for each value of a row, its index in `ranks_`; -1: no rank's
  std::vector<CallNode> nodes_;
  std::vector<std::uint32_t> by_id_;
  std::vector<std::string> names_;
  std::array<CubeMetric, wanted> metrics_;
  std::array<std::vector<double>, wanted> sums_;  ///< by call and rank; bytes only by call
  std::uint64_t values_ = 0;
};

}  // namespace

bool is_cube(std::string_view head) {
  if (!is_tar(head)) return false;
  std::string_view first = head.substr(0, std::min<std::size_t>(head.find('\0'), 100));
  first.remove_prefix(first.rfind('/') + 1);
  const std::string_view number = first.substr(0, first.find('.'));
  const bool numbered =
      !number.empty() && std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
  return first == "anchor.xml" || head.find("CUBEX.") != head.npos ||
         (numbered && (first.ends_with(".data") || first.ends_with(".index")));
}

std::unique_ptr<Source> open_cube(const std::vector<std::string>& files, const OpenOptions&) {
  require_one(files, "a CUBE profile has all ranks in one file");
  return CubeProfile(files[0]).source();
}

}  // namespace collcast
