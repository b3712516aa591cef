// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "validation/measurements/measurement.hpp"

namespace collcast {

/// A file, and facts about it from its user.
struct MeasurementFile {
  std::string path;
  FileFacts known;
  FileFacts said = {};  ///< facts in the file's name; rows that say otherwise are refused
};

/// "FILE" or "FILE:nodes=2,sockets=1,ranks=8,pairs=4,buffers=device,collective=alltoall,algorithm=ring";
/// buffers are host, device, host-device or device-host (sender first); `library` keeps only that library's
/// rows. The facts of `more` hold if the text says nothing else. Throws InputError.
MeasurementFile parse_measurement_file(const std::string& text, const FileFacts& more = {});

/// The tables of a file in one of these formats, which is detected: OSU micro-benchmarks, nccl-tests, CUDA's
/// p2pBandwidthLatencyTest, JSON lines (ours: docs/measurements.md), and two published CSV forms. Throws
/// InputError with file and line.
std::vector<Measurement> read_measurements(const MeasurementFile& file);

/// Several tables, and the days on which their files were last written: 2021-06-01.
struct DatedTables {
  std::vector<Measurement> measured;
  std::map<std::string, std::string> dates;

  /// The files and their days, in words.
  std::string source() const;
};
DatedTables read_tables(const std::vector<std::string>& files, const FileFacts& more = {});

/// The tables of a text; `file` names it in messages and sources.
std::vector<Measurement> parse_measurements(const std::string& text, const std::string& file,
                                            const FileFacts& known = {});

}  // namespace collcast
