// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
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
  };
  /// NCCL's choice is its rings or trees, carried by its protocol; `path` takes the closed form of
  /// that (nccl::play), or what the most loaded link needs for them. Other libraries' choices are read like
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
  const Algorithm& barrier(Rank ranks) const;
  Prediction by_transport(const Algorithm& algorithm, const Call& call) const;
  Prediction by_schedule(const Algorithm& algorithm, const Call& call, const Engine& engine) const;
  /// The rings and trees that the search finds, as the library plays them.
  Algorithm scheduled(const Algorithm& algorithm, const nccl::Candidate& chosen,
                      const nccl::Play& played) const;
  nccl::Play play(const View& view, Collective collective, const Call& call,
                  const nccl::Candidate& chosen) const;
  /// The platform under that transport of NCCL, made when first asked for.
  const Forecaster& sent_by(const nccl::Candidate& chosen) const;

  std::string policy_;
  std::optional<nccl::Policy> nccl_;
  Forecaster forecaster_;
  std::optional<Forecaster> blocking_;  ///< where sends that block have an eager limit of their own
  std::array<View, 3> views_;           ///< as described, and at both ends of its uncertainty
  bool calibrated_ = false;
  Description description_;
  Placement placement_;
  Memory memory_;
  mutable std::map<std::pair<nccl::Shape, nccl::Protocol>, Forecaster> sent_;
  Chooser chooser_;
};

}  // namespace collcast
