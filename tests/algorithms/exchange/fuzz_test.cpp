// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "algorithms/catalogue.hpp"
#include "algorithms/exchange/msccl.hpp"
#include "support/error.hpp"

namespace collcast {
namespace {

/// Changes a few digits, letters or stretches of the text.
std::string mutated(std::string text, std::mt19937& random) {
  auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random()) % std::max<std::size_t>(n, 1);
  };
  for (std::size_t i = 0, times = 1 + below(3); i < times; ++i) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0: {
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(10));
        break;
      }
      case 1:
        text[at] = static_cast<char>(below(256));
        break;
      case 2:
        text.erase(at, 1 + below(60));
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), 1 + below(120)));
        break;
      default: {  // a whole line goes
        const std::size_t begin = text.rfind('\n', at), end = text.find('\n', at);
        if (begin != std::string::npos && end != std::string::npos) text.erase(begin, end - begin);
      }
    }
    if (text.empty()) break;
  }
  return text;
}

TEST(MscclFuzz, OnlyInputErrors) {
  std::mt19937 random(1);
  int taken = 0, refuted = 0, refused = 0;
  for (const auto& [collective, name] : {std::pair{Collective::allreduce, "ring"},
                                         {Collective::allreduce, "recursive-doubling"},
                                         {Collective::alltoall, "bruck"},
                                         {Collective::allgather, "pat"},
                                         {Collective::reduce_scatter, "pairwise"},
                                         {Collective::broadcast, "double-tree"}}) {
    const std::string text =
        write_msccl(algorithm(collective, name).schedule({.ranks = 4, .segments = 2}), collective, name);
    for (int i = 0; i < 1000; ++i) {
      const std::string mutant = mutated(text, random);
      try {
        ++(parse_msccl(mutant, "mutant.xml").wrong ? refuted : taken);
      } catch (const InputError& e) {
        ++refused;
        EXPECT_EQ(std::string(e.what()).rfind("mutant.xml", 0), 0u) << e.what();
      }
    }
  }
  std::cout << refused << " mutants refused, " << refuted << " refuted, " << taken << " still right\n";
  EXPECT_GT(refused, 1000);
  EXPECT_GT(refuted, 10);
}

}  // namespace
}  // namespace collcast
