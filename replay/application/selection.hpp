// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "forecast/predict.hpp"

namespace collcast {

/// Which algorithm plays a collective of an application: the one that the user named, otherwise the fastest
/// by critical path on the platform. Decided, as is the number of segments, once per communicator and eighth
/// of an octave of message size.
class Selection {
 public:
  /// `forced` maps collective names to algorithm names or "auto". Throws InputError on unknown ones.
  Selection(const Fabric& fabric, const std::map<std::string, std::string>& forced);

  /// A null algorithm if the catalogue has none that serves the call. `members`: the fabric's ranks that take
  /// part. `direct`: only algorithms whose blocks go straight from their owner to their user, as sizes that
  /// only these two know demand.
  Choice choose(Collective collective, int communicator, const std::vector<Rank>& members, Call call,
                bool direct);

 private:
  const Fabric& fabric_;
  std::map<Collective, const Algorithm*> forced_;
  std::map<std::tuple<Collective, int, int, bool>, Choice> decided_;
};

}  // namespace collcast
