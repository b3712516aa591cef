// SPDX-License-Identifier: Apache-2.0
// Which allreduce of 64 MiB is the fastest on 96 GPUs of Summit? `collcast predict`, asked from C++.
#include <cstdio>

#include "forecast/answer.hpp"

int main() {
  using namespace collcast::literals;
  collcast::Question question;
  question.collectives = {"allreduce"};
  question.platforms = {"summit"};
  question.ranks = {96};
  question.sizes = {64_MiB};
  const collcast::Answer answer = collcast::ask(question);
  for (const collcast::Answer::Row& row : answer.rows) {
    const collcast::Prediction& p = row.prediction;
    std::printf("%s: %.3f ms, from %.3f to %.3f ms, limited by %s\n", p.algorithm->name.c_str(),
                1e3 * p.time.value, 1e3 * p.low.value, 1e3 * p.high.value, p.limited_by.c_str());
  }
  for (const std::string& note : answer.notes) std::printf("%s\n", note.c_str());
}
