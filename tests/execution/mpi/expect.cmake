# SPDX-License-Identifier: Apache-2.0
# cmake -DCOMMAND=... -DCODE=n -DPATTERN=regex -P expect.cmake: the command must exit with n and print the pattern.
execute_process(COMMAND ${COMMAND} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT code EQUAL CODE OR NOT output MATCHES "${PATTERN}")
  message(FATAL_ERROR "exit ${code}, wanted ${CODE} and ${PATTERN}; printed:\n${output}")
endif()
