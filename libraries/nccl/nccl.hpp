// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libraries/policy.hpp"

namespace collcast::nccl {

/// The releases 2.7 to 2.30 of NVIDIA/nccl, whose src/graph/tuning.cc this model follows.
constexpr int first_minor = 7, last_minor = 30, usual_minor = 18;
constexpr int most_channels = 32;

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

/// NCCL 2.`minor`, and what its environment variables say. The tuner does not know how many channels it will
/// get.
struct Policy {
  int minor = first_minor;
  std::optional<Shape> algo = {};      ///< NCCL_ALGO
  std::optional<Protocol> proto = {};  ///< NCCL_PROTO; LL128 then runs where NCCL would not dare to
  std::optional<int> channels = {};    ///< NCCL_MIN_NCHANNELS and NCCL_MAX_NCHANNELS

  /// That play: as told, or twice those that NCCL's search found.
  int all_channels(const Situation& s) const;
  std::string text() const;  ///< "nccl-2.8:algo=Ring,proto=LL,channels=4"
};

/// Reads such a text; nothing for the policies of other libraries. Throws InputError for settings that NCCL
/// has not.
std::optional<Policy> parse(std::string_view policy);

/// Whether NCCL's own way of playing it is known (nccl_transport.hpp).
constexpr bool has_transport(Shape shape) {
  return shape == Shape::tree || shape == Shape::ring;
}

std::string_view name(Shape shape);
std::string_view name(Protocol protocol);

/// The collectives that every release has.
std::vector<Collective> ruled();

/// What it calls an algorithm of the catalogue; nothing for those that it does not have.
std::optional<Shape> shape_of(Collective collective, std::string_view algorithm);

/// In NCCL's order: the first of the fastest wins. Throws InputError if the release has no constants for the
/// collective or the GPU, and where the policy leaves nothing.
std::vector<Candidate> candidates(const Policy& policy, Collective collective, const Call& call,
                                  const Situation& s);

/// The one that NCCL takes. Of more than one rank.
Candidate choose(const Policy& policy, Collective collective, const Call& call, const Situation& s);

Pick pick(const Policy& policy, Collective collective, const Call& call, const Situation& s);

}  // namespace collcast::nccl
