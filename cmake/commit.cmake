# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=dir -DOUTPUT=commit.hpp -P commit.cmake: the commit that is built, "-dirty" if files differ from it.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define COLLCAST_COMMIT \"${commit}\"\n")
