# The one supported compiler, and the flags that every translation unit needs.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(
    FATAL_ERROR
      "Millrace needs clang 19 or newer, but the compiler is ${CMAKE_CXX_COMPILER_ID} "
      "${CMAKE_CXX_COMPILER_VERSION} (${CMAKE_CXX_COMPILER}).\n"
      "Reason: GCC 12 destroys temporaries inside co_await expressions twice and overflows the "
      "stack on symmetric transfer, so correct coroutine code crashes; no other compiler is tested.\n"
      "Configure with a preset (cmake --preset dev) or with -DCMAKE_CXX_COMPILER=clang++-19.")
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(MILLRACE_CCACHE ccache)
  if(MILLRACE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${MILLRACE_CCACHE}")
  endif()
endif()

# Results must not depend on whether the compiler fused a multiply and an add.
add_compile_options(-ffp-contract=off)

# Warnings for our own targets; presets turn them into errors, people who embed us keep theirs.
set(MILLRACE_WARNINGS -Wall -Wextra -Wthread-safety -Wnon-virtual-dtor -Wimplicit-fallthrough)
