# Finds the NATS client library. Debian's own CMake files of it name a static library that the package does
# not have, so it is found by its header, and this defines LibNats::LibNats.
find_path(LibNats_INCLUDE_DIR NAMES nats/nats.h)
find_library(LibNats_LIBRARY NAMES nats)
mark_as_advanced(LibNats_INCLUDE_DIR LibNats_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibNats REQUIRED_VARS LibNats_LIBRARY LibNats_INCLUDE_DIR)

if(LibNats_FOUND AND NOT TARGET LibNats::LibNats)
  add_library(LibNats::LibNats UNKNOWN IMPORTED)
  set_target_properties(
    LibNats::LibNats PROPERTIES IMPORTED_LOCATION "${LibNats_LIBRARY}"
                                INTERFACE_INCLUDE_DIRECTORIES "${LibNats_INCLUDE_DIR}")
endif()
