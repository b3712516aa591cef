// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/kineto.hpp"

#include "replay/formats/gpu_time.hpp"
#include "replay/formats/json.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

using gpu::Comm, gpu::Kernel, gpu::RankTrace, gpu::Span;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

Comm comm_of(const JsonValue& args) {
  Comm c;
  c.name = args["Collective name"].text();
  c.type = args["dtype"].text();
  c.input = args["In msg nelems"].number().value_or(-1);
  c.output = args["Out msg nelems"].number().value_or(-1);
  c.size = static_cast<int>(args["Group size"].integer().value_or(0));
  c.start = static_cast<int>(args["Global rank start"].integer().value_or(-1));
  c.stride = static_cast<int>(args["Global rank stride"].integer().value_or(0));
  c.group = args["Process Group Name"].text();
  if (const auto id = args["Process Group ID"].integer(); c.group.empty() && id)
    c.group = std::to_string(*id);
  c.ranks = args["Process Group Ranks"].text();
  c.sent = integers(args["In split size"].text()).value_or(c.sent);
  c.received = integers(args["Out split size"].text()).value_or(c.received);
  const auto to = args["Dst Rank"].integer(), from = args["Src Rank"].integer();
  c.peer = static_cast<int>(contains(c.name, "recv") ? from.value_or(-1) : to.value_or(from.value_or(-1)));
  return c;
}

/// "nccl:all_reduce" or "nccl:send 0->1" over tensors of known shape: what traces before 2024 have instead of
/// sizes.
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
  for (const JsonValue& tensor : args["Input Dims"].items()) {
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
    return std::move(trace_);
  }

 private:
  void member(std::string_view key, const JsonValue& value) {
    if (key == "baseTimeNanoseconds") trace_.base_ns = std::max<std::int64_t>(0, value.integer().value_or(0));
    if (key != "distributedInfo") return;
    trace_.rank = static_cast<Rank>(value["rank"].integer().value_or(-1));
    trace_.world = static_cast<Rank>(value["world_size"].integer().value_or(-1));
    for (const JsonValue& group : value["pg_config"].items()) {
      std::vector<Rank> ranks;
      for (const JsonValue& r : group["ranks"].items())
        ranks.push_back(static_cast<Rank>(r.integer().value_or(-1)));
      trace_.groups[std::string(group["pg_name"].text())] = ranks;
    }
  }

  void event(const JsonValue& e) {
    const std::string_view phase = e["ph"].text();
    if (phase != "X") return;
    const double at = e["ts"].number().value_or(-1);
    const double lasts = e["dur"].number().value_or(-1);
    const std::string_view category = e["cat"].text(), name = e["name"].text();
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
    } else if (name.starts_with("nccl:")) {
      call(e, span, annotated(name, e["args"]));
    } else if (name.starts_with("gloo:") || name.starts_with("mpi:") || name.starts_with("ucc:")) {
      ++trace_.on_hosts;
    }
  }

  /// A number, or in traces of 2021 a text.
  static std::int64_t thread(const JsonValue& e) {
    const JsonValue id = e["tid"];
    return id.integer().value_or(static_cast<std::int64_t>(std::hash<std::string_view>{}(id.text())));
  }

  void call(const JsonValue& e, Span span, Comm comm) {
    trace_.calls[thread(e)].push_back({span, std::move(comm)});
  }

  void kernel(const JsonValue& e, Span span, std::string_view name, std::string_view category) {
    const JsonValue args = e["args"];
    Kernel k{span, args["correlation"].integer().value_or(-1), {}, false, false};
    k.stream = {args["device"].integer().value_or(0), args["stream"].integer().value_or(thread(e))};
    k.copies = category != "kernel" && category != "Kernel";
    k.communicates = !k.copies && gpu::communicates(name);
    Comm comm;
    if (k.communicates) comm = comm_of(args);
    if (k.communicates && !comm.sized() && !comm.known()) comm.name = name.substr(0, name.find('('));
    trace_.add(k, std::move(comm));
  }

  void runtime(const JsonValue& e, double at, std::string_view name) {
    trace_.runtime(name, at, thread(e), e["args"]["correlation"].integer().value_or(-1));
  }

  RankTrace trace_;
};

}  // namespace

bool is_kineto(std::string_view head) {
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && head[first] == '{' &&
         (contains(head, "\"traceEvents\"") ||
          (contains(head, "\"schemaVersion\"") && contains(head, "\"deviceProperties\"")));
}

std::unique_ptr<Source> open_kineto(const std::vector<std::string>& files, const OpenOptions& options) {
  std::vector<RankTrace> traces;
  for (const std::string& file : files) traces.push_back(FileReader(file).read());
  auto source = gpu::source_of(traces, options);
  if (const auto n = gpu::unsized(*source))
    source->info().notes.push_back(std::to_string(n) +
                                   " communication kernels have no size: the trace lacks the calls that "
                                   "launched them, or, before PyTorch 2.2, record_shapes=True");
  return source;
}

}  // namespace collcast
