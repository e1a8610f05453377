# Makes find_package(millrace) work from an install tree and from one that was moved.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(MILLRACE_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/millrace")

# Installs one module's library and headers; headers keep their "module/unit.h" include path.
function(mr_install_module name)
  install(
    TARGETS millrace_${name}
    EXPORT millrace
    FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/millrace")
endfunction()

function(mr_install_package)
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
          "${PROJECT_SOURCE_DIR}/cmake/FindLibUv.cmake"
          "${PROJECT_SOURCE_DIR}/cmake/FindLibYaml.cmake"
    DESTINATION "${MILLRACE_PACKAGE_DIR}")
endfunction()
