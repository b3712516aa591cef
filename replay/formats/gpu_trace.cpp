// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "replay/formats/gpu_parts.hpp"
#include "replay/formats/names.hpp"
#include "replay/formats/plausible.hpp"
#include "support/text.hpp"

namespace collcast::gpu {
namespace {

/// Whether a kernel's name is that of communication by a library other than NCCL and its like: the allreduces
/// of vLLM, SGLang, FlashInfer and TensorRT, PyTorch's symmetric memory, DeepEP, NVSHMEM. Compares letters
/// and digits in lower case.
bool communicates_apart(std::string_view name) {
  constexpr std::string_view parts[] = {"crossdevicereduce", "allreducefusion", "oneshotallreduce",
                                        "twoshotallreduce",  "multimem",        "deepepint",
                                        "quickreduce",       "nvshmem"};
  if (name.starts_with("triton_")) return false;  // Triton's names list what was fused into a computation
  const std::string plain = plain_name(name);
  return std::ranges::any_of(parts, [&](std::string_view part) { return text::has(plain, part); });
}

}  // namespace

bool lacks_host_call(const Comm& comm) {
  return !comm.sized() && communicates_apart(comm.name);
}

bool is_message(const Comm& comm) {
  return comm.name == "send" || comm.name == "recv";
}

bool Comm::known() const {
  return is_message(*this) || collective_of(name);
}

bool Comm::sized() const {
  // torch's calls of other names, such as "wait" and "coalesced", have no elements.
  const bool counted = input >= 0 && element_bytes(type) > 0 && (input > 0 || known());
  return bytes >= 0 || !messages.empty() || counted;
}

Comm merged(const std::vector<Comm>& calls) {
  Comm all = calls[0];
  if (calls.size() == 1) return all;
  const auto bytes = [](const Comm& c, double elements) {
    return c.bytes >= 0 ? c.bytes : element_bytes(c.type) * std::max(elements, 0.0);
  };
  const bool sized = std::ranges::all_of(calls, &Comm::sized);
  const bool alike =
      std::ranges::all_of(calls, [&](const Comm& c) { return c.name == all.name && c.group == all.group; });
  if (!is_message(all) && alike) {
    all.bytes = all.input = all.output = sized ? 0 : -1;
    for (const Comm& c : calls) {
      if (!sized) break;
      all.input += bytes(c, c.input), all.output += bytes(c, c.output);
      all.bytes = calls[0].bytes >= 0 ? all.input : -1;
    }
    all.type = "byte";
    all.sent.clear(), all.received.clear();
    return all;
  }
  all.name = "group";
  all.sent.clear(), all.received.clear();
  all.peer = -1;
  all.bytes = all.input = -1;
  if (!std::ranges::all_of(calls, is_message)) return all;
  std::set<int> to;
  double sent = 0;
  std::ptrdiff_t sends = 0;
  for (const Comm& c : calls)
    if (c.name == "send") to.insert(c.peer), sent += bytes(c, c.input), ++sends;
  // Equally many sends and receives, with everybody as far as is known, are an all-to-all.
  const bool everybody = sends > 1 && 2 * sends == std::ssize(calls) && sends + 1 >= all.size;
  if (everybody && (to.contains(-1) || std::ssize(to) == sends)) {
    all.name = "alltoall";
    if (sized) all.bytes = sent / static_cast<double>(sends);
  } else if (sized) {
    all.messages = calls;
  }
  return all;
}

std::string communicating(std::string_view kernel) {
  constexpr std::string_view libraries[] = {"nccl", "rccl", "msccl", "oneccl"},
                             nameless = "(anonymous namespace)::";
  if (std::ranges::any_of(libraries, [&](std::string_view l) { return text::has(kernel, l); }))
    return std::string(kernel.substr(0, kernel.find('(')));
  std::string name(kernel);
  for (std::size_t at; (at = name.find(nameless)) != std::string::npos;) name.erase(at, nameless.size());
  name.resize(std::min(name.size(), name.find_first_of("(<")));
  if (name.starts_with("void ")) name.erase(0, 5);
  return communicates_apart(name) ? name : std::string();
}

void RankTrace::add(Kernel kernel, Comm comm) {
  const double lasts = kernel.end - kernel.begin;
  if (!(lasts > 0 && lasts < 1e6 * longest_of_all.value && kernel.begin >= 0)) {
    impossible += lasts != 0 || !kernel.copies;  // a copy that takes no time is no loss
    return;
  }
  if (kernel.communicates) {
    kernel.call = static_cast<std::int64_t>(comms.size());
    comms.push_back(std::move(comm));
  }
  kernels.push_back(kernel);
}

void RankTrace::runtime(std::string_view name, double at, std::int64_t thread, std::int64_t correlation) {
  if (text::has(name, "StreamWaitEvent")) waits.emplace_back(thread, at);
  if (correlation >= 0 &&
      (text::has(name, "Launch") || text::has(name, "Memcpy") || text::has(name, "Memset")))
    launches[correlation] = {at, thread, text::has(name, "Graph")};
}

}  // namespace collcast::gpu
