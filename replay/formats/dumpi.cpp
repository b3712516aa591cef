// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/dumpi.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <numeric>
#include <set>

#include "replay/formats/across_ranks.hpp"
#include "replay/formats/allprof.hpp"
#include "replay/formats/dumpi_calls.hpp"
#include "replay/formats/input.hpp"
#include "replay/formats/members.hpp"
#include "replay/formats/names.hpp"
#include "replay/formats/one_job.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

constexpr std::string_view entering = " entering at walltime ", returning = " returning at walltime ";

/// The whole numbers in a text, outside of words: "[2, 3]", "9 (MPI_INT)".
std::vector<std::int64_t> whole_numbers(std::string_view text) {
  std::vector<std::int64_t> all;
  for (std::size_t at = 0; at < text.size();) {
    const bool word =
        at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_');
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), n);
    if (word || error != std::errc()) {
      ++at;
      continue;
    }
    all.push_back(n);
    at = static_cast<std::size_t>(end - text.data());
  }
  return all;
}

/// What a rank's trace gives beside its calls.
struct DumpiTrace {
  std::string path;
  Rank rank = -1, world = -1;
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();  ///< [ns] of what is played, after MPI_Init
  std::int64_t end = 0;
  bool finalized = false;
  DumpiFacts facts;
};

/// What dumpi2ascii prints.
class TextReader {
 public:
  TextReader(const std::string& path, DumpiFacts& facts, const VisitCall& visit)
      : facts_(facts), visit_(visit) {
    Input input(path);
    for (std::string text; input.line(text);) line(text);
    facts_.cut += inside_;
  }

 private:
  void line(std::string_view text) {
    if (const auto at = text.find(entering); at != std::string_view::npos && text.starts_with("MPI")) {
      facts_.cut += inside_;
      call_ = {std::string(text.substr(0, at)), time(text.substr(at + entering.size())), 0, {}};
      inside_ = true;
    } else if (const auto back = text.find(returning); back != std::string_view::npos && inside_) {
      call_.leave = std::max(call_.enter, time(text.substr(back + returning.size())));
      inside_ = false;
      visit_(call_);
    } else if (inside_) {
      argument(text);
    } else if (text.starts_with("Datatype ") && text.find(" has size ") != std::string_view::npos) {
      const auto id = whole_numbers(text.substr(9)),
                 size = whole_numbers(text.substr(text.find(" has size ") + 10));
      if (!id.empty() && !size.empty() && size[0] >= 0 && size[0] < 1 << 30)
        facts_.type_bytes[id[0]] = size[0];
    } else if (const auto times = text.find(" times and ignored "); times != std::string_view::npos) {
      if (const auto n = whole_numbers(text.substr(times + 19)); !n.empty() && n[0] < 1'000'000'000'000)
        facts_.ignored += std::max<std::int64_t>(n[0], 0);
    }
  }

  /// "1296777956.737669000" in ns.
  static std::int64_t time(std::string_view text) {
    std::int64_t seconds = 0, ns = 0;
    const char* const end = text.data() + text.size();
    const auto [dot, error] = std::from_chars(text.data(), end, seconds);
    if (error != std::errc() || seconds < 0 || seconds > 8'000'000'000) return 0;
    if (dot != end && *dot == '.') std::from_chars(dot + 1, std::min(end, dot + 10), ns);
    return seconds * 1'000'000'000 + std::max<std::int64_t>(ns, 0);
  }

  /// "MPI_Datatype datatype=9 (MPI_INT)", "int sendcounts[2]=[1, 2]".
  void argument(std::string_view text) {
    const auto equal = text.find('=');
    if (equal == std::string_view::npos) return;
    std::string_view key = text.substr(0, std::min(equal, text.find('[')));
    while (key.ends_with(' ')) key.remove_suffix(1);
    if (const auto space = key.rfind(' '); space != std::string_view::npos) key.remove_prefix(space + 1);
    if (call_.arguments.size() < 64) call_.arguments[std::string(key)] = text.substr(equal + 1);
  }

  DumpiFacts& facts_;
  const VisitCall& visit_;
  MpiCall call_;
  bool inside_ = false;
};

void read_calls(const std::string& path, DumpiFacts& facts, const VisitCall& visit) {
  if (is_binary_dumpi(head_of(path, 16)))
    read_binary_dumpi(path, facts, visit);
  else if (is_allprof(head_of(path, 4096)))
    read_allprof(path, facts, visit);
  else
    TextReader(path, facts, visit);
}

/// Whether it is PREFIX.meta, which DUMPI writes beside the ranks' files.
bool is_list(std::string_view head) {
  return head.find("fileprefix=") != std::string_view::npos &&
         head.find("numprocs=") != std::string_view::npos;
}

DumpiTrace rank_of(const std::string& path) {
  DumpiTrace r;
  r.path = path;
  read_calls(path, r.facts, [&](const MpiCall& c) {
    if (r.begin == std::numeric_limits<std::int64_t>::max()) r.begin = c.enter;
    if (c.name == "MPI_Init" || c.name == "MPI_Init_thread") r.begin = c.leave;
    r.end = c.leave;
    r.finalized = r.finalized || c.name == "MPI_Finalize";
    if (c.text("comm").find("MPI_COMM_WORLD") == std::string_view::npos) return;
    if (c.name == "MPI_Comm_rank") r.rank = possible_rank(c.number("rank"));
    if (c.name == "MPI_Comm_size") r.world = possible_rank(c.number("size"));
  });
  return r;
}

/// Lowers one rank's calls to activities.
class DumpiRank {
 public:
  DumpiRank(RecordedSource& source, const DumpiTrace& rank)
      : source_(source),
        stream_(source.at(rank.rank)),
        rank_(rank),
        begin_(rank.begin),
        before_(rank.begin),
        most_(most_activities(rank.path)) {}

  void build() {
    DumpiFacts again;
    read_calls(rank_.path, again, [&](const MpiCall& c) { add(c); });
    if (!open_.empty()) wait({open_.begin(), open_.end()});
  }

 private:
  using Kind = Activity::Kind;

  void add(const MpiCall& c) {
    if (c.enter > before_) {
      Activity& gap = stream_.emplace_back();
      gap.begin = seconds(before_ - begin_);
      gap.time = gap.duration = seconds(c.enter - before_);
    }
    before_ = std::max(before_, c.leave);
    const std::size_t first = stream_.size();
    play(c);
    for (std::size_t i = first; i < stream_.size(); ++i) {
      stream_[i].begin = seconds(c.enter - begin_);
      stream_[i].duration = seconds(c.leave - c.enter);
    }
    if (stream_.size() > most_)
      throw InputError(rank_.path + ": has more calls than a file of its size is read with, " +
                       std::to_string(most_));
  }

  static Seconds seconds(std::int64_t ns) { return Seconds(1e-9 * static_cast<double>(ns)); }

  void play(const MpiCall& c) {
    std::string_view name = c.name;
    name.remove_prefix(std::min<std::size_t>(4, name.size()));
    static const std::set<std::string_view> sends = {"Send",  "Bsend",  "Ssend",  "Rsend",
                                                     "Isend", "Ibsend", "Issend", "Irsend"};
    if (name.starts_with("Wait") || name.starts_with("Test")) return complete(c, name);
    if (quiet_mpi_call(name)) return;
    if (sends.contains(name))
      return message(c, true, name.find("ssend") != std::string_view::npos || name == "Ssend");
    if (name == "Recv" || name == "Irecv") return message(c, false, false);
    if (name == "Sendrecv") return exchange(c);
    if (name != "Reduce_local" && name[0] != 'I' && collective_of(name))
      return collective(c, name, *collective_of(name));
    skip(c, "is a call that is not played");
  }

  void skip(const MpiCall& c, std::string_view why) {
    Activity& a = stream_.emplace_back();
    a.kind = Kind::skipped;
    a.operation = a.call = source_.keep(c.name);
    a.note = why;
  }

  /// The communicator of a call: the world, or the rank alone. Others are not followed.
  std::optional<int> communicator(const MpiCall& c) {
    const std::string_view comm = c.text("comm");
    if (comm.find("MPI_COMM_WORLD") != std::string_view::npos) return 0;
    if (comm.find("MPI_COMM_SELF") != std::string_view::npos)
      return source_.communicator("self", {rank_.rank});
    return {};
  }

  /// Bytes of an element; nothing if the trace does not tell the size of the type.
  std::optional<double> type(const MpiCall& c, std::string_view key) const {
    const auto& sizes = rank_.facts.type_bytes;
    const auto found = sizes.find(c.number(key));
    if (found != sizes.end() && found->second > 0) return static_cast<double>(found->second);
    static const std::map<std::string_view, double> known = {
        {"MPI_CHAR", 1},   {"MPI_BYTE", 1},          {"MPI_PACKED", 1},   {"MPI_SHORT", 2},
        {"MPI_INT", 4},    {"MPI_UNSIGNED", 4},      {"MPI_FLOAT", 4},    {"MPI_LONG", 8},
        {"MPI_DOUBLE", 8}, {"MPI_LONG_LONG_INT", 8}, {"MPI_LONG_LONG", 8}};
    const std::string_view text = c.text(key);
    const auto open = text.find('('), close = text.find(')');
    if (open == std::string_view::npos || close < open) return {};
    const auto size = known.find(text.substr(open + 1, close - open - 1));
    return size == known.end() ? std::nullopt : std::optional(size->second);
  }

  Bytes size(const MpiCall& c, std::string_view count, std::string_view type_key, bool& sized) const {
    const auto bytes = type(c, type_key);
    sized = sized && bytes;
    return Bytes(static_cast<double>(std::max<std::int64_t>(c.number(count, 0), 0)) * bytes.value_or(0));
  }

  /// The rank that a call names; nothing if it names none or any.
  std::optional<Rank> peer(const MpiCall& c, std::string_view key) const {
    const std::int64_t n = c.number(key);
    return n >= 0 && n < source_.ranks() ? std::optional(static_cast<Rank>(n)) : std::nullopt;
  }

  void message(const MpiCall& c, bool sends, bool synchronous) {
    const std::string_view key = sends ? "dest" : "source";
    const std::int64_t request = c.arguments.contains("request") ? c.number("request", 0) : -1;
    // MPI_PROC_NULL, a negative number that differs between MPIs: nothing is sent.
    if (c.text(key).find("PROC_NULL") != std::string_view::npos || (sends && c.number(key) < 0)) return;
    const auto comm = communicator(c);
    if (!comm) return skip(c, "its communicator's members are not followed");
    const auto other = peer(c, key);
    if (!other) return skip(c, "its peer is any rank");
    Activity& a = stream_.emplace_back(message_activity(sends, *comm, *comm == 0 ? *other : 0, {}));
    a.call = source_.keep(c.name);
    a.synchronous = synchronous;
    (sends ? a.tag : a.received_tag) =
        static_cast<int>(std::clamp<std::int64_t>(c.number("tag", 0), -1, 1 << 30));
    (sends ? a.bytes : a.received_bytes) = size(c, "count", "datatype", a.sized);
    if (c.name[4] != 'I') return;
    a.request = next_++;
    open_.insert(a.request);
    requests_[request].push_back(a.request);
  }

  void exchange(const MpiCall& c) {
    const auto comm = communicator(c);
    const auto to = peer(c, "dest"), from = peer(c, "source");
    if (!comm || *comm != 0 || !to || !from) return skip(c, "its peers are not said, or not followed");
    Activity& a = stream_.emplace_back();
    a.kind = Kind::exchange;
    a.operation = "sendrecv";
    a.call = source_.keep(c.name);
    a.to = *to, a.from = *from;
    a.tag = static_cast<int>(std::clamp<std::int64_t>(c.number("sendtag", 0), -1, 1 << 30));
    a.received_tag = static_cast<int>(std::clamp<std::int64_t>(c.number("recvtag", 0), -1, 1 << 30));
    a.bytes = size(c, "sendcount", "sendtype", a.sized);
    a.received_bytes = size(c, "recvcount", "recvtype", a.sized);
  }

  /// Completes the requests of a wait or a successful test: all that it names, or the one at an index.
  void complete(const MpiCall& c, std::string_view name) {
    if (name.starts_with("Test") && c.number("flag", 0) == 0 && c.number("outcount", 0) <= 0) return;
    auto named = c.list(c.arguments.contains("requests") ? "requests" : "request");
    const bool some = name.ends_with("some"), any = name.ends_with("any");
    if (some || any) {
      std::vector<std::int64_t> chosen;
      for (const std::int64_t i : c.list(some ? "indices" : "index"))
        if (i >= 0 && i < std::ssize(named)) chosen.push_back(named[static_cast<std::size_t>(i)]);
      named = std::move(chosen);
    }
    std::vector<std::int64_t> done;
    for (const std::int64_t id : named)
      if (auto found = requests_.find(id); found != requests_.end() && !found->second.empty()) {
        done.push_back(found->second.back());
        found->second.pop_back();
      }
    for (const std::int64_t r : done) open_.erase(r);
    if (!done.empty()) wait(std::move(done));
  }

  void wait(std::vector<std::int64_t> requests) { stream_.push_back(wait_activity(std::move(requests))); }

  /// What a call says of its collective's sizes.
  struct Sizes {
    Bytes message;
    std::vector<Bytes> sent, received;  ///< by member, if they differ
    bool known = true;
  };

  Sizes sizes(const MpiCall& c, std::string_view name, Collective kind, Rank ranks) const {
    Sizes s;
    const auto list = [&](std::string_view counts, std::string_view type_key) {
      std::vector<Bytes> all;
      const double bytes = type(c, type_key).value_or(0);
      for (const std::int64_t n : c.list(counts))
        all.push_back(Bytes(static_cast<double>(std::max<std::int64_t>(n, 0)) * bytes));
      s.known = s.known && type(c, type_key) && std::ssize(all) == ranks;
      return all;
    };
    const auto sum = [](const std::vector<Bytes>& all) {
      return std::accumulate(all.begin(), all.end(), Bytes(0));
    };
    const bool scatters = kind == Collective::scatter;
    if (kind == Collective::barrier) return s;
    if (name == "Alltoallv") {
      s.sent = list("sendcounts", "sendtype"), s.received = list("recvcounts", "recvtype");
      s.message = sum(s.sent);
    } else if (name == "Reduce_scatter") {
      s.received = list("recvcounts", "datatype");
      s.message = sum(s.received);
    } else if (name.ends_with("v")) {
      // The sum over all ranks is known only to the root of a gather or a scatter.
      s.received = list(scatters ? "sendcounts" : "recvcounts", scatters ? "sendtype" : "recvtype");
      s.message = sum(s.received);
      if (kind != Collective::allgather && c.number("root", 0) != rank_.rank) s.known = false;
    } else if (c.arguments.contains("sendcount") || c.arguments.contains("recvcount")) {
      s.message = ranks * (scatters ? size(c, "recvcount", "recvtype", s.known)
                                    : size(c, "sendcount", "sendtype", s.known));
    } else {
      s.message = size(c, "count", "datatype", s.known);
    }
    return s;
  }

  void collective(const MpiCall& c, std::string_view name, Collective kind) {
    const auto comm = communicator(c);
    if (!comm) return skip(c, "its communicator's members are not followed");
    const auto ranks = static_cast<Rank>(source_.communicators()[static_cast<std::size_t>(*comm)].size());
    Sizes s = sizes(c, name, kind, ranks);
    const std::int64_t root = c.number("root", 0);
    if (root < 0 || root >= ranks) return skip(c, "its root is not in the communicator");
    stream_.push_back(collective_activity(kind, *comm, s.message));
    Activity& a = stream_.back();
    a.call = source_.keep(c.name);
    a.root = static_cast<Rank>(root);
    a.sized = s.known;
    if (!s.known) return;
    a.direct = !s.sent.empty();
    if (a.direct)
      a.counts = std::make_shared<Counts>(Counts{{}, std::move(s.sent), std::move(s.received)});
    else if (!s.received.empty())
      a.counts = std::make_shared<Counts>(Counts{std::move(s.received), {}, {}});
  }

  RecordedSource& source_;
  RecordedSource::Stream& stream_;
  const DumpiTrace& rank_;
  std::int64_t begin_, before_;
  std::size_t most_;
  std::map<std::int64_t, std::vector<std::int64_t>> requests_;  ///< by MPI_Request, those not waited for
  std::set<std::int64_t> open_;
  std::int64_t next_ = 0;
};

/// The traces of a job's ranks.
struct DumpiJob {
  std::vector<DumpiTrace> ranks;
  Rank world = 0;  ///< the number of ranks that the traces, or the list of their files, need
};

/// Gives a trace its rank: as it says, as its file's name ends, or by its place among the files.
void find_rank(DumpiTrace& trace, std::size_t place) {
  if (trace.rank < 0) trace.rank = std::max(number_in_name(trace.path), -1);
  if (trace.rank < 0) trace.rank = static_cast<Rank>(place);
}

DumpiJob read_job(const std::vector<std::string>& files) {
  DumpiJob job;
  std::map<Rank, std::string> claimed;
  for (const std::string& file : files) {
    if (const std::string head = head_of(file); is_list(head)) {
      const auto ranks = whole_numbers(head.substr(head.find("numprocs=") + 9, 10));
      job.world = std::max<Rank>(job.world, ranks.empty() ? 0 : possible_rank(ranks[0]));
      continue;
    }
    DumpiTrace r = rank_of(file);
    if (r.begin == std::numeric_limits<std::int64_t>::max())
      throw InputError(file + ": a DUMPI trace without calls of which the end is there");
    find_rank(r, job.ranks.size());
    if (const DumpiTrace* first = job.ranks.empty() ? nullptr : &job.ranks[0];
        first && r.world > 0 && first->world > 0 && r.world != first->world)
      throw InputError("ranks of two different jobs: " + first->path + " says " +
                       std::to_string(first->world) + " ranks, " + file + " " + std::to_string(r.world));
    claim_rank(claimed, r.rank, file);
    job.world = std::max({job.world, r.world, r.rank + 1});
    job.ranks.push_back(std::move(r));
  }
  if (job.ranks.empty())
    throw InputError(files[0] +
                     ": lists the files of a DUMPI trace; name those of its ranks, PREFIX-0000.bin and on");
  if (job.world > most_recorded_ranks)
    throw InputError(files[0] + ": has a rank that is too large to be one");
  return job;
}

}  // namespace

std::string_view MpiCall::text(std::string_view key) const {
  const auto found = arguments.find(key);
  return found == arguments.end() ? std::string_view{} : found->second;
}
std::vector<std::int64_t> MpiCall::list(std::string_view key) const {
  return whole_numbers(text(key));
}
std::int64_t MpiCall::number(std::string_view key, std::int64_t otherwise) const {
  const auto all = list(key);
  return all.empty() ? otherwise : all[0];
}

bool is_dumpi(std::string_view head) {
  return is_binary_dumpi(head) || is_list(head) ||
         (head.find(entering) != std::string_view::npos &&
          head.find(" seconds in thread ") != std::string_view::npos);
}

std::unique_ptr<Source> open_dumpi(const std::vector<std::string>& files, const OpenOptions&) {
  const DumpiJob job = read_job(files);
  auto source = std::make_unique<RecordedSource>(job.world);
  SourceInfo& info = source->info();
  info.unknown = {"members of communicators but the world",
                  "sizes of derived types that the trace does not list"};
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = 0, longest = 0;
  std::int64_t ignored = 0, cut = 0, unsaid = 0;
  std::set<Rank> finalized;
  for (const DumpiTrace& r : job.ranks) {
    first = std::min(first, r.begin), last = std::max(last, r.begin);
    longest = std::max(longest, r.end - r.begin);
    if (r.finalized) finalized.insert(r.rank);
    info.recorded_ranks.push_back(r.rank);
    DumpiRank(*source, r).build();
    ignored += r.facts.ignored, cut += r.facts.cut, unsaid += r.facts.unsaid;
  }
  std::ranges::sort(info.recorded_ranks);
  info.recorded = Seconds(1e-9 * static_cast<double>(longest));
  if (last > first)
    info.notes.push_back("ranks leave MPI_Init up to " +
                         text::seconds(1e-9 * static_cast<double>(last - first)) +
                         " apart by their clocks, which is not played: each begins there");
  info.lose("call", ignored, "left out by DUMPI when it was recorded");
  info.lose("wait or test", unsaid, "what was done is not recorded");
  info.lose("call", cut, "whose end is not there");
  match_receives(*source);
  sizes_from_roots(*source);
  compare_ranks(*source);
  note_early_ends(*source, finalized, "MPI_Finalize");
  mark_if_unscalable(*source);
  return source;
}

}  // namespace collcast
