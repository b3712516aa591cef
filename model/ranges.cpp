// SPDX-License-Identifier: Apache-2.0
#include "model/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <unordered_set>

#include "model/sizes.hpp"
#include "support/decimal.hpp"
#include "support/error.hpp"
#include "support/input_file.hpp"
#include "support/numbers.hpp"

namespace collcast {
namespace {

constexpr std::size_t most_values = 100'000;

using Parse = std::function<double(const std::string&)>;
enum class Of : std::uint8_t { integers, reals };

/// Three steps of 0.1 are 0.3.
double rounded(double value) {
  return decimal::rounded(value, 12);
}

/// The step of a range: "x2" or "+64".
std::function<double(double)> stride(const std::string& text, const std::string& range, const Parse& parse,
                                     Of of) {
  const std::string rest = text.substr(std::min<std::size_t>(1, text.size()));
  if (text[0] == 'x') {
    if (const auto factor = number_in<double>(rest); factor && *factor > 1 && std::isfinite(*factor))
      return [by = *factor, of](double v) {
        return of == Of::reals ? rounded(v * by) : std::max(v + 1, std::floor(v * by));
      };
  }
  if (text[0] == '+')
    if (const double step = parse(rest); of == Of::reals ? step > 0 : step >= 1)
      return [step, of](double v) { return of == Of::reals ? rounded(v + step) : v + step; };
  throw InputError("range '" + range + "' ends with '" + text +
                   "'; ranges are like 1KiB:1GiB:x2 and 64:512:+64");
}

void expand(const std::string& text, const Parse& parse, std::vector<double>& values, Of of = Of::integers) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() == 1) return values.push_back(parse(text));
  if (parts.size() > 3)
    throw InputError("range '" + text + "' has too many colons; ranges are like 1KiB:1GiB:x2 and 64:512:+64");
  const auto next = stride(parts.size() == 3 ? parts[2] : "x2", text, parse, of);
  const double first = parse(parts[0]), last = parse(parts[1]);
  if (first > last) throw InputError("range '" + text + "' is empty: it begins after its end");
  if (of == Of::reals && first == 0 && last > 0 && next(0) == 0)
    throw InputError("range '" + text +
                     "' begins at 0, from where no factor leads on; take a step, as in 0:8:+2");
  for (double v = first; v <= last; v = next(v)) {
    if (values.size() == most_values)
      throw InputError("range '" + text + "' has more than 100000 values; take a larger stride");
    values.push_back(v);
  }
}

/// The values of all ranges, each once, where it comes first: 1KiB:64KiB,64KiB:1MiB has one 64 KiB.
std::vector<double> expanded(std::span<const std::string> texts, const Parse& parse) {
  std::vector<double> values;
  for (const std::string& text : texts) expand(text, parse, values);
  std::unordered_set<double> seen;
  std::erase_if(values, [&](double v) { return !seen.insert(v).second; });
  return values;
}

/// Whether a part is a setting: "tp=8" is one, "megatron:tp=8" is not.
bool is_setting(const std::string& part) {
  const auto equals = part.find('=');
  return equals != std::string::npos && part.find(':') > equals;
}

/// Whether a part is another value of the setting before it, as "32MiB" behind "horovod:fusion=16MiB".
bool is_next_value(const std::string& before, const std::string& part) {
  return before.find('=') != std::string::npos && part.find_first_of("0123456789") == 0 && !is_file(part);
}

}  // namespace

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == at)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::vector<Bytes> parse_sizes(std::span<const std::string> texts) {
  const std::vector<double> values =
      expanded(texts, [](const std::string& text) { return parse_size(text).value; });
  return {values.begin(), values.end()};
}

Rank parse_ranks(const std::string& text) {
  return static_cast<Rank>(parse_count(text, "number of ranks", 1, 1 << 24));
}

std::vector<Rank> parse_rank_counts(std::span<const std::string> texts) {
  std::vector<Rank> ranks;
  for (const double v : expanded(texts, parse_ranks)) ranks.push_back(static_cast<Rank>(v));
  return ranks;
}

std::vector<std::int64_t> parse_counts(const std::string& text) {
  std::vector<double> values;
  expand(
      text,
      [](const std::string& part) {
        return static_cast<double>(parse_count(part, "value", 0, std::int64_t{1} << 53));
      },
      values);
  return {values.begin(), values.end()};
}

std::vector<double> parse_values(const std::string& text) {
  std::vector<double> values;
  expand(
      text, [](const std::string& part) { return parse_number(part, "value", 0, 1e18); }, values, Of::reals);
  return values;
}

bool is_range(const std::string& text) {
  return !text.empty() && text.find(':') != std::string::npos && text.find_first_of("0123456789") == 0;
}

std::vector<std::string> listed(const std::string& text) {
  if (text.empty()) return {};
  if (is_file(text)) return {text};
  std::vector<std::string> all;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    const std::string part = text.substr(from, comma - from);
    if (part.empty()) throw InputError("'" + text + "' has an empty item");
    if (!all.empty() && (is_setting(part) || is_next_value(all.back(), part)))
      all.back() += ',' + part;
    else
      all.push_back(part);
    from = comma + 1;
  }
  return all;
}

std::vector<std::string> listed_counts(const std::string& text) {
  std::vector<std::string> all;
  for (const std::string& part : listed(text))
    if (is_range(part))
      std::ranges::transform(parse_counts(part), std::back_inserter(all),
                             [](std::int64_t n) { return std::to_string(n); });
    else
      all.push_back(part);
  return all;
}

}  // namespace collcast
