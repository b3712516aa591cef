// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/replay_text.hpp"

#include <sstream>

#include "forecast/offload.hpp"
#include "forecast/sweep/predict.hpp"
#include "model/ranges.hpp"
#include "model/sizes.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "workloads/settings.hpp"

namespace collcast::workloads {
namespace {

std::map<std::string, std::string> forced(const std::vector<std::string>& assignments) {
  std::map<std::string, std::string> result;
  for (const std::string& text : assignments) {
    const auto equals = text.find('=');
    if (equals == std::string::npos)
      throw InputError("--algorithm '" + text + "' is not COLLECTIVE=ALGORITHM, as in allreduce=ring");
    if (!result.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      throw InputError("--algorithm names an algorithm of " + text.substr(0, equals) + " twice");
  }
  return result;
}

/// "allreduce+broadcast", "all"; none for "none".
std::vector<Collective> collectives(const std::string& text) {
  std::vector<Collective> all;
  if (text.empty() || text == "none") return all;
  for (const Definition& d : definitions())
    if (text == "all") all.push_back(d.collective);
  if (text == "all") return all;
  std::istringstream names(text);
  for (std::string name; std::getline(names, name, '+');) all.push_back(definition(name).collective);
  return all;
}

}  // namespace

OpenOptions steps(const std::string& text) {
  OpenOptions options;
  if (text.empty()) return options;
  const std::size_t dash = text.find('-', 1);
  const auto first = number_in<std::int64_t>(text.substr(0, dash));
  const auto last = dash == text.npos ? first : number_in<std::int64_t>(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first)
    throw InputError("--steps takes A or A-B, as in 3-5, got '" + text + "'");
  options.first_step = *first, options.last_step = *last;
  return options;
}

Trace open_replayed(const ReplayText& text) {
  OpenOptions options = steps(text.steps);
  if (!text.fusion.empty()) options.fusion = parse_size(text.fusion, "--fusion");
  if (!text.cycle.empty()) {
    options.cycle = parse_time(text.cycle, "--cycle");
    if (options.cycle <= Seconds()) throw InputError("--cycle must be above 0, as in 5ms");
  }
  if (!text.bucket.empty()) {
    options.bucket = parse_size(text.bucket, "--bucket");
    if (options.bucket <= Bytes()) throw InputError("--bucket must be above 0, as in 25MiB");
  }
  options.nonblocking = collectives(text.nonblocking);
  options.offloaded = collectives(text.offload);
  return open_trace(text.files, options, text.ranks.empty() ? 0 : parse_ranks(text.ranks));
}

ReplayOptions replay_options(const ReplayText& text) {
  ReplayOptions options;
  options.engine = &playing_engine(text.engine);
  options.algorithms = forced(text.algorithms);
  options.policy = text.policy;
  options.placement = parse_placement(text.placement);
  if (!text.memory.empty()) options.memory = sweep::parse_memory(text.memory);
  options.compute_scale = parse_number(text.compute_scale, "--compute-scale", 0, 1e9);
  options.offloaded = {.collectives = collectives(text.offload),
                       .pieces = static_cast<int>(parse_count(text.pieces, "--pieces", 1, 1 << 20)),
                       .direct = is_direct("--delivery", text.delivery)};
  return options;
}

}  // namespace collcast::workloads
