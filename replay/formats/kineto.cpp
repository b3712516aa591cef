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
  const auto to = args["Dst Rank"].integer(), from = args["Src Rank"].integer();
  c.peer = static_cast<int>(contains(c.name, "recv") ? from.value_or(-1) : to.value_or(from.value_or(-1)));
  return c;
}

/// "nccl:all_reduce" over tensors of known shape: what traces before 2024 have instead of sizes.
Comm annotated(std::string_view name, const JsonValue& args) {
  Comm c;
  c.name = name.substr(name.find(':') + 1);
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
    if (category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime")
      return runtime(e, at, name);
    if (category == "user_annotation" && name.starts_with("ProfilerStep#")) {
      std::int64_t number = 0;
      for (char c : name.substr(13))
        number = c >= '0' && c <= '9' && number < 1'000'000'000'000 ? 10 * number + (c - '0') : number;
      trace_.steps.push_back({span, number});
    } else if (name == "record_param_comms") {
      call(e, span, comm_of(e["args"]));
    } else if (name.starts_with("nccl:") && category != "gpu_user_annotation") {
      call(e, span, annotated(name, e["args"]));
    }
  }

  void call(const JsonValue& e, Span span, Comm comm) {
    trace_.calls[e["tid"].integer().value_or(0)].push_back({span, std::move(comm)});
  }

  void kernel(const JsonValue& e, Span span, std::string_view name, std::string_view category) {
    const JsonValue args = e["args"];
    Kernel k{span, args["correlation"].integer().value_or(-1), {}, false, false};
    k.stream = {args["device"].integer().value_or(0),
                args["stream"].integer().value_or(e["tid"].integer().value_or(0))};
    k.copies = category != "kernel" && category != "Kernel";
    k.communicates = !k.copies && gpu::communicates(name);
    Comm comm;
    if (k.communicates) comm = comm_of(args);
    if (k.communicates && comm.name.empty()) comm.name = name.substr(0, name.find('('));
    trace_.add(k, std::move(comm));
  }

  void runtime(const JsonValue& e, double at, std::string_view name) {
    trace_.runtime(name, at, e["tid"].integer().value_or(0), e["args"]["correlation"].integer().value_or(-1));
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
  return gpu::source_of(traces, options);
}

}  // namespace collcast
