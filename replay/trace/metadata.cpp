// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/metadata.hpp"

#include "replay/trace/event_checker.hpp"
#include "support/json.hpp"

#include "support/error.hpp"

namespace collcast::trace {

std::int64_t whole_number(const Json& json, const std::string& where, std::int64_t least, std::int64_t most) {
  // An unsigned number above the signed ones would turn negative.
  const bool fits = json.is_number_unsigned() ? json.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                                              : json.is_number_integer();
  if (fits && json.get<std::int64_t>() >= least && json.get<std::int64_t>() <= most)
    return json.get<std::int64_t>();
  throw InputError(where + " is " + dump(json) + "; a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most) + " is expected");
}

Seconds recorded_time(const Json& json, const std::string& where) {
  if (const double s = json.get<double>(); s >= 0 && s <= longest_of_all.value) return Seconds(s);
  throw InputError(where + " is " + dump(json) + "; seconds from 0 to 30 years are expected");
}

Json to_json(const Metadata& metadata) {
  auto losses = Json::array();
  for (const auto& loss : metadata.losses)
    losses.push_back({{"operation", loss.operation}, {"count", loss.count}, {"reason", loss.reason}});
  Json json{{"ranks", metadata.ranks},   {"command", metadata.command},
            {"mpi", metadata.mpi},       {"recorded_at", metadata.recorded_at},
            {"hosts", metadata.hosts},   {"clocks", metadata.clocks},
            {"window", metadata.window}, {"recorded_time_s", metadata.recorded_time.value},
            {"not_modelled", losses},    {"notes", metadata.notes}};
  if (metadata.memory == Memory::device) json["memory"] = name(metadata.memory);
  if (!metadata.by_mpi) json["by_mpi"] = false;
  if (metadata.threads > 1) json["threads"] = metadata.threads;
  if (!metadata.inferred.empty()) json["inferred"] = metadata.inferred;
  return json;
}

Metadata metadata_from_json(const Json& json, const std::string& where) try {
  Metadata metadata;
  metadata.ranks = static_cast<int>(whole_number(json.at("ranks"), where + ": ranks", 1, most_ranks));
  metadata.command = json.at("command").get<std::string>();
  metadata.mpi = json.at("mpi").get<std::string>();
  metadata.recorded_at = json.at("recorded_at").get<std::string>();
  metadata.hosts = json.at("hosts").get<std::vector<std::string>>();
  metadata.clocks = json.at("clocks").get<std::string>();
  metadata.window = json.at("window").get<std::string>();
  metadata.recorded_time = trace::recorded_time(json.at("recorded_time_s"), where + ": recorded_time_s");
  for (const auto& loss : json.at("not_modelled"))
    metadata.losses.push_back({loss.at("operation").get<std::string>(),
                               whole_number(loss.at("count"), where + ": count", 0, INT64_MAX),
                               loss.at("reason").get<std::string>()});
  metadata.notes = json.at("notes").get<std::vector<std::string>>();
  metadata.memory = json.value("memory", "host") == "device" ? Memory::device : Memory::host;
  metadata.by_mpi = json.value("by_mpi", true);
  metadata.threads =
      static_cast<int>(whole_number(json.value("threads", Json(1)), where + ": threads", 1, most_threads));
  metadata.inferred = json.value("inferred", std::vector<std::string>());
  return metadata;
} catch (const Json::exception& error) {
  throw InputError(where + ": metadata: " + error.what());
}

}  // namespace collcast::trace
