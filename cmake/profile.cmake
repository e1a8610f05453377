# Which ways requests take through the code, known when a release is compiled (docs/adr/0016).
#
# `./dev profile` counts them on the shipped plans and writes requests.proftext beside this file.
#
#   mr_profile(TARGET [file...])
#     compiles the target, or only these files of the current folder, with the counts
#     (MILLRACE_PROFILE=use, in Release), so that they count (make), or neither (off).

set(MILLRACE_PROFILE use CACHE STRING "Counts of what requests do: use, make or off")
set_property(CACHE MILLRACE_PROFILE PROPERTY STRINGS use make off)

# Functions that only one file knows are told apart by its name. With its folder the counts would be
# those of one machine.
set(_mr_profile_flags -mllvm=-static-func-full-module-prefix=0)

if(MILLRACE_PROFILE STREQUAL use)
  set(_mr_profile_counts "${CMAKE_CURRENT_LIST_DIR}/requests.proftext")
  set(_mr_profile "${PROJECT_BINARY_DIR}/requests.profdata")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_mr_profile_counts}")
  string(REGEX MATCH "^[0-9]+" _mr_compiler_major "${CMAKE_CXX_COMPILER_VERSION}")
  find_program(MILLRACE_PROFDATA NAMES llvm-profdata-${_mr_compiler_major} llvm-profdata)
  set(_mr_profile_problem "llvm-profdata is missing")
  if(MILLRACE_PROFDATA)
    execute_process(
      COMMAND "${MILLRACE_PROFDATA}" merge -o "${_mr_profile}" "${_mr_profile_counts}"
      RESULT_VARIABLE _mr_profile_result
      ERROR_VARIABLE _mr_profile_problem)
    if(_mr_profile_result EQUAL 0)
      set(_mr_profile_problem "")
    else()
      string(PREPEND _mr_profile_problem "${MILLRACE_PROFDATA} failed: ${_mr_profile_result} ")
    endif()
  endif()
  if(_mr_profile_problem)
    message(WARNING "A release will not know what requests do and be slower: "
                    "${_mr_profile_problem}")
    set(_mr_profile_flags "")
  else()
    # A function that has changed since it was counted is compiled as if it had not been, and what
    # no request did is still compiled for speed.
    list(APPEND _mr_profile_flags "-fprofile-use=${_mr_profile}" -mllvm=-pgso=false
         -Wno-profile-instr-unprofiled -Wno-profile-instr-out-of-date -Wno-backend-plugin)
  endif()
elseif(MILLRACE_PROFILE STREQUAL make)
  list(APPEND _mr_profile_flags -fprofile-generate -mllvm=-pgo-instrument-entry=1)
elseif(MILLRACE_PROFILE STREQUAL off)
  set(_mr_profile_flags "")
else()
  message(FATAL_ERROR "MILLRACE_PROFILE is '${MILLRACE_PROFILE}'; it can be use, make or off.")
endif()

function(mr_profile target)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT _mr_profile_flags)
    return()
  endif()
  if(ARGN)
    set_source_files_properties(
      ${ARGN} PROPERTIES COMPILE_OPTIONS "${_mr_profile_flags}" SKIP_UNITY_BUILD_INCLUSION ON)
  else()
    target_compile_options(${target} PRIVATE ${_mr_profile_flags})
  endif()
  if(MILLRACE_PROFILE STREQUAL make)
    target_link_options(${target} PUBLIC -fprofile-generate)
  endif()
endfunction()
