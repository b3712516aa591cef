// SPDX-License-Identifier: Apache-2.0
#include "forecast/sweep/space.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <utility>

#include "model/alternatives.hpp"
#include "model/ranges.hpp"
#include "platforms/description/schema.hpp"
#include "platforms/description/set.hpp"
#include "platforms/network/hash.hpp"
#include "support/error.hpp"
#include "support/json.hpp"
#include "support/suggest.hpp"
#include "support/text.hpp"

namespace collcast::sweep {
namespace {

constexpr std::int64_t most_points = 10'000'000;
/// Halton's sequence takes a prime for each axis that varies.
constexpr std::array primes = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};

[[noreturn]] void reject(const std::string& file, const std::string& key, const std::string& what) {
  throw InputError(file + ": " + key + " " + what);
}

/// A range, or a single value, as texts.
std::vector<std::string> expanded(Kind kind, const std::string& text) {
  const std::vector<std::string> one{text};
  std::vector<std::string> values;
  if (kind == Kind::size)
    for (const Bytes b : parse_sizes(one)) values.push_back(text::exact(b.value));
  else if (kind == Kind::ranks)
    for (const Rank r : parse_rank_counts(one)) values.push_back(std::to_string(r));
  else if (kind == Kind::count && text.find(':') != std::string::npos)
    for (const std::int64_t n : parse_counts(text)) values.push_back(std::to_string(n));
  else if (kind == Kind::number && text.find(':') != std::string::npos)
    for (const double v : parse_values(text)) values.push_back(text::exact(v));
  else if (kind == Kind::named)
    values = spelled_out(text);
  else if (kind == Kind::quantity)
    values = setting_values(text);
  else
    values.push_back(text);
  return values;
}

double bound(const Json& range, const char* key, Kind kind, const std::string& file,
             const std::string& name) {
  if (!range.contains(key)) reject(file, name, "has no \"" + std::string(key) + "\"");
  const Json& value = range[key];
  if (value.is_number()) return value.get<double>();
  if (kind == Kind::size && value.is_string()) {
    const std::vector<std::string> one{value.get<std::string>()};
    return parse_sizes(one).at(0).value;
  }
  reject(file, name + "." + key, "must be a number");
}

void check_interval(const Axis& axis, const std::string& file) {
  if (!(axis.from < axis.to)) reject(file, axis.key, "is empty: from must be less than to");
  if (axis.logarithmic && axis.from <= 0)
    reject(file, axis.key, "begins at 0, which a log scale does not have");
}

bool is_logarithmic(const Json& range, const std::string& file, const std::string& name) {
  for (const auto& [key, value] : range.items())
    if (key != "from" && key != "to" && key != "scale")
      reject(file, name, "knows no \"" + key + "\"; it has from, to and scale");
  const Json scale = range.value("scale", Json("linear"));
  if (scale != "linear" && scale != "log") reject(file, name + ".scale", "must be \"linear\" or \"log\"");
  return scale == "log";
}

/// Reads {"from": 1, "to": 100, "scale": "log"}.
Axis interval(const Json& range, Kind kind, const std::string& file, const std::string& name) {
  if (kind == Kind::word || kind == Kind::named) reject(file, name, "must be a word or a list of words");
  const bool logarithmic = is_logarithmic(range, file, name);
  Axis axis{name, {}, bound(range, "from", kind, file, name), bound(range, "to", kind, file, name)};
  axis.whole = kind != Kind::number;
  for (const double end : {axis.from, axis.to})
    if (axis.whole && end != std::floor(end))
      reject(file, name, "goes between whole numbers, not " + text::exact(end));
  axis.logarithmic = logarithmic;
  check_interval(axis, file);
  return axis;
}

/// {"from": "1MiB", "to": "64MiB"}, {"from": 1, "to": 8}: sizes and whole numbers stay whole.
Axis setting_interval(const Json& range, const std::string& file, const std::string& name) {
  Axis axis{.key = name, .values = {}, .logarithmic = is_logarithmic(range, file, name), .whole = true};
  for (const auto& [key, end] : {std::pair{"from", &axis.from}, {"to", &axis.to}}) {
    if (!range.contains(key)) reject(file, name, "has no \"" + std::string(key) + "\"");
    const Json& value = range[key];
    if (!value.is_number() && !value.is_string()) reject(file, name + "." + key, "must be a number");
    try {
      const SettingNumber q =
          parse_number_of_setting(value.is_string() ? value.get<std::string>() : dump(value));
      *end = q.value;
      axis.is_time |= q.is_time;
      if (!q.is_size && !value.is_number_integer()) axis.whole = false;
    } catch (const InputError& e) {
      reject(file, name + "." + key + ":", e.what());
    }
  }
  check_interval(axis, file);
  return axis;
}

/// The values of `list`, each as texts by `texts`.
template <class Texts>
Axis listed_axis(const Json& values, const std::string& file, const std::string& name, const Texts& texts) {
  const Json list = values.is_array() ? values : Json::array({values});
  if (list.empty()) reject(file, name, "is an empty list");
  Axis axis{name, {}};
  for (const Json& value : list) {
    if (!value.is_string() && !value.is_number() && !value.is_boolean())
      reject(file, name, "must be a value, a range like \"1KiB:1GiB:x2\" or a list of them");
    const std::string text = value.is_string() ? value.get<std::string>() : dump(value);
    try {
      std::ranges::copy(texts(text), std::back_inserter(axis.values));
    } catch (const InputError& e) {
      reject(file, name + ":", e.what());
    }
  }
  return axis;
}

Axis axis_of(const Json& values, Kind kind, const std::string& file, const std::string& name) {
  if (values.is_object())
    return kind == Kind::quantity ? setting_interval(values, file, name) : interval(values, kind, file, name);
  return listed_axis(values, file, name, [kind](const std::string& text) { return expanded(kind, text); });
}

/// The key whose setting this is: "framework" for "framework.fusion"; empty for other keys.
std::string owner(const std::string& key) {
  const auto dot = key.find('.');
  return dot == std::string::npos || is_parameter(key) ? "" : key.substr(0, dot);
}

bool is_setting_of(const std::string& key, std::span<const Key> keys) {
  const auto of = std::ranges::find(keys, owner(key), &Key::name);
  return of != keys.end() && of->kind == Kind::named && key.back() != '.';
}

/// All keys that a file may have.
std::vector<std::string> names(std::span<const Key> keys) {
  std::vector<std::string> all;
  for (const Key& k : keys) all.emplace_back(k.name);
  all.emplace_back("set");
  all.insert(all.end(), no_settings.begin(), no_settings.end());
  return all;
}

double unit(std::uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// The digits of a base: 0, and the others in an order drawn by the seed. Unscrambled digits of neighbouring
/// bases would go together.
std::vector<int> scrambled_digits(int base, std::uint64_t seed) {
  std::vector<int> digits(static_cast<std::size_t>(base));
  std::iota(digits.begin(), digits.end(), 0);
  for (std::size_t i = digits.size() - 1; i > 1; --i) std::swap(digits[i], digits[1 + mixed(seed + i) % i]);
  return digits;
}

/// The digits of a number, mirrored at the point.
double mirrored(std::int64_t number, const std::vector<int>& digits) {
  const auto base = static_cast<std::int64_t>(digits.size());
  double value = 0, weight = 1.0 / static_cast<double>(base);
  for (; number > 0; number /= base, weight /= static_cast<double>(base))
    value += weight * digits[static_cast<std::size_t>(number % base)];
  return value;
}

std::string text_at(const Axis& axis, double value) {
  if (!axis.is_time) return text::exact(value);
  const double digit = std::pow(10, std::floor(std::log10(value)) - 5);
  return written({value > 0 ? std::round(value / digit) * digit : 0, false, true});
}

/// The value at a place in [0, 1).
std::string value_at(const Axis& axis, double place) {
  if (!axis.values.empty()) {
    const auto count = static_cast<double>(axis.values.size());
    return axis.values[static_cast<std::size_t>(std::min(place * count, count - 1))];
  }
  if (axis.whole && !axis.logarithmic)
    return text_at(axis, std::floor(axis.from + place * (axis.to + 1 - axis.from)));
  const double value = axis.logarithmic ? axis.from * std::pow(axis.to / axis.from, place)
                                        : axis.from + place * (axis.to - axis.from);
  return text_at(axis, axis.whole ? std::round(value) : value);
}

/// Whether a value is an assignment to another parameter. Those of a library's settings, as in
/// nccl-2.8:algo=Ring,proto=LL, are not.
bool names_parameter(const std::string& value) {
  const std::string key = value.substr(0, value.find('='));
  return key.size() < value.size() && key.find('.') != std::string::npos &&
         key.find(':') == std::string::npos;
}

}  // namespace

bool is_parameter(const std::string& key) {
  return key.starts_with("set.");
}

std::string column_name(const std::string& key) {
  return is_parameter(key) ? key.substr(4) : key;
}

std::vector<std::string> values_of(const Axis& axis) {
  if (!axis.values.empty()) return axis.values;
  return {text_at(axis, axis.from), text_at(axis, axis.to)};
}

std::vector<std::string> values_set(const std::string& assignment) {
  const auto equals = assignment.find('=');
  const std::string text = assignment.substr(equals + 1);
  const Schema* form = &platform_schema();
  std::istringstream keys(assignment.substr(0, equals));
  for (std::string key; form && std::getline(keys, key, '.');) form = find(*form, key);
  if (form && form->kind == Schema::Kind::list) return {text};
  const std::vector<std::string> values = split(text, ',');
  for (const std::string& value : values)
    if (names_parameter(value))
      throw InputError("--set '" + assignment + "': " + value + " takes a --set of its own");
  return values;
}

std::vector<SetCase> set_cases(const std::vector<std::string>& assignments) {
  std::vector<SetCase> all(1);
  for (const std::string& assignment : assignments) {
    const std::string path = assignment.substr(0, assignment.find('=') + 1);
    std::vector<std::string> values;
    for (const std::string& text : values_set(assignment))
      for (const std::string& value : setting_values(text)) values.push_back(path + value);
    std::vector<SetCase> more;
    for (const SetCase& one : all)
      for (const std::string& value : values) {
        more.push_back(one);
        more.back().set.push_back(value);
        if (values.size() > 1) more.back().chosen.push_back(value);
      }
    all = std::move(more);
  }
  return all;
}

Point composed(const Point& point) {
  Point whole;
  for (const Setting& s : point)
    if (owner(s.key).empty()) whole.push_back(s);
  for (const Setting& s : point) {
    const std::string of = owner(s.key);
    const auto name = std::ranges::find(whole, of, &Setting::key);
    if (of.empty() || name == whole.end()) continue;
    name->value += (name->value.find(':') == std::string::npos ? ':' : ',') + s.key.substr(of.size() + 1) +
                   '=' + s.value;
  }
  return whole;
}

Space::Space(const Json& settings, std::span<const Key> keys, const Json& sample, const std::string& file) {
  for (const auto& [key, value] : settings.items())
    if (key != "set" && std::ranges::find(keys, key, &Key::name) == keys.end() && !is_setting_of(key, keys))
      reject(file, "\"" + key + "\"", "is not a key here" + suggestion(key, names(keys)));
    else if (const std::string of = owner(key); !of.empty() && !settings.contains(of))
      reject(file, "\"" + key + "\"", "needs \"" + of + "\": the name whose setting it is");
  bool overridden = false;
  for (const Key& key : keys) {
    const std::string name(key.name);
    if (settings.contains(name)) axes_.push_back(axis_of(settings[name], key.kind, file, name));
    if (key.kind == Kind::named) add_settings(settings, name, file);
    if (overridden || !settings.contains("set")) continue;
    overridden = true;
    if (!settings["set"].is_object())
      reject(file, "set", "must hold parameters and their values, as {\"network.bandwidth_GBps\": [10, 25]}");
    for (const auto& [path, value] : settings["set"].items())
      axes_.push_back(axis_of(value, is_count(path) ? Kind::count : Kind::number, file, "set." + path));
  }
  read_sample(sample, file);
}

void Space::add_settings(const Json& settings, const std::string& name, const std::string& file) {
  for (const auto& [key, value] : settings.items())
    if (owner(key) == name) axes_.push_back(axis_of(value, Kind::quantity, file, key));
}

void Space::read_sample(const Json& sample, const std::string& file) {
  if (sample.is_null() || sample == "grid") {
    for (const Axis& a : axes_) {
      if (a.values.empty())
        reject(file, a.key, "goes from one number to another, which a grid cannot; sample it");
      if (size_ > most_points / static_cast<std::int64_t>(a.values.size()))
        throw InputError(file + ": the grid has more than 10,000,000 points; sample it");
      size_ *= static_cast<std::int64_t>(a.values.size());
    }
    return;
  }
  const char* accepted =
      R"(must be "grid", {"random": 1000, "seed": 1} or {"low-discrepancy": 1000, "seed": 1})";
  const bool random = sample.is_object() && sample.contains("random");
  const char* kind = random ? "random" : "low-discrepancy";
  if (!sample.is_object() || !sample.contains(kind)) reject(file, "sample", accepted);
  if (sample.contains("seed") && !sample["seed"].is_number_unsigned())
    reject(file, "sample", "takes a seed that is a whole number from 0, not " + dump(sample["seed"]));
  for (const auto& [key, value] : sample.items())
    if ((key != kind && key != "seed") || !value.is_number_unsigned()) reject(file, "sample", accepted);
  sampling_ = random ? Sampling::random : Sampling::low_discrepancy;
  const auto points = sample[kind].get<std::uint64_t>();
  seed_ = sample.value("seed", std::uint64_t{1});
  if (points < 1 || points > most_points)
    reject(file, "sample", "takes 1 to 10,000,000 points, not " + dump(sample[kind]));
  size_ = static_cast<std::int64_t>(points);
  if (random) return;
  std::size_t varying = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    digits_.emplace_back();
    if (axes_[i].values.size() == 1) continue;
    if (varying == primes.size())
      reject(file, "sample", "by low discrepancy takes at most 16 settings that vary; take random ones");
    digits_.back() = scrambled_digits(primes[varying++], mixed(seed_ + i));
  }
}

double Space::coordinate(std::int64_t number, std::size_t axis) const {
  const std::uint64_t own = mixed(seed_ ^ mixed(axis));
  if (sampling_ == Sampling::random) return unit(mixed(own + static_cast<std::uint64_t>(number)));
  if (digits_[axis].empty()) return 0;
  const double place = mirrored(number + 1, digits_[axis]) + unit(own);  // shifted: Cranley & Patterson 1976
  return place - std::floor(place);
}

const Axis* Space::axis(std::string_view key) const {
  const auto found = std::ranges::find(axes_, key, &Axis::key);
  return found == axes_.end() ? nullptr : &*found;
}

Point Space::at(std::int64_t number) const {
  Point point(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    const Axis& a = axes_[i];
    point[i].key = a.key;
    if (sampling_ == Sampling::grid) {
      const auto count = static_cast<std::int64_t>(a.values.size());
      point[i].value = a.values[static_cast<std::size_t>(number % count)];
      number /= count;
    } else {
      point[i].value = value_at(a, coordinate(number, i));
    }
  }
  return point;
}

std::int64_t Space::stride(const std::string& key) const {
  std::int64_t stride = 1;
  for (std::size_t i = axes_.size(); i-- > 0 && axes_[i].key != key;)
    stride *= static_cast<std::int64_t>(axes_[i].values.size());
  return stride;
}

std::int64_t Space::place(std::int64_t number, const std::string& key) const {
  return number / stride(key) % static_cast<std::int64_t>(axis(key)->values.size());
}

bool Space::varies(const std::string& key) const {
  const Axis* of = axis(key);
  return of && of->values.size() != 1;
}

void check_names(const Space& space, const std::string& key,
                 const std::function<void(const std::string&)>& check) {
  constexpr std::int64_t most_asked = 10'000;
  const Axis* names = space.axis(key);
  if (!names || names->values.empty()) return;
  std::vector<const Axis*> axes{names};
  for (const Axis& axis : space.axes())
    if (owner(axis.key) == key) axes.push_back(&axis);
  if (axes.size() == 1) {
    for (const std::string& name : names->values) check(name);
    return;
  }
  using Text = std::pair<std::string, std::string>;
  std::map<Text, InputError> wrong;  // by value: the error of its first combination
  std::set<Text> right;
  std::int64_t count = 1;
  for (const Axis* axis : axes)
    count = std::min(most_asked, count * static_cast<std::int64_t>(values_of(*axis).size()));
  for (std::int64_t number = 0; number < count; ++number) {
    Point point;
    std::int64_t rest = number;
    for (const Axis* axis : axes) {
      const std::vector<std::string> values = values_of(*axis);
      const auto of = static_cast<std::int64_t>(values.size());
      point.push_back({axis->key, values[static_cast<std::size_t>(rest % of)]});
      rest /= of;
    }
    try {
      check(composed(point)[0].value);
      for (const Setting& s : point) right.insert({s.key, s.value});
    } catch (const InputError& e) {
      for (const Setting& s : point) wrong.emplace(Text{s.key, s.value}, e);
    }
  }
  for (const auto& [value, error] : wrong)
    if (!right.contains(value)) throw InputError(error);
}

}  // namespace collcast::sweep
