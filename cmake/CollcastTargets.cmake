# SPDX-License-Identifier: Apache-2.0
# Warnings for our own code only; errors through a preset (CMAKE_COMPILE_WARNING_AS_ERROR).
add_library(collcast_warnings INTERFACE)
target_compile_options(collcast_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall -Wextra -Wpedantic -Wnon-virtual-dtor -Woverloaded-virtual>)
if(NOT CMAKE_UNITY_BUILD)  # there, files of one target know each other's names
  target_compile_options(collcast_warnings INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Wshadow>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(collcast_warnings INTERFACE -Wno-restrict)  # false alarms on std::string + (GCC bug 105651)
endif()

# collcast_precompiled(<target> ...): GCC 12 does not know system headers again that were precompiled, and
# raises its false alarms on std::string + in them.
function(collcast_precompiled target)
  target_precompile_headers(${target} ${ARGN})
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess -Wno-array-bounds -Wno-stringop-overflow>)
endfunction()

set(COLLCAST_QUICK $<$<CONFIG:Release>:-O1> CACHE STRING "How to compile what is not worth the time that optimizing takes")

# collcast_quick(<target>): it reads options and prints answers, so that it is quick to compile matters more than that it is quick
# to run.
function(collcast_quick target)
  target_compile_options(${target} PRIVATE ${COLLCAST_QUICK})
endfunction()

# collcast_library(<folder target> HEADERS ... SOURCES ... LINKS ... [JSON] [ONCE]): one target per folder; each header
# compiles alone. JSON: its sources read and write JSON, whose header is precompiled once. ONCE: what it does is done once
# for an answer, so that it is quick to compile matters more than that it is quick to run.
function(collcast_library name)
  cmake_parse_arguments(ARG "JSON;ONCE" "" "HEADERS;SOURCES;LINKS" ${ARGN})
  add_library(collcast_${name} STATIC ${ARG_SOURCES})
  add_library(collcast::${name} ALIAS collcast_${name})
  target_compile_features(collcast_${name} PUBLIC cxx_std_20)
  target_sources(collcast_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ARG_HEADERS})
  target_link_libraries(collcast_${name} PUBLIC ${ARG_LINKS} PRIVATE $<BUILD_INTERFACE:collcast_warnings>)
  set_target_properties(collcast_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON LINKER_LANGUAGE CXX EXPORT_NAME ${name})
  install(TARGETS collcast_${name} EXPORT collcast COMPONENT development FILE_SET HEADERS DESTINATION include/collcast)
  if(ARG_ONCE)
    collcast_quick(collcast_${name})
  endif()
  if(ARG_JSON)
    set(precompiled collcast_support)
    if(ARG_ONCE)
      set(precompiled collcast_json_once)
    endif()
    collcast_precompiled(collcast_${name} REUSE_FROM ${precompiled})
  endif()
endfunction()

# collcast_sessions(<test>...): Open MPI's runs on one machine share a folder, which the first to end takes away from another that
# begins: each of these tests has its own.
function(collcast_sessions)
  foreach(test ${ARGN})
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT_MODIFICATION
                 OMPI_MCA_orte_tmpdir_base=set:${CMAKE_CURRENT_BINARY_DIR}/sessions/${test})
  endforeach()
endfunction()

# collcast_starts_programs(<test>...): they start a program hundreds of times, of which the search for leaks would take a
# third; they are the longest, and begin first. The golden scenarios search.
function(collcast_starts_programs)
  foreach(test ${ARGN})
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT_MODIFICATION ASAN_OPTIONS=path_list_append:detect_leaks=0)
    set_tests_properties(${test} PROPERTIES COST 100)
  endforeach()
endfunction()

find_program(LLD ld.lld)  # tests are many: it links one in a fifth of the time

# collcast_test(<name> SOURCES ... LINKS ... [LABELS ...] [HEAVY] [LONG] [SHARDED]): one GoogleTest program, its cases known to
# CTest. HEAVY: under the sanitizers its own loops run for longer than they compile. SHARDED: its cases are so many, and so short,
# that CTest knows six shards of them instead, as it knows two of any other under the sanitizers. There it knows a third of the cases
# that start programs, which the golden scenarios and first_contact start as well, and every other case of LONG.
function(collcast_test name)
  cmake_parse_arguments(ARG "HEAVY;LONG;SHARDED" "" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT COLLCAST_UNIT_TESTS AND ARG_LABELS MATCHES "unit|exhaustive")
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  if(NOT ARG_HEAVY OR CMAKE_BUILD_TYPE STREQUAL Release)
    collcast_quick(${name})
    collcast_precompiled(${name} REUSE_FROM collcast_test_headers)
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gtest_main collcast_warnings)
  target_compile_definitions(${name} PRIVATE COLLCAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(LLD)
    target_link_options(${name} PRIVATE -fuse-ld=lld)
  endif()
  if(ARG_SHARDED OR CMAKE_BUILD_TYPE STREQUAL Sanitize)  # where a process takes a fifth of a second to begin
    set(count 6)
    if(NOT ARG_SHARDED AND NOT "e2e" IN_LIST ARG_LABELS)
      set(count 2)
    endif()
    math(EXPR last "${count} - 1")
    if(CMAKE_BUILD_TYPE STREQUAL Sanitize AND "e2e" IN_LIST ARG_LABELS)
      math(EXPR count "3 * ${count}")
    elseif(CMAKE_BUILD_TYPE STREQUAL Sanitize AND ARG_LONG)
      math(EXPR count "2 * ${count}")
    endif()
    foreach(shard RANGE ${last})
      add_test(NAME ${name}.${shard} COMMAND ${name} --gtest_brief=1)
      set_tests_properties(${name}.${shard} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 1800
                           ENVIRONMENT "GTEST_TOTAL_SHARDS=${count};GTEST_SHARD_INDEX=${shard}")
      list(APPEND shards ${name}.${shard})
    endforeach()
    if("e2e" IN_LIST ARG_LABELS)
      collcast_starts_programs(${shards})
    endif()
  else()
    include(GoogleTest)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600)
  endif()
endfunction()
