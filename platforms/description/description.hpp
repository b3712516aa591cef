// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platforms/description/schema.hpp"
#include "platforms/description/stamp.hpp"

namespace collcast {

/// One number of a platform and its pedigree.
struct Parameter {
  std::string path;  ///< e.g. network.bandwidth_GBps
  double value = 0;  ///< in `unit`
  std::string unit;  ///< what follows the key's last underscore, or the whole key
  std::string source;
  Stamp stamp = Stamp::guess;
  double low = 0, high = 0;  ///< its own interval, or that of its stamp
};

/// A platform file that was found sound.
class Description {
 public:
  /// Throws InputError, naming `file` and the JSON path, unless the form and the topology are sound.
  Description(std::string name, std::string file, Json json);

  const std::string& name() const { return name_; }
  const std::string& file() const { return file_; }
  const Json& json() const { return *json_; }
  std::string text() const;

  /// All parameters, in the order of the file.
  std::vector<Parameter> parameters() const;

 private:
  std::string name_, file_;
  std::shared_ptr<const Json> json_;
};

/// Overrides parameters and settings, "network.bandwidth_GBps=25", "network.levels.0.up=9", and makes the
/// edits of edit.hpp: "node.nics=1". The values are stamped what-if. All or none; the result as a whole must
/// be sound.
void set_all(Description& description, const std::vector<std::string>& assignments);
/// The same by a file, `origin`, which may not override parameters so: they have sources.
void set_all(Description& description, const std::vector<std::string>& assignments,
             const std::string& origin);
void set(Description& description, const std::string& assignment);

/// Every path that `set` takes, those included that the file leaves out.
std::vector<std::string> settable_paths(const Description& description);

/// Where senders wait until their buffers are free (MPI_Send): with a `blocking_eager_limit_KiB` in place of
/// the `eager_limit_KiB` beside it.
Description with_blocking_sends(const Description& description);

/// Every parameter moved to the end of its interval where messages are faster, or slower.
Description optimistic(const Description& description);
Description pessimistic(const Description& description);

}  // namespace collcast
