# Finds llhttp, which Debian packages as C source (node-llhttp), and sets Llhttp_SOURCES and
# Llhttp_INCLUDE_DIR.
find_path(Llhttp_INCLUDE_DIR NAMES llhttp.h PATHS /usr/share/include PATH_SUFFIXES llhttp)
find_path(Llhttp_SOURCE_DIR NAMES llhttp.c PATHS /usr/share PATH_SUFFIXES llhttp)
mark_as_advanced(Llhttp_INCLUDE_DIR Llhttp_SOURCE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Llhttp REQUIRED_VARS Llhttp_SOURCE_DIR Llhttp_INCLUDE_DIR)

set(Llhttp_SOURCES "")
foreach(unit IN ITEMS api http llhttp)
  list(APPEND Llhttp_SOURCES "${Llhttp_SOURCE_DIR}/${unit}.c")
endforeach()
