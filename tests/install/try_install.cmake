# Run by ctest with cmake -P: installs, moves the tree, and uses it as a stranger would.
set(prefix "${WORK_DIR}/moved")
set(toolchain -G Ninja "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" "-DCMAKE_EXE_LINKER_FLAGS=${LINKER_FLAGS}")
set(consumer -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -DCMAKE_PREFIX_PATH=${prefix}
    -DEXAMPLES_DIR=${EXAMPLES_DIR})

function(step text)
  message(STATUS "${text}")
endfunction()

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# expect(REGEX command...): what the command prints must match; it must succeed.
function(expect regex)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE said ERROR_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  if(NOT said MATCHES "${regex}")
    message(FATAL_ERROR "'${regex}' is not in what was said: ${said}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")

step("install and move")
run(${CMAKE_COMMAND} --install "${BUILD_DIR}" --prefix "${WORK_DIR}/first")
# A package that only works where it was installed would fail here.
file(RENAME "${WORK_DIR}/first" "${prefix}")

step("headers stand below millrace/ and include each other by that name")
file(GLOB roots RELATIVE "${prefix}/include" "${prefix}/include/*")
if(NOT roots STREQUAL "millrace")
  message(FATAL_ERROR "include/ has: ${roots}")
endif()
file(GLOB_RECURSE headers "${prefix}/include/*.h")
foreach(header IN LISTS headers)
  file(STRINGS "${header}" quoted REGEX "^#include \"")
  if(quoted)
    message(FATAL_ERROR "${header} has ${quoted}")
  endif()
endforeach()
foreach(header IN ITEMS millrace.h runtime/flow.h tasks/plugin.h detail/runtime/worker.h)
  if(NOT EXISTS "${prefix}/include/millrace/${header}")
    message(FATAL_ERROR "not installed: ${header}")
  endif()
endforeach()

step("a program and a plugin")
run(${CMAKE_COMMAND} ${toolchain} ${consumer} -B "${WORK_DIR}/build"
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
run(${CMAKE_COMMAND} --build "${WORK_DIR}/build")
expect("a feed of [0-9]+ items" "${WORK_DIR}/build/consumer")
expect("thread: Dear Ada.*task: Dear Grace" "${WORK_DIR}/build/future")
expect("roots: 2 3 99.*sum: 1000" "${WORK_DIR}/build/for_each")

step("another compiler is refused in one sentence")
find_program(GXX g++)
if(GXX)
  execute_process(COMMAND ${CMAKE_COMMAND} -G Ninja ${consumer} -B "${WORK_DIR}/gxx"
                          -DCMAKE_CXX_COMPILER=${GXX}
                  RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  string(REGEX REPLACE "[ \n]+" " " said "${said}")
  if(code EQUAL 0 OR NOT said MATCHES
     "Millrace needs clang 19 or newer, but this project's compiler is GNU [0-9.]+: configure with")
    message(FATAL_ERROR "g++ is not refused as it should be: ${said}")
  endif()
endif()

step("dslc makes a project, rankd answers from it")
if(NOT EXISTS "${prefix}/bin/dslc")
  message(FATAL_ERROR "dslc was not installed, because it is not built: run ./dev test install")
endif()
# Outside the repository, where dslc would find an engine that is not installed.
execute_process(COMMAND mktemp -d OUTPUT_VARIABLE project OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
unset(ENV{MILLRACE_RANKD})
expect("${prefix}/[^ ]*/bin/rankd --root" "${prefix}/bin/dslc" init "${project}")
file(WRITE "${WORK_DIR}/request.json" "{\"user_id\": 1, \"limit\": 1}\n")
function(ask regex)
  execute_process(COMMAND "${prefix}/bin/rankd" --root "${project}" ${ARGN}
                  INPUT_FILE "${WORK_DIR}/request.json" OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT said MATCHES "${regex}")
    message(FATAL_ERROR "'${regex}' is not in the answer to ${ARGN}: ${said}")
  endif()
endfunction()
ask("\"candidates\":\\[{\"id\":[0-9]+,\"fields\":{\"name\":" --plan_name home)

step("rankd loads the plugin")
file(COPY "${CMAKE_CURRENT_LIST_DIR}/boosted.plan.json" DESTINATION "${project}/plans")
ask("\"candidates\":\\[{\"id\":11,\"fields\":{\"score\":33}}\\]" --plan_name boosted
    --plugin "${WORK_DIR}/build/boost.so")
file(REMOVE_RECURSE "${project}")

step("topoexec loads a plugin with a component type")
execute_process(COMMAND "${prefix}/bin/topoexec" doctor --plugin "${WORK_DIR}/build/smooth.so"
                OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT said MATCHES "demo.smooth +- +exponential moving average")
  message(FATAL_ERROR "topoexec does not show the type of the plugin: ${said}")
endif()
