// SPDX-License-Identifier: Apache-2.0
#include "forecast/report/answer.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/exchange/point/point.hpp"
#include "forecast/report/what_if.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace collcast::report {
namespace {

Json row(const Answer& answer, const Answer::Row& r) {
  const Prediction& p = r.prediction;
  const Definition& d = definition(p.algorithm->collective);
  Json json{{"collective", d.name},
            {"algorithm", p.algorithm->name},
            {"parameters", parameters(*p.algorithm, p.call)},
            {"ranks", p.call.ranks},
            {"root", d.rooted ? Json(p.call.root) : Json()},
            {"message_bytes", std::llround(p.call.message.value)},
            {"time_s", p.time.value},
            {"low_s", p.low.value},
            {"high_s", p.high.value},
            {"lower_bound_s", p.bound.time.value},
            {"bound_cut", p.bound.cut},
            {"algbw_GBps", p.algorithm_bandwidth().value / 1e9},
            {"busbw_GBps", p.bus_bandwidth().value / 1e9},
            {"limited_by", p.limited_by},
            {"limited_by_share", p.limited_by_share ? Json(*p.limited_by_share) : Json()},
            {"calibrated", p.calibrated},
            {"transferred", p.transferred ? Json(*p.transferred) : Json()},
            {"engine", r.engine},
            {"transport", p.transport},
            {"platform", r.platform},
            {"nodes", r.occupancy.nodes},
            {"ranks_per_node", r.occupancy.on_a_node}};
  if (!r.protocol.empty()) json["parameters"]["protocol"] = r.protocol;
  if (!r.why.empty()) json["why"] = r.why;
  if (r.estimate) json["estimate_s"] = r.estimate->value;
  if (r.picked) json["picked"] = *r.picked;
  if (!p.explanation.empty()) json["explanation"] = explanation(p.explanation, p.time);
  if (answer.sensitivity) json["sensitivity"] = list(r.sensitivity);
  if (!r.overlap) return json;
  json["offload"] = answer.offload.who;
  json["workers"] = answer.workers[r.which];
  json["pieces"] = answer.offload.pieces;
  json["compute_s"] = r.overlap->compute_s;
  json["total_s"] = r.overlap->total_s;
  json["overlap_percent"] = r.overlap->percent();
  return json;
}

std::string name_with_parameters(const Json& r) {
  const Json& given = r["parameters"];
  std::string name = r["algorithm"];
  if (given.contains("radix")) name += " k=" + dump(given["radix"]);
  if (given.contains("channels")) name += " c=" + dump(given["channels"]);
  if (given.contains("ranks_per_node")) name += " q=" + dump(given["ranks_per_node"]);
  if (given.contains("protocol")) name += " " + given["protocol"].get<std::string>();
  if (given.contains("segments"))
    name += " K=" + dump(given["segments"]) + " x " + text::bytes(given["segment"]);
  return name;
}

bool one_engine(const Answer& answer) {
  return !answer.rows.empty() && std::ranges::all_of(answer.rows, [&](const Answer::Row& r) {
    return r.engine == answer.rows[0].engine;
  });
}

bool one_transport(const Answer& answer) {
  return std::ranges::all_of(answer.rows, [&](const Answer::Row& r) {
    return r.prediction.transport == answer.rows[0].prediction.transport;
  });
}

std::vector<Column> columns(const Answer& answer) {
  std::vector<Column> all;
  if (answer.platforms.size() > 1) all.push_back(text_of("platform", "platform"));
  if (answer.collectives.size() > 1) all.push_back(text_of("collective", "collective"));
  const bool overlap = answer.offload.asked();
  const auto percent = +[](double p) { return std::to_string(std::lround(p)) + " %"; };
  all.push_back({"ranks", [](const Json& r) { return dump(r["ranks"]); }});
  all.push_back(number_of("message", "message_bytes", text::bytes));
  all.push_back({"algorithm", name_with_parameters});
  all.push_back(number_of(overlap ? "alone" : "time", "time_s", text::seconds));
  all.push_back(number_of("low", "low_s", text::seconds));
  all.push_back(number_of("high", "high_s", text::seconds));
  if (overlap) {
    all.push_back(number_of("computation", "compute_s", text::seconds));
    all.push_back(number_of("both", "total_s", text::seconds));
    all.push_back(number_of("overlap", "overlap_percent", percent));
  } else {
    all.push_back(number_of("bound", "lower_bound_s", text::seconds));
    all.push_back(number_of("algbw", "algbw_GBps", text::gbps));
    all.push_back(number_of("busbw", "busbw_GBps", text::gbps));
  }
  if (std::ranges::any_of(answer.rows, [](const auto& r) { return r.picked && r.estimate; }))
    all.push_back({"library's own", [](const Json& r) {
                     return r.contains("estimate_s") ? text::seconds(r["estimate_s"].get<double>()) : "-";
                   }});
  if (!one_transport(answer)) all.push_back(text_of("transport", "transport"));
  if (!one_engine(answer)) all.push_back(text_of("engine", "engine"));
  all.push_back({"limited by", [percent](const Json& r) {
                   const Json& share = r["limited_by_share"];
                   return r["limited_by"].get<std::string>() +
                          (share.is_null() ? "" : ", " + percent(100 * share.get<double>()));
                 }});
  return all;
}

/// The heading above a row's explanation.
std::string title(const Json& row) {
  return name_with_parameters(row) + ", " + dump(row["ranks"]) + " ranks, " +
         text::bytes(row["message_bytes"].get<double>());
}

/// ", played by 8 cores of each node's DPU"; empty if overlap was not asked for.
std::string played_by(const Answer& answer) {
  if (!answer.offload.asked()) return {};
  if (!answer.offload.to_dpu()) return ", begun by the ranks before they compute";
  const int cores = answer.workers.at(0);
  return ", played by " + (cores == 1 ? "a core" : std::to_string(cores) + " cores") + " of each node's DPU" +
         (answer.offload.pieces > 1 ? " in " + std::to_string(answer.offload.pieces) + " pieces" : "") +
         " while the ranks compute";
}

std::string not_calibrated(const Answer& answer) {
  std::vector<std::string> guessed;
  for (const Answer::Row& r : answer.rows)
    if (!r.prediction.calibrated && std::ranges::find(guessed, r.platform) == guessed.end())
      guessed.push_back(r.platform);
  if (guessed.empty() || (answer.platforms.size() == 1 && answer.rows[0].prediction.calibrated)) return {};
  const auto at = std::ranges::find(answer.platforms, guessed[0]) - answer.platforms.begin();
  const std::string& file = answer.files.at(static_cast<std::size_t>(at));
  return "Not calibrated: some parameters of " + text::join(guessed) +
         " are datasheet values or guesses; `collcast platforms " + file + "` lists them.";
}

}  // namespace

namespace {

/// Merges the shares of copies within nodes, as they are alike whichever rank makes them: one share per
/// cause, with the name of the largest.
std::vector<Share> with_copies_as_one(const std::vector<Share>& shares) {
  std::vector<Share> all;
  for (const Share& s : shares) {
    const auto is_copy = [](const Share& share) {
      return share.name.find(" copies out of slot ") != std::string::npos ||
             share.name.find(" copies into slot ") != std::string::npos;
    };
    const auto same = std::ranges::find_if(
        all, [&](const Share& other) { return is_copy(s) && is_copy(other) && other.cause == s.cause; });
    if (same == all.end())
      all.push_back(s);
    else
      same->time += s.time, same->alike += s.alike;
  }
  std::ranges::stable_sort(all, std::greater<>(), &Share::time);
  return all;
}

}  // namespace

Json explanation(const std::vector<Share>& shares, Seconds total) {
  Json all = Json::array();
  for (const Share& s : with_copies_as_one(shares))
    all.push_back({{"cause", name(s.cause)},
                   {"name", s.name},
                   {"time_s", s.time.value},
                   {"share", s.time / total},
                   {"alike", s.alike}});
  return all;
}

Section explanation_table(const Json& explanation, std::string of) {
  const auto likes = [](const Json& share) {
    const auto alike = share["alike"].get<std::size_t>();
    return share["name"].get<std::string>() + (alike > 1 ? ", " + std::to_string(alike) + " alike" : "");
  };
  return {"",
          explanation,
          {text_of(std::move(of), "cause"),
           {"by", likes},
           number_of("time", "time_s", text::seconds),
           number_of("share", "share", text::percent)}};
}

Json rows(const Answer& answer) {
  Json all = Json::array();
  for (const Answer::Row& r : answer.rows) all.push_back(row(answer, r));
  return all;
}

std::vector<std::string> notes(const Answer& answer) {
  std::vector<std::string> all = answer.notes;
  for (const Answer::Row& row : answer.rows)
    if (!row.why.empty())
      std::erase_if(all, [&](const std::string& words) { return words.ends_with(row.why); });
  return all;
}

std::string title_of(const Answer& answer) {
  std::string title = text::join(answer.collectives) + " on " + text::join(answer.platforms) + ", engine " +
                      std::string(one_engine(answer) ? answer.rows[0].engine : answer.engine);
  if (!answer.rows.empty() && one_transport(answer))
    title += ", transport " + answer.rows[0].prediction.transport;
  return title + played_by(answer);
}

Report make(const Answer& answer) {
  Report report;
  report.head = {{"platform", text::join(answer.platforms)},
                 {"engine", answer.engine},
                 {"unbound", list(answer.unbound)}};
  report.title = title_of(answer);
  report.sections.push_back({"predictions", rows(answer), columns(answer)});
  const Json all = report.sections[0].rows;
  for (const Json& row : all)
    if (row.contains("explanation"))
      report.sections.push_back(explanation_table(row["explanation"], title(row)));
  if (answer.sensitivity) report.sections.push_back(sensitivity_table(*answer.sensitivity));
  report.remark =
      (answer.sensitivity ? words(*answer.sensitivity) : "") + words(answer.unbound) + not_calibrated(answer);
  report.notes = answer.notes;
  return report;
}

Json about(const Answer& answer) {
  Json json{{"title", make(answer).title}};
  if (!answer.rows.empty()) json.update(row(answer, answer.rows[0]));
  if (answer.shown) {
    json["shown"] = "the messages as they are played with contention, until shown_s; time_s is the answer";
    json["shown_s"] = answer.shown->value;
  }
  return json;
}

}  // namespace collcast::report
