// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace collcast {

/// The values that the text of a setting stands for: those of a range, which may have a unit
/// ("16MiB:64MiB:x2", "1ms:4ms:+1ms", "1:8:x2"), or the text itself. Throws InputError.
std::vector<std::string> setting_values(const std::string& text);

/// All names that a name with lists and ranges of settings stands for: "ddp:bucket=1MiB,25MiB,tp=1:2:x2"
/// stands for four. A part behind a comma that has no key is another value of the setting before it. The name
/// of an existing file stands for itself. Throws InputError.
std::vector<std::string> spelled_out(const std::string& text);

/// A number of a setting, in bytes or seconds if it has a unit.
struct SettingNumber {
  double value = 0;
  bool is_size = false, is_time = false;
};
/// Reads "64MiB", "3.5ms" or "4". Throws InputError.
SettingNumber parse_number_of_setting(const std::string& text);

/// As users write it: "16MiB", "3.5ms", "4".
std::string written(const SettingNumber& number);

}  // namespace collcast
