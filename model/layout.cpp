// SPDX-License-Identifier: Apache-2.0
#include "model/layout.hpp"

namespace collcast {

Layout::Layout(const std::vector<Bytes>& sizes) : ends_(1) {
  ends_.reserve(sizes.size() + 1);
  for (Bytes size : sizes) ends_.push_back(ends_.back() + size);
}

}  // namespace collcast
