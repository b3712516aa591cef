// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/verbs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "support/input_file.hpp"
#include "support/json.hpp"

namespace collcast::workloads {
namespace {

TEST(Verbs, SettingsAreInTheSchemaOfSweepsAndOnTheirPage) {
  using sweep::Kind;
  const std::string page = read_file(COLLCAST_SOURCE_DIR "/docs/sweep.md");
  Json schema = parse_json(read_file(COLLCAST_SOURCE_DIR "/docs/sweep.schema.json"));
  const std::regex settings_of_names(schema["patternProperties"].items().begin().key());
  const auto between = [&](const std::string& begin, const std::string& end) {
    const std::size_t from = page.find(begin);
    EXPECT_NE(from, std::string::npos) << begin;
    return from == std::string::npos ? "" : page.substr(from, page.find(end, from) - from);
  };
  const std::string counts = between("Settings that count something", "stay whole");
  std::set<std::string> known(sweep::no_settings.begin(), sweep::no_settings.end());
  known.insert("set");
  for (const sweep::Verb& verb : verbs()) {
    const std::string options = between("\n| `" + std::string(verb.name) + "` |", "|\n");
    for (const sweep::Key& key : verb.keys) {
      const std::string name(key.name), quoted = '`' + name + '`';
      const bool named = key.kind == Kind::named, words = named || key.kind == Kind::word;
      known.insert(name);
      EXPECT_EQ(schema["properties"][name]["$ref"], words ? "#/definitions/words" : "#/definitions/values")
          << name;
      EXPECT_EQ(std::regex_match(name + ".x", settings_of_names), named) << name;
      EXPECT_EQ(counts.find(quoted) != std::string::npos, key.kind == Kind::count) << name;
      EXPECT_TRUE(name == "platform" || options.find(quoted) != std::string::npos)
          << verb.name << " has no " << name;
    }
  }
  for (const auto& [name, form] : schema["properties"].items()) EXPECT_TRUE(known.contains(name)) << name;
}

/// Also where SimGrid is installed, which `replay` itself then takes.
TEST(Verbs, ReplaysOfSweepsTakeContention) {
  const std::vector<sweep::Verb> all = verbs();
  const auto replay = std::ranges::find(all, "replay", &sweep::Verb::name);
  sweep::Point point{{"trace", COLLCAST_SOURCE_DIR "/traces/hpcc-8.cct"}, {"platform", "edr-cluster"}};
  const auto time = [&] { return replay->answer(point).rows[0]["time_s"].get<double>(); };
  const double usual = time();
  point.push_back({"engine", "contention"});
  EXPECT_EQ(usual, time());
}

}  // namespace
}  // namespace collcast::workloads
