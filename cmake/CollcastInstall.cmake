# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` and `cpack` put where. The programs hold their platforms; the files are there to be read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY platforms/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/collcast/platforms FILES_MATCHING PATTERN *.json)
install(DIRECTORY traces/ DESTINATION ${CMAKE_INSTALL_DATADIR}/collcast/traces)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
        FILES_MATCHING PATTERN *.md PATTERN *.json PATTERN *.svg)

# Manual pages and completions, as the program itself writes them.
set(pages ${PROJECT_BINARY_DIR}/pages)
add_custom_command(OUTPUT ${pages}/made
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}/man
  COMMAND collcast man -o ${pages}/man
  COMMAND collcast completion bash > ${pages}/collcast
  COMMAND collcast completion zsh > ${pages}/_collcast
  COMMAND collcast completion fish > ${pages}/collcast.fish
  COMMAND ${CMAKE_COMMAND} -E touch ${pages}/made
  DEPENDS collcast VERBATIM COMMENT "Writing manual pages and completions")
add_custom_target(collcast_pages ALL DEPENDS ${pages}/made)
install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${pages}/collcast DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${pages}/_collcast DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${pages}/collcast.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# find_package(collcast): a target per layer, collcast::model, collcast::forecast, ... The ABI is not stable yet.
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/collcast)
install(EXPORT collcast NAMESPACE collcast:: DESTINATION ${package} FILE collcastTargets.cmake COMPONENT development)
find_package(BZip2 QUIET)
configure_package_config_file(cmake/collcastConfig.cmake.in collcastConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(collcastConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/collcastConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/collcastConfigVersion.cmake
        DESTINATION ${package} COMPONENT development)

set(CPACK_PACKAGE_NAME collcast)
set(CPACK_PACKAGE_CONTACT "the collcast authors <collcast@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Forecasts how long collective communication takes")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# Two packages: what one runs, and what one builds against.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME collcast)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "openmpi-bin, gnuplot-nox, graphviz, python3, python3-numpy")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcollcast-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "Headers and static libraries of collcast")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "collcast (= ${PROJECT_VERSION}), libboost-dev, libeigen3-dev, libpugixml-dev, libsimdjson-dev, libzstd-dev, nlohmann-json3-dev, zlib1g-dev, libbz2-dev, libsqlite3-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libopen-trace-format2-dev, libsimgrid-dev, libopenmpi-dev")
if(PROJECT_IS_TOP_LEVEL)
  include(CPack)
endif()
