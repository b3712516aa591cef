// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "replay/formats/json.hpp"

namespace collcast {

/// A Python value that is plain data.
struct PlainValue {
  enum class Kind : std::uint8_t { none, number, text, list, dict } kind = Kind::none;
  double number = 0;
  std::int64_t integer = 0;  ///< the exact number; of a fraction, what is before the point
  std::string_view text;
  std::vector<const PlainValue*> items;  ///< for a dict, its keys and values in turn

  /// A dict's value; null if there is none.
  const PlainValue* find(std::string_view key) const;
  double number_of(std::string_view key, double otherwise) const;
  /// A time in ns since the epoch; a double would round it to 256 ns. -1: absent, or no time.
  std::int64_t ns_of(std::string_view key) const;
  std::string_view text_of(std::string_view key) const;
};

/// Whether a file begins as a pickle whose value is a list or a dict.
bool is_pickle(std::string_view head);

/// A file's value, from a pickle or from JSON. Of pickles the opcodes that make data are read (protocol 2 as
/// torch writes it, to 5 as Python does), and all others refused: nothing in the file is run.
class PlainData {
 public:
  /// Throws InputError if the file is neither, is damaged, or holds more than data.
  explicit PlainData(const std::string& path);
  PlainData(const PlainData&) = delete;  // values refer to each other
  PlainData& operator=(const PlainData&) = delete;

  const PlainValue& top() const { return *top_; }

 private:
  std::string pickle_;
  JsonText json_;
  std::deque<PlainValue> values_;
  const PlainValue* top_ = nullptr;
};

}  // namespace collcast
