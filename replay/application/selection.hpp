// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "libraries/chooser.hpp"

namespace collcast {

/// Which algorithm plays a collective of an application: the one that the user named, what the policy's
/// library would play, or the fastest by critical path. Decided once per communicator and message size; the
/// fastest, and segments, once per eighth of an octave.
class Selection {
 public:
  /// On the ranks of a machine. `policy`: "fastest", or one that `pick` knows. `forced` maps collective names
  /// to algorithm names or "auto"; "allreduce@64KiB" is an allreduce of 64 KiB and more. Throws InputError on
  /// unknown ones. Outlives none of them.
  Selection(const Description& description, const Machine& machine, const Fabric& fabric,
            const std::string& policy, const std::map<std::string, std::string>& forced);
  /// The fastest of each.
  explicit Selection(const Fabric& fabric) : fabric_(fabric), fastest_(fastest_on(fabric)) {}

  /// A null algorithm if the catalogue has none that serves the call. `members`: the fabric's ranks that take
  /// part. `direct`: only algorithms whose blocks go straight from their owner to their user, as sizes that
  /// only these two know demand. `algorithm`: what the application itself names, in segments of the usual
  /// size; empty: nothing.
  Choice choose(Collective collective, int communicator, const std::vector<Rank>& members, const Call& call,
                bool direct, std::string_view algorithm = {});

  /// The algorithm that the user named for it; empty: none.
  const std::string& named_by_user(Collective collective, Bytes message) const;
  /// Where the fastest was taken although a library's choice was asked for, and why.
  const std::set<std::string>& notes() const { return notes_; }
  /// Whether a library chose sends that return when their buffers are free.
  bool blocking() const { return blocking_; }

 private:
  struct Named {
    std::string algorithm;  ///< empty: as the policy chooses
    Chooser chooser;
  };
  using Forced = std::map<Bytes, Named>;  ///< by the least message that they are for
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
