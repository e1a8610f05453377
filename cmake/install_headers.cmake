# Run by `cmake --install`: copies the headers to STAGING as they are installed. In the tree they include
# each other as "module/unit.h"; for strangers that becomes <millrace/module/unit.h> for public headers
# and <millrace/detail/module/unit.h> for all others, so that no name of theirs can get in between.
#
# Needs: engine (folder), headers (all, relative to it), MILLRACE_PUBLIC_HEADERS, staging (folder).

foreach(header IN LISTS MILLRACE_PUBLIC_HEADERS)
  if(NOT header IN_LIST headers)
    message(FATAL_ERROR "engine/public_headers.txt names a header that is not there: ${header}")
  endif()
endforeach()

# Sets `result` to the path of a header below the include folder.
function(installed_path header result)
  if(header STREQUAL "runtime/millrace.h")
    set(${result} "millrace/millrace.h" PARENT_SCOPE)
  elseif(header IN_LIST MILLRACE_PUBLIC_HEADERS)
    set(${result} "millrace/${header}" PARENT_SCOPE)
  elseif(header IN_LIST headers)
    set(${result} "millrace/detail/${header}" PARENT_SCOPE)
  else()
    message(FATAL_ERROR "A header that is installed includes one that is not: ${header}")
  endif()
endfunction()

file(REMOVE_RECURSE "${staging}")
foreach(header IN LISTS headers)
  file(READ "${engine}/${header}" text)
  string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "#include \"(.*)\"" "\\1" included "${include}")
    installed_path("${included}" path)
    string(REPLACE "${include}" "#include <${path}>" text "${text}")
  endforeach()
  installed_path("${header}" path)
  file(WRITE "${staging}/${path}" "${text}")
endforeach()
