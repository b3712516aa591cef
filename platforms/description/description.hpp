// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platforms/description/schema.hpp"
#include "platforms/description/stamp.hpp"

namespace collcast {

/// A number of a platform and its provenance.
struct Parameter {
  std::string path;  ///< e.g. network.bandwidth_GBps
  double value = 0;  ///< in `unit`
  std::string unit;  ///< the part of the key after its last underscore, or the whole key
  std::string source;
  Stamp stamp = Stamp::guess;
  double low = 0, high = 0;  ///< the ends of its own interval, or of the one that its stamp implies
};

struct Blueprint;

/// A valid platform file.
class Description {
 public:
  /// Throws InputError, which names `file` and the JSON path, unless the schema and the topology are valid.
  Description(std::string name, std::string file, Json json);

  const std::string& name() const { return name_; }
  const std::string& file() const { return file_; }
  const Json& json() const { return *json_; }
  std::string text() const;
  /// The library by which GPUs usually communicate on this platform, as a policy; empty if the file does not
  /// say.
  std::string library() const;
  /// The description as typed values (`read_blueprint`). Copies share it.
  const std::shared_ptr<const Blueprint>& blueprint() const { return blueprint_; }

  /// All parameters, in the order of the file.
  std::vector<Parameter> parameters() const;

 private:
  std::string name_, file_;
  std::shared_ptr<const Json> json_;
  std::shared_ptr<const Blueprint> blueprint_;
};

/// Overrides parameters and settings ("network.bandwidth_GBps=25", "network.levels.0.up=9"), and makes the
/// edits of edit.hpp ("node.nics=1"). Values are stamped what-if. Either all assignments are made or none;
/// the result must be valid as a whole. Throws InputError.
void set_all(Description& description, const std::vector<std::string>& assignments);
void set(Description& description, const std::string& assignment);

/// Every path that `set` takes, including those that the file leaves out.
std::vector<std::string> settable_paths(const Description& description);

/// The platform for senders that wait until their buffers are free, as in MPI_Send: each
/// `blocking_eager_limit_KiB` replaces the `eager_limit_KiB` beside it.
Description with_blocking_sends(const Description& description);

/// The platform with every parameter at the end of its interval at which messages are faster, or slower.
Description optimistic(const Description& description);
Description pessimistic(const Description& description);

}  // namespace collcast
