// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "libraries/nccl/transport.hpp"
#include "platforms/description/description.hpp"
#include "validation/measurements/measurement.hpp"

namespace collcast {

/// A thread that launches several GPUs (-g) does so one after the other, and the last one holds up all. Its
/// launch is fitted apart, and is not written to a platform.
enum : std::size_t { one_gpu, several_gpus };
using NcclSoftwares = std::array<nccl::Software, 2>;  ///< by how many GPUs a thread launches

std::size_t launched(const Measurement& m);

/// A measured call, ready to be played again and again.
struct NcclCase {
  const Measurement* measured;
  nccl::Policy policy;
  Call call;
  const Situation* situation;
  nccl::Candidate candidate;
  bool large = false;  ///< among the largest of its table, whose time is the links'

  nccl::Play play(const NcclSoftwares& software) const;
  /// ln(predicted / measured).
  double log_error(const NcclSoftwares& software) const;
};

/// The calls of some tables on a platform, as NCCL plays them. Calls that it plays neither by rings nor by
/// trees are only counted.
class NcclCases {
 public:
  /// Keeps references to `base` and `measurements`.
  NcclCases(const Description& base, const std::vector<Measurement>& measurements, std::string policy);
  NcclCases(const NcclCases&) = delete;  // cases point to situations
  NcclCases& operator=(const NcclCases&) = delete;

  const std::vector<NcclCase>& all() const { return cases_; }
  const std::string& policy() const { return policy_; }
  /// The number of points left out, by the name of the shape that plays them.
  const std::map<std::string, int>& left_out() const { return left_out_; }
  /// The published costs, replaced by those that the platform states.
  NcclSoftwares software() const;

  using Table = std::tuple<std::string, Collective, Rank>;
  std::map<Table, std::vector<const NcclCase*>> by_table() const;

  /// Plays the calls by this shape, as under NCCL_ALGO, if NCCL may choose.
  void play_by(nccl::Shape shape);

 private:
  void add(const Measurement& m);

  const Description& base_;
  std::string policy_;
  std::map<std::tuple<std::string, Rank, Rank>, Situation> situations_;
  std::vector<NcclCase> cases_;
  std::map<std::string, int> left_out_;
};

/// The measurements of large messages: at least a quarter of their table's largest one, if that has 4 MiB.
std::vector<Measurement> large_ones(const std::vector<Measurement>& all);

/// Mean ln(predicted / measured) of a table's large messages, 0 if it has none.
double large_error(const std::vector<const NcclCase*>& table, const NcclSoftwares& software);

/// The time of large messages is the links'. If software leaves an error of this much, the base's links are
/// wrong.
constexpr double unlike = 0.1;

}  // namespace collcast
