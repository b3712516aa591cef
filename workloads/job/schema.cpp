// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/schema.hpp"

#include "model/collective.hpp"
#include "support/json.hpp"

namespace collcast::workloads {
namespace {

Json text() {
  return {{"type", "string"}};
}
Json list_of(Json items, int least = 0) {
  Json list = {{"type", "array"}, {"items", std::move(items)}};
  if (least > 0) list["minItems"] = least;
  return list;
}
Json number(double most) {
  return {{"type", "number"}, {"minimum", 0}, {"maximum", most}};
}
Json whole(int least) {
  return {{"type", "integer"}, {"minimum", least}, {"maximum", 1 << 30}};
}
Json object(Json properties, Json required) {
  return {{"type", "object"},
          {"additionalProperties", false},
          {"required", std::move(required)},
          {"properties", std::move(properties)}};
}
Json refers(const char* definition) {
  return {{"$ref", std::string("#/definitions/") + definition}};
}

/// The schema of an activity: its `do`, the keys that every activity may have, and `more`.
Json activity(Json what, const Json& more, Json required) {
  Json properties = {
      {"do", std::move(what)}, {"name", text()}, {"stream", text()}, {"after", list_of(text())}};
  properties.update(more);
  required.push_back("do");
  return object(std::move(properties), std::move(required));
}

Json message(const char* what, const char* other) {
  return activity({{"const", what}}, {{other, text()}, {"bytes", refers("bytes")}, {"tag", whole(0)}},
                  {other, "bytes"});
}

/// The schema of a collective: its group, and who makes it progress.
Json collective(Json what, Json bytes, Json required) {
  Json one = activity(std::move(what),
                      {{"bytes", std::move(bytes)},
                       {"group", text()},
                       {"algorithm", text()},
                       {"progress", {{"enum", {"always", "host"}}}},
                       {"offload", {{"const", "dpu"}}}},
                      std::move(required));
  one["not"] = {{"required", {"progress", "offload"}}};
  return one;
}

Json collectives() {
  Json names = Json::array();
  for (const Definition& d : definitions())
    if (d.collective != Collective::barrier) names.push_back(d.name);
  return {{"enum", names}};
}

Json activities() {
  return Json::array({activity({{"const", "compute"}}, {{"time_s", number(1e9)}}, {"time_s"}),
                      message("send", "to"), message("receive", "from"),
                      collective({{"const", "barrier"}}, {{"const", 0}}, Json::array()),
                      collective(collectives(), refers("bytes"), {"bytes"}),
                      object({{"repeat", whole(0)}, {"do", refers("activities")}}, {"repeat", "do"})});
}

}  // namespace

Json job_schema() {
  Json schema =
      object({{"name", text()},
              {"dimensions",
               {{"type", "object"},
                {"minProperties", 1},
                {"additionalProperties", {{"anyOf", {whole(1), {{"const", "*"}}}}}}}},
              {"groups", {{"type", "object"}, {"additionalProperties", list_of(text())}}},
              {"streams", list_of(text(), 1)},
              {"slowdown", number(1000)},
              {"roles_along", text()},
              {"roles", list_of(object({{"name", text()}, {"do", refers("activities")}}, {"do"}), 1)}},
             {"dimensions", "roles"});
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "collcast job";
  schema["description"] = "Documented in docs/jobs.md. Made by `collcast job --schema`.";
  schema["definitions"] = {{"bytes", number(1e18)}, {"activities", list_of({{"oneOf", activities()}})}};
  return schema;
}

}  // namespace collcast::workloads
