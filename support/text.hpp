// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

/// Quantities as text for people.
namespace collcast::text {

/// "1.5 ms": three digits and the unit that fits.
std::string seconds(double s);
/// "64 MiB", "1,025 B": exact where a binary unit divides or three digits would look as if it did, else three
/// digits: "1.50 KiB".
std::string bytes(double b);
/// Three significant digits.
std::string number(double x);
/// Whole numbers to the last digit, "1048577"; others to six digits: "9362.29".
std::string plain(double x);
/// "12.5 GB/s".
std::string gbps(double x);
/// "1,234,567".
std::string count(std::int64_t n);
/// "1 rank", "1,234 ranks", "2 switches".
std::string counted(std::int64_t n, const std::string& what);
/// "1.23 %" for a share of 0.0123.
std::string percent(double share);
/// "+1.23 %".
std::string signed_percent(double share);
/// In single quotes for a shell: "'it'\''s'".
std::string shell_quoted(const std::string& word);

}  // namespace collcast::text
