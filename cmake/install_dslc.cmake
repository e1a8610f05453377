# Run by `cmake --install`: ships the compiler of plans as `./dev build` leaves it in dsl/, with those of
# its packages that it needs at run time, and links it into the folder of programs.
#
# Needs: source (folder of the repository), bin and package (folders below the prefix).
set(dsl "${source}/dsl")
if(NOT EXISTS "${dsl}/dist/dslc.js" OR NOT EXISTS "${dsl}/node_modules/typescript")
  message(STATUS "Not installed: dslc, because it is not built; `./dev build release` builds it.")
  return()
endif()

set(target "${CMAKE_INSTALL_PREFIX}/${package}")
file(INSTALL "${dsl}/package.json" DESTINATION "${target}")
file(INSTALL "${dsl}/bin/dslc" DESTINATION "${target}/bin" USE_SOURCE_PERMISSIONS)
file(INSTALL "${dsl}/types" "${dsl}/templates" "${dsl}/generated" "${source}/interface"
     DESTINATION "${target}")
file(INSTALL "${dsl}/dist" DESTINATION "${target}" PATTERN "test" EXCLUDE PATTERN "*.map" EXCLUDE)
set(packages "${dsl}/node_modules")
file(INSTALL "${packages}/quickjs-emscripten-core" "${packages}/@jitl" "${packages}/@esbuild"
     DESTINATION "${target}/node_modules" USE_SOURCE_PERMISSIONS)
# The library only: each has a program of its own, too.
file(INSTALL "${packages}/esbuild" DESTINATION "${target}/node_modules" PATTERN "bin" EXCLUDE)
file(INSTALL "${packages}/typescript/package.json" DESTINATION "${target}/node_modules/typescript")
file(GLOB declarations "${packages}/typescript/lib/lib*.d.ts")
file(INSTALL "${packages}/typescript/lib/typescript.js" ${declarations}
     DESTINATION "${target}/node_modules/typescript/lib")

# Relative links, so that the tree may be moved. dslc asks the engine that stands beside it.
function(link folder name folder_of_target)
  set(path "${folder_of_target}/${name}")
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${folder}")
  file(CREATE_LINK "${path}" "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${folder}/${name}" SYMBOLIC)
endfunction()
link("${bin}" dslc "${package}/bin")
link("${package}/bin" rankd "${bin}")
