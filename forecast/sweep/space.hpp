// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/json_fwd.hpp"

namespace collcast::sweep {

/// Keys of a sweep's file that are no settings.
constexpr std::array<std::string_view, 4> no_settings = {"about", "ask", "sample", "stop"};

/// One case: what is set, and to what, as users write it.
struct Setting {
  std::string key, value;
};
using Point = std::vector<Setting>;

/// What values a key takes, and which ranges. `named`: a word that may have settings behind a colon, with
/// ranges of their own; each setting is a key as well, "framework.fusion". `quantity`: a number with a unit,
/// as users write it.
enum class Kind : std::uint8_t { word, named, size, ranks, count, number, quantity };
/// A key of a sweep's file. Those that take long to set up stand first: neighbouring points share them.
struct Key {
  std::string_view name;
  Kind kind;
  /// Throws InputError for a value that is wrong at every point; none: all values make sense somewhere.
  void (*check)(const std::string&) = nullptr;
};

/// The values that a setting takes: a list, or anything from one number to another.
struct Axis {
  std::string key;  ///< of a platform's parameter: its path, behind "set."
  std::vector<std::string> values;
  double from = 0, to = 0;  ///< the ends, if there is no list
  bool logarithmic = false, whole = false;
  bool is_time = false;  ///< values in between have a unit of time, and six digits
};

/// Whether a key is that of a platform's parameter: "set.network.latency_us".
bool is_parameter(const std::string& key);
/// The key as rows have it: of a parameter the path alone.
std::string column_name(const std::string& key);

/// The values of a list, or both ends of an interval, as points have them.
std::vector<std::string> values_of(const Axis& axis);

/// The values of KEY=A,B,C or KEY=0.5:8:x2, ranges as they are; one where the parameter is a list itself.
std::vector<std::string> values_set(const std::string& assignment);

/// One value of each assignment (`set`), and those among them that have alternatives (`chosen`).
struct SetCase {
  std::vector<std::string> set, chosen;
};
/// All combinations of the values of assignments, ranges written out. Throws InputError.
std::vector<SetCase> set_cases(const std::vector<std::string>& assignments);

/// The point with the settings of names written into the names: "framework" is "ddp:bucket=1MiB", and there
/// is no "framework.bucket".
Point composed(const Point& point);

/// Points of a space, by number: all of a grid, or samples of it.
class Space {
 public:
  /// A space from the settings of a sweep's file, whose keys are `keys` and "set", and from its "sample".
  /// Throws InputError that names `file`, the key, and what would be accepted.
  Space(const Json& settings, std::span<const Key> keys, const Json& sample, const std::string& file);

  std::int64_t size() const { return size_; }
  Point at(std::int64_t number) const;
  const std::vector<Axis>& axes() const { return axes_; }
  /// The axis of a key, as long as the space lives; null if it has none.
  const Axis* axis(std::string_view key) const;
  /// Whether the points are all combinations of the values.
  bool is_grid() const { return sampling_ == Sampling::grid; }
  /// How far along a setting a point of a grid is, counted from 0.
  std::int64_t place(std::int64_t number, const std::string& key) const;
  /// By how much the numbers of neighbouring points differ along a setting of a grid.
  std::int64_t stride(const std::string& key) const;
  /// Whether a setting differs from point to point.
  bool varies(const std::string& key) const;

 private:
  enum class Sampling : std::uint8_t { grid, random, low_discrepancy };
  void read_sample(const Json& sample, const std::string& file);
  double coordinate(std::int64_t number, std::size_t axis) const;

  void add_settings(const Json& settings, const std::string& name, const std::string& file);

  std::vector<Axis> axes_;
  /// For low discrepancy, by axis: the digits of its base in an order drawn by the seed.
  std::vector<std::vector<int>> digits_;
  Sampling sampling_ = Sampling::grid;
  std::uint64_t seed_ = 1;
  std::int64_t size_ = 1;
};

/// Throws InputError if `check` refuses a listed value of a key. If the key has settings of its own, a value
/// is refused if `check` refuses all its combinations with the others; at most 10,000 combinations are tried.
void check_names(const Space& space, const std::string& key,
                 const std::function<void(const std::string&)>& check);

}  // namespace collcast::sweep
