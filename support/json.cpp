// SPDX-License-Identifier: Apache-2.0
#include "support/json.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "support/error.hpp"
#include "support/file_kind.hpp"

namespace collcast {
namespace {

[[noreturn]] void reject(const std::string& file, const std::string& what) {
  std::string line = file + ": " + what;
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' '; }, '?');
  throw InputError(line);
}

/// What nlohmann::json lets pass: a key given twice, and nesting without end.
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
      begin == std::string_view::npos || std::string_view("{[").find(text[begin]) == std::string_view::npos) {
    refuse_other_kinds(file, text, "JSON");
    reject(file, "is not JSON, which begins with { or [");
  }
  try {
    return Json::parse(text, Strictness{file});
  } catch (const Json::parse_error& e) {
    reject(file, position(text, e.byte) + ": " + reason(e.what()));
  } catch (const Json::exception& e) {
    reject(file, reason(e.what()));
  }
}

}  // namespace collcast
