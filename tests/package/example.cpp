// SPDX-License-Identifier: Apache-2.0
// How long the ring takes to sum 64 MiB on 16 nodes: what `collcast predict` asks, from C++.
#include <cstdio>

#include "forecast/answer.hpp"

int main() {
  collcast::Question question;
  question.collectives = {"allreduce"};
  question.algorithm = "ring";
  question.platforms = {"edr-cluster"};
  question.ranks = {16};
  question.sizes = {collcast::Bytes(64 << 20)};
  for (const auto& row : collcast::ask(question).rows)
    std::printf("%s: %.6f s\n", row.prediction.algorithm->name.c_str(), row.prediction.time.value);
}
