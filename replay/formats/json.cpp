// SPDX-License-Identifier: Apache-2.0
#include "replay/formats/json.hpp"

#include <simdjson.h>

#include <cctype>
#include <cstring>

#include "replay/formats/input.hpp"
#include "support/error.hpp"
#include "support/numbers.hpp"
#include "support/text.hpp"

namespace collcast {
namespace {

using simdjson::dom::element;
static_assert(sizeof(element) <= 16 && std::is_trivially_copyable_v<element>);

element get(const std::byte* bytes) {
  element e;
  std::memcpy(&e, bytes, sizeof e);
  return e;
}

constexpr std::size_t largest_value = std::size_t{1} << 26;

/// Cuts a stream into JSON values by their brackets and quotes, without looking into them.
class Cutter {
 public:
  explicit Cutter(const std::string& path) : input_(path) {}

  /// The next byte that is no white space; 0 at the end.
  char peek() {
    while (fill() && std::isspace(static_cast<unsigned char>(buffer_[at_]))) ++at_;
    return at_ < buffer_.size() ? buffer_[at_] : '\0';
  }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  /// The text of the next value; false if the file ends in it.
  bool value(std::string& text) {
    text.clear();
    int depth = 0;
    bool quoted = false, escaped = false;
    peek();
    std::size_t begin = at_;
    while (true) {
      if (at_ == buffer_.size()) {
        text.append(buffer_, begin, at_ - begin);
        if (text.size() > largest_value) throw InputError(input_.path() + ": has a JSON value over 64 MiB");
        if (!fill()) return false;
        begin = at_;
      }
      const char c = buffer_[at_];
      if (quoted) {
        quoted = escaped || c != '"';
        escaped = !escaped && c == '\\';
      } else if (c == '"') {
        quoted = true;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if (c == '}' || c == ']') {
        if (depth == 0) break;
        --depth;
        if (depth == 0) {
          ++at_;
          break;
        }
      } else if ((c == ',' || c == ':') && depth == 0) {
        break;
      }
      ++at_;
    }
    text.append(buffer_, begin, at_ - begin);
    if (text.size() > largest_value) throw InputError(input_.path() + ": has a JSON value over 64 MiB");
    return true;
  }

 private:
  bool fill() {
    if (at_ < buffer_.size()) return true;
    buffer_.resize(std::size_t{1} << 18);
    buffer_.resize(input_.read(buffer_.data(), buffer_.size()));
    at_ = 0;
    return !buffer_.empty();
  }

  Input input_;
  std::string buffer_;
  std::size_t at_ = 0;
};

void refuse_more(Cutter& cutter, const std::string& path) {
  if (cutter.peek() != '\0')
    throw InputError(path + ": goes on behind the end of its JSON; a file has one trace");
}

/// Reads elements up to the array's end; its '[' was taken before. Returns whether the end came.
bool read_array(Cutter& cutter, JsonText& json, const std::function<void(JsonValue)>& element_read,
                JsonEnd& end) {
  std::string text;
  while (true) {
    while (cutter.take(',')) continue;
    if (cutter.take(']')) return true;
    if (cutter.peek() == '\0' || !cutter.value(text)) return false;
    if (text.empty()) return false;
    const JsonValue value = json.parse(text);
    if (value.null())
      ++end.damaged;
    else
      element_read(value);
  }
}

/// Bytes of the character in `text` that begins at `at`; 0 if it may not stand in a JSON string.
std::size_t character(std::string_view text, std::size_t at) {
  const auto c = static_cast<unsigned char>(text[at]);
  if (c == '\\' && at + 1 < text.size())
    return std::string_view("\"\\/bfnrtu").find(text[at + 1]) == std::string_view::npos ? 0 : 2;
  if (c < 0x80) return c < 0x20 || c == '\\' ? 0 : 1;
  const std::size_t bytes = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
  return at + bytes <= text.size() && simdjson::validate_utf8(text.data() + at, bytes) ? bytes : 0;
}

/// Makes JSON of text that profilers write and JSON forbids: NaN and infinities become null, and characters
/// that may not be in a string a '?'.
std::string repaired(std::string_view text) {
  std::string made;
  made.reserve(text.size());
  bool quoted = false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t bytes = 1;
    if (text[at] == '"') {
      quoted = !quoted;
    } else if (quoted) {
      bytes = character(text, at);
      if (bytes == 0) made += '?', ++at;
    } else {
      const auto end = std::min(text.find_first_of(" \t\r\n,:[]{}\"", at), text.size());
      const std::string word = text::lower(text.substr(at, end - at));
      if (word.find("nan") != std::string::npos || word.find("inf") != std::string::npos)
        made += "null", at = end, bytes = 0;
      else
        bytes = std::max<std::size_t>(word.size(), 1);
    }
    made.append(text, at, bytes);
    at += bytes;
  }
  return made;
}

std::string unquoted(std::string_view text) {
  const auto begin = text.find('"'), last = text.rfind('"');
  return last == begin ? std::string() : std::string(text.substr(begin + 1, last - begin - 1));
}

}  // namespace

bool JsonValue::null() const {
  return !set_ || get(element_).is_null();
}
bool JsonValue::is_object() const {
  return set_ && get(element_).is_object();
}
bool JsonValue::is_array() const {
  return set_ && get(element_).is_array();
}

JsonValue JsonValue::operator[](std::string_view key) const {
  JsonValue member;
  if (element found; is_object() && get(element_).at_key(key).get(found) == simdjson::SUCCESS) {
    std::memcpy(member.element_, &found, sizeof found);
    member.set_ = true;
  }
  return member;
}

std::optional<double> JsonValue::number() const {
  double value = 0;
  if (!set_ || get(element_).get_double().get(value) != simdjson::SUCCESS) return {};
  return value;
}

std::optional<std::int64_t> JsonValue::integer() const {
  std::int64_t value = 0;
  if (set_ && get(element_).get_int64().get(value) == simdjson::SUCCESS) return value;
  const auto real = number();
  if (!real || !(std::abs(*real) < 9e18)) return {};
  return static_cast<std::int64_t>(*real);
}

std::string_view JsonValue::text() const {
  std::string_view value;
  if (set_ && get(element_).get_string().get(value) == simdjson::SUCCESS) return value;
  return {};
}

bool JsonValue::truth() const {
  bool value = false;
  return set_ && get(element_).get_bool().get(value) == simdjson::SUCCESS && value;
}

std::vector<JsonValue> JsonValue::items() const {
  std::vector<JsonValue> all;
  if (!is_array()) return all;
  for (const element e : simdjson::dom::array(get(element_).get_array().value_unsafe())) {
    JsonValue item;
    std::memcpy(item.element_, &e, sizeof e);
    item.set_ = true;
    all.push_back(item);
  }
  return all;
}

void JsonValue::members(const std::function<void(std::string_view, JsonValue)>& visit) const {
  if (!is_object()) return;
  for (const auto& field : simdjson::dom::object(get(element_).get_object().value_unsafe())) {
    JsonValue item;
    std::memcpy(item.element_, &field.value, sizeof field.value);
    item.set_ = true;
    visit(field.key, item);
  }
}

struct JsonText::Parser {
  simdjson::dom::parser parser{largest_value * 16};
  std::string repaired;
};
JsonText::JsonText() : parser_(std::make_unique<Parser>()) {}
JsonText::~JsonText() = default;

JsonValue JsonText::parse(std::string_view text) {
  JsonValue value;
  element e;
  auto error = parser_->parser.parse(text.data(), text.size(), true).get(e);
  if (error != simdjson::SUCCESS) {
    parser_->repaired = repaired(text);
    if (parser_->repaired != text) error = parser_->parser.parse(parser_->repaired).get(e);
  }
  if (error == simdjson::SUCCESS) {
    std::memcpy(value.element_, &e, sizeof e);
    value.set_ = true;
  }
  return value;
}

JsonEnd read_elements(const std::string& path, std::string_view key,
                      const std::function<void(JsonValue)>& element_read,
                      const std::function<void(std::string_view, JsonValue)>& member) {
  Cutter cutter(path);
  JsonText json;
  JsonEnd end;
  if (cutter.take('[')) {
    end.closed = read_array(cutter, json, element_read, end);
    if (end.closed) refuse_more(cutter, path);
    return end;
  }
  if (!cutter.take('{')) throw InputError(path + ": is no JSON object or array");
  std::string name, text;
  while (true) {
    while (cutter.take(',')) continue;
    if (cutter.take('}')) {
      refuse_more(cutter, path);
      end.closed = true;
      return end;
    }
    if (cutter.peek() != '"' || !cutter.value(name) || !cutter.take(':')) return end;
    name = unquoted(name);
    if (name == key && cutter.take('[')) {
      if (!read_array(cutter, json, element_read, end)) return end;
      continue;
    }
    if (!cutter.value(text)) return end;
    const JsonValue value = json.parse(text);
    if (value.null() && text.find("null") == std::string::npos) ++end.damaged;
    if (member) member(name, value);
  }
}

JsonEnd read_values(const std::string& path, const std::function<void(JsonValue)>& read) {
  Cutter cutter(path);
  JsonText json;
  JsonEnd end;
  if (cutter.take('[')) {
    end.closed = read_array(cutter, json, read, end);
    return end;
  }
  for (std::string text; cutter.peek() != '\0';) {
    if (!cutter.value(text) || text.empty()) return end;
    const JsonValue value = json.parse(text);
    if (value.null())
      ++end.damaged;
    else
      read(value);
  }
  end.closed = true;
  return end;
}

JsonValue read_json(const std::string& path, JsonText& text) {
  const JsonValue value = text.parse(text_of(path));
  if (value.null()) throw InputError(path + ": is no JSON, or is cut short");
  return value;
}

std::optional<std::vector<int>> integers(std::string_view list) {
  if (list.empty() || list.front() != '[' || list.back() != ']') return {};
  std::vector<int> all;
  std::string_view rest = list.substr(1, list.size() - 2);
  while (!rest.empty()) {
    if (rest[0] == ' ' || rest[0] == ',') {
      rest.remove_prefix(1);
      continue;
    }
    const auto number = leading_number<int>(rest);
    if (!number) return {};
    all.push_back(number->value);
    rest = number->rest;
  }
  return all;
}

}  // namespace collcast
