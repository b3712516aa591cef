// SPDX-License-Identifier: Apache-2.0
#include "forecast/sweep/sweep.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "platforms/description/load.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/printable.hpp"
#include "support/text.hpp"

namespace collcast::sweep {
namespace {

/// The file without what is not a setting.
Json settings_of(Json file) {
  for (const char* key : {"about", "ask", "sample"}) file.erase(key);
  return file;
}

Json object_of(const std::string& text, const std::string& file) {
  Json json = parse_json(text, file);
  if (!json.is_object()) throw InputError(file + ": a sweep is an object: {\"ask\": \"predict\", ...}");
  for (const char* key : {"about", "ask"})
    if (json.contains(key) && !json[key].is_string()) throw InputError(file + ": " + key + " must be a text");
  return json;
}

const Verb& verb_of(const Json& file, const std::string& name, std::span<const Verb> verbs) {
  const std::string asked = file.value("ask", std::string("predict"));
  std::string known;
  for (const Verb& v : verbs) {
    if (v.name == asked) return v;
    known += (known.empty() ? "" : ", ") + std::string(v.name);
  }
  throw InputError(name + ": ask \"" + asked + "\" is not known; there are " + known);
}

/// "set.network.latency_us" is a column of its own, by the parameter's path.
std::string column_name(const std::string& key) {
  return key.starts_with("set.") ? key.substr(4) : key;
}

Json value_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return text;
  return number == static_cast<double>(static_cast<std::int64_t>(number)) && std::abs(number) < 1e15
             ? Json(static_cast<std::int64_t>(number))
             : Json(number);
}

Json told(const Point& point) {
  Json json = Json::object();
  for (const Setting& s : point) json[column_name(s.key)] = value_of(s.value);
  return json;
}

/// A row of an answer with what the point adds to it.
Json row_at(const Space& space, std::int64_t number, const Json& answered) {
  Json row{{"point", number}};
  for (const Setting& s : space.at(number))
    if (space.varies(s.key) && s.key != "size" && !answered.contains(column_name(s.key)))
      row[column_name(s.key)] = value_of(s.value);
  row.update(answered);
  return row;
}

/// All rows have all keys, in the order in which they first came.
void align(Json& rows) {
  std::vector<std::string> keys;
  std::set<std::string> seen;
  for (const Json& row : rows)
    for (const auto& [key, value] : row.items())
      if (seen.insert(key).second) keys.push_back(key);
  for (Json& row : rows) {
    if (row.size() == keys.size()) continue;
    Json whole = Json::object();
    for (const std::string& key : keys) whole[key] = row.contains(key) ? row[key] : Json();
    row = std::move(whole);
  }
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "-" : dump(value);
}

std::vector<report::Column> columns(const Sweep& sweep, const Json& rows) {
  std::vector<report::Column> all;
  for (const Axis& axis : sweep.space().axes()) {
    const std::string key = column_name(axis.key);
    const bool own = std::ranges::find(sweep.verb().keys, axis.key, &Key::name) != sweep.verb().keys.end();
    const bool shown = own && (axis.key == "platform" || axis.key == "collective" || axis.key == "ranks" ||
                               axis.key == "size" || axis.key == "algorithm" || axis.key == "model");
    if (shown || !sweep.space().varies(axis.key) || (!rows.empty() && !rows[0].contains(key))) continue;
    all.push_back({key, [key](const Json& row) { return text_of(row[key]); }});
  }
  std::ranges::move(sweep.verb().columns(sweep.space()), std::back_inserter(all));
  return all;
}

}  // namespace

Sweep::Sweep(const std::string& text, const std::string& file, std::span<const Verb> verbs) try
    : text_(text),
      about_(object_of(text, file).value("about", std::string())),
      verb_(&verb_of(object_of(text, file), file, verbs)),
      space_(settings_of(object_of(text, file)), verb_->keys, object_of(text, file).value("sample", Json()),
             file) {
  text_ = dump(object_of(text, file));
  for (const std::string& key : verb_->needed)
    if (std::ranges::find(space_.axes(), key, &Axis::key) == space_.axes().end())
      throw InputError(file + ": \"" + key + "\" is missing");
  if (verb_->check) verb_->check(space_);
} catch (const InputError& e) {
  throw InputError(printable(e.what()));  // words of the file may end lines
}

Identity Sweep::identity(const std::string& program) const {
  std::string platforms;
  const auto axis = std::ranges::find(space_.axes(), "platform", &Axis::key);
  if (axis != space_.axes().end())
    for (const std::string& name : axis->values) platforms += load_platform(name).text() + '\n';
  return {text_, platforms, program};
}

Outcome answer(const Sweep& sweep, std::int64_t number) {
  try {
    const Rows rows = sweep.verb().answer(sweep.space().at(number));
    return {Outcome::Kind::answered, dump(Json{{"rows", rows.rows}, {"notes", rows.notes}})};
  } catch (const InputError& e) {
    return {Outcome::Kind::refused, e.what()};
  } catch (const std::exception& e) {
    return {Outcome::Kind::lost, e.what()};
  }
}

void run(const Sweep& sweep, Part part, Journal& journal, const HandOut& hand_out,
         const std::function<void(std::int64_t, std::int64_t)>& progress) {
  std::set<std::int64_t> finished;
  journal.each([&](std::int64_t number, const Outcome& o) {
    if (o.kind != Outcome::Kind::lost) finished.insert(number);
  });
  const std::int64_t all = sweep.space().size();
  std::int64_t at = part.number, known = static_cast<std::int64_t>(finished.size());
  const auto next = [&]() -> std::optional<std::int64_t> {
    while (at < all && finished.contains(at)) at += part.of;
    if (at >= all) return {};
    const std::int64_t number = at;
    at += part.of;
    return number;
  };
  hand_out(
      next, [&](std::int64_t number) { return answer(sweep, number); },
      [&](std::int64_t number, const Outcome& outcome) {
        journal.add(number, outcome);
        progress(++known, all);
      });
}

Summary summary(const Sweep& sweep, const Journal& journal) {
  Summary s;
  Json rows = Json::array(), failed = Json::array();
  std::set<std::string> noted;
  journal.each([&](std::int64_t number, const Outcome& outcome) {
    if (outcome.kind != Outcome::Kind::answered) {
      Json row{{"point", number}};
      row.update(told(sweep.space().at(number)));
      row["reason"] = outcome.text;
      failed.push_back(std::move(row));
      return;
    }
    ++s.answered;
    const Json said = parse_json(outcome.text);
    for (const Json& row : said["rows"]) rows.push_back(row_at(sweep.space(), number, row));
    for (const Json& words : said["notes"])
      if (noted.insert(words).second) s.report.notes.push_back(words);
  });
  s.failed = static_cast<std::int64_t>(failed.size());
  s.missing = sweep.space().size() - s.answered - s.failed;
  align(rows);
  s.report.head = {{"sweep", sweep.about()},
                   {"ask", sweep.verb().name},
                   {"points", sweep.space().size()},
                   {"missing", s.missing},
                   {"failed", failed}};
  s.report.title = (sweep.about().empty() ? std::string(sweep.verb().name) : sweep.about()) + ": " +
                   text::count(sweep.space().size()) + " points";
  std::vector<report::Column> shown = columns(sweep, rows);
  s.report.sections.push_back({"rows", std::move(rows), std::move(shown)});
  for (const Json& row : failed)
    s.report.notes.push_back("point " + dump(row["point"]) + " failed: " + row["reason"].get<std::string>());
  return s;
}

}  // namespace collcast::sweep
