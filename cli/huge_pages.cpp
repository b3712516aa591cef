// SPDX-License-Identifier: Apache-2.0
// What jemalloc is told, which looks for this name: memory in huge pages. Large forecasts are 10 to 30 %
// faster so.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "thp:always,metadata_thp:always";
}
