// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "forecast/predict.hpp"
#include "libraries/nccl/transport.hpp"

namespace collcast {

/// A platform as a communication library sees it: what the library would pick, and how long that takes.
class Library {
 public:
  /// `policy`: a name that `pick` knows. Throws InputError for others.
  Library(std::string policy, const Description& description, Rank ranks,
          const Placement& placement = Placement::block, Memory memory = Memory::device);

  /// What the library would play, as predicted, and why.
  struct Forecast {
    Choice choice;
    Prediction prediction;
    std::string transport = {};  ///< the library's own, which gave the time; empty: what the platform says
  };
  /// By `path` NCCL's choice is timed by its own transport; other libraries' choices are read like
  /// any schedule. Of `asked` the algorithm's parameters are the library's, not the caller's.
  Forecast predict(Collective collective, const Call& asked, const Engine& engine) const;

  /// Mean over the ranks of their own times between the library's barriers (Forecaster); none where the
  /// library sends no messages of MPI.
  std::optional<Seconds> mean_between_barriers(Collective collective, const Call& asked) const;

  const Forecaster& forecaster() const { return forecaster_; }
  const Situation& situation() const { return views_[nominal].situation; }

 private:
  enum : std::size_t { nominal, fast, slow };
  struct View {
    Situation situation;
    nccl::Software software;
  };
  Choice choose(Collective collective, const Call& asked) const;
  const Forecaster& sends(const Choice& choice) const;
  Prediction by_transport(const Algorithm& algorithm, const Call& call) const;

  std::string policy_;
  std::optional<nccl::Policy> nccl_;
  Forecaster forecaster_;
  std::optional<Forecaster> blocking_;  ///< where sends that block have an eager limit of their own
  std::array<View, 3> views_;           ///< as described, and at both ends of its uncertainty
  bool calibrated_ = false;
  Chooser chooser_;
};

}  // namespace collcast
