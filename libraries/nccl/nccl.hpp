// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libraries/policy.hpp"

namespace collcast::nccl {

/// A release, 2.`minor`, of NCCL or of RCCL, which is AMD's.
struct Release {
  int minor;
  bool rccl = false;
  constexpr Release(int number, bool of_rccl = false) : minor(number), rccl(of_rccl) {}
  constexpr operator int() const { return minor; }
  std::string text() const { return (rccl ? "rccl-2." : "nccl-2.") + std::to_string(minor); }
};

// The choice of NCCL 2.7 to 2.30: its tuner estimates latency + message / bandwidth for each pair of
// algorithm (`Shape`) and protocol, and takes the fastest (NVIDIA/nccl, src/graph/tuning.cc).
constexpr int first_minor = 7, last_minor = 30, usual_minor = 18;
/// The releases of RCCL in ROCm 6.0 and ROCm 7.0.
constexpr int rccl_minors[] = {18, 26};
constexpr Release usual_rccl{26, true};
constexpr Release usual(bool rccl) {
  return rccl ? usual_rccl : Release(usual_minor);
}
constexpr int rccl_with_ll128 = 26;
constexpr int most_channels = 32, most_rccl_channels = 64;

enum class Shape : std::uint8_t { tree, ring, nvls, nvls_tree, pat };
enum class Protocol : std::uint8_t { ll, ll128, simple };

/// A pair of algorithm and protocol that NCCL considers, with its estimate.
struct Candidate {
  Shape shape = Shape::ring;
  Protocol protocol = Protocol::simple;
  Seconds latency;
  BytesPerSecond bandwidth;  ///< message / time, not per link
  Seconds time;              ///< latency + message / bandwidth, with NCCL's corrections for the size
};

/// NCCL 2.`minor` with the settings of its environment variables. The tuner does not yet know the number of
/// channels.
struct Policy {
  Release release = first_minor;
  std::optional<Shape> algo = {};      ///< NCCL_ALGO
  std::optional<Protocol> proto = {};  ///< NCCL_PROTO, which allows LL128 where NCCL by itself would not
  std::optional<int> channels = {};    ///< NCCL_MIN_NCHANNELS and NCCL_MAX_NCHANNELS

  /// The number of channels used: as set, or twice what NCCL's search found.
  int all_channels(const Situation& s) const;
  std::string text() const;  ///< "nccl-2.8:algo=Ring,proto=LL,channels=4"
};

/// Reads what Policy::text() writes; empty for the policies of other libraries. Throws InputError for unknown
/// settings.
std::optional<Policy> parse(std::string_view policy);

/// All releases, NCCL's first.
std::vector<Release> releases();

/// Whether `play` (transport.hpp) knows how NCCL plays this shape.
constexpr bool has_transport(Shape shape) {
  return shape == Shape::tree || shape == Shape::ring;
}

std::string_view name(Shape shape);
std::string_view name(Protocol protocol);

/// The collectives that every release has rules for.
std::vector<Collective> ruled();

/// NCCL's counterpart of an algorithm of the catalogue; empty if it has none.
std::optional<Shape> shape_of(Collective collective, std::string_view algorithm);

/// All pairs that NCCL considers, in its order: of equally fast ones the first wins. Throws InputError if the
/// release has no constants for the collective or the GPU, or if the settings exclude every pair.
std::vector<Candidate> candidates(const Policy& policy, Collective collective, const Call& call,
                                  const Situation& s);

/// The pair that NCCL chooses. Needs more than one rank.
Candidate choose(const Policy& policy, Collective collective, const Call& call, const Situation& s);

Pick pick(const Policy& policy, Collective collective, const Call& call, const Situation& s);

}  // namespace collcast::nccl
