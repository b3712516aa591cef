// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

struct sqlite3;

namespace collcast::sweep {

/// The outcome of a point.
struct Outcome {
  enum class Kind : std::uint8_t {
    answered,
    refused,    ///< the question makes no sense there, and never will
    lost,       ///< a library or machine failed; it may not fail again
    senseless,  ///< the sweep itself makes no sense; journals have none of these
  };
  Kind kind = Kind::answered;
  std::string text;  ///< its rows as a JSON array, or one line that says why there are none
  bool operator==(const Outcome&) const = default;
};

/// What a journal belongs to.
struct Identity {
  std::string sweep;      ///< its file
  std::string platforms;  ///< as they were when it began
  std::string program;    ///< and its version
};

/// The finished points of a sweep: an SQLite file in a folder. What was added survives if the process is
/// killed. One process can have it open at a time. Each point has a checksum; points that the disk damaged
/// count as not finished.
class Journal {
 public:
  /// Begins one, or goes on. Throws InputError where the folder's journal is of another sweep, in use, or
  /// more than single records of it are damaged.
  Journal(const std::filesystem::path& folder, const Identity& identity);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The sweep whose journal lies in a folder. Throws InputError if none does.
  static Identity identity(const std::filesystem::path& folder);
  /// The part of its points that was last asked for there, as `keep_part` was given it.
  static std::string part(const std::filesystem::path& folder);
  void keep_part(const std::string& part);
  /// Throws SubstrateError if the disk takes no more; what was added before is safe.
  void add(std::int64_t number, const Outcome& outcome);
  /// Adds what another journal has. Throws InputError where it is of another sweep, or contradicts this one.
  void merge(const std::filesystem::path& folder);
  /// Removes what this one has begun, as its sweep makes no sense; a journal that was there before stays.
  void discard();
  /// How many records were damaged, here and in what was merged, and are gone.
  std::int64_t damaged() const { return damaged_; }
  /// In the order of the points.
  void each(const std::function<void(std::int64_t, const Outcome&)>& visit) const;

 private:
  std::filesystem::path path_;
  Identity identity_;
  sqlite3* file_ = nullptr;
  bool begun_ = false, made_folder_ = false;
  std::int64_t damaged_ = 0;
};

}  // namespace collcast::sweep
