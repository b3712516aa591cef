// SPDX-License-Identifier: Apache-2.0
#include "algorithms/exchange/few_messages.hpp"

#include "support/error.hpp"

namespace collcast {

void require_few_messages(const Schedule& schedule, std::int64_t most, const std::string& refusal) {
  std::int64_t messages = 0;
  for_each_step(schedule, false, [&](const Step& step) {
    messages += static_cast<std::int64_t>(step.transfers.size());
    return messages <= most;
  });
  if (messages > most) throw InputError(refusal + "; write it for fewer ranks, or with larger segments");
}

}  // namespace collcast
