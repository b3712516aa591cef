// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/units.hpp"

namespace collcast {

/// The total time that spans cover. They are added roughly in the order of their ends. If there are far more
/// than a few hundred, the earliest are kept merged: a new span that reaches into a merged one is taken to
/// overlap it evenly.
class Moments {
 public:
  /// Adds a span; returns by how much the sum grows.
  Seconds add(Seconds begin, Seconds end);
  Seconds sum() const { return sum_; }

 private:
  struct Span {
    Seconds begin, end;
    Seconds sum;  ///< covered time; less than its length if it stands for several
  };
  void thin();

  std::vector<Span> spans_;  ///< without overlap, in order
  Seconds sum_;
};

}  // namespace collcast
