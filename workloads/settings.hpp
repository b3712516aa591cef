// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <map>
#include <string>

#include "model/units.hpp"

namespace collcast::workloads {

/// "name:key=value,key=value", each key taken once. What is malformed or left over throws InputError.
class Settings {
 public:
  /// `what` the name stands for: "model", "framework".
  Settings(const std::string& text, std::string what);

  const std::string& name() const { return name_; }
  bool has(const std::string& key) const { return values_.contains(key); }

  static constexpr int unbounded = std::numeric_limits<int>::max();
  /// The value of `key`, or `otherwise` where it was not given.
  int count(const std::string& key, int otherwise, int least = 1, int most = unbounded);
  double real(const std::string& key, double otherwise);  ///< not negative
  double positive(const std::string& key);                ///< 0 where it was not given
  Bytes size(const std::string& key, Bytes otherwise, Bytes least = {});
  BytesPerSecond rate(const std::string& key);              ///< in GB/s; 0 where it was not given
  Seconds time(const std::string& key, Seconds otherwise);  ///< "3.5ms", "20us", "1s", "0"
  bool flag(const std::string& key, bool otherwise);        ///< "1" or "0"
  std::string word(const std::string& key, const std::string& otherwise);

  /// Throws InputError that lists what was asked for where a key was not.
  void finish() const;

 private:
  const std::string* take(const std::string& key);
  [[noreturn]] void reject(const std::string& key, const std::string& value, const std::string& wanted) const;

  std::string what_, name_;
  std::map<std::string, std::string> values_;
  std::map<std::string, bool> asked_;
};

/// A real number, the whole text. Throws InputError that says `what` it is.
double parse_real(const std::string& text, const std::string& what);
/// Throws InputError unless it is above 0.
double above_zero(const std::string& text, const std::string& what);
/// "3.5ms", "20us", "1s", "0".
Seconds parse_time(const std::string& text, const std::string& what);

}  // namespace collcast::workloads
