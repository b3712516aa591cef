// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <utility>

#include "libraries/nccl/rccl.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast::nccl {
namespace {

constexpr std::string_view shape_names[] = {"Tree", "Ring", "NVLS", "NVLSTree", "PAT"};
constexpr std::string_view protocol_names[] = {"LL", "LL128", "Simple"};

/// The kind of this name, in upper or lower case, as NCCL reads it.
template <class Kind, std::size_t N>
Kind named(const std::string_view (&names)[N], const std::string& setting, const std::string& value) {
  std::string known;
  for (std::size_t i = 0; i < N; ++i) {
    if (text::lower(names[i]) == text::lower(value)) return static_cast<Kind>(i);
    known += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(names[i]);
  }
  throw InputError("policy: " + setting + " must be " + known);
}

int channel_count(const Policy& policy, const std::string& setting, const std::string& value) {
  const int most = policy.release.rccl ? most_rccl_channels : most_channels;
  if (const auto count = number_in<int>(value); count && *count >= 1 && *count <= most) return *count;
  throw InputError("policy: " + setting + " must be from 1 to " + std::to_string(most));
}

void set(Policy& policy, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  const std::string key = setting.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : setting.substr(equals + 1);
  const auto once = [&](auto& kept, auto read) {
    if (kept) throw InputError("policy: " + setting + " is its second " + key + "=");
    kept = read;
  };
  if (key == "algo")
    once(policy.algo, named<Shape>(shape_names, setting, value));
  else if (key == "proto")
    once(policy.proto, named<Protocol>(protocol_names, setting, value));
  else if (key == "channels")
    once(policy.channels, channel_count(policy, setting, value));
  else
    throw InputError("policy: " + setting + " is not a setting of NCCL; expected algo=, proto= or channels=");
}

}  // namespace

int Policy::all_channels(const Situation& s) const {
  return channels.value_or(of_amd(s.gpu) ? rccl_channels(s.gpu, s.channels)
                                         : std::min(most_channels, 2 * s.channels));
}

std::string Policy::text() const {
  std::string all = release.text(), separator = ":";
  const auto add = [&](const std::string& setting) { all += std::exchange(separator, ",") + setting; };
  if (algo) add("algo=" + std::string(name(*algo)));
  if (proto) add("proto=" + std::string(name(*proto)));
  if (channels) add("channels=" + std::to_string(*channels));
  return all;
}

std::optional<Policy> parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  for (const Release& release : releases()) {
    Policy policy{.release = release};
    if (text.substr(0, colon) != policy.text()) continue;
    std::istringstream settings(std::string(colon == std::string_view::npos ? "" : text.substr(colon + 1)));
    for (std::string one; std::getline(settings, one, ',');) set(policy, one);
    return policy;
  }
  return {};
}

std::vector<Release> releases() {
  std::vector<Release> all;
  for (int minor = first_minor; minor <= last_minor; ++minor) all.emplace_back(minor);
  for (const int minor : rccl_minors) all.emplace_back(minor, true);
  return all;
}

std::string_view name(Shape shape) {
  return shape_names[static_cast<std::size_t>(shape)];
}
std::string_view name(Protocol protocol) {
  return protocol_names[static_cast<std::size_t>(protocol)];
}

}  // namespace collcast::nccl
