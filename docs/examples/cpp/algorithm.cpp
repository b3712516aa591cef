// SPDX-License-Identifier: Apache-2.0
// Is an algorithm of one's own right, and what would it cost? This broadcast hands the message down two
// chains, one of the even and one of the odd ranks.
#include <cstdio>

#include "forecast/answer.hpp"
#include "model/proof.hpp"

namespace {

using collcast::Rank;

collcast::Schedule two_chains(const collcast::Call& call) {
  const auto rule = [ranks = call.ranks](std::int64_t s, collcast::Step& step) {
    const auto even = static_cast<Rank>(2 * (s - 1)), odd = even + 1;
    const collcast::Chunk message;
    if (s == 0) step.send(0, 1, message);
    if (s > 0 && even + 2 < ranks) step.send(even, even + 2, message);
    if (s > 0 && odd + 2 < ranks) step.send(odd, odd + 2, message);
  };
  return {.ranks = call.ranks, .blocks = 1, .steps = call.ranks / 2 + call.ranks % 2, .rule = rule};
}

}  // namespace

int main() {
  const collcast::Algorithm algorithm{
      .collective = collcast::Collective::broadcast,
      .name = "two-chains",
      .supports = [](Rank ranks) { return ranks > 1; },
      .schedule = two_chains,
  };
  for (Rank ranks = 2; ranks <= 64; ++ranks)
    if (const auto wrong = prove(algorithm.schedule({.ranks = ranks}), algorithm.collective)) {
      std::printf("wrong on %d ranks: %s\n", ranks, wrong->words().c_str());
      return 1;
    }
  std::printf("%s is proved for 2 to 64 ranks\n", algorithm.name.c_str());

  collcast::Question question;
  question.collectives = {"broadcast"};
  question.own = &algorithm;
  question.platforms = {"edr-cluster"};
  question.ranks = {16};
  question.sizes = {collcast::Bytes(1 << 20)};
  question.explain = true;
  const collcast::Answer answer = ask(question);
  const collcast::Prediction& p = answer.rows.front().prediction;
  std::printf("1 MiB to 16 nodes of edr-cluster takes %.3f ms:\n", 1e3 * p.time.value);
  for (const collcast::Share& share : p.explanation)
    std::printf("  %.3f ms %s\n", 1e3 * share.time.value, share.name.c_str());
}
