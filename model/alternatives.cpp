// SPDX-License-Identifier: Apache-2.0
#include "model/alternatives.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "model/ranges.hpp"
#include "model/sizes.hpp"
#include "support/decimal.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

constexpr std::size_t most_alternatives = 100'000;

struct Unit {
  std::string_view name;
  double value;
};
constexpr Unit size_units[] = {{"GiB", 0x1p30}, {"MiB", 0x1p20}, {"KiB", 0x1p10}, {"", 1},
                               {"GB", 1e9},     {"MB", 1e6},     {"KB", 1e3}};
constexpr Unit time_units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}};

/// The shortest text of a value, such as "16MiB" for 16777216, in any unit that the value has at least one
/// of.
std::string shortest(double value, std::span<const Unit> units) {
  std::string best;
  const double least = std::ranges::min(units, {}, &Unit::value).value;
  for (const Unit& unit : units) {
    if (value < unit.value && unit.value > least) continue;
    const std::string text = decimal::shortened(value / unit.value, 12) + std::string(unit.name);
    if (best.empty() || text.size() < best.size()) best = text;
  }
  return best;
}

/// A setting, such as "fusion=16MiB", and the further values that follow it without a key.
struct SettingList {
  std::string key;
  std::vector<std::string> values;
};

/// The settings behind the colon of a name; empty if there are none, or if the first has no key.
std::vector<SettingList> settings_of(const std::string& text) {
  std::vector<SettingList> all;
  const std::size_t colon = text.find(':');
  for (std::size_t from = colon; from < text.size();) {
    const std::size_t end = std::min(text.find(',', from + 1), text.size());
    const std::string part = text.substr(from + 1, end - from - 1);
    const std::size_t equals = part.find('=');
    if (equals != std::string::npos)
      all.push_back({part.substr(0, equals), setting_values(part.substr(equals + 1))});
    else if (all.empty())
      return {};
    else
      std::ranges::copy(setting_values(part), std::back_inserter(all.back().values));
    from = end;
  }
  return all;
}

}  // namespace

SettingNumber parse_number_of_setting(const std::string& text) {
  if (const auto number = leading_number<double>(text)) {
    if (number->rest.empty()) return {parse_number(text, "value", 0, 1e18)};
    const auto* time = std::ranges::find(time_units, number->rest, &Unit::name);
    if (time != std::end(time_units)) return {number->value * time->value, false, true};
  }
  return {parse_size(text, "value").value, true, false};
}

std::string written(const SettingNumber& number) {
  return number.is_size   ? shortest(std::floor(number.value), size_units)
         : number.is_time ? shortest(number.value, time_units)
                          : text::exact(number.value);
}

std::vector<std::string> setting_values(const std::string& text) {
  if (!is_range(text)) return {text};
  const std::size_t first = text.find(':'), second = std::min(text.find(':', first + 1), text.size());
  const std::string stride = text.substr(std::min(second + 1, text.size()));
  const SettingNumber from = parse_number_of_setting(text.substr(0, first)),
                      to = parse_number_of_setting(text.substr(first + 1, second - first - 1));
  const bool is_size = from.is_size || to.is_size, is_time = from.is_time || to.is_time;
  if (is_size && is_time) throw InputError("range '" + text + "' goes from a size to a time, or back");
  if (from.value > to.value) throw InputError("range '" + text + "' is empty: it begins after its end");
  std::string plain = text::exact(from.value) + ':' + text::exact(to.value);
  if (second < text.size())
    plain += ':' + (stride.starts_with('+') && (is_size || is_time)
                        ? '+' + text::exact(parse_number_of_setting(stride.substr(1)).value)
                        : stride);
  std::vector<std::string> values;
  for (const double value : parse_values(plain)) values.push_back(written({value, is_size, is_time}));
  return values;
}

std::vector<std::string> spelled_out(const std::string& text) {
  if (is_file(text)) return {text};
  const std::vector<SettingList> settings = settings_of(text);
  if (settings.empty()) return {text};
  std::vector<std::string> all{text.substr(0, text.find(':'))};
  for (const SettingList& s : settings) {
    if (all.size() * s.values.size() > most_alternatives)
      throw InputError("'" + text + "' stands for more than 100000 cases");
    std::vector<std::string> longer;
    for (const std::string& before : all)
      for (const std::string& value : s.values)
        longer.push_back(before + (&s == settings.data() ? ':' : ',') + s.key + '=' + value);
    all = std::move(longer);
  }
  return all;
}

}  // namespace collcast
