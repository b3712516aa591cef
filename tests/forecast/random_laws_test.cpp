// SPDX-License-Identifier: Apache-2.0
// Random cases with fixed seeds, and what must hold for all of them.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "algorithms/catalogue.hpp"
#include "forecast/answer.hpp"
#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "tests/sanitized.hpp"

namespace collcast {
namespace {

/// A case as a user would ask for it.
struct Case {
  const Algorithm* algorithm;
  std::string platform;
  Rank ranks;
  double bytes;

  Question question(const std::string& by) const {
    Question q;
    q.collectives = {std::string(definition(algorithm->collective).name)};
    q.algorithm = by;
    q.platforms = {platform};
    q.ranks = {ranks};
    q.sizes = {Bytes(bytes)};
    q.engine = "path";
    if (algorithm->segmented && by != "all" && by != "auto") q.call.segment = bytes < 65536 ? "" : "64KiB";
    return q;
  }
  std::string words() const {
    return std::string(definition(algorithm->collective).name) + " " + algorithm->name + " on " + platform +
           ", " + std::to_string(ranks) + " ranks, " + std::to_string(static_cast<long long>(bytes)) + " B";
  }
};

/// Draws that every library of C++ makes alike.
class Draw {
 public:
  explicit Draw(std::uint32_t seed) : random_(seed) {}
  template <class List>
  const auto& one_of(const List& list) {
    return list[random_() % list.size()];
  }
  Case next() {
    static const std::vector<std::string> platforms = shipped_platforms();
    static const std::vector<Rank> ranks = {1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 17, 24, 32};
    static const std::vector<double> sizes = {0, 1, 97, 4096, 10007, 65536, 1 << 20, 3000017, 1 << 24};
    const Algorithm* a = one_of(catalogue());
    const std::string& platform = one_of(platforms);
    return {a, platform, std::min(one_of(ranks), most_ranks(platform)), one_of(sizes)};
  }
  std::uint32_t operator()() { return static_cast<std::uint32_t>(random_()); }

 private:
  static Rank most_ranks(const std::string& platform) {
    const Description d = load_platform(platform);
    const Json& json = d.json();
    const auto most =
        json["max_nodes"].get<std::int64_t>() * json["node"]["ranks_per_node"].get<std::int64_t>();
    return static_cast<Rank>(std::min<std::int64_t>(most, 32));
  }
  std::mt19937 random_;
};

/// Seconds, or nothing where the question is refused.
std::optional<Prediction> ask_one(const Question& q) {
  try {
    return ask(q).rows.at(0).prediction;
  } catch (const InputError&) {
    return {};
  }
}

/// `law(case, draw)` on so many random cases: false where it says nothing of one, as the question is refused.
/// Of a quarter it has to say something.
template <class Law>
void hold(std::uint32_t seed, int cases, Law law) {
  Draw draw(seed);
  const int all = testing::all_or_one_in(10, cases);
  int held = 0;
  for (int i = 0; i < all; ++i) {
    const Case c = draw.next();
    SCOPED_TRACE(c.words());
    held += law(c, draw);
  }
  EXPECT_GE(held, all / 4);
}

TEST(RandomLaws, BoundsAndIntervalsHold) {
  hold(1, 40, [](const Case& c, Draw&) {
    const auto p = ask_one(c.question(c.algorithm->name));
    if (!p) return false;
    EXPECT_LE(p->bound.time.value, p->time.value * (1 + 1e-9));
    EXPECT_LE(p->low.value, p->time.value * (1 + 1e-9));
    EXPECT_GE(p->high.value, p->time.value * (1 - 1e-9));
    EXPECT_TRUE(c.ranks == 1 || c.bytes == 0 || p->time.value > 0);
    return true;
  });
}

TEST(RandomLaws, LargerMessagesTakeLonger) {
  hold(2, 40, [](const Case& c, Draw& draw) {
    Case larger = c;
    larger.bytes = c.bytes * (2 + draw() % 9) + 1;
    Question q = c.question(c.algorithm->name), r = larger.question(c.algorithm->name);
    if (c.algorithm->segmented) q.call.segment = r.call.segment = "64KiB";
    if (c.algorithm->segmented && c.bytes < 65536) return false;
    const auto small = ask_one(q), large = ask_one(r);
    if (!small || !large) return false;
    EXPECT_GE(large->time.value, small->time.value * (1 - 1e-6));
    return true;
  });
}

TEST(RandomLaws, AFasterNetworkIsNotSlower) {
  hold(3, 30, [](const Case& c, Draw&) {
    Question q = c.question(c.algorithm->name);
    const Json network = load_platform(c.platform).json()["network"];
    if (!network.contains("bandwidth_GBps")) return false;
    const auto now = ask_one(q);
    q.set = {"network.bandwidth_GBps=" +
             std::to_string(4 * network["bandwidth_GBps"]["value"].get<double>())};
    const auto faster = ask_one(q);
    if (!now || !faster) return false;
    EXPECT_LE(faster->time.value, now->time.value * (1 + 1e-6));
    return true;
  });
}

TEST(RandomLaws, ContentionIsNotFasterThanTheCriticalPath) {
  hold(4, 20, [](const Case& c, Draw&) {
    Question q = c.question(c.algorithm->name);
    const auto path = ask_one(q);
    q.engine = "contention";
    const auto contended = ask_one(q);
    if (!path || !contended) return false;
    EXPECT_GE(contended->time.value, path->time.value * (1 - 2e-3));
    return true;
  });
}

TEST(RandomLaws, ExactFormulasAreThePath) {
  hold(5, 60, [](const Case& drawn, Draw&) {
    Case c = drawn;
    c.platform = "flat";
    if (!c.algorithm->exact) return false;
    Question q = c.question(c.algorithm->name);
    const auto path = ask_one(q);
    q.engine = "formula";
    const auto formula = ask_one(q);
    if (!path || !formula) return false;
    EXPECT_NEAR(formula->time.value, path->time.value, 1e-6 * path->time.value);
    return true;
  });
}

TEST(RandomLaws, AutoIsTheFastestOfAll) {
  hold(6, 12, [](const Case& drawn, Draw&) {
    Case c = drawn;
    c.bytes = std::min(c.bytes, 1e6);
    const auto chosen = ask_one(c.question("auto"));
    if (!chosen) return false;
    for (const Answer::Row& row : ask(c.question("all")).rows)
      EXPECT_LE(chosen->time.value, row.prediction.time.value * 1.03) << row.prediction.algorithm->name;
    return true;
  });
}

}  // namespace
}  // namespace collcast
