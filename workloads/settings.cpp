// SPDX-License-Identifier: Apache-2.0
#include "workloads/settings.hpp"

#include <cmath>

#include "model/sizes.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast::workloads {
namespace {

/// The most that a setting may be, and the least if it has to be above 0, so that sums and products remain
/// finite.
constexpr double most_of_a_setting = 1e18, least_of_a_setting = 1e-9;
constexpr Seconds longest_setting(1e9);

}  // namespace

double parse_real(const std::string& text, const std::string& what) {
  if (const auto value = number_in<double>(text); value && std::isfinite(*value)) return *value;
  throw InputError(what + " '" + text + "' is not a number");
}

Seconds parse_time(const std::string& text, const std::string& what) {
  const auto number = leading_number<double>(text);
  if (number && std::isfinite(number->value) && number->value >= 0)
    for (const auto& [name, factor] : {std::pair{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}})
      if (number->rest == name || (number->rest.empty() && number->value == 0)) {
        if (Seconds(number->value * factor) <= longest_setting) return Seconds(number->value * factor);
        throw InputError(what + " takes a time of at most 1e9s, got '" + text + "'");
      }
  throw InputError(what + " '" + text + "' is not understood; times are like 3.5ms, 20us, 1s");
}

Settings::Settings(const std::string& text, std::string what) : what_(std::move(what)) {
  const std::size_t colon = text.find(':');
  name_ = text.substr(0, colon);
  if (colon == std::string::npos) return;
  for (std::size_t at = colon + 1; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, end - at);
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(what_ + " '" + text + "': '" + one + "' is not KEY=VALUE");
    if (!values_.emplace(one.substr(0, equals), one.substr(equals + 1)).second)
      throw InputError(what_ + " '" + text + "' sets '" + one.substr(0, equals) + "' twice");
    at = end + 1;
  }
}

const std::string* Settings::take(const std::string& key) {
  asked_[key] = true;
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

void Settings::reject(const std::string& key, const std::string& value, const std::string& wanted) const {
  throw InputError(what_ + " " + name_ + ": " + key + " takes " + wanted + ", got '" + value + "'");
}

int Settings::count(const std::string& key, int otherwise, int least, int most) {
  const std::string* text = take(key);
  if (!text) return otherwise;
  if (const auto value = number_in<int>(*text); value && *value >= least && *value <= most) return *value;
  reject(key, *text,
         "a whole number from " + std::to_string(least) +
             (most < unbounded ? " to " + std::to_string(most) : ""));
}

double Settings::real(const std::string& key, double otherwise) {
  const std::string* text = take(key);
  if (!text) return otherwise;
  const double value = parse_real(*text, what_ + " " + name_ + ": " + key);
  if (value < 0 || value > most_of_a_setting) reject(key, *text, "a number from 0 to 1e18");
  return value;
}

double Settings::positive(const std::string& key) {
  const double value = real(key, 0);
  if (value < least_of_a_setting && has(key)) reject(key, values_.at(key), "a number from 1e-9 to 1e18");
  return value;
}

Bytes Settings::size(const std::string& key, Bytes otherwise, Bytes least) {
  const std::string* text = take(key);
  if (!text) return otherwise;
  const Bytes size = parse_size(*text, what_ + " " + name_ + ": " + key);
  if (size < least)
    reject(
        key, *text,
        least == Bytes(1) ? "a size above 0" : std::to_string(std::llround(least.value)) + " bytes or more");
  return size;
}

BytesPerSecond Settings::rate(const std::string& key) {
  return BytesPerSecond(1e9 * positive(key));
}

Seconds Settings::time(const std::string& key, Seconds otherwise) {
  const std::string* text = take(key);
  return text ? parse_time(*text, what_ + " " + name_ + ": " + key) : otherwise;
}

bool Settings::flag(const std::string& key, bool otherwise) {
  const std::string* text = take(key);
  if (!text) return otherwise;
  if (*text != "0" && *text != "1") reject(key, *text, "1 or 0");
  return *text == "1";
}

std::string Settings::word(const std::string& key, const std::string& otherwise) {
  const std::string* text = take(key);
  return text ? *text : otherwise;
}

void Settings::finish() const {
  const std::string known = text::join(asked_, ", ", [](const auto& asked) { return asked.first; });
  for (const auto& [key, value] : values_)
    if (!asked_.contains(key))
      throw InputError(what_ + " " + name_ + " has no '" + key +
                       (known.empty() ? "': it takes no settings" : "'; it takes " + known));
}

double above_zero(const std::string& text, const std::string& what) {
  const double value = parse_real(text, what);
  if (value <= 0) throw InputError(what + " must be above 0, got " + text);
  if (value < least_of_a_setting || value > most_of_a_setting)
    throw InputError(what + " must be from 1e-9 to 1e18, got " + text);
  return value;
}

}  // namespace collcast::workloads
