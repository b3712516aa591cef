// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platforms/machine/machine.hpp"

namespace collcast {

/// Base of the fabrics of libraries that move messages in their own way over a machine's ranks, ports and
/// links.
class MachineFabric : public FabricAdaptor {
 public:
  explicit MachineFabric(const Machine& machine) : FabricAdaptor(machine), machine_(machine) {}

 protected:
  const Machine& machine_;
};

}  // namespace collcast
