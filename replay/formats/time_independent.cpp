// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/time_independent.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

/// Bytes of SimGrid's types by their numbers in a trace, as its 3.32 writes them and its MPI_Type_size says
/// on x86-64: MPI_DOUBLE is 0, MPI_COUNT 59. Derived types are -1.
constexpr std::array<int, 60> mpi_type_bytes = {
    8, 4,  1,  2, 8, 4, 1,  8,  1, 1, 2, 4,  8, 8,  16, 4, 1, 1, 2, 4,  8,  1, 2, 4,  8,  8, 16, 32, 8, 8,
    8, 16, 16, 8, 8, 8, 16, 16, 4, 4, 8, 16, 8, 16, 16, 4, 2, 4, 8, 16, 32, 1, 8, 16, 32, 0, 0,  1,  0, 8};
/// Wildcards of a receive (smpi.h). A send to the first one is to MPI_PROC_NULL.
constexpr int any_source = -333, any_tag = -444;

void split_words(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  const auto space = [](char c) { return c == ' ' || c == '\t'; };
  for (auto at = line.begin(); (at = std::find_if_not(at, line.end(), space)) != line.end();) {
    const auto end = std::find_if(at, line.end(), space);
    words.emplace_back(at, end);
    at = end;
  }
}

/// The rank in "0", or in old traces "p0".
Rank rank_of(std::string_view word) {
  if (word.starts_with('p')) word.remove_prefix(1);
  return number_in<Rank>(word).value_or(-1);
}

/// A place in a file.
struct TextPlace {
  const std::string& file;
  std::int64_t line;

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(file + ": line " + std::to_string(line) + ": " + what);
  }
};

struct TraceLine {
  TextPlace place;
  std::string action;
  std::span<const std::string_view> arguments;

  [[noreturn]] void refuse(const std::string& what) const { place.refuse(action + " " + what); }
  bool has(std::size_t i) const { return i < arguments.size(); }
  double number(std::size_t i) const {
    if (!has(i)) refuse("lacks its argument " + std::to_string(i + 1));
    double value = 0;
    const std::string_view text = arguments[i];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = end == text.data() + text.size();
    if (whole && (error == std::errc::result_out_of_range || std::abs(value) >= 1e18))
      refuse("has '" + std::string(text) + "', which is out of range: numbers are below 1e18");
    if (error != std::errc() || !whole || std::isnan(value))
      refuse("has '" + std::string(text) + "' where a number belongs");
    return value;
  }
  int rank(std::size_t i) const {
    if (const Rank r = has(i) ? rank_of(arguments[i]) : -1; r >= 0) return r;
    return whole(i, -1);
  }
  int whole(std::size_t i, int otherwise) const {
    if (!has(i)) return otherwise;
    const double value = number(i);
    if (std::abs(value) > 2e9)
      refuse("has '" + std::string(arguments[i]) + "' where a rank, a tag or a type belongs");
    return static_cast<int>(value);
  }
};

/// One rank's actions so far; most of them packed.
class RankActions {
 public:
  RankActions(RecordedSource& source, Rank rank, Rank ranks)
      : source_(source), stream_(source.at(rank)), rank_(rank), ranks_(ranks) {}

  /// Adds a line's action; false if it is unknown.
  bool add(const TraceLine& line) {
    if (stream_.size() >= most_open) source_.pack(rank_), stream_.reserve(most_open);
    return known(line);
  }

  bool finalized = false;
  std::int64_t unsized = 0;   ///< sends and receives of unknown size
  std::int64_t unopened = 0;  ///< waits and tests without an open request

 private:
  static constexpr std::size_t most_open = 64;

  bool known(const TraceLine& line) {
    const std::string_view a = line.action;
    if (a == "init") return default_type_ = line.has(0) ? 0 : 6, true;
    if (a.starts_with("finalize")) return finalized = true;
    if (a == "comm_size" || a == "comm_split" || a == "comm_dup" || a == "location") return true;
    if (a == "compute") return compute(1e-9 * positive(line, 0)), true;
    if (a == "sleep") return compute(positive(line, 0), Activity::Kind::pause), true;
    if (a == "send" || a == "isend" || a == "ssend" || a == "issend") return message(line, true), true;
    if (a == "recv" || a == "irecv") return message(line, false), true;
    if (a == "sendrecv") return exchange(line), true;
    if (a == "wait" || a == "test") return wait_one(line), true;
    if (a == "waitall") return wait_all(), true;
    return collective(line) || begin_collective(line);
  }
  static double positive(const TraceLine& line, std::size_t i) {
    const double value = line.number(i);
    if (value < 0) line.refuse("has a negative amount");
    return value;
  }
  /// Bytes of an element; nothing if the trace does not say the size of the type.
  static std::optional<int> bytes_of(int type) {
    if (type < 0 || type >= static_cast<int>(mpi_type_bytes.size())) return {};
    return mpi_type_bytes[static_cast<std::size_t>(type)];
  }
  std::optional<Bytes> sized(const TraceLine& line, std::size_t i, std::size_t type) const {
    const auto bytes = bytes_of(line.whole(type, default_type_));
    return bytes ? std::optional(Bytes(std::max(line.number(i), 0.0) * *bytes)) : std::nullopt;
  }
  /// The size of a message; 0 if it is unknown.
  Bytes carried(const TraceLine& line, std::size_t i, std::size_t type) {
    const auto bytes = sized(line, i, type);
    if (!bytes) ++unsized;
    return bytes.value_or(Bytes());
  }
  Rank peer(const TraceLine& line, std::size_t i) const {
    const int r = line.rank(i);
    if (r == any_source)
      line.refuse(std::string("is from any rank") + (line.action == "irecv" ? " or from MPI_PROC_NULL" : "") +
                  ", and the trace does not say from which");
    if (r < 0 || r >= ranks_)
      line.refuse("names rank " + std::to_string(r) + " of " + std::to_string(ranks_) +
                  (r < 0 ? "" : "; name the files of all ranks"));
    return r;
  }
  void compute(double seconds, Activity::Kind kind = Activity::Kind::compute) {
    Activity& a = stream_.emplace_back();
    a.kind = kind;
    a.time = Seconds(seconds);
  }

  void message(const TraceLine& line, bool sends) {
    if (sends && line.rank(0) == any_source) return;
    const Rank other = peer(line, 0);
    Activity a = message_activity(sends, 0, other, {});
    const int said = line.arguments.size() == 2 ? 0 : line.whole(1, 0);
    const bool open = !sends && said == any_tag;
    if (said < 0 && !open) line.refuse("has tag " + std::to_string(said) + "; tags are 0 and above");
    const int tag = open ? of_any_tag : said;
    a.synchronous = line.action.ends_with("ssend") || (sends && tag >= first_collective_tag);
    (sends ? a.tag : a.received_tag) = tag;
    // Before SimGrid 3.20 actions had no tag, and long before that receives had no size.
    const bool unsaid = !sends && line.arguments.size() == 1;
    if (!unsaid)
      (sends ? a.bytes : a.received_bytes) =
          line.arguments.size() == 2 ? carried(line, 1, 2) : carried(line, 2, 3);
    if (unsaid || (!sends && line.arguments.size() > 2 && line.number(2) < 0))
      a.received_bytes = size_of_message;
    if (line.action[0] == 'i') {
      a.request = requests_++;
      open_.push_back({sends ? rank_ : other, sends ? other : rank_, said, a.request});
    }
    stream_.push_back(a);
  }

  void exchange(const TraceLine& line) {
    Activity& a = stream_.emplace_back();
    a.kind = Activity::Kind::exchange;
    a.operation = a.call = "sendrecv";
    a.bytes = carried(line, 0, 4);
    a.to = peer(line, 1);
    a.received_bytes = carried(line, 2, 5);
    a.from = peer(line, 3);
  }

  void wait(std::vector<std::int64_t> requests) {
    if (requests.empty()) return;
    stream_.push_back(wait_activity(std::move(requests)));
  }
  void wait_one(const TraceLine& line) {
    if (line.arguments.empty() && !open_.empty()) {  // before SimGrid 3.20: waits for the last request
      wait({open_.back().request});
      open_.pop_back();
      return;
    }
    const int source = line.whole(0, -1), dest = line.whole(1, -1), tag = line.whole(2, 0);
    const bool of_collective = tag < 0 && tag != any_tag;
    if (dest == any_source && !of_collective) return;
    const auto found = std::ranges::find_if(open_, [&](const Open& o) {
      return of_collective ? o.source < 0 : o.source == source && o.dest == dest && o.tag == tag;
    });
    if (found == open_.end()) {
      ++unopened;
      return;
    }
    wait({found->request});
    open_.erase(found);
  }
  void wait_all() {
    std::vector<std::int64_t> all;
    for (const Open& o : open_) all.push_back(o.request);
    open_.clear();
    wait(std::move(all));
  }

  /// Reads a size for each rank from argument `first` on; none if the type's size is unknown.
  std::vector<Bytes> list(const TraceLine& line, std::size_t first, int type) const {
    const auto bytes = bytes_of(type);
    std::vector<Bytes> all;
    for (Rank r = 0; bytes && r < ranks_; ++r)
      all.push_back(Bytes(positive(line, first + static_cast<std::size_t>(r)) * *bytes));
    return all;
  }
  void at_most(const TraceLine& line, std::size_t arguments) const {
    if (line.arguments.size() > arguments)
      line.refuse("has sizes for more ranks than " + std::to_string(ranks_) +
                  "; name the files of all ranks");
  }
  static Bytes sum(const std::vector<Bytes>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), Bytes(0));
  }

  Activity& put(Collective c, std::optional<Bytes> message, const TraceLine& line, int root = 0) {
    if (root < 0 || root >= ranks_)
      line.refuse("has rank " + std::to_string(root) + " of " + std::to_string(ranks_) + " as its root");
    stream_.push_back(collective_activity(c, 0, message.value_or(Bytes())));
    stream_.back().root = root;
    stream_.back().sized = message.has_value();
    stream_.back().operation = stream_.back().call = source_.keep(line.action);
    return stream_.back();
  }
  /// Adds a collective in which each rank says what it has itself.
  void put_all(Collective c, std::optional<Bytes> own, const TraceLine& line, int root = 0) {
    put(c, own ? std::optional(ranks_ * *own) : std::nullopt, line, root);
  }
  /// Adds a collective with a list of sizes. Without sizes its size is unknown, or the one that its root says
  /// (sizes_from_roots).
  void put_by_shares(Collective c, const std::vector<Bytes>& shares, const TraceLine& line, int root = 0) {
    const bool known = !shares.empty() && (!definition(c).rooted || root == rank_ || sum(shares) > Bytes());
    Activity& a = put(c, known ? std::optional(sum(shares)) : std::nullopt, line, root);
    if (known) a.counts = std::make_shared<Counts>(Counts{shares, {}, {}});
  }

  bool collective(const TraceLine& l) {
    const std::string_view a = l.action;
    if (a == "barrier") return put(Collective::barrier, Bytes(), l), true;
    if (a == "bcast") return put(Collective::broadcast, sized(l, 0, 2), l, l.whole(1, 0)), true;
    if (a == "reduce")
      return put(Collective::reduce, sized(l, 0, 3), l, l.whole(2, 0)), compute_flops(l, 1), true;
    if (a == "allreduce") return put(Collective::allreduce, sized(l, 0, 2), l), compute_flops(l, 1), true;
    if (a == "scan" || a == "exscan")
      return put(a == "scan" ? Collective::scan : Collective::exscan, sized(l, 0, 2), l), compute_flops(l, 1),
             true;
    if (a == "alltoall") return put_all(Collective::alltoall, sized(l, 0, 2), l), true;
    if (a == "allgather") return put_all(Collective::allgather, sized(l, 0, 2), l), true;
    if (a == "gather" || a == "scatter") return of_one(l, a == "gather"), true;
    return by_lists(l);
  }

  /// Adds a non-blocking collective, which SimGrid's tracer writes though its replay does not know it. Its
  /// wait names any ranks and a negative tag of SimGrid's own.
  bool begin_collective(const TraceLine& l) {
    const std::size_t next = stream_.size();
    if (!l.action.starts_with('i') || !collective({l.place, l.action.substr(1), l.arguments})) return false;
    stream_[next].call = source_.keep(l.action);
    stream_[next].request = requests_++;
    open_.push_back({-1, -1, 0, stream_[next].request});
    return true;
  }

  /// Adds a gather or a scatter. In place, the root of a gather sends nothing, and that of a scatter receives
  /// nothing; then its size is what the others say.
  void of_one(const TraceLine& l, bool gathers) {
    const int root = l.whole(2, 0);
    const bool first = gathers != (root == rank_ && l.has(1) && l.number(gathers ? 1 : 0) > 0);
    put_all(gathers ? Collective::gather : Collective::scatter, first ? sized(l, 0, 3) : sized(l, 1, 4), l,
            root);
  }

  bool by_lists(const TraceLine& l) {
    const std::string_view a = l.action;
    const auto p = static_cast<std::size_t>(ranks_);
    if (a == "gatherv" || a == "allgatherv") {
      const bool rooted = a == "gatherv";
      at_most(l, 2 * p + 4);
      const std::size_t types = 1 + p + (rooted ? 1 : 0);  // of what is sent, and of what is received
      const bool only_displacements = !rooted && p > 2 && l.arguments.size() == types + p;
      const int type = only_displacements ? default_type_ : l.whole(types + 1, l.whole(types, default_type_));
      put_by_shares(rooted ? Collective::gather : Collective::allgather, list(l, 1, type), l,
                    rooted ? l.whole(1 + p, 0) : 0);
      return true;
    }
    if (a == "scatterv") {
      at_most(l, p + 4);
      return put_by_shares(Collective::scatter, list(l, 0, l.whole(p + 2, default_type_)), l,
                           l.whole(p + 1, 0)),
             true;
    }
    if (a == "reducescatter") {
      // SimGrid 3.32 writes MPI_Reduce_scatter_block as a 0 for each element of a part, and the type.
      const std::size_t n = l.arguments.size();
      if (n > 1 && n != p + 2 &&
          std::all_of(l.arguments.begin(), l.arguments.end() - 1, [](auto word) { return word == "0"; })) {
        const auto bytes = bytes_of(l.whole(n - 1, 0));
        const auto part = bytes ? std::optional(static_cast<double>(n - 1) * Bytes(*bytes)) : std::nullopt;
        return put_all(Collective::reduce_scatter, part, l), true;
      }
      at_most(l, p + 2);
      return put_by_shares(Collective::reduce_scatter, list(l, 0, l.whole(p + 1, default_type_)), l),
             compute_flops(l, p), true;
    }
    if (a == "alltoallv") {
      at_most(l, 2 * p + 4);
      const auto sent = list(l, 1, l.whole(2 * p + 2, default_type_)),
                 received = list(l, 2 + p, l.whole(2 * p + 3, default_type_));
      const bool known = !sent.empty() && !received.empty();
      Activity& one = put(Collective::alltoall, known ? std::optional(sum(sent)) : std::nullopt, l);
      one.direct = known;
      if (known) one.counts = std::make_shared<Counts>(Counts{{}, sent, received});
      return true;
    }
    return false;
  }
  /// Adds what SMPI lets a rank compute after a reduction. A platform with a cost of reductions adds that on
  /// top.
  void compute_flops(const TraceLine& l, std::size_t i) {
    if (l.has(i) && l.number(i) > 0) compute(1e-9 * l.number(i));
  }

  struct Open {
    Rank source, dest;  ///< -1: of a collective
    int tag;
    std::int64_t request;
  };
  RecordedSource& source_;
  RecordedSource::Stream& stream_;
  Rank rank_, ranks_;
  int default_type_ = 6;
  std::int64_t requests_ = 0;
  std::deque<Open> open_;
};

template <class Visit>
void for_each_line(const std::vector<std::string>& files, Visit visit) {
  std::vector<std::string_view> words;
  for (const std::string& file : files) {
    Input input(file);
    TextPlace place{file, 0};
    for (std::string text; input.line(text);) {
      ++place.line;
      split_words(text, words);
      if (words.empty() || words[0].starts_with('#')) continue;
      const Rank rank = rank_of(words[0]);
      if (rank < 0 || rank >= most_recorded_ranks || words.size() < 2)
        place.refuse("is no rank and action, as in `0 compute 1e9`");
      visit(place, rank, std::span<const std::string_view>(words));
    }
  }
}

}  // namespace

bool is_time_independent(std::string_view head) {
  static constexpr std::string_view actions[] = {
      "init",      "compute", "send",   "isend",    "recv",     "irecv",      "ssend",      "sendrecv",
      "bcast",     "barrier", "reduce", "gather",   "gatherv",  "allgather",  "allgatherv", "scatter",
      "allreduce", "sleep",   "scan",   "alltoall", "exscan",   "alltoallv",  "scatterv",   "reducescatter",
      "comm_size", "wait",    "test",   "waitall",  "finalize", "comm_split", "comm_dup",   "location"};
  std::vector<std::string_view> words;
  for (int lines = 0; !head.empty() && lines < 32; ++lines) {
    const auto end = std::min(head.find('\n'), head.size());
    split_words(head.substr(0, head.substr(0, end).ends_with('\r') ? end - 1 : end), words);
    head.remove_prefix(std::min(end + 1, head.size()));
    if (words.empty() || words[0].starts_with('#')) continue;
    return words.size() >= 2 && rank_of(words[0]) >= 0 &&
           std::ranges::find(actions, text::lower(words[1])) != std::end(actions);
  }
  return false;
}

std::unique_ptr<Source> open_time_independent(const std::vector<std::string>& files, const OpenOptions&) {
  std::map<Rank, const std::string*> seen;
  for (const std::string& file : files)
    for_each_line({file}, [&](const TextPlace&, Rank rank, auto) {
      if (const std::string* other = seen.try_emplace(rank, &file).first->second; other != &file)
        throw InputError("two files claim rank " + std::to_string(rank) + ": " + *other + " and " + file);
    });
  if (seen.empty()) throw InputError(files[0] + ": has no actions");
  const Rank ranks = seen.rbegin()->first + 1;
  if (static_cast<std::size_t>(ranks) != seen.size())
    throw InputError(files[0] + ": has rank " + std::to_string(ranks - 1) + ", but only " +
                     std::to_string(seen.size()) + " ranks have actions; name the files of all");
  auto source = std::make_unique<RecordedSource>(ranks);
  SourceInfo& info = source->info();
  info.unknown = {"times: computation is flops, of which one takes 1 ns times --compute-scale",
                  "communicators: everything is on the world's", "sizes of derived types"};
  std::vector<RankActions> all;
  for (Rank r = 0; r < ranks; ++r) all.emplace_back(*source, r, ranks);
  std::map<std::string, std::int64_t> unknown;
  for_each_line(files, [&](const TextPlace& place, Rank rank, std::span<const std::string_view> words) {
    const TraceLine line{place, text::lower(words[1]), words.subspan(2)};
    if (!all[static_cast<std::size_t>(rank)].add(line)) ++unknown[line.action];
  });
  std::set<Rank> finalized;
  std::int64_t unsized = 0, unopened = 0;
  for (Rank r = 0; r < ranks; ++r) {
    const RankActions& actions = all[static_cast<std::size_t>(r)];
    if (actions.finalized) finalized.insert(r);
    unsized += actions.unsized;
    unopened += actions.unopened;
  }
  note_early_ends(*source, finalized, "finalize");
  match_receives(*source);
  sizes_from_roots(*source);
  info.lose("send or receive", unsized, "of a derived type: played empty");
  if (unopened)
    info.notes.push_back(std::to_string(unopened) +
                         " waits and tests are for no message that is open, as after a test, which is taken "
                         "for a wait: left out");
  mark_if_unscalable(*source);
  for (const auto& [action, count] : unknown)
    info.losses.push_back({action, count, "an action that is not known"});
  return source;
}

}  // namespace collcast
