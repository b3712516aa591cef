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
  std::string sweep;      ///< the sweep's file
  std::string platforms;  ///< the platforms' files, as they were when the sweep began
  std::string program;    ///< the program's name and version
};

/// The finished points of a sweep: an SQLite file in a folder. What was added survives if the process is
/// killed. One process can have it open at a time. Each point has a checksum; points that the disk damaged
/// count as not finished.
class Journal {
 public:
  /// Begins a journal, or goes on with the folder's. Throws InputError if that is of another sweep, in use,
  /// or damaged in more than single records.
  Journal(const std::filesystem::path& folder, const Identity& identity);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The sweep whose journal lies in a folder. Throws InputError if none does.
  static Identity identity(const std::filesystem::path& folder);
  /// The part of the sweep's points that was last asked for in the folder, as `keep_part` stored it.
  static std::string part(const std::filesystem::path& folder);
  void keep_part(const std::string& part);
  /// Throws SubstrateError if the disk takes no more; what was added before is safe.
  void add(std::int64_t number, const Outcome& outcome);
  /// Adds the points of another journal. Throws InputError if that is of another sweep, or contradicts this
  /// one.
  void merge(const std::filesystem::path& folder);
  /// Removes the journal if this object began it, as its sweep makes no sense. A journal that was there
  /// before stays.
  void discard();
  /// How many records were damaged and dropped, here and in merged journals.
  std::int64_t damaged() const { return damaged_; }
  /// Visits the outcomes in the order of the points.
  void each(const std::function<void(std::int64_t, const Outcome&)>& visit) const;

 private:
  std::filesystem::path path_;
  Identity identity_;
  sqlite3* file_ = nullptr;
  bool begun_ = false, made_folder_ = false;
  std::int64_t damaged_ = 0;
};

}  // namespace collcast::sweep
