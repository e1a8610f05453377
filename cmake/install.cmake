# What `cmake --install` ships, so that it works where it was installed and where it is moved to:
# rankd, topoexec, dslc, the libraries, their headers and the package for find_package(millrace).
# docs/adr/0019-install-layout.md says why it is laid out like this.
#
#   mr_module_headers(NAME "header;...")
#     makes the headers of a module includable as "module/unit.h", those that engine/public_headers.txt
#     names also as <millrace/module/unit.h>, and checks that each compiles alone.
#   mr_install_module(NAME)
#     installs the library of a module.
#   mr_install_package()
#     installs everything else; called once, last.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(MILLRACE_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/millrace")

set(_mr_public_list "${PROJECT_SOURCE_DIR}/engine/public_headers.txt")
file(STRINGS "${_mr_public_list}" MILLRACE_PUBLIC_HEADERS REGEX "^[^#]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_mr_public_list}")

function(mr_module_headers name headers)
  set(engine "${PROJECT_SOURCE_DIR}/engine")
  set(links "${PROJECT_BINARY_DIR}/include")
  target_include_directories(
    millrace_${name} INTERFACE "$<BUILD_INTERFACE:${engine};${links}>"
                               "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  get_target_property(type millrace_${name} TYPE)
  if(NOT type STREQUAL INTERFACE_LIBRARY)
    target_include_directories(millrace_${name} PRIVATE "${engine}")
  endif()

  file(REMOVE_RECURSE "${links}/millrace/${name}")
  foreach(header IN LISTS headers)
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${engine}" OUTPUT_VARIABLE path)
    if(NOT name STREQUAL apps)
      set_property(GLOBAL APPEND PROPERTY MILLRACE_HEADERS "${path}")
    endif()
    if(path IN_LIST MILLRACE_PUBLIC_HEADERS)
      _mr_link_file("${header}" "${links}/millrace/${path}")
    endif()
  endforeach()
endfunction()

function(_mr_link_file original link)
  cmake_path(GET link PARENT_PATH folder)
  file(MAKE_DIRECTORY "${folder}")
  file(CREATE_LINK "${original}" "${link}" COPY_ON_ERROR SYMBOLIC)
endfunction()

function(mr_install_module name)
  # apps is programs, not a library.
  if(NOT name STREQUAL apps)
    install(TARGETS millrace_${name} EXPORT millrace)
  endif()
endfunction()

function(mr_install_package)
  _mr_install_headers()
  install(TARGETS rankd topoexec)
  _mr_install_dslc()
  install(EXPORT millrace NAMESPACE millrace:: FILE millrace-targets.cmake
          DESTINATION "${MILLRACE_PACKAGE_DIR}")
  configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/cmake/millrace-config.cmake.in"
    "${PROJECT_BINARY_DIR}/millrace-config.cmake" INSTALL_DESTINATION "${MILLRACE_PACKAGE_DIR}")
  write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/millrace-config-version.cmake" COMPATIBILITY SameMinorVersion)
  install(
    FILES "${PROJECT_BINARY_DIR}/millrace-config.cmake"
          "${PROJECT_BINARY_DIR}/millrace-config-version.cmake"
          "${PROJECT_SOURCE_DIR}/cmake/FindLibNats.cmake"
          "${PROJECT_SOURCE_DIR}/cmake/FindLibUv.cmake"
          "${PROJECT_SOURCE_DIR}/cmake/FindLibYaml.cmake"
          "${PROJECT_SOURCE_DIR}/cmake/millrace_plugin.cmake"
    DESTINATION "${MILLRACE_PACKAGE_DIR}")
endfunction()

function(_mr_install_headers)
  set(engine "${PROJECT_SOURCE_DIR}/engine")
  set(staging "${PROJECT_BINARY_DIR}/installed_headers")
  _mr_link_file("${engine}/runtime/millrace.h" "${PROJECT_BINARY_DIR}/include/millrace/millrace.h")
  get_property(headers GLOBAL PROPERTY MILLRACE_HEADERS)
  _mr_install_script(install_headers engine staging headers MILLRACE_PUBLIC_HEADERS)
  install(DIRECTORY "${staging}/millrace" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endfunction()

function(_mr_install_dslc)
  set(source "${PROJECT_SOURCE_DIR}")
  set(bin "${CMAKE_INSTALL_BINDIR}")
  set(package "${CMAKE_INSTALL_LIBDIR}/millrace/dsl")
  _mr_install_script(install_dslc source bin package)
endfunction()

# _mr_install_script(NAME variable...): runs cmake/NAME.cmake during the install, with these variables.
function(_mr_install_script name)
  set(code "cmake_minimum_required(VERSION 3.25)\n")
  foreach(variable IN LISTS ARGN)
    string(APPEND code "set(${variable} \"${${variable}}\")\n")
  endforeach()
  install(CODE "${code}include(\"${PROJECT_SOURCE_DIR}/cmake/${name}.cmake\")")
endfunction()
