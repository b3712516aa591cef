// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engines/player/player.hpp"
#include "forecast/report/longest.hpp"
#include "forecast/report/usage.hpp"
#include "support/compressed_file.hpp"
#include "support/json_fwd.hpp"

namespace collcast::report {

/// A run as trace events in Chrome's JSON, which ui.perfetto.dev and chrome://tracing open: a process per
/// rank with rows for computation, for what its streams do with the steps of collectives inside, for the
/// messages that it sends and receives with an arrow for each, and counters of the busiest links. If a run
/// has more than fits, the file holds the longest, and says what was left out.
class Timeline : public Observer {
 public:
  static constexpr std::size_t standard_events = 400'000;
  /// Writes FILE.json or FILE.json.gz, whole or not at all, with about `events` slices and arrows. Throws
  /// InputError for other names and where the file cannot be written.
  explicit Timeline(const std::string& path, std::size_t events = standard_events);

  /// The observer of a run on this fabric: this object.
  Observer* watch(const Fabric& fabric, NameOf name);
  void done(const Interval& interval) override;
  void stepped(const Step& step) override;
  void delivered(const Delivery& delivery) override;
  void used(const Use& use) override;

  /// Adds a slice that was not observed. `name_process` and `name_row` give `process` and `row` their names.
  void add(std::int32_t process, std::int32_t row, const std::string& name, Seconds begin, Seconds end,
           Bytes bytes = {});
  void name_process(std::int32_t process, std::string name) { processes_[process] = std::move(name); }
  void name_row(std::int32_t row, std::string name) { rows_[row] = std::move(name); }

  /// To be called once, at the end. `about`: an object that describes the file. Returns what was left out, in
  /// words.
  std::vector<std::string> write(const Json& about);

 private:
  struct Slice {
    std::int32_t process, row;
    std::uint32_t name;
    Seconds begin, end;
    Bytes bytes;
    std::int64_t number = -1;  ///< of a step
    std::int32_t peer = -1;
    std::int64_t arrow = 0;  ///< number of a message that leaves here (above 0) or arrives (below 0); 0: none
    Seconds posted = {};
    int lane = 0;
  };
  struct Writer;
  std::uint32_t name_of(const std::string& name);
  void keep(Longest<Slice>& in, const Slice& slice);
  std::vector<Slice> slices();
  void write_rows(Writer& out, std::vector<Slice>& all) const;
  void write_counters(Writer& out, std::int32_t process) const;
  std::vector<std::string> left_out() const;
  std::string row_name(const Slice& slice) const;
  std::string words(const Slice& slice) const;

  CompressedFile file_;
  const Fabric* fabric_ = nullptr;  ///< while it runs
  NameOf name_;
  Longest<Slice> operations_, steps_;
  Longest<Delivery> messages_;
  Usage usage_;
  bool links_ = false;
  std::map<std::uint32_t, std::string> resources_;  ///< names of ports or links
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t> numbers_;
  std::map<std::int32_t, std::string> processes_, rows_;
};

}  // namespace collcast::report
