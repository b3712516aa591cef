// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "algorithms/policies/policy.hpp"

namespace collcast::nccl {

/// The releases 2.7 to 2.30 of NVIDIA/nccl, whose src/graph/tuning.cc this model follows.
constexpr int first_minor = 7, last_minor = 30;

enum class Shape : std::uint8_t { tree, ring, nvls, nvls_tree, pat };
enum class Protocol : std::uint8_t { ll, ll128, simple };

/// A pair that NCCL considers: time = latency + message / bandwidth, with the corrections for the size.
struct Candidate {
  Shape shape = Shape::ring;
  Protocol protocol = Protocol::simple;
  Seconds latency;
  BytesPerSecond bandwidth;  ///< message / time, not per link
  Seconds time;
};

/// 8 for "nccl-2.8"; nothing for the policies of other libraries.
std::optional<int> release(std::string_view policy);

/// Whether NCCL's own way of playing it is known (nccl_transport.hpp).
constexpr bool has_transport(Shape shape) {
  return shape == Shape::tree || shape == Shape::ring;
}

std::string_view name(Shape shape);
std::string_view name(Protocol protocol);

/// In NCCL's order: the first of the fastest wins. Throws InputError if NCCL 2.`minor` has no constants for
/// the collective or the GPU.
std::vector<Candidate> candidates(int minor, Collective collective, const Call& call, const Situation& s);

/// The one that NCCL takes. Of more than one rank.
Candidate choose(int minor, Collective collective, const Call& call, const Situation& s);

Pick pick(int minor, Collective collective, const Call& call, const Situation& s);

}  // namespace collcast::nccl
