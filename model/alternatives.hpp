// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace collcast {

/// The values of a setting: those of a range, which may have a unit ("16MiB:64MiB:x2", "1ms:4ms:+1ms",
/// "1:8:x2"), or the text itself. Throws InputError.
std::vector<std::string> setting_values(const std::string& text);

/// Each name that a name with lists and ranges of settings stands for: "ddp:bucket=1MiB,25MiB,tp=1:2:x2" are
/// four. What comes behind a comma without a key of its own is another value of the setting before. The name
/// of an existing file is itself. Throws InputError.
std::vector<std::string> spelled_out(const std::string& text);

/// A number of a setting, in bytes or seconds if it has a unit.
struct SettingNumber {
  double value = 0;
  bool is_size = false, is_time = false;
};
/// Of "64MiB", "3.5ms" or "4". Throws InputError.
SettingNumber parse_number_of_setting(const std::string& text);

/// As users write it: "16MiB", "3.5ms", "4".
std::string written(const SettingNumber& number);

}  // namespace collcast
