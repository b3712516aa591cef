// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/time_independent.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <deque>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/names.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// smpi_datatype.cpp: the number of a type in a trace, and its bytes on x86-64.
constexpr std::array<int, 9> mpi_type_bytes = {8, 4, 1, 2, 8, 4, 1, 8, 1};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string lower(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// "0", or in old traces "p0".
Rank rank_of(std::string_view word) {
  Rank rank = -1;
  if (word.starts_with('p')) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), rank);
  return error == std::errc() && end == word.data() + word.size() ? rank : -1;
}

struct TraceLine {
  std::string where;
  std::string action;
  std::vector<std::string_view> arguments;

  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(where + ": " + action + " " + what);
  }
  bool has(std::size_t i) const { return i < arguments.size(); }
  double number(std::size_t i) const {
    if (!has(i)) refuse("lacks its argument " + std::to_string(i + 1));
    double value = 0;
    const std::string_view text = arguments[i];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(std::abs(value) < 1e18))
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

/// Gives a receive whose size its rank asked for (-1) the size of the message that it matches.
constexpr Bytes probed{-1};

void size_probed(RecordedSource& source) {
  std::map<std::tuple<Rank, Rank, int>, std::deque<Bytes>> sent;  // by sender, receiver, tag
  using Kind = Activity::Kind;
  for (Rank r = 0; r < source.ranks(); ++r)
    for (const Activity& a : source.at(r))
      if (a.kind == Kind::send || a.kind == Kind::exchange) sent[{r, a.to, a.tag}].push_back(a.bytes);
  for (Rank r = 0; r < source.ranks(); ++r)
    for (Activity& a : source.at(r)) {
      if (a.kind != Kind::receive && a.kind != Kind::exchange) continue;
      std::deque<Bytes>& messages = sent[{a.from, r, a.received_tag}];
      if (a.received_bytes < Bytes()) a.received_bytes = messages.empty() ? Bytes() : messages.front();
      if (!messages.empty()) messages.pop_front();
    }
}

/// One rank's actions so far.
class RankActions {
 public:
  RankActions(RecordedSource& source, Rank rank, Rank ranks)
      : source_(source), stream_(source.at(rank)), rank_(rank), ranks_(ranks) {}

  /// False if the action is none that is known.
  bool add(const TraceLine& line) {
    const std::string& a = line.action;
    if (a == "init") return default_type_ = line.has(0) ? 0 : 6, true;
    if (a.starts_with("finalize")) return finalized = true;
    if (a == "comm_size" || a == "comm_split" || a == "comm_dup" || a == "location") return true;
    if (a == "compute") return compute(1e-9 * positive(line, 0)), true;
    if (a == "sleep") return compute(positive(line, 0), Activity::Kind::pause), true;
    if (a == "send" || a == "isend" || a == "ssend") return message(line, true), true;
    if (a == "recv" || a == "irecv") return message(line, false), true;
    if (a == "sendrecv") return exchange(line), true;
    if (a == "wait" || a == "test") return wait_one(line), true;
    if (a == "waitall") return wait_all(), true;
    return collective(line);
  }

  bool finalized = false;

 private:
  static double positive(const TraceLine& line, std::size_t i) {
    const double value = line.number(i);
    if (value < 0) line.refuse("has a negative amount");
    return value;
  }
  Bytes sized(const TraceLine& line, std::size_t i, std::size_t type) const {
    const int t = line.whole(type, default_type_);
    const bool known = t >= 0 && t < static_cast<int>(mpi_type_bytes.size());
    return Bytes(std::max(line.number(i), 0.0) * (known ? mpi_type_bytes[static_cast<std::size_t>(t)] : 1));
  }
  Rank peer(const TraceLine& line, std::size_t i) const {
    const int r = line.rank(i);
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
    Activity a;
    a.kind = sends ? Activity::Kind::send : Activity::Kind::receive;
    a.operation = a.call = sends ? "send" : "recv";
    const Rank other = peer(line, 0);
    const int tag = line.arguments.size() == 2 ? 0 : line.whole(1, 0);
    if (tag < 0) line.refuse("has tag " + std::to_string(tag) + "; tags are 0 and above");
    a.synchronous = line.action == "ssend" || (sends && tag >= first_collective_tag);
    (sends ? a.to : a.from) = other;
    (sends ? a.tag : a.received_tag) = tag;
    // Before SimGrid 3.20, actions had no tag; long before, receives had no size.
    const bool unsaid = !sends && line.arguments.size() == 1;
    if (!unsaid)
      (sends ? a.bytes : a.received_bytes) =
          line.arguments.size() == 2 ? sized(line, 1, 2) : sized(line, 2, 3);
    if (unsaid || (!sends && line.arguments.size() > 2 && line.number(2) < 0)) a.received_bytes = probed;
    if (line.action[0] == 'i') {
      a.request = requests_++;
      open_.push_back({sends ? rank_ : other, sends ? other : rank_, tag, a.request});
    }
    stream_.push_back(a);
  }

  void exchange(const TraceLine& line) {
    Activity& a = stream_.emplace_back();
    a.kind = Activity::Kind::exchange;
    a.operation = a.call = "sendrecv";
    a.bytes = sized(line, 0, 4);
    a.to = peer(line, 1);
    a.received_bytes = sized(line, 2, 5);
    a.from = peer(line, 3);
  }

  void wait(std::vector<std::int64_t> requests) {
    if (requests.empty()) return;
    Activity& a = stream_.emplace_back();
    a.kind = Activity::Kind::wait;
    a.operation = a.call = "wait";
    a.requests = std::move(requests);
  }
  void wait_one(const TraceLine& line) {
    if (line.arguments.empty() && !open_.empty()) {  // before SimGrid 3.20: for the last one
      wait({open_.back().request});
      open_.pop_back();
      return;
    }
    const int source = line.whole(0, -1), dest = line.whole(1, -1), tag = line.whole(2, 0);
    const auto found = std::ranges::find_if(
        open_, [&](const Open& o) { return o.source == source && o.dest == dest && o.tag == tag; });
    if (found == open_.end()) return;
    wait({found->request});
    open_.erase(found);
  }
  void wait_all() {
    std::vector<std::int64_t> all;
    for (const Open& o : open_) all.push_back(o.request);
    open_.clear();
    wait(std::move(all));
  }

  /// Sizes for each rank, in a line of at most `most` arguments.
  std::vector<Bytes> list(const TraceLine& line, std::size_t first, int type, std::size_t most) const {
    if (line.arguments.size() > most)
      line.refuse("has sizes for more ranks than " + std::to_string(ranks_) +
                  "; name the files of all ranks");
    const int bytes = type >= 0 && type < static_cast<int>(mpi_type_bytes.size())
                          ? mpi_type_bytes[static_cast<std::size_t>(type)]
                          : 1;
    std::vector<Bytes> all;
    for (Rank r = 0; r < ranks_; ++r)
      all.push_back(Bytes(positive(line, first + static_cast<std::size_t>(r)) * bytes));
    return all;
  }
  static Bytes sum(const std::vector<Bytes>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), Bytes(0));
  }

  Activity& put(Collective c, Bytes message, const TraceLine& line, int root = 0) {
    if (root < 0 || root >= ranks_)
      line.refuse("has rank " + std::to_string(root) + " of " + std::to_string(ranks_) + " as its root");
    stream_.push_back(collective_activity(c, 0, message));
    stream_.back().root = root;
    stream_.back().operation = stream_.back().call = source_.keep(line.action);
    return stream_.back();
  }

  bool collective(const TraceLine& l) {
    const std::string& a = l.action;
    const auto p = static_cast<std::size_t>(ranks_);
    if (a == "barrier") return put(Collective::barrier, {}, l), true;
    if (a == "bcast") return put(Collective::broadcast, sized(l, 0, 2), l, l.whole(1, 0)), true;
    if (a == "reduce")
      return put(Collective::reduce, sized(l, 0, 3), l, l.whole(2, 0)), compute_flops(l, 1), true;
    if (a == "allreduce") return put(Collective::allreduce, sized(l, 0, 2), l), compute_flops(l, 1), true;
    if (a == "scan" || a == "exscan")
      return put(a == "scan" ? Collective::scan : Collective::exscan, sized(l, 0, 2), l), compute_flops(l, 1),
             true;
    if (a == "alltoall") return put(Collective::alltoall, ranks_ * sized(l, 0, 2), l), true;
    if (a == "allgather") return put(Collective::allgather, ranks_ * sized(l, 0, 2), l), true;
    if (a == "gather") return put(Collective::gather, ranks_ * sized(l, 0, 3), l, l.whole(2, 0)), true;
    if (a == "scatter") return put(Collective::scatter, ranks_ * sized(l, 1, 4), l, l.whole(2, 0)), true;
    if (a == "gatherv" || a == "allgatherv") {
      const auto shares = list(l, 1, l.whole(1 + p + (a == "gatherv" ? 1 : 0), default_type_), 2 * p + 4);
      return by_shares(put(a == "gatherv" ? Collective::gather : Collective::allgather, sum(shares), l,
                           a == "gatherv" ? l.whole(1 + p, 0) : 0),
                       shares),
             true;
    }
    if (a == "scatterv") {
      const auto shares = list(l, 0, l.whole(p + 2, default_type_), p + 4);
      return by_shares(put(Collective::scatter, sum(shares), l, l.whole(p + 1, 0)), shares), true;
    }
    if (a == "reducescatter") {
      const auto shares = list(l, 0, l.whole(p + 1, default_type_), p + 2);
      return by_shares(put(Collective::reduce_scatter, sum(shares), l), shares), compute_flops(l, p), true;
    }
    if (a == "alltoallv") {
      const auto sent = list(l, 1, l.whole(2 * p + 2, default_type_), 2 * p + 4),
                 received = list(l, 2 + p, l.whole(2 * p + 3, default_type_), 2 * p + 4);
      Activity& put_one = put(Collective::alltoall, sum(sent), l);
      put_one.direct = true;
      put_one.counts = std::make_shared<Counts>(Counts{{}, sent, received});
      return true;
    }
    return false;
  }
  static void by_shares(Activity& a, const std::vector<Bytes>& shares) {
    a.counts = std::make_shared<Counts>(Counts{shares, {}, {}});
  }
  /// What SMPI lets a rank compute after a reduction; the platform's own reduction is on top of it where it
  /// has one.
  void compute_flops(const TraceLine& l, std::size_t i) {
    if (l.has(i) && l.number(i) > 0) compute(1e-9 * l.number(i));
  }

  struct Open {
    Rank source, dest;
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
  for (const std::string& file : files) {
    Input input(file);
    std::int64_t number = 0;
    for (std::string text; input.line(text);) {
      ++number;
      const auto words = words_of(text);
      if (words.empty() || words[0].starts_with('#')) continue;
      const std::string where = file + ": line " + std::to_string(number);
      const Rank rank = rank_of(words[0]);
      if (rank < 0 || rank >= most_recorded_ranks || words.size() < 2)
        throw InputError(where + ": is no rank and action, as in `0 compute 1e9`");
      visit(where, rank, words);
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
  for (int lines = 0; !head.empty() && lines < 32; ++lines) {
    const auto end = std::min(head.find('\n'), head.size());
    const auto words = words_of(head.substr(0, head.substr(0, end).ends_with('\r') ? end - 1 : end));
    head.remove_prefix(std::min(end + 1, head.size()));
    if (words.empty() || words[0].starts_with('#')) continue;
    return words.size() >= 2 && rank_of(words[0]) >= 0 &&
           std::ranges::find(actions, lower(words[1])) != std::end(actions);
  }
  return false;
}

std::unique_ptr<Source> open_time_independent(const std::vector<std::string>& files, const OpenOptions&) {
  std::map<Rank, const std::string*> seen;
  for (const std::string& file : files)
    for_each_line({file}, [&](const std::string&, Rank rank, const auto&) {
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
                  "communicators: everything is on the world's"};
  std::vector<RankActions> all;
  for (Rank r = 0; r < ranks; ++r) all.emplace_back(*source, r, ranks);
  std::map<std::string, std::int64_t> unknown;
  for_each_line(files, [&](const std::string& where, Rank rank, const std::vector<std::string_view>& words) {
    const TraceLine line{where, lower(words[1]), {words.begin() + 2, words.end()}};
    if (!all[static_cast<std::size_t>(rank)].add(line)) ++unknown[line.action];
  });
  std::set<Rank> finalized;
  for (Rank r = 0; r < ranks; ++r)
    if (all[static_cast<std::size_t>(r)].finalized) finalized.insert(r);
  note_early_ends(*source, finalized, "finalize");
  size_probed(*source);
  keep_alone(*source);
  for (const auto& [action, count] : unknown)
    info.losses.push_back({action, count, "an action that is not known"});
  return source;
}

}  // namespace collcast
