// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace collcast {

/// A number that a text begins with, and what follows it.
template <class T>
struct LeadingNumber {
  T value;
  std::string_view rest;
};

/// Nothing if the text begins with no number that T holds.
template <class T>
std::optional<LeadingNumber<T>> leading_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return {};
  return LeadingNumber<T>{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

/// The number that a text begins with; `otherwise` if that is none that T holds.
template <class T>
T leading_or(std::string_view text, T otherwise) {
  const auto number = leading_number<T>(text);
  return number ? number->value : otherwise;
}

/// The number that the whole text is; nothing if it is none that T holds.
template <class T>
std::optional<T> number_in(std::string_view text) {
  const auto number = leading_number<T>(text);
  return number && number->rest.empty() ? std::optional(number->value) : std::nullopt;
}

/// Parses a whole number in [least, most], written in digits only. Throws InputError, which calls it `what`.
std::int64_t parse_count(const std::string& text, const std::string& what, std::int64_t least,
                         std::int64_t most);

/// Parses a decimal number in [least, most]. Throws InputError, which calls it `what`.
double parse_number(const std::string& text, const std::string& what, double least, double most);

}  // namespace collcast
