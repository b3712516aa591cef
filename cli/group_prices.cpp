// SPDX-License-Identifier: Apache-2.0
#include "cli/group_prices.hpp"

namespace collcast::cli {

workloads::PriceOf group_prices(GroupForecaster& forecaster) {
  return workloads::cached([&forecaster](const workloads::GroupCall& call) {
    const auto a = call.control     ? forecaster.predict_control(call.collective, call.group, call.bytes)
                   : call.offloaded ? forecaster.predict_offloaded(call.collective, call.group, call.bytes)
                                    : forecaster.predict(call.collective, call.group, call.bytes);
    return workloads::Price{a.time, a.low, a.high, a.limited_by};
  });
}

}  // namespace collcast::cli
