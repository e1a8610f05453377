# Every header of a module compiles alone, with nothing included before it.
#
#   mr_lone_headers(MODULE ROOT DEPS HEADERS)
#     makes the target MODULE_headers, part of all_headers, which fails if one does not.

# Who embeds the project gets neither these targets nor a need for Python.
if(PROJECT_IS_TOP_LEVEL)
  find_package(Python3 COMPONENTS Interpreter)
endif()
set(_mr_lone_headers_script "${CMAKE_CURRENT_LIST_DIR}/../tools/lone_headers.py")
set(_mr_standard_headers "")
foreach(folder IN LISTS CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  if(EXISTS "${folder}/vector" AND EXISTS "${folder}/coroutine")
    set(_mr_standard_headers "${folder}")
  endif()
endforeach()

function(mr_lone_headers name root deps headers)
  if(NOT PROJECT_IS_TOP_LEVEL OR NOT Python3_Interpreter_FOUND OR NOT headers)
    return()
  endif()
  set(work "${CMAKE_BINARY_DIR}/headers")
  file(MAKE_DIRECTORY "${work}")
  # Modules are added after those that they include, so theirs are known.
  set(after ${deps})
  set(stamps ${deps})
  foreach(dependency IN LISTS deps)
    get_property(further GLOBAL PROPERTY MR_LONE_HEADERS_AFTER_${dependency})
    list(APPEND after ${further})
  endforeach()
  list(REMOVE_DUPLICATES after)
  set_property(GLOBAL PROPERTY MR_LONE_HEADERS_AFTER_${name} "${after}")
  list(TRANSFORM stamps PREPEND "${work}/")
  list(TRANSFORM stamps APPEND .stamp)
  add_custom_command(
    OUTPUT "${work}/${name}.stamp"
    COMMAND
      "${Python3_EXECUTABLE}" "${_mr_lone_headers_script}" "--compiler=${CMAKE_CXX_COMPILER}"
      "--name=${name}" "--root=${root}" "--work=${work}" "--stamp=${work}/${name}.stamp"
      "--standard=${_mr_standard_headers}" "--after=${after}"
      "--include=$<TARGET_PROPERTY:millrace_${name},INTERFACE_INCLUDE_DIRECTORIES>" ${headers}
    DEPENDS ${headers} ${stamps} "${_mr_lone_headers_script}"
    COMMENT "Compiling the headers of ${name} alone"
    VERBATIM)
  add_custom_target(${name}_headers DEPENDS "${work}/${name}.stamp")
  if(NOT TARGET all_headers)
    add_custom_target(all_headers)
  endif()
  add_dependencies(all_headers ${name}_headers)
endfunction()
