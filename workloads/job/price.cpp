// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/price.hpp"

#include <map>
#include <memory>

namespace collcast::workloads {

PriceOf cached(PriceOf price) {
  auto known = std::make_shared<std::map<GroupCall, Price>>();
  return [price = std::move(price), known](const GroupCall& call) {
    const auto found = known->find(call);
    return found != known->end() ? found->second : known->emplace(call, price(call)).first->second;
  };
}

}  // namespace collcast::workloads
