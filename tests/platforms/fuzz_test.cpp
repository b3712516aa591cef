// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "platforms/machine/listing.hpp"
#include "platforms/machine/paths.hpp"
#include "support.hpp"
#include "support/json.hpp"
#include "tests/mutated.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

using namespace testing;

/// Loads and uses a text; only InputError may come out. True where it was a sound platform.
bool survives(const std::string& text) {
  try {
    const Description d = parse_platform(text, "fuzz", "fuzz.json");
    const Machine m(d, static_cast<Rank>(std::min<std::int64_t>(max_ranks(d), 50)));
    std::vector<LinkId> route;
    for (Rank r = 0; r < m.ranks(); r += 7) {
      EXPECT_GE(m.wire(0, r, Bytes(0)).per_byte, SecondsPerByte());
      m.route({r, Memory::host}, 0, route);
    }
    for (LinkId l : route) EXPECT_LT(l, m.links().size());
    return true;
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    return false;
  }
}

/// The shipped ones, a torus and a dragonfly.
std::vector<Description> subjects() {
  std::vector<Description> all = shipped_and_small();
  all.insert(all.begin(), {torus(24, "4,3,2"), dragonfly(6, 3, 2)});
  return all;
}

TEST(Fuzz, MutatedText) {
  std::mt19937 random(1);
  const std::string alphabet = "{}[]\",:0123456789.eE-+ntfabz_\\\n\x80\xff";
  for (const Description& d : subjects()) {
    const std::string good = dump(d.json());
    for (int round = 0; round < all_or_one_in(25, 200); ++round) survives(mutated(good, alphabet, random));
  }
}

/// Every place of a JSON value.
void places(Json& json, std::vector<Json*>& all) {
  all.push_back(&json);
  if (json.is_structured())
    for (Json& child : json) places(child, all);
}

TEST(Fuzz, MutatedValues) {
  std::mt19937 random(2);
  const std::vector<Json> odd = {nullptr,
                                 true,
                                 0,
                                 -1,
                                 1,
                                 2,
                                 64,
                                 1e308,
                                 4294967296,
                                 1e-300,
                                 "",
                                 "gpu0",
                                 "cpu0",
                                 "fat-tree",
                                 "none",
                                 "single-switch",
                                 "uniform",
                                 "nic",
                                 "switch",
                                 Json::array(),
                                 Json::object()};
  int sound = 0;
  for (const Description& d : subjects())
    for (int round = 0; round < all_or_one_in(20, 100); ++round) {
      Json json = d.json();
      for (int n = 1 + static_cast<int>(random() % 2); n > 0; --n) {
        std::vector<Json*> all;
        places(json, all);
        const Json other = *all[random() % all.size()];
        *all[random() % all.size()] = random() % 2 ? odd[random() % odd.size()] : other;
      }
      sound += survives(dump(json));
    }
  EXPECT_GT(sound, all_or_one_in(20, 40));
}

TEST(Fuzz, Set) {
  const std::vector<std::string> values = {"",         "0",    "1",    "7",       "36",
                                           "4096",     "1e9",  "-3",   "nan",     "inf",
                                           "gpu0",     "nic0", "none", "uniform", "single-switch",
                                           "delivery", "cpu",  "nic",  "\xff",    "a,b"};
  std::size_t turn = 0;  // a value for each path, another one for the next
  EachOrOneIn tried(50, 5);
  for (const Description& original : subjects())
    for (const std::string& path : settable_paths(original)) {
      Description d = original;
      const std::string& value = values[turn++ % values.size()];
      if (!tried()) continue;
      if (complaint([&] { set(d, path + "=" + value); }).empty()) survives(dump(d.json()));
    }
}

}  // namespace
}  // namespace collcast
