// SPDX-License-Identifier: Apache-2.0
#include "workloads/playing/verbs.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/input_file.hpp"
#include "support/json.hpp"

namespace collcast::workloads {
namespace {

TEST(Verbs, SettingsAreInTheSchemaOfSweepsAndInTheirDocument) {
  const Json said = parse_json(read_file(COLLCAST_SOURCE_DIR "/docs/sweep.schema.json"))["properties"];
  const std::string document = read_file(COLLCAST_SOURCE_DIR "/docs/sweep.md");
  std::set<std::string> known(sweep::no_settings.begin(), sweep::no_settings.end());
  known.insert("set");
  for (const sweep::Verb& verb : verbs()) {
    const std::size_t row = document.find("\n| `" + std::string(verb.name) + "` |");
    ASSERT_NE(row, std::string::npos) << verb.name;
    const std::string options = document.substr(row, document.find('\n', row + 1) - row);
    for (const sweep::Key& key : verb.keys) {
      const std::string name(key.name);
      known.insert(name);
      const bool words = key.kind == sweep::Kind::word || key.kind == sweep::Kind::named;
      EXPECT_EQ(said.value(name, Json::object()).value("$ref", ""),
                words ? "#/definitions/words" : "#/definitions/values")
          << name;
      EXPECT_TRUE(name == "platform" || options.find('`' + name + '`') != std::string::npos)
          << verb.name << ": " << name;
    }
  }
  for (const auto& [name, form] : said.items()) EXPECT_TRUE(known.contains(name)) << name;
}

}  // namespace
}  // namespace collcast::workloads
