// SPDX-License-Identifier: Apache-2.0
#include "cli/group_prices.hpp"

namespace collcast::cli {

workloads::PriceOf group_prices(GroupForecaster& forecaster) {
  return workloads::cached([&forecaster](const workloads::GroupCall& call) {
    const auto a = call.control ? forecaster.predict_control(call.collective, call.group, call.bytes)
                   : call.offloaded
                       ? forecaster.predict_offloaded(call.collective, call.group, call.bytes, call.algorithm)
                       : forecaster.predict(call.collective, call.group, call.bytes, call.algorithm);
    workloads::Price price{a.time, a.low, a.high, a.limited_by};
    price.load = a.load, price.between_nodes = forecaster.nodes(call.group) > 1;
    if (call.collective == Collective::sendrecv && call.group.size() == 2)
      if (const auto wire = forecaster.departure(call.group, call.bytes))
        price.departure = {wire->overhead, wire->gap + wire->occupation(call.bytes)};
    return price;
  });
}

}  // namespace collcast::cli
