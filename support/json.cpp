// SPDX-License-Identifier: Apache-2.0
#include "support/json.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>
#include <vector>

#include "support/error.hpp"
#include "support/file_kind.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

[[noreturn]] void reject(const std::string& file, const std::string& what) {
  std::string line = file + ": " + what;
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' '; }, '?');
  throw InputError(line);
}

/// A parser callback that refuses what nlohmann::json accepts: a key given twice, and unlimited nesting.
struct Strictness {
  const std::string& file;
  std::vector<std::set<std::string>> keys = {};

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > 32) reject(file, "nested more than 32 levels deep");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      reject(file, "the key " + parsed.get<std::string>() + " appears twice in one object");
    return true;
  }
};

/// Line and column, counted from 1, of a byte of the text.
std::string position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return "line " + std::to_string(line) + ", column " + std::to_string(before.size() - begin + 1);
}

/// "syntax error while parsing ..." without the library's prefix and position.
std::string reason(const std::string& what) {
  const std::size_t at = what.find("syntax error");
  return at == std::string::npos ? what.substr(what.find("] ") + 2) : what.substr(at);
}

/// The word of letters, digits and the signs _.+- around position `at`; empty if there is none.
std::string word_at(std::string_view text, std::size_t at) {
  const auto belongs = [](unsigned char c) { return std::isalnum(c) || std::strchr("_.+-", c); };
  if (!belongs(text[at])) return {};
  std::size_t begin = at, end = at;
  while (begin > 0 && belongs(text[begin - 1])) --begin;
  while (end < text.size() && belongs(text[end])) ++end;
  return std::string(text.substr(begin, std::min(end - begin, std::size_t{40})));
}

/// An error message if other languages allow what is written here and JSON does not; empty if something else
/// is wrong.
std::string habit(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const std::size_t before = text.substr(0, at).find_last_not_of(" \t\r\n");
  switch (text[at]) {
    case '/':
    case '#':
      return "JSON has no comments";
    case '\'':
      return "JSON's names and texts are in double quotes";
    case '}':
    case ']':
      return before != std::string_view::npos && text[before] == ',' ? "JSON has no comma after the last"
                                                                     : "";
  }
  const std::string word = word_at(text, at);
  if (word.empty()) return {};
  if (std::isdigit(static_cast<unsigned char>(word[0])) || word[0] == '.' || word[0] == '+')
    return "'" + word + "' is no number in JSON, which has such as 1000, 0.5 and 1e6";
  const std::string lower = text::lower(word);
  if (lower == "nan" || lower.ends_with("inf") || lower.ends_with("infinity"))
    return "JSON has no NaN and no infinity";
  if (lower == "true" || lower == "false" || lower == "none" || lower == "null")
    return "JSON has true, false and null, not " + word;
  return before == std::string_view::npos || text[before] == ':' || text[before] == '['
             ? ""
             : "'" + word + "' is not in double quotes";
}

}  // namespace

std::string dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string ascii(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

bool is_utf8(const Json& json) {
  return ascii(json).find("\\ufffd") == std::string::npos;
}

Json parse_json(std::string_view text) {
  return Json::parse(text, nullptr, false);
}

Json parse_json(const std::vector<std::uint8_t>& text) {
  return Json::parse(text, nullptr, false);
}

Json parse_json(std::string_view text, const std::string& file) {
  if (const std::size_t begin = text.find_first_not_of(" \t\r\n");
      begin == std::string_view::npos || std::string_view("{[").find(text[begin]) == std::string_view::npos ||
      text.substr(0, 4).find('\0') != std::string_view::npos) {
    refuse_other_kinds(file, text, "JSON");
    reject(file, "is not JSON, which begins with { or [");
  }
  try {
    return Json::parse(text, Strictness{file});
  } catch (const Json::parse_error& e) {
    const std::string other = habit(text, e.byte > 0 ? e.byte - 1 : 0);
    reject(file,
           position(text, e.byte) + ": " + (other.empty() ? reason(e.what()) : "syntax error: " + other));
  } catch (const Json::exception& e) {
    reject(file, reason(e.what()));
  }
}

}  // namespace collcast
