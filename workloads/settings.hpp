// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <map>
#include <string>

#include "model/units.hpp"

namespace collcast::workloads {

/// Settings in the form "name:key=value,key=value". Throws InputError for malformed text, and for keys that
/// nobody asks for.
class Settings {
 public:
  /// `what`: the kind of name: "model", "framework".
  Settings(const std::string& text, std::string what);

  const std::string& name() const { return name_; }
  bool has(const std::string& key) const { return values_.contains(key); }

  static constexpr int unbounded = std::numeric_limits<int>::max();
  /// The value of `key`, or `otherwise` if it was not given.
  int count(const std::string& key, int otherwise, int least = 1, int most = unbounded);
  double real(const std::string& key, double otherwise);  ///< from 0 to 1e18
  double positive(const std::string& key);                ///< from 1e-9; 0 where it was not given
  Bytes size(const std::string& key, Bytes otherwise, Bytes least = {});
  BytesPerSecond rate(const std::string& key);              ///< in GB/s; 0 where it was not given
  Seconds time(const std::string& key, Seconds otherwise);  ///< "3.5ms", "20us", "1s", "0"
  bool flag(const std::string& key, bool otherwise);        ///< "1" or "0"
  std::string word(const std::string& key, const std::string& otherwise);

  /// Throws InputError, with a list of the keys that were asked for, if another key was given.
  void finish() const;

 private:
  const std::string* take(const std::string& key);
  [[noreturn]] void reject(const std::string& key, const std::string& value, const std::string& wanted) const;

  std::string what_, name_;
  std::map<std::string, std::string> values_;
  std::map<std::string, bool> asked_;
};

/// The whole text as a real number. Throws InputError that calls it `what`.
double parse_real(const std::string& text, const std::string& what);
/// The text as a number above 0. Throws InputError unless it is from 1e-9 to 1e18.
double above_zero(const std::string& text, const std::string& what);
/// "3.5ms", "20us", "1s", "0"; at most 1e9s.
Seconds parse_time(const std::string& text, const std::string& what);

}  // namespace collcast::workloads
