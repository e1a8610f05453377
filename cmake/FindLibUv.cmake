# Finds libuv, which Debian packages without CMake files, and defines LibUv::LibUv.
find_path(LibUv_INCLUDE_DIR NAMES uv.h)
find_library(LibUv_LIBRARY NAMES uv)
mark_as_advanced(LibUv_INCLUDE_DIR LibUv_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibUv REQUIRED_VARS LibUv_LIBRARY LibUv_INCLUDE_DIR)

if(LibUv_FOUND AND NOT TARGET LibUv::LibUv)
  add_library(LibUv::LibUv UNKNOWN IMPORTED)
  set_target_properties(
    LibUv::LibUv PROPERTIES IMPORTED_LOCATION "${LibUv_LIBRARY}"
                            INTERFACE_INCLUDE_DIRECTORIES "${LibUv_INCLUDE_DIR}")
endif()
