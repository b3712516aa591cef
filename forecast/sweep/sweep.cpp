// SPDX-License-Identifier: Apache-2.0
#include "forecast/sweep/sweep.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <set>

#include "forecast/what_if.hpp"
#include "platforms/description/load.hpp"
#include "platforms/description/set.hpp"
#include "support/checksum.hpp"
#include "support/error.hpp"
#include "support/file_kind.hpp"
#include "support/input_file.hpp"
#include "support/json.hpp"
#include "support/numbers.hpp"
#include "support/printable.hpp"
#include "support/text.hpp"

namespace collcast::sweep {
namespace {

/// The file without what is not a setting.
Json settings_of(Json file) {
  for (const std::string_view key : no_settings) file.erase(std::string(key));
  return file;
}

Json object_of(const std::string& text, const std::string& file) {
  Json json = parse_json(text, file);
  if (!json.contains("platform"))
    refuse_other_kinds(file, text, "the cases of a sweep, which name a platform");
  if (!json.is_object()) throw InputError(file + ": a sweep is an object: {\"ask\": \"predict\", ...}");
  for (const char* key : {"about", "ask"})
    if (json.contains(key) && !json[key].is_string())
      throw InputError(file + ": " + key + " must be a string");
  return json;
}

const Verb& verb_of(const Json& file, const std::string& name, std::span<const Verb> verbs) {
  const std::string asked = file.value("ask", std::string("predict"));
  for (const Verb& v : verbs)
    if (v.name == asked) return v;
  throw InputError(name + ": ask \"" + asked +
                   "\" is unknown; expected one of: " + text::join(verbs, ", ", &Verb::name));
}

/// "; ranks, size vary".
std::string varying(const Space& space) {
  std::vector<std::string> keys;
  for (const Axis& axis : space.axes())
    if (space.varies(axis.key)) keys.push_back(axis.key);
  if (keys.empty()) return "; none does";
  return "; " + text::join(keys) + (keys.size() == 1 ? " does" : " do");
}

/// {"along": "ranks", "when": "efficiency", "below": 0.5}.
std::optional<Stop> stop_of(const Json& file, const Space& space, const std::string& name) {
  if (!file.contains("stop")) return {};
  const Json& said = file["stop"];
  const auto is = [&](const char* key) { return said.contains(key) && said[key].is_string(); };
  const bool above = said.is_object() && said.contains("above");
  const char* limit = above ? "above" : "below";
  if (!said.is_object() || said.size() != 3 || !is("along") || !is("when") || !said.contains(limit) ||
      !said[limit].is_number())
    throw InputError(name + R"(: stop must be like {"along": "ranks", "when": "efficiency", "below": 0.5})");
  const Stop stop{said["along"], said["when"], said[limit].get<double>(), above};
  if (!space.is_grid()) throw InputError(name + ": stop goes with a grid, not with samples");
  if (!space.varies(stop.along))
    throw InputError(name + ": stop goes along \"" + stop.along + "\", which is no setting that varies" +
                     varying(space));
  return stop;
}

/// Rows have no number of the name that a `Stop` has.
struct NothingToStopAt : InputError {
  using InputError::InputError;
};

std::string numbers_of(const Json& row) {
  std::string names;
  for (const auto& [key, value] : row.items())
    if (value.is_number()) names += (names.empty() ? "" : ", ") + key;
  return names;
}

/// Whether a point's rows are all beyond the limit. Throws InputError where one has no such number.
bool beyond(const Stop& stop, const Json& rows) {
  for (const Json& row : rows) {
    const Json value = row.value(stop.when, Json("missing"));
    if (value.is_null()) throw InputError("its rows have no number \"" + stop.when + "\" to stop at");
    if (!value.is_number())
      throw NothingToStopAt("stop: rows have no number \"" + stop.when +
                            "\"; theirs are: " + numbers_of(row));
    const auto number = value.get<double>();
    if (stop.above ? number <= stop.limit : number >= stop.limit) return false;
  }
  return !rows.empty();
}

/// Takes the outcomes of a sweep's points one after the other. Throws InputError if the first one says that
/// the sweep makes no sense.
class Outcomes {
 public:
  Outcome settled(Outcome one) {
    if (one.kind == Outcome::Kind::answered) answered_ = true;
    if (one.kind != Outcome::Kind::senseless) return one;
    if (!answered_) throw InputError(one.text);
    return {Outcome::Kind::refused, std::move(one.text)};
  }

 private:
  bool answered_ = false;
};

/// Where each line of a grid along the setting of its `Stop` ends. Points behind an end are not asked. If
/// they were asked before the end was known, they are not shown, so that the rows do not depend on the number
/// of processes.
class Ends {
 public:
  explicit Ends(const Sweep& sweep) : sweep_(sweep) {}

  /// Takes the answer of a point.
  void add(std::int64_t number, const Json& answer) {
    if (!sweep_.stop() || !beyond(*sweep_.stop(), answer["rows"])) return;
    const auto [line, place] = on_line(number);
    const auto [end, first] = ends_.emplace(line, place);
    if (!first) end->second = std::min(end->second, place);
  }
  bool behind(std::int64_t number) const {
    if (ends_.empty()) return false;
    const auto [line, place] = on_line(number);
    const auto end = ends_.find(line);
    return end != ends_.end() && place > end->second;
  }
  /// How many points lie behind the ends.
  std::int64_t count() const {
    if (ends_.empty()) return 0;
    const Axis* axis = sweep_.space().axis(sweep_.stop()->along);
    std::int64_t sum = 0;
    for (const auto& [line, place] : ends_) sum += static_cast<std::int64_t>(axis->values.size()) - 1 - place;
    return sum;
  }

 private:
  /// The number of the first point of the point's line, and how far along the line the point is.
  std::pair<std::int64_t, std::int64_t> on_line(std::int64_t number) const {
    const std::string& along = sweep_.stop()->along;
    const std::int64_t place = sweep_.space().place(number, along);
    return {number - place * sweep_.space().stride(along), place};
  }

  const Sweep& sweep_;
  std::map<std::int64_t, std::int64_t> ends_;
};

/// A text that changes with a file: its path, the number of its bytes and their checksum.
std::string fingerprint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t bytes = 0, sum = checksum("");
  for (std::array<char, 65536> part; file.read(part.data(), part.size()), file.gcount() > 0;) {
    const auto read = static_cast<std::size_t>(file.gcount());
    bytes += read;
    sum = checksum({part.data(), read}, sum);
  }
  return path + ' ' + std::to_string(bytes) + ' ' + std::to_string(sum) + '\n';
}

Json value_of(const std::string& text) {
  const auto number = number_in<double>(text);
  if (!number || !std::isfinite(*number)) return text;
  return std::abs(*number) < 1e15 && *number == std::floor(*number) ? Json(static_cast<std::int64_t>(*number))
                                                                    : Json(*number);
}

Json told(const Point& point) {
  Json json = Json::object();
  for (const Setting& s : point) json[column_name(s.key)] = value_of(s.value);
  return json;
}

bool is_answer(const Json& said) {
  const auto all = [&](const char* key, auto is) {
    return said.contains(key) && said[key].is_array() && std::ranges::all_of(said[key], is);
  };
  return said.is_object() && all("rows", [](const Json& row) { return row.is_object(); }) &&
         all("notes", [](const Json& words) { return words.is_string(); });
}

/// A point that was asked: its answer, or the reason why there is none.
struct Finished {
  std::int64_t number = 0;
  Outcome::Kind kind = Outcome::Kind::answered;
  std::string reason;
  Json answer;  ///< its "rows" and "notes"
};

Finished finished(std::int64_t number, const Outcome& outcome) {
  if (outcome.kind != Outcome::Kind::answered) return {number, outcome.kind, outcome.text, {}};
  return {number, outcome.kind, {}, parse_json(outcome.text)};
}

/// Visits the points of a journal. Throws InputError if it holds what this sweep cannot have written.
void visit(const Sweep& sweep, const Journal& journal, const std::function<void(Finished)>& each) {
  journal.each([&](std::int64_t number, const Outcome& outcome) {
    const auto wrong = [&] {
      return InputError("the journal is none of this sweep: it has a point " + std::to_string(number) +
                        " that cannot be");
    };
    if (number < 0 || number >= sweep.space().size() || outcome.kind > Outcome::Kind::lost) throw wrong();
    Finished point = finished(number, outcome);
    if (point.kind == Outcome::Kind::answered && !is_answer(point.answer)) throw wrong();
    each(std::move(point));
  });
}

/// Gives all rows all keys, in the order in which they first came.
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

/// The first line; of several, "a.json and 7 more".
std::string first_line(const std::string& value) {
  const auto more = std::ranges::count(value, '\n');
  return value.substr(0, value.find('\n')) + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

/// The value of a setting that is the same at all points, after `words`: ", engine path"; else empty.
std::string throughout(const Space& space, const std::string& key, const std::string& words) {
  const Axis* axis = space.axis(key);
  return !axis || axis->values.size() != 1 ? "" : words + first_line(axis->values[0]);
}

/// "Which wins?: 12 points of allreduce on summit, engine path"
std::string title(const Sweep& sweep) {
  const Space& space = sweep.space();
  const std::string about = sweep.about().empty() ? std::string(sweep.verb().name) : sweep.about();
  std::string words = about + ": " + text::counted(space.size(), "point");
  for (const char* subject : {"collective", "model", "job", "trace"})
    if (throughout(space, subject, "") != about) words += throughout(space, subject, " of ");
  return words + throughout(space, "platform", " on ") + throughout(space, "engine", ", engine ");
}

/// Throws InputError for a parameter that no platform of the space has, as it is wrong at every point. A
/// value that one platform does not take is refused only at that platform's points.
void check_parameters(const Space& space) {
  const Axis* named = space.axis("platform");
  if (!named) return;
  std::vector<Description> platforms;
  std::vector<std::vector<std::string>> paths;
  for (const Axis& axis : space.axes()) {
    if (!is_parameter(axis.key)) continue;
    if (platforms.empty())
      for (const std::string& name : named->values) {
        platforms.push_back(load_platform(name));
        paths.push_back(settable_paths(platforms.back()));
      }
    const std::string path = column_name(axis.key);
    const auto has = [&](const auto& all) { return std::ranges::find(all, path) != all.end(); };
    const auto first = std::ranges::find_if(paths, has) - paths.begin();
    const auto which = static_cast<std::size_t>(first) % platforms.size();
    check_values(platforms[which], path, values_of(axis));
  }
}

/// Notes the points that failed, by reason: "point 2 (ranks 3) and 4 more failed: ...".
void tell_failed(const Space& space, const Json& failed, std::vector<std::string>& notes) {
  std::vector<std::string> reasons;
  std::map<std::string, std::vector<std::int64_t>> points;
  for (const Json& row : failed) {
    const std::string reason = row["reason"];
    if (points[reason].empty()) reasons.push_back(reason);
    points[reason].push_back(row["point"]);
  }
  for (const std::string& reason : reasons) {
    const std::vector<std::int64_t>& all = points[reason];
    std::string which;
    for (const Setting& s : space.at(all.front()))
      if (space.varies(s.key)) which += (which.empty() ? " (" : ", ") + column_name(s.key) + " " + s.value;
    notes.push_back("point " + std::to_string(all.front()) + which + (which.empty() ? "" : ")") +
                    (all.size() > 1 ? " and " + std::to_string(all.size() - 1) + " more" : "") +
                    " failed: " + reason);
  }
}

/// The summary of points, in their order.
Summary summary_of(const Sweep& sweep, const std::vector<Finished>& points) {
  Summary s;
  Json rows = Json::array(), failed = Json::array();
  std::set<std::string> noted;
  Ends ends(sweep);
  for (const Finished& point : points)
    if (point.kind == Outcome::Kind::answered) ends.add(point.number, point.answer);
  for (const Finished& point : points) {
    if (ends.behind(point.number)) continue;
    if (point.kind != Outcome::Kind::answered) {
      Json row{{"point", point.number}};
      row.update(told(sweep.space().at(point.number)));
      row["reason"] = point.reason;
      failed.push_back(std::move(row));
      continue;
    }
    ++s.answered;
    for (const Json& row : point.answer["rows"]) rows.push_back(row_at(sweep.space(), point.number, row));
    for (const Json& words : point.answer["notes"])
      if (noted.insert(words).second) s.report.notes.push_back(words);
  }
  s.failed = static_cast<std::int64_t>(failed.size());
  s.stopped = ends.count();
  s.missing = sweep.space().size() - s.answered - s.failed - s.stopped;
  if (s.stopped > 0)
    s.report.notes.push_back(text::counted(s.stopped, "point") + (s.stopped == 1 ? " was" : " were") +
                             " left out: along " + sweep.stop()->along + ", behind one whose " +
                             sweep.stop()->when + " is " + (sweep.stop()->above ? "above " : "below ") +
                             text::exact(sweep.stop()->limit));
  align(rows);
  s.report.head = {{"sweep", sweep.about()}, {"ask", sweep.verb().name}, {"points", sweep.space().size()},
                   {"missing", s.missing},   {"stopped", s.stopped},     {"failed", failed}};
  s.report.title = title(sweep);
  std::vector<report::Column> shown =
      columns_with_settings(sweep.space(), sweep.verb().keys, rows, sweep.verb().columns(sweep.space()));
  s.report.sections.push_back({"rows", std::move(rows), std::move(shown)});
  tell_failed(sweep.space(), failed, s.report.notes);
  return s;
}

/// Whether two points have the same times, and the same things fit into memory.
bool same_answer(const Verb& verb, const Finished& a, const Finished& b) {
  const auto answered = [](const Finished& f) { return f.kind == Outcome::Kind::answered; };
  if (!answered(a) || !answered(b)) return false;
  return std::ranges::equal(a.answer["rows"], b.answer["rows"], [&](const Json& x, const Json& y) {
    const auto time = [&](const Json& row) { return Seconds(row.value(verb.time, 0.0)); };
    return !moved({time(x)}, {time(y)}) && x.value("fits", Json()) == y.value("fits", Json());
  });
}

/// For each pair of neighbouring values of a setting: whether no point's answer differs between the two.
std::vector<bool> same_answers(const Sweep& sweep, const Axis& axis, const std::vector<Finished>& points) {
  std::vector<bool> same(axis.values.size() - 1, true);
  for (const Finished& point : points) {
    const std::int64_t place = sweep.space().place(point.number, axis.key);
    if (place == 0) continue;
    const Finished& before = points[static_cast<std::size_t>(point.number - sweep.space().stride(axis.key))];
    if (!same_answer(sweep.verb(), before, point)) same[static_cast<std::size_t>(place - 1)] = false;
  }
  return same;
}

/// What binds instead between two values, asked at the last of the points.
std::string what_binds(const Sweep& sweep, const Axis& axis, std::size_t from, std::size_t to) {
  if (!sweep.verb().binds_instead) return {};
  const std::int64_t last = sweep.space().size() - 1, stride = sweep.space().stride(axis.key),
                     end = static_cast<std::int64_t>(axis.values.size()) - 1;
  const auto at = [&](std::size_t place) {
    return sweep.space().at(last - (end - static_cast<std::int64_t>(place)) * stride);
  };
  const std::string words =
      sweep.verb().binds_instead(composed(at(to)), composed(at(from)), column_name(axis.key));
  return words.empty() ? words : "; the limit is " + words;
}

/// Adds notes on values of a platform's parameters that move no answer at any point of a grid.
void tell_without_effect(report::Report& report, const Sweep& sweep, const std::vector<Finished>& points) {
  if (!sweep.space().is_grid()) return;
  for (const Axis& axis : sweep.space().axes()) {
    if (!is_parameter(axis.key) || axis.values.size() < 2) continue;
    const std::vector<bool> same = same_answers(sweep, axis, points);
    for (std::size_t from = 0; from < same.size(); ++from) {
      std::size_t to = from;
      while (to < same.size() && same[to]) ++to;
      if (to == from) continue;
      report.notes.push_back(column_name(axis.key) + " from " + axis.values[from] + " to " + axis.values[to] +
                             " does not change the answer" + what_binds(sweep, axis, from, to));
      from = to;
    }
  }
}

}  // namespace

Json row_at(const Space& space, std::int64_t number, const Json& answered) {
  Json row{{"point", number}};
  for (const Setting& s : space.at(number))
    if (space.varies(s.key) && s.key != "size" && !answered.contains(column_name(s.key)))
      row[column_name(s.key)] = value_of(s.value);
  row.update(answered);
  return row;
}

std::vector<report::Column> columns_with_settings(const Space& space, std::span<const Key> keys,
                                                  const Json& rows, std::vector<report::Column> answered) {
  const auto words = [](const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.is_null() ? "-" : dump(value);
  };
  std::vector<report::Column> all;
  for (const Axis& axis : space.axes()) {
    const std::string key = column_name(axis.key);
    const auto own = std::ranges::find(keys, axis.key, &Key::name);
    const bool shown =
        own != keys.end() && std::ranges::find(answered, axis.key, &report::Column::title) != answered.end();
    if (shown || !space.varies(axis.key) || (!rows.empty() && !rows[0].contains(key))) continue;
    const bool is_size = own != keys.end() && own->kind == Kind::size;
    all.push_back({key, [=](const Json& row) {
                     return is_size && row[key].is_number() ? text::bytes(row[key]) : words(row[key]);
                   }});
  }
  std::ranges::move(answered, std::back_inserter(all));
  return all;
}

Sweep::Sweep(const std::string& text, const std::string& file, std::span<const Verb> verbs) try
    : Sweep(verbs, object_of(text, file), file) {
} catch (const InputError& e) {
  throw InputError(printable(e.what()));  // words quoted from the file may contain line ends
}

Sweep::Sweep(std::span<const Verb> verbs, const Json& said, const std::string& file)
    : text_(dump(said)),
      about_(said.value("about", std::string())),
      verb_(&verb_of(said, file, verbs)),
      space_(settings_of(said), verb_->keys, said.value("sample", Json()), file),
      stop_(stop_of(said, space_, file)) {
  for (const std::string& key : verb_->needed)
    if (!space_.axis(key)) throw InputError(file + ": \"" + key + "\" is missing");
  for (const Key& key : verb_->keys)
    if (key.check) check_names(space_, std::string(key.name), key.check);
  if (verb_->check) verb_->check(space_);
  check_parameters(space_);
}

Identity Sweep::identity(const std::string& program) const {
  std::string platforms;
  if (const Axis* axis = space_.axis("platform"))
    for (const std::string& name : axis->values) platforms += load_platform(name).text() + '\n';
  for (const Axis& a : space_.axes())
    for (const std::string& value : a.values)
      if (a.key != "platform")
        for (const std::string& file : files_like(value)) platforms += fingerprint(file);
  return {text_, platforms, program};
}

Outcome answer(const Sweep& sweep, std::int64_t number) {
  return answer(sweep.verb(), sweep.space().at(number), sweep.stop());
}

Outcome answer(const Verb& verb, const Point& point, const std::optional<Stop>& stop) {
  try {
    const Rows rows = verb.answer(composed(point));
    if (stop) beyond(*stop, rows.rows);
    return {Outcome::Kind::answered, dump(Json{{"rows", rows.rows}, {"notes", rows.notes}})};
  } catch (const NothingToStopAt& e) {
    return {Outcome::Kind::senseless, e.what()};
  } catch (const InputError& e) {
    return {Outcome::Kind::refused, e.what()};
  } catch (const std::exception& e) {
    return {Outcome::Kind::lost, words_of(e)};
  }
}

void run(const Sweep& sweep, Part part, Journal& journal, const HandOut& hand_out,
         const std::function<void(std::int64_t, std::int64_t)>& progress) {
  std::set<std::int64_t> done;
  Ends ends(sweep);
  Outcomes outcomes;
  const auto ends_at = [&](const Finished& point) {
    if (point.kind == Outcome::Kind::answered) ends.add(point.number, point.answer);
  };
  visit(sweep, journal, [&](const Finished& point) {
    if (point.kind != Outcome::Kind::lost) done.insert(point.number);
    outcomes.settled({point.kind, point.reason});
    ends_at(point);
  });
  const auto settled = [&](const Outcome& one) {
    try {
      return outcomes.settled(one);
    } catch (const InputError&) {
      journal.discard();
      throw;
    }
  };
  const std::int64_t all = sweep.space().size();
  std::int64_t at = part.number, known = static_cast<std::int64_t>(done.size());
  const auto next = [&]() -> std::optional<std::int64_t> {
    while (at < all && (done.contains(at) || ends.behind(at))) at += part.of;
    if (at >= all) return {};
    const std::int64_t number = at;
    at += part.of;
    return number;
  };
  hand_out(
      next, [&](std::int64_t number) { return answer(sweep, number); },
      [&](std::int64_t number, const Outcome& one) {
        const Outcome outcome = settled(one);
        journal.add(number, outcome);
        if (sweep.stop()) ends_at(finished(number, outcome));
        progress(++known, all);
      });
}

Summary answers(const Sweep& sweep, const HandOut& hand_out,
                const std::function<void(std::int64_t, std::int64_t)>& progress) {
  const std::int64_t count = sweep.space().size();
  Outcomes heard;
  const std::vector<Outcome> all = outcomes(
      count, hand_out, [&](std::int64_t number) { return answer(sweep, number); },
      [&](std::int64_t finished, const Outcome& one) {
        heard.settled(one);
        progress(finished, count);
      });
  std::vector<Finished> points;
  for (std::int64_t number = 0; number < count; ++number)
    points.push_back(finished(number, all[static_cast<std::size_t>(number)]));
  Summary s = summary_of(sweep, points);
  tell_without_effect(s.report, sweep, points);
  return s;
}

Summary summary(const Sweep& sweep, const Journal& journal) {
  std::vector<Finished> points;
  visit(sweep, journal, [&](Finished point) { points.push_back(std::move(point)); });
  return summary_of(sweep, points);
}

}  // namespace collcast::sweep
