// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "libraries/chooser.hpp"

namespace collcast {

/// Chooses the algorithms of an application's collectives: the one that the user named, the one that the
/// policy's library would play, or the fastest by critical path. It decides once per communicator and message
/// size; on the fastest algorithm and on segments, once per eighth of an octave.
class Selection {
 public:
  /// For the ranks of a machine. `policy`: "fastest", or one that `pick` knows. `forced` maps collective
  /// names to algorithm names or "auto"; "allreduce@64KiB" is an allreduce of 64 KiB and more. Throws
  /// InputError for unknown names. The arguments outlive this.
  Selection(const Description& description, const Machine& machine, const Fabric& fabric,
            const std::string& policy, const std::map<std::string, std::string>& forced);
  /// Chooses the fastest.
  explicit Selection(const Fabric& fabric) : fabric_(fabric), fastest_(fastest_on(fabric)) {}

  /// The choice for a call; its algorithm is null if the catalogue has none that serves it. `members`: the
  /// fabric's ranks that take part. `direct`: blocks have to go straight from their owner to their user, as
  /// only these two know the sizes. `algorithm`: the one that the application names, played in segments of
  /// the usual size; empty: none.
  Choice choose(Collective collective, int communicator, const std::vector<Rank>& members, const Call& call,
                bool direct, std::string_view algorithm = {});

  /// The algorithm that the user named for the collective; empty: none.
  const std::string& named_by_user(Collective collective, Bytes message) const;
  /// Notes on calls that took the fastest algorithm although a library's choice was asked for, and why.
  const std::set<std::string>& notes() const { return notes_; }
  /// The user's entries that no collective took, as the user wrote them.
  std::vector<std::string> unused() const;
  /// Whether a library chose sends that return when their buffers are free.
  bool blocking() const { return blocking_; }

 private:
  struct Named {
    std::string algorithm;  ///< empty: as the policy chooses
    Chooser chooser;
    std::string as_written;     ///< "allreduce@64KiB=ring"
    mutable bool used = false;  ///< some collective took this entry
  };
  using Forced = std::map<Bytes, Named>;  ///< by the smallest message that each is for
  const Named* forced(Collective collective, Bytes message) const;
  bool exact(Collective collective, Bytes message) const;
  Choice decide(const Request& request, std::string_view algorithm);

  const Fabric& fabric_;
  Chooser fastest_, by_policy_;
  std::map<Collective, Forced> forced_;
  std::map<std::tuple<Collective, int, double, bool, std::string>, Choice> decided_;
  std::set<std::string> notes_;
  bool blocking_ = false;
};

}  // namespace collcast
