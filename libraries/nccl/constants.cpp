// SPDX-License-Identifier: Apache-2.0
#include "libraries/nccl/constants.hpp"

#include <algorithm>
#include <utility>

namespace collcast::nccl {
namespace {

using Of = Constant::Of;

constexpr std::pair<Of, const char*> names[] = {
    {Of::launch, "launch_us"},      {Of::channel, "channel_us"}, {Of::hop, "hop_us"},
    {Of::tree_hop, "tree_hop_us"},  {Of::proxy, "proxy_us"},     {Of::step, "step_us"},
    {Of::bandwidth, "channel_GBps"}};

thread_local const Scaled* innermost = nullptr;

}  // namespace

std::vector<Constant> constants() {
  std::vector<Constant> all;
  for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple})
    for (const auto& [of, name] : names) all.push_back({protocol, of});
  return all;
}

std::string key_of(const Constant& c) {
  const bool stated = c.of != Of::step && c.of != Of::bandwidth;
  return std::string(stated ? "software." : "") + "nccl." + std::string(name(c.protocol)) + "." +
         std::ranges::find(names, c.of, &std::pair<Of, const char*>::first)->second;
}

std::optional<double> value_of(const Constant& c, const Software& s) {
  if (c.of == Of::bandwidth) return {};
  const PerProtocol* const values[] = {&s.ring_launch, &s.channel, &s.ring_hop,
                                       &s.tree_hop,    &s.proxy,   &s.ring_step};
  return nccl::of(*values[static_cast<std::size_t>(c.of)], c.protocol);
}

Scaled::Scaled(std::vector<Constant> constants, double factor)
    : constants_(std::move(constants)), factor_(factor), outer_(std::exchange(innermost, this)) {}

Scaled::~Scaled() {
  innermost = outer_;
}

double Scaled::factor(Protocol protocol, Of of) {
  double factor = 1;
  for (const Scaled* s = innermost; s; s = s->outer_)
    for (const Constant& c : s->constants_)
      if (c.protocol == protocol && c.of == of) factor *= s->factor_;
  return factor;
}

}  // namespace collcast::nccl
