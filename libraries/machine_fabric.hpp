// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/machine/machine.hpp"

namespace collcast {

/// Base class for fabrics of libraries that have their own way to move messages over the ranks, ports and
/// links of a machine.
class MachineFabric : public FabricAdaptor {
 public:
  explicit MachineFabric(const Machine& machine) : FabricAdaptor(machine), machine_(machine) {}

 protected:
  const Machine& machine_;
};

}  // namespace collcast
