// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/kineto.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "replay/formats/gpu_time.hpp"
#include "replay/formats/horovod.hpp"
#include "replay/formats/host_calls.hpp"
#include "replay/formats/json.hpp"
#include "replay/formats/members.hpp"
#include "replay/formats/names.hpp"
#include "replay/formats/unread.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using gpu::Comm, gpu::HostCall, gpu::Kernel, gpu::RankTrace, gpu::Span;

/// Categories of events that only torch has.
constexpr std::string_view torch_categories[] = {"cpu_op",   "cuda_runtime", "user_annotation", "kernel",
                                                 "Operator", "Runtime",      "Kernel"};

/// Members beside the events that only torch writes.
constexpr std::string_view torch_members[] = {"schemaVersion", "deviceProperties", "distributedInfo",
                                              "baseTimeNanoseconds"};

/// A whole number as it is written; -1 if it is none, or too large for one.
int list_item(const JsonValue& value) {
  const std::int64_t n = value.integer().value_or(-1);
  return n >= 0 && n <= std::numeric_limits<int>::max() ? static_cast<int>(n) : -1;
}

/// A list of numbers, or a text with one in it, as torch writes it.
std::optional<std::vector<int>> list_of(const JsonValue& value) {
  if (!value.is_array()) return integers(value.text());
  std::vector<int> all;
  for (const JsonValue& item : value.items()) all.push_back(list_item(item));
  return all;
}

/// The members of a group of `size`. torch lists at most 30, followed by "..."; in a group at equal distances
/// these tell the others. Empty if the members are not known.
std::vector<Rank> members_of(const JsonValue& value, Rank size) {
  if (auto all = list_of(value)) return *std::move(all);
  const std::string_view text = value.text();
  const std::size_t cut = text.rfind("...");
  if (cut == std::string_view::npos) return {};
  const auto listed = integers(std::string(text.substr(0, cut)) + ']');
  if (!listed || listed->size() < 2 || std::ssize(*listed) >= size) return {};
  std::vector<Rank> all =
      strided_group(listed->at(0), listed->at(1) - listed->at(0), size, most_recorded_ranks);
  const bool at_equal_distances =
      std::ssize(all) == size && std::equal(listed->begin(), listed->end(), all.begin());
  return at_equal_distances ? all : std::vector<Rank>();
}

/// A text, or a number as a text.
std::string word_of(const JsonValue& value) {
  if (const auto number = value.integer()) return std::to_string(*number);
  return std::string(value.text());
}

Comm comm_of(const JsonValue& args) {
  Comm c;
  c.name = args["Collective name"].text();
  c.type = args["dtype"].text();
  c.input = args["In msg nelems"].number().value_or(-1);
  c.output = args["Out msg nelems"].number().value_or(-1);
  c.size = std::max(possible_rank(args["Group size"]), 0);
  c.start = possible_rank(args["Global rank start"]);
  c.stride = possible_rank(args["Global rank stride"]);
  c.group = word_of(args["Process Group Name"]);
  if (c.group.empty()) c.group = word_of(args["Process Group ID"]);
  c.ranks = members_of(args["Process Group Ranks"], c.size);
  c.sent = list_of(args["In split size"]).value_or(c.sent);
  c.received = list_of(args["Out split size"]).value_or(c.received);
  // "Rank" is the root, the other end of a message, or else this rank's place in the group.
  if (const auto rank = args["Rank"].integer(); rank && *rank >= 0 && *rank < c.size) {
    const auto collective = collective_of(c.name);
    if (collective) (definition(*collective).rooted ? c.root : c.own) = static_cast<int>(*rank);
  }
  const Rank to = possible_rank(args["Dst Rank"]), from = possible_rank(args["Src Rank"]);
  c.peer = to < 0 || text::has(c.name, "recv") ? from : to;
  return c;
}

/// The group of a call as torch 2.1 notes it, in the values that it was called with: tensors (if any), a
/// number, the group's address, a rank, a name that is left out, split sizes, in some versions the group's
/// first rank and distance, and its size.
struct NotedGroup {
  std::string address;
  Rank rank = -1, size = 0, start = -1, stride = -1;
};
NotedGroup noted_group(const JsonValue& args) {
  const auto values = args["Concrete Inputs"].items();
  const auto text = [&](std::size_t from_end) {
    return from_end <= values.size() ? values[values.size() - from_end].text() : std::string_view();
  };
  const auto number = [&](std::size_t from_end) { return leading_or<std::int64_t>(text(from_end), -1); };
  for (const std::size_t more : {0, 2})
    if (text(2 + more).starts_with('[') && text(3 + more).starts_with('[') && number(6 + more) > 0) {
      NotedGroup g{std::string(text(6 + more)), possible_rank(number(5 + more)), possible_rank(number(1))};
      if (more > 0) g.start = possible_rank(number(3)), g.stride = possible_rank(number(2));
      return g.size > 0 ? g : NotedGroup();
    }
  return {};
}

/// The member of one name, or of its name in 2021.
JsonValue either(const JsonValue& args, std::string_view name, std::string_view old) {
  const JsonValue value = args[name];
  return value.null() ? args[old] : value;
}

/// The call of an annotation "nccl:all_reduce" or "nccl:send 0->1" over tensors of known shape; traces before
/// 2024 have these instead of sizes.
Comm annotated(std::string_view name, const JsonValue& args) {
  Comm c;
  c.name = name.substr(name.find(':') + 1);
  for (const std::string_view message : {"send ", "recv "})
    if (const auto peer = c.name.find_last_not_of("0123456789") + 1;
        c.name.starts_with(message) && c.name.size() - peer - 1 < 7) {
      c.peer = std::stoi(c.name.substr(peer));
      c.name.resize(message.size() - 1);
    }
  double elements = 0;
  for (const JsonValue& tensor : either(args, "Input Dims", "Input dims").items()) {
    double n = tensor.items().empty() ? 0 : 1;
    for (const JsonValue& dimension : tensor.items()) n *= dimension.number().value_or(0);
    elements += n;
  }
  const auto types = args["Input type"].items();
  if (elements > 0 && !types.empty()) c.input = elements, c.type = types[0].text();
  return c;
}

class FileReader {
 public:
  explicit FileReader(const std::string& path) { trace_.path = path; }

  RankTrace read() {
    const JsonEnd end = read_elements(
        trace_.path, "traceEvents", [this](const JsonValue& e) { event(e); },
        [this](std::string_view key, const JsonValue& value) { member(key, value); });
    trace_.damaged = end.damaged;
    if (!end.closed) throw InputError(trace_.path + ": the JSON is cut short in its middle");
    if (!of_torch_ && trace_.kernels.empty() && trace_.calls.empty() && trace_.played_by_hosts.empty())
      throw InputError(trace_.path + ": is " + std::string(unknown_chrome_trace));
    for (const auto& [thread, calls] : trace_.calls)
      for (const HostCall& c : calls)
        if (trace_.rank < 0) trace_.rank = own_rank(c.comm);
    return std::move(trace_);
  }

 private:
  static bool begins_with_one_of(std::string_view name, std::initializer_list<std::string_view> beginnings) {
    return std::ranges::any_of(beginnings, [&](std::string_view b) { return name.starts_with(b); });
  }

  /// The rank whose call it is, if the call says so; else -1.
  static Rank own_rank(const Comm& c) {
    if (c.own < 0) return -1;
    if (c.own < std::ssize(c.ranks)) return c.ranks[static_cast<std::size_t>(c.own)];
    return strided(c.start, c.stride, c.own, most_recorded_ranks);
  }

  /// The number of dropped events: a number, or a text with one.
  static std::int64_t dropped(const JsonValue& value) {
    const std::int64_t count = leading_or(value.text(), value.integer().value_or(0));
    return std::clamp<std::int64_t>(count, 0, std::int64_t{1} << 40);
  }

  /// The rank or the world size in distributedInfo; -1 if it has none.
  Rank of_job(const JsonValue& info, const std::string& key) const {
    const JsonValue value = info[key];
    const Rank n = possible_rank(value);
    if (n < 0 && value.number())
      throw InputError(trace_.path + ": its distributedInfo has a " + key + " that no job has; up to " +
                       std::to_string(most_recorded_ranks) + " ranks are read");
    return n;
  }

  void member(std::string_view key, const JsonValue& value) {
    of_torch_ = of_torch_ || std::ranges::find(torch_members, key) != std::end(torch_members);
    if (key == "baseTimeNanoseconds") trace_.base_ns = std::max<std::int64_t>(0, value.integer().value_or(0));
    if (key == "DroppedEvents") trace_.lost = dropped(value);
    if (key == "deviceProperties" && !value.items().empty()) trace_.gpu = value.items()[0]["name"].text();
    if (key != "distributedInfo") return;
    trace_.job.backend = value["backend"].text();
    trace_.job.library = word_of(value["nccl_version"]);
    trace_.rank = of_job(value, "rank");
    trace_.world = of_job(value, "world_size");
    for (const JsonValue& group : value["pg_config"].items()) {
      std::vector<Rank> ranks;
      for (const JsonValue& r : group["ranks"].items()) ranks.push_back(possible_rank(r));
      std::string name = word_of(group["pg_name"]);
      if (name.empty()) name = word_of(group["uid"]);  // before April 2024
      if (group["pg_desc"].text() == "default_pg") trace_.job.world = ranks;
      if (!name.empty()) trace_.descriptions[name] = group["pg_desc"].text();
      if (!name.empty() && !ranks.empty()) trace_.groups[name] = ranks;
    }
  }

  void event(const JsonValue& e) {
    const std::string_view phase = e["ph"].text(), category = e["cat"].text(), name = e["name"].text();
    of_torch_ = of_torch_ || std::ranges::find(torch_categories, category) != std::end(torch_categories);
    if (phase != "X") return;
    const double at = e["ts"].number().value_or(-1);
    const double lasts = e["dur"].number().value_or(-1);
    const Span span{at, at + lasts};
    if (category == "kernel" || category == "Kernel" || category == "gpu_memcpy" ||
        category == "gpu_memset" || category == "Memcpy" || category == "Memset")
      return kernel(e, span, name, category);
    if (category.ends_with("_runtime") || category.ends_with("_driver") || category == "Runtime")
      return runtime(e, at, name);
    if (category == "gpu_user_annotation") return;
    if (name.starts_with("ProfilerStep#")) {
      std::int64_t number = 0;
      for (char c : name.substr(13))
        number = c >= '0' && c <= '9' && number < 1'000'000'000'000 ? 10 * number + (c - '0') : number;
      trace_.steps.push_back({span, number});
    } else if (name == "record_param_comms") {
      call(e, span, comm_of(e["args"]));
    } else if (begins_with_one_of(name, {"nccl:", "xccl:"})) {
      call(e, span, in_its_group(annotated(name, e["args"]), thread(e), span));
    } else if (begins_with_one_of(name, {"gloo:", "mpi:", "ucc:"})) {
      trace_.played_by_hosts.push_back({span, annotated(name, e["args"])});
    }
  }

  /// A number, or in traces of 2021 a text.
  static std::int64_t thread(const JsonValue& e) {
    const JsonValue id = e["tid"];
    return id.integer().value_or(static_cast<std::int64_t>(std::hash<std::string_view>{}(id.text())));
  }

  static std::int64_t external(const JsonValue& e) {
    return either(e["args"], "External id", "external id").integer().value_or(-1);
  }

  void call(const JsonValue& e, Span span, Comm comm) {
    if (const std::string_view said = e["args"]["Process Group Description"].text(); !said.empty())
      trace_.descriptions.try_emplace(comm.group, said);
    if (comm.name.empty())
      if (NotedGroup group = noted_group(e["args"]); group.size > 0)
        noted_[thread(e)] = {span, std::move(group)};
    trace_.calls[thread(e)].push_back({span, std::move(comm), false, external(e)});
  }

  /// Gives an annotation the group of the call that it is within. Addresses differ between ranks: groups go
  /// by their size and the order in which a rank first calls them.
  Comm in_its_group(Comm comm, std::int64_t thread, Span span) {
    const auto found = noted_.find(thread);
    if (found == noted_.end() || span.begin < found->second.first.begin || span.end > found->second.first.end)
      return comm;
    const NotedGroup& group = found->second.second;
    std::vector<std::string>& alike = by_size_[group.size];
    auto at = std::ranges::find(alike, group.address);
    if (at == alike.end()) at = alike.insert(at, group.address);
    comm.group = std::to_string(group.size) + " ranks, " + std::to_string(at - alike.begin());
    comm.size = group.size, comm.start = group.start, comm.stride = group.stride;
    if (const auto collective = collective_of(comm.name); collective && group.rank < group.size)
      (definition(*collective).rooted ? comm.root : comm.own) = group.rank;
    return comm;
  }

  void kernel(const JsonValue& e, Span span, std::string_view name, std::string_view category) {
    const JsonValue args = e["args"];
    Kernel k{span, args["correlation"].integer().value_or(-1), {}, false, false};
    k.stream = {args["device"].integer().value_or(0), args["stream"].integer().value_or(thread(e))};
    k.external = external(e);
    k.copies = category != "kernel" && category != "Kernel";
    const std::string called = k.copies ? std::string() : gpu::communicating(name);
    k.communicates = !called.empty();
    Comm comm;
    if (k.communicates) comm = comm_of(args);
    if (!comm.sized() && !comm.known()) comm.name = called;
    trace_.add(k, std::move(comm));
  }

  void runtime(const JsonValue& e, double at, std::string_view name) {
    trace_.runtime(name, at, thread(e), e["args"]["correlation"].integer().value_or(-1));
  }

  RankTrace trace_;
  bool of_torch_ = false;
  std::map<std::int64_t, std::pair<Span, NotedGroup>> noted_;  ///< the last one, by thread
  std::map<Rank, std::vector<std::string>> by_size_;           ///< addresses of groups
};

/// Whether collectives were called that no kernel plays, beside kernels that compute.
bool lacks_kernels(const RankTrace& trace) {
  if (trace.kernels.empty() || std::ranges::any_of(trace.kernels, &Kernel::communicates)) return false;
  return std::ranges::any_of(trace.calls, [](const auto& of_thread) {
    return std::ranges::any_of(of_thread.second, [](const HostCall& c) { return c.comm.sized(); });
  });
}

/// Drops durations of calls with a size: hosts say how long the launch took, not the operation.
void forget_durations(RecordedSource& source) {
  for (const Rank r : source.info().recorded_ranks)
    for (int stream = 0; stream < source.streams(r); ++stream)
      for (Activity& a : source.at(r, stream))
        if (a.kind == Activity::Kind::collective && a.sized) a.duration = Seconds(-1);
}

}  // namespace

bool is_kineto(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  // Tools that shorten traces leave only the events, which have categories that only torch has.
  if (head[first] == '[')
    return text::has(head, "\"cat\"") &&
           std::ranges::any_of(torch_categories, [&](std::string_view category) {
             return text::has(head, '"' + std::string(category) + '"');
           });
  return head[first] == '{' && !is_jax_trace(head) && !is_horovod(head) &&
         (text::has(head, "\"traceEvents\"") ||
          (text::has(head, "\"schemaVersion\"") && text::has(head, "\"deviceProperties\"")));
}

std::unique_ptr<Source> open_kineto(const std::vector<std::string>& files, const OpenOptions& options) {
  std::vector<RankTrace> traces;
  for (const std::string& file : files) traces.push_back(FileReader(file).read());
  const bool by_gpus =
      std::ranges::any_of(traces, [](const RankTrace& t) { return t.played_by_hosts.empty(); });
  const bool lacking = std::ranges::any_of(traces, lacks_kernels);
  const bool hosts = gpu::play_host_calls(traces);
  auto source = gpu::source_of(
      traces, options,
      "the trace lacks the calls that launched them, or, before PyTorch 2.2, record_shapes=True");
  SourceInfo& info = source->info();
  info.memory = !hosts || by_gpus ? Memory::device : Memory::host;
  info.by_mpi = info.memory == Memory::host;
  if (hosts && by_gpus) forget_durations(*source);
  if (lacking)
    info.notes.push_back(
        "collectives were called, and no kernel communicates (as in groups of one rank, where NCCL has "
        "nothing to do, or "
        "where the profiler lost kernels): none of them is replayed");
  if (hosts)
    info.notes.push_back(
        by_gpus
            ? "no kernels of a GPU were recorded: calls are played one after the other, as hosts made them, "
              "and the hosts' time between them is taken for computation; how long they took is not known"
            : "calls of gloo, MPI or UCC are played one after the other in host memory, as an MPI library "
              "would, and the time between them is taken for computation");
  return source;
}

}  // namespace collcast
