// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collcast {

/// A value of a JSON text that simdjson has parsed; valid until the same JsonText parses its next text.
/// Absent members are null values, and values of another type than asked for are absent.
class JsonValue {
 public:
  JsonValue() = default;
  bool null() const;
  bool is_object() const;
  bool is_array() const;
  JsonValue operator[](std::string_view key) const;
  std::optional<double> number() const;
  std::optional<std::int64_t> integer() const;
  std::string_view text() const;  ///< empty if it is no text
  bool truth() const;
  std::vector<JsonValue> items() const;
  void members(const std::function<void(std::string_view, JsonValue)>& visit) const;

 private:
  friend class JsonText;
  alignas(8) std::byte element_[16] = {};
  bool set_ = false;
};

/// Parses texts one after another.
class JsonText {
 public:
  JsonText();
  ~JsonText();
  /// Null if the text is no JSON. NaN and infinities become null, and characters that may not stand in a
  /// string a '?'.
  JsonValue parse(std::string_view text);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// How a JSON array ended.
struct JsonEnd {
  bool closed = false;       ///< the array was closed, and so was the value that holds it
  std::int64_t damaged = 0;  ///< elements that are no JSON
};

/// Reads the elements of the file's array one by one, in bounded memory. The array is the file's only value,
/// or member `key` of the file's object, whose other members go to `member`. An array that the file's end
/// cuts is read up to there. Throws InputError if the file is neither or goes on behind it, or an element or
/// member is over 64 MiB.
JsonEnd read_elements(const std::string& path, std::string_view key,
                      const std::function<void(JsonValue)>& element,
                      const std::function<void(std::string_view, JsonValue)>& member = nullptr);

/// Reads the file's values one by one, whatever stands between them; if it holds an array, the elements of
/// that.
JsonEnd read_values(const std::string& path, const std::function<void(JsonValue)>& read);

/// The file as one value, kept by `text`. Throws InputError if it is no JSON.
JsonValue read_json(const std::string& path, JsonText& text);

/// "[0, 1, 2]" as Python prints a list of whole numbers; nothing if it is cut with "..." or is no such list.
std::optional<std::vector<int>> integers(std::string_view list);

}  // namespace collcast
