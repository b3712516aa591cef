// SPDX-License-Identifier: Apache-2.0
#include "model/critical_path.hpp"

namespace collcast {

template PathResult critical_path(const Schedule&, const Layout&, const UniformNetwork&, Seconds, Seconds);

PathResult critical_path(const Schedule& schedule, const Layout& layout, const Fabric& fabric, Seconds away,
                         Seconds limit) {
  return read_path(schedule, layout, fabric, away, limit);
}

}  // namespace collcast
