// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "forecast/predict.hpp"
#include "libraries/nccl/schedules.hpp"

namespace collcast {

/// Whether the library has a rule of its own for the collective. The rule may still lead outside the
/// catalogue (NoRule). NCCL plays collectives that it lacks as an ncclSend and an ncclRecv for each pair of
/// ranks. Never true of "fastest".
bool has_rule(const std::string& policy, Collective collective);

/// A platform as a communication library sees it: what the library would pick, and how long that takes.
class Library {
 public:
  /// `policy`: a name that `pick` knows; throws InputError for others. `transport`: replaces the library's
  /// own; if it is one of NCCL's, NCCL is told to take that protocol.
  Library(const std::string& policy, const Description& description, Rank ranks,
          const Placement& placement = Placement::block, Memory memory = Memory::device,
          const std::optional<Transport>& transport = {});

  /// What the library would play and why, with its prediction.
  struct Forecast {
    Choice choice;
    Prediction prediction;
    std::optional<Seconds> estimate = {};         ///< the library's own
    const Forecaster* sender = nullptr;           ///< whose messages are played; null: the platform's own
    std::optional<nccl::Candidate> kernels = {};  ///< NCCL's, if its rings or trees were chosen
  };
  /// NCCL's choice is rings or trees and a protocol. The engines `path` and `auto` take their closed form
  /// (nccl::play), or the time of the most loaded link if that is longer. Other libraries' choices are read
  /// like any schedule. The algorithm's parameters are the library's, not those in `asked`. Throws NoRule if
  /// it is not known what the library would play.
  Forecast predict(Collective collective, const Call& asked, const Engine& engine) const;
  /// The prediction of another choice than the library's, sent as MPI sends.
  Prediction predict(const Choice& choice, const Engine& engine) const;
  /// The same if the library is told which algorithm to play. An algorithm that it does not have is sent as
  /// the library would send its own choice.
  Forecast predict(const Algorithm& algorithm, const Call& asked, const Engine& engine,
                   std::optional<Bytes> segment = {}) const;
  /// All that NCCL chooses from, its choice first; empty for other libraries, which have rules and no list.
  std::vector<Forecast> predict_all(Collective collective, const Call& asked, const Engine& engine) const;

  /// Plays what was forecast and shows it to an observer. A closed form is played with contention, and may
  /// then take another time.
  Seconds watch(const Forecast& forecast, const Engine& engine, const Watched& watched) const;

  /// As in Forecaster, with the library's own barrier; none if the library does not send by MPI.
  std::optional<Seconds> mean_between_barriers(Collective collective, const Call& asked) const;

  Choice choose(Collective collective, const Call& asked) const;
  /// Whether the library stages the call in host memory, whatever its algorithm.
  bool stages(Collective collective, const Call& asked) const;

  const Forecaster& forecaster() const { return forecaster_; }
  /// The fabric that carries the messages of a choice that MPI sends.
  const Fabric& fabric(const Choice& choice) const { return sends(choice).fabric(); }
  const Situation& situation() const { return views_[nominal].situation; }

 private:
  enum : std::size_t { nominal, fast, slow };
  struct View {
    Situation situation;
    nccl::Software software;
  };
  const Forecaster& sends(const Choice& choice) const;
  /// The forecaster of everything but NCCL's rings and trees.
  const Forecaster& default_forecaster() const { return forced_ ? sent_by(*forced_) : forecaster_; }
  /// What NCCL would play with these settings.
  Forecast by_nccl(const nccl::Policy& told, Collective collective, const Call& asked,
                   const Engine& engine) const;
  /// Words on a call of twice the size that takes less time, as the library plays it otherwise; else empty.
  std::string faster_at_twice_size(const nccl::Policy& told, Collective collective, const Call& asked,
                                   const nccl::Candidate& chosen) const;
  /// The choice as NCCL's kernels play it.
  Choice as_played(const nccl::Policy& told, Collective collective, Call call,
                   const nccl::Candidate& chosen) const;
  Prediction by_transport(const Algorithm& algorithm, const Call& call, const nccl::Candidate& chosen) const;
  Prediction by_schedule(const Algorithm& algorithm, const Call& call, const nccl::Candidate& chosen,
                         const Engine& engine) const;
  Algorithm scheduled(const Algorithm& algorithm, const Call& call, const nccl::Candidate& chosen) const;
  /// The algorithm with its messages in NCCL's order: an alltoall starts all in one step, node by node.
  Algorithm in_nccls_order(const Algorithm& algorithm) const;
  /// The orders of ranks in the channels that are played, out of those that the search finds.
  std::vector<nccl::Order> orders(const nccl::Play& played) const;
  nccl::Play play(const View& view, Collective collective, const Call& call, const nccl::Candidate& chosen,
                  const nccl::Squeeze& squeeze = {}) const;
  /// The forecaster of a transport of NCCL, made when first asked for.
  const Forecaster& sent_by(const nccl::KernelSettings& transport) const;
  /// The forecaster of NCCL's rings and trees, as played.
  const Forecaster& sent_by(const nccl::Candidate& chosen, const nccl::Play& played) const;

  std::string policy_;
  std::optional<nccl::Policy> nccl_;
  bool own_transport_ = true;
  std::optional<nccl::KernelSettings> forced_;  ///< the transport of NCCL that it is told to take, if any
  Forecaster forecaster_;
  std::optional<Forecaster> blocking_;  ///< for sends that block, if they have an eager limit of their own
  std::array<View, 3> views_;           ///< as described, and at both ends of its uncertainty
  bool calibrated_ = false;
  std::vector<CalibratedOn> calibrated_on_;
  nccl::NodeChannels found_;
  Description description_;
  Placement placement_;
  Memory memory_;
  mutable std::map<std::tuple<nccl::Shape, nccl::Protocol, bool, Rank, int, int>, Forecaster> sent_;
  Chooser chooser_;
};

}  // namespace collcast
