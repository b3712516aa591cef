// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace collcast::cli {

using Json = nlohmann::ordered_json;

enum class Format { table, json, csv };

/// A table for people: the first row is its header; numbers are aligned to the right.
void print_table(const std::vector<std::vector<std::string>>& rows);

/// An array of flat objects as CSV (RFC 4180), one column per key of the first object.
void print_csv(const Json& rows);

/// "1.5 ms": three digits and the unit that fits.
std::string seconds(double s);
/// "64 MiB", "1000 B": exact where a binary unit divides, three digits otherwise.
std::string bytes(double b);
/// Three significant digits.
std::string number(double x);
/// "12.5 GB/s".
std::string gbps(double x);
/// "1,234,567".
std::string count(std::int64_t n);

}  // namespace collcast::cli
