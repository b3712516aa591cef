// SPDX-License-Identifier: Apache-2.0
// What jemalloc is told, which looks for this name: memory in huge pages. Large forecasts otherwise spend a
// fifth to a third of their time on page faults.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "thp:always,metadata_thp:always";
}
