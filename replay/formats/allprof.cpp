// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/allprof.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "replay/formats/input.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"

namespace collcast {
namespace {

/// gencode.py of liballprof writes arguments in their order in mpi.h: a type as number, bytes and extent; a
/// communicator as number, own rank and size; pointers as addresses, and so are requests and what a call
/// returns. An array of counts, which mpi.h declares as a pointer, is an address followed by the numbers.
const std::map<std::string_view, std::vector<std::string_view>>& signatures() {
  using Names = std::vector<std::string_view>;
  static const Names send = {"buf", "count", "datatype", "dest", "tag", "comm"},
                     isend = {"buf", "count", "datatype", "dest", "tag", "comm", "request"},
                     scan = {"sendbuf", "recvbuf", "count", "datatype", "op", "comm"},
                     all = {"sendbuf", "sendcount", "sendtype", "recvbuf", "recvcount", "recvtype", "comm"},
                     rooted = {"sendbuf",   "sendcount", "sendtype", "recvbuf",
                               "recvcount", "recvtype",  "root",     "comm"};
  static const std::map<std::string_view, Names> known = {
      {"Send", send},
      {"Bsend", send},
      {"Ssend", send},
      {"Rsend", send},
      {"Isend", isend},
      {"Ibsend", isend},
      {"Issend", isend},
      {"Irsend", isend},
      {"Recv", {"buf", "count", "datatype", "source", "tag", "comm", "status"}},
      {"Irecv", {"buf", "count", "datatype", "source", "tag", "comm", "request"}},
      {"Sendrecv",
       {"sendbuf", "sendcount", "sendtype", "dest", "sendtag", "recvbuf", "recvcount", "recvtype", "source",
        "recvtag", "comm", "status"}},
      {"Wait", {"request", "status"}},
      {"Waitall", {"count", "array", "statuses"}},
      {"Comm_rank", {"comm", "result"}},
      {"Comm_size", {"comm", "result"}},
      {"Barrier", {"comm"}},
      {"Bcast", {"buffer", "count", "datatype", "root", "comm"}},
      {"Reduce", {"sendbuf", "recvbuf", "count", "datatype", "op", "root", "comm"}},
      {"Allreduce", scan},
      {"Scan", scan},
      {"Exscan", scan},
      {"Gather", rooted},
      {"Scatter", rooted},
      {"Allgather", all},
      {"Alltoall", all},
      {"Gatherv",
       {"sendbuf", "sendcount", "sendtype", "recvbuf", "recvcounts", "displs", "recvtype", "root", "comm"}},
      {"Scatterv",
       {"sendbuf", "sendcounts", "displs", "sendtype", "recvbuf", "recvcount", "recvtype", "root", "comm"}},
      {"Allgatherv",
       {"sendbuf", "sendcount", "sendtype", "recvbuf", "recvcounts", "displs", "recvtype", "comm"}},
      {"Alltoallv",
       {"sendbuf", "sendcounts", "sdispls", "sendtype", "recvbuf", "recvcounts", "rdispls", "recvtype",
        "comm"}},
      {"Reduce_scatter", {"sendbuf", "recvbuf", "recvcounts", "datatype", "op", "comm"}}};
  return known;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> all;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(':', at), line.size());
    all.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

std::vector<std::int64_t> numbers_of(std::string_view field) {
  std::vector<std::int64_t> all;
  while (!field.empty()) {
    const auto number = leading_number<std::int64_t>(field);
    if (!number) return {};
    all.push_back(number->value);
    field = number->rest.substr(std::min<std::size_t>(1, number->rest.size()));
  }
  return all;
}

/// A time in ns from one in us, with or without a fraction.
std::optional<std::int64_t> time_of(std::string_view field) {
  const auto us = number_in<double>(field);
  if (!us || !(*us >= 0 && *us < 1e16)) return {};
  return std::llround(1e3 * *us);
}

bool is_count(std::string_view name) {
  return name.ends_with("counts") || name.ends_with("displs");
}

class AllprofReader {
 public:
  AllprofReader(const std::string& path, DumpiFacts& facts, const VisitCall& visit)
      : facts_(facts), visit_(visit) {
    Input input(path);
    std::int64_t number = 0;
    for (std::string text; input.line(text);) {
      ++number;
      if (!text.empty() && text.back() == '\r') text.pop_back();
      if (text.empty() || text[0] == '#') continue;
      where_ = path + ": line " + std::to_string(number);
      line(text);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw InputError(where_ + ": " + what); }

  void line(std::string_view text) {
    const std::vector<std::string_view> fields = fields_of(text);
    if (!text.starts_with("MPI_") || fields.size() < 3)
      refuse("is no call of liballprof, as in MPI_Barrier:START:COMM:END");
    // MPI_Init has no start and MPI_Finalize no end.
    const std::string_view before = fields[1], after = fields.back();
    const auto start = time_of(before == "-" ? after : before), end = time_of(after == "-" ? before : after);
    if (!start || !end) refuse("has no time where one belongs");
    if (first_ < 0) first_ = *start;
    MpiCall call{std::string(fields[0]), *start - first_, std::max(*start, *end) - first_, {}};
    if (call.enter < 0) refuse("begins before the first call of the file");
    const auto known = signatures().find(fields[0].substr(4));
    if (known != signatures().end()) arguments(call, known->second, fields);
    if ((call.name.starts_with("MPI_Wait") || call.name.starts_with("MPI_Test")) &&
        known == signatures().end())
      ++facts_.unsaid;
    visit_(call);
  }

  void arguments(MpiCall& call, const std::vector<std::string_view>& names,
                 const std::vector<std::string_view>& fields) {
    const std::size_t given = fields.size() - 3;  // all but the name and both times
    const auto counts = static_cast<std::size_t>(std::ranges::count_if(names, is_count));
    const bool listed = counts > 0 && given == names.size() + counts;
    if (given != names.size() && !listed)
      refuse(call.name + " has " + std::to_string(given) + " arguments, not " + std::to_string(names.size()));
    std::size_t at = 2;
    for (const std::string_view name : names) {
      if (is_count(name)) {
        if (listed) call.arguments[std::string(name)] = fields[++at];
        ++at;
        continue;
      }
      argument(call, name, fields[at++]);
    }
    if (const auto array = call.arguments.find("array"); array != call.arguments.end()) take(call);
    if (call.arguments.contains("request") && !call.name.ends_with("Wait"))
      open_.insert(call.number("request", 0));
  }

  void argument(MpiCall& call, std::string_view name, std::string_view field) {
    const std::vector<std::int64_t> parts = numbers_of(field);
    if (name == "comm" && parts.size() == 3) return communicator(call, parts);
    if (name.ends_with("type") && parts.size() == 3 && parts[1] >= 0 && parts[1] < 1 << 30)
      facts_.type_bytes[parts[0]] = parts[1];
    if ((name == "request" || name == "array") && (parts.empty() || parts[0] < 0))
      refuse("has no address where one belongs");
    call.arguments[std::string(name)] = parts.empty() ? std::string() : std::to_string(parts[0]);
  }

  /// The first communicator is the world, and so is any other with all its ranks in its order.
  void communicator(MpiCall& call, const std::vector<std::int64_t>& parts) {
    const std::int64_t rank = parts[1], size = parts[2];
    if (world_size_ < size && (world_ < 0 || world_size_ == 1))
      world_ = parts[0], world_size_ = size, rank_ = rank;
    const bool world = parts[0] == world_ || (size == world_size_ && rank == rank_);
    call.arguments["comm"] = world ? "MPI_COMM_WORLD" : size == 1 ? "MPI_COMM_SELF" : "another";
    call.arguments["rank"] = std::to_string(rank), call.arguments["size"] = std::to_string(size);
  }

  /// Takes the requests of an array by its address, which is all that the file has: they are 8 bytes apart,
  /// or 4.
  void take(MpiCall& call) {
    const std::int64_t array = call.number("array", 0);
    const std::int64_t count = std::clamp<std::int64_t>(call.number("count", 0), 0, std::int64_t{1} << 31);
    std::vector<std::int64_t> best;
    for (const std::int64_t apart : {8, 4}) {
      std::vector<std::int64_t> named;
      for (auto r = open_.lower_bound(array); r != open_.end() && *r - array < count * apart; ++r)
        if ((*r - array) % apart == 0) named.push_back(*r);
      if (named.size() > best.size()) best = std::move(named);
    }
    std::string list;
    for (const std::int64_t r : best) list += (list.empty() ? "" : ", ") + std::to_string(r), open_.erase(r);
    call.arguments["requests"] = list;
  }

  DumpiFacts& facts_;
  const VisitCall& visit_;
  std::string where_;
  std::int64_t first_ = -1, world_ = -1, world_size_ = 0, rank_ = -1;
  std::set<std::int64_t> open_;  ///< addresses of open requests
};

}  // namespace

bool is_allprof(std::string_view head) {
  if (head.starts_with("# htor's PMPI Tracer")) return true;
  while (!head.empty() && (head[0] == '#' || head[0] == '\n' || head[0] == '\r'))
    head.remove_prefix(std::min(head.find('\n'), head.size() - 1) + 1);
  if (!head.starts_with("MPI_")) return false;
  const auto colon = head.substr(0, head.find('\n')).find(':');
  if (colon == std::string_view::npos || colon + 1 >= head.size()) return false;
  const char next = head[colon + 1];
  return next == '-' || (next >= '0' && next <= '9');
}

void read_allprof(const std::string& path, DumpiFacts& facts, const VisitCall& visit) {
  AllprofReader(path, facts, visit);
}

}  // namespace collcast
