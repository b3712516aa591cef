# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=... -DSOURCE=... -DCOMPILER=... -DFLAGS=... -DSIMGRID=... -P package.cmake
set(prefix ${BUILD}/package-test)
file(REMOVE_RECURSE ${prefix})

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE said ERROR_VARIABLE complaint RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${code}:\n${said}${complaint}")
  endif()
  set(said ${said} PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix}/usr)
foreach(file bin/collcast share/man/man1/collcast-predict.1 share/bash-completion/completions/collcast
        share/zsh/site-functions/_collcast share/fish/vendor_completions.d/collcast.fish
        share/collcast/platforms/summit.json share/collcast/traces/qe-si-8.cct include/collcast/model/units.hpp)
  if(NOT EXISTS ${prefix}/usr/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()

# The installed program knows its platforms, from any folder.
run(${CMAKE_COMMAND} -E env --unset=COLLCAST_DATA ${CMAKE_COMMAND} -E chdir / ${prefix}/usr/bin/collcast predict allreduce
    --platform edr-cluster --ranks 16 --size 64MiB --algorithm ring --format csv)
string(REGEX MATCH "\nallreduce,ring,[^\n]*" row "${said}")
if(NOT row)
  message(FATAL_ERROR "the installed program says: ${said}")
endif()

set(examples ${prefix}/examples)
run(${CMAKE_COMMAND} -S ${SOURCE}/docs/examples/cpp -B ${examples} -DCMAKE_PREFIX_PATH=${prefix}/usr
    -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS} -Wall -Wextra -Werror")
run(${CMAKE_COMMAND} --build ${examples})

# Runs an example; docs/cpp.md shows what it prints.
file(READ ${SOURCE}/docs/cpp.md page)
function(run_example)
  run(${ARGN})
  string(FIND "${page}" "${said}" shown)
  if(shown EQUAL -1)
    message(FATAL_ERROR "docs/cpp.md does not show what ${ARGN} prints:\n${said}")
  endif()
endfunction()
run_example(${examples}/forecast)
run_example(${examples}/algorithm)
if(SIMGRID)  # with which it plays a trace by default; other engines round otherwise
  run_example(${examples}/replay ${SOURCE}/traces/qe-si-8.cct)
else()
  run(${examples}/replay ${SOURCE}/traces/qe-si-8.cct)
endif()
file(REMOVE_RECURSE ${prefix})
