# One folder = one module = one library, with the tests that stand beside its units.
#
#   mr_module(NAME [FOLDERS folder...] [DEPS module...] [LIBS target...]
#             [CONCURRENCY_TESTS x_test.cpp...] [SEPARATE_TESTS x_test.cpp...] [ALONE file...]
#             [LARGE_PIECES])
#     makes millrace::NAME from *.h and *.cpp of the current folder and of FOLDERS below it (without
#     main.cpp) and NAME_test from *_test.cpp.
#     CONCURRENCY_TESTS go to NAME_concurrency_test instead, which also runs under ThreadSanitizer;
#     each of SEPARATE_TESTS is a program of its own, NAME_x_test, for what concerns a whole process.
#     Where MILLRACE_UNITY is on, several files are compiled as one: most of the cost is
#     reading headers. ALONE names files that cannot share, for a local name that others use too.
#     LARGE_PIECES compiles many files as one in Release, so that the first build of a newcomer is short.
#   mr_test(NAME SOURCES file... [DEPS module...] [LIBS target...] [LABELS label...] [ARGS arg...])
#     makes one GoogleTest executable and one ctest of the same name.
#   mr_executable(NAME SOURCES file... [DEPS module...] [LIBS target...])
#     makes a program (benchmark, simulator, example) with the project's warnings.
#   mr_fuzzer(NAME SOURCES file... [DEPS module...] [CORPUS folder...])
#     makes a libFuzzer target; ctest gives it a short fixed-seed run over its corpus.
#   mr_unite(TARGET [FILES])
#     compiles the target in few pieces, of so many files each, where MILLRACE_UNITY is on.
#   mr_unite_in_debug(TARGET)
#     does so in Debug only: what measures keeps its files apart, the sanitized build only tries it.
#   mr_optimise_in_debug(TARGET)
#     compiles the target with -O1 in Debug, for what tests run long. The rest is not optimised there:
#     compiling costs far more than running it.
#   mr_scheduler_sources(VARIABLE)
#     lists the sources of loop, trace and runtime, for programs that compile them with other switches.
#   mr_add_existing(folder...)
#     adds those sub-folders that have a CMakeLists.txt.

include("${CMAKE_CURRENT_LIST_DIR}/lone_headers.cmake")

# Modules in which tests spend their time: loops over rows, and the scheduler.
set(_mr_optimised_modules base loop runtime rows expr)
# How many files are compiled as one.
set(_mr_united_files 10)
set(_mr_large_united_files 26)

function(mr_add_existing)
  # Globbing, unlike EXISTS, makes the build notice a folder that appears later.
  file(GLOB found CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" */CMakeLists.txt)
  foreach(folder IN LISTS ARGN)
    if("${folder}/CMakeLists.txt" IN_LIST found)
      add_subdirectory(${folder})
    endif()
  endforeach()
endfunction()

function(mr_module name)
  cmake_parse_arguments(
    PARSE_ARGV 1 arg "LARGE_PIECES" "" "FOLDERS;DEPS;LIBS;CONCURRENCY_TESTS;SEPARATE_TESTS;ALONE")
  _mr_reject_unparsed(mr_module ${name} "${arg_UNPARSED_ARGUMENTS}")
  set(inner_headers ${arg_FOLDERS})
  set(inner_sources ${arg_FOLDERS})
  list(TRANSFORM inner_headers APPEND /*.h)
  list(TRANSFORM inner_sources APPEND /*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS *.h ${inner_headers})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp ${inner_sources})
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(tests ${sources})
  list(FILTER headers EXCLUDE REGEX "_(test|fixture)\\.h$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")

  set(target millrace_${name})
  if(sources)
    add_library(${target} STATIC ${sources})
    set(visibility PUBLIC)
    target_compile_options(${target} PRIVATE ${MILLRACE_WARNINGS})
  else()
    add_library(${target} INTERFACE)
    set(visibility INTERFACE)
  endif()
  add_library(millrace::${name} ALIAS ${target})
  mr_module_headers(${name} "${headers}")
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${visibility} cxx_std_23)
  _mr_link(${target} ${visibility} "${arg_DEPS}" "${arg_LIBS}")
  mr_install_module(${name})
  if(arg_ALONE)
    set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  if(arg_LARGE_PIECES AND CMAKE_BUILD_TYPE STREQUAL Release)
    mr_unite(${target} ${_mr_large_united_files})
  else()
    mr_unite(${target})
  endif()
  mr_lone_headers(${name} "${PROJECT_SOURCE_DIR}/engine" "${arg_DEPS}" "${headers}")
  if(name IN_LIST _mr_optimised_modules)
    mr_optimise_in_debug(${target})
  endif()
  if(MILLRACE_BUILD_TESTS)
    _mr_module_tests(${name} "${tests}" "${arg_CONCURRENCY_TESTS}" "${arg_SEPARATE_TESTS}")
  endif()
endfunction()

function(mr_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;LIBS;LABELS;ARGS")
  _mr_reject_unparsed(mr_test ${name} "${arg_UNPARSED_ARGUMENTS}")
  mr_executable(${name} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS}
                LIBS ${arg_LIBS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} ${arg_ARGS})
  # The XML report lets ./dev test count test cases instead of executables.
  set_tests_properties(
    ${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600
                       ENVIRONMENT "GTEST_OUTPUT=xml:${CMAKE_BINARY_DIR}/gtest/${name}.xml")
  _mr_add_to_label_targets(${name} "${arg_LABELS}")
endfunction()

function(mr_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;LIBS")
  _mr_reject_unparsed(mr_executable ${name} "${arg_UNPARSED_ARGUMENTS}")
  add_executable(${name} ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${MILLRACE_WARNINGS})
  _mr_link(${name} PRIVATE "${arg_DEPS}" "${arg_LIBS}")
endfunction()

function(mr_fuzzer name)
  if(NOT MILLRACE_BUILD_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "RUNS" "SOURCES;DEPS;CORPUS")
  if(NOT arg_RUNS)
    set(arg_RUNS 20000)
  endif()
  _mr_reject_unparsed(mr_fuzzer ${name} "${arg_UNPARSED_ARGUMENTS}")
  mr_executable(${name} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  set(corpus "")
  foreach(folder IN LISTS arg_CORPUS)
    cmake_path(ABSOLUTE_PATH folder)
    list(APPEND corpus "${folder}")
  endforeach()
  # What it finds goes to the first folder; the corpus itself is only read. Code of other presets than
  # `fuzz` says nothing of what it has covered, and without `-keep_seed` the shortest input would be
  # all that is left of the corpus.
  set(found "${CMAKE_CURRENT_BINARY_DIR}/${name}_found")
  file(MAKE_DIRECTORY "${found}")
  add_test(NAME ${name}
           COMMAND ${name} -seed=1 -runs=${arg_RUNS} -keep_seed=1 -max_total_time=60 "${found}" ${corpus})
  set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 120)
  _mr_add_to_label_targets(${name} fuzz)
endfunction()

function(_mr_module_tests name tests concurrency_tests separate_tests)
  foreach(file IN LISTS separate_tests)
    list(REMOVE_ITEM tests "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    cmake_path(GET file STEM unit)
    mr_test(${name}_${unit} SOURCES ${file} DEPS ${name} LABELS ${name})
  endforeach()
  list(TRANSFORM concurrency_tests PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  if(concurrency_tests)
    list(REMOVE_ITEM tests ${concurrency_tests})
    mr_test(${name}_concurrency_test SOURCES ${concurrency_tests} DEPS ${name}
            LABELS ${name} concurrency)
    mr_unite(${name}_concurrency_test)
  endif()
  if(tests)
    mr_test(${name}_test SOURCES ${tests} DEPS ${name} LABELS ${name})
    mr_unite(${name}_test)
  endif()
endfunction()

# Includes are written relative to the project, not as CMake's own unity builds do with absolute paths:
# so clones and worktrees share what ccache keeps.
function(mr_unite target)
  set(files_max ${_mr_united_files})
  if(ARGC GREATER 1)
    set(files_max ${ARGV1})
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT MILLRACE_UNITY OR type STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(alone "")
  set(together "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    get_source_file_property(skipped "${source}" SKIP_UNITY_BUILD_INCLUSION)
    cmake_path(IS_PREFIX PROJECT_SOURCE_DIR "${source}" inside)
    if(skipped OR NOT inside OR NOT source MATCHES "\\.cpp$")
      list(APPEND alone "${source}")
    else()
      list(APPEND together "${source}")
    endif()
  endforeach()
  if(NOT together)
    return()
  endif()
  set(pieces "")
  set(includes "")
  set(count 0)
  list(GET together -1 last)
  foreach(source IN LISTS together)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE place)
    string(APPEND includes "#include \"${place}\"\n")
    math(EXPR count "${count} + 1")
    if(count EQUAL files_max OR source STREQUAL last)
      list(LENGTH pieces index)
      set(piece "${CMAKE_CURRENT_BINARY_DIR}/united/${target}_${index}.cpp")
      file(CONFIGURE OUTPUT "${piece}" CONTENT "${includes}" @ONLY)
      list(APPEND pieces "${piece}")
      set(includes "")
      set(count 0)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${pieces};${alone}")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
endfunction()

function(mr_unite_in_debug target)
  if(CMAKE_BUILD_TYPE STREQUAL Debug)
    mr_unite(${target})
  endif()
endfunction()

function(mr_optimise_in_debug target)
  get_target_property(type ${target} TYPE)
  if(PROJECT_IS_TOP_LEVEL AND NOT type STREQUAL INTERFACE_LIBRARY)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O1>)
  endif()
endfunction()

function(mr_scheduler_sources variable)
  set(engine "${PROJECT_SOURCE_DIR}/engine")
  file(GLOB sources CONFIGURE_DEPENDS "${engine}/loop/*.cpp" "${engine}/trace/*.cpp"
       "${engine}/runtime/*.cpp" "${engine}/runtime/*/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  set(${variable} "${sources}" PARENT_SCOPE)
endfunction()

# Lets ./dev build only what a label needs: the target tests_LABEL.
function(_mr_add_to_label_targets name labels)
  foreach(label IN LISTS labels)
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${name})
  endforeach()
endfunction()

function(_mr_link target visibility deps libs)
  list(TRANSFORM deps PREPEND millrace::)
  target_link_libraries(${target} ${visibility} ${deps} ${libs})
endfunction()

function(_mr_reject_unparsed function name unparsed)
  if(unparsed)
    message(FATAL_ERROR "${function}(${name}): unknown arguments: ${unparsed}")
  endif()
endfunction()
