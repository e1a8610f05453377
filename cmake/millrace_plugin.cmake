# For this repository and for projects that use an installed millrace.
#
#   millrace_plugin(NAME SOURCES file...)
#     makes NAME.so, a shared object of tasks for `rankd --plugin`, or of component types for
#     `topoexec --plugin`. It gets the headers of the engine but links no library of it: the engine's
#     functions come from the program that loads it.
function(millrace_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "millrace_plugin(${name}): write millrace_plugin(NAME SOURCES file...)")
  endif()
  add_library(${name} MODULE ${arg_SOURCES})
  foreach(kind IN ITEMS INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)
    string(TOLOWER "target_${kind}" command)
    cmake_language(CALL ${command} ${name} PRIVATE
                   "$<TARGET_PROPERTY:millrace::tasks,INTERFACE_${kind}>")
  endforeach()
  target_compile_features(${name} PRIVATE cxx_std_23)
  # As in the engine: results must not depend on whether a multiply and an add were fused.
  target_compile_options(${name} PRIVATE -ffp-contract=off)
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET default)
endfunction()
