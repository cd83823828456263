# Headers that many files include are compiled once per preset: cmake/precompiled/{core,adapters,asio}.h, and the same
# with GoogleTest for tests. GS_PRECOMPILED is off where each file has to show that it includes what it uses.
#
# A precompiled header holds absolute paths, so every checkout makes its own. ccache is told the sum of its text instead
# (CCACHE_PCH_EXTSUM in tools/build), by which the objects of another checkout are found.

# What every file of adapters, programs and their tests is compiled with, so that one precompiled header serves them all.
add_library(gs_adapters_flags INTERFACE)
target_compile_definitions(gs_adapters_flags INTERFACE BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)

# gs_precompile(core LIBS gs_flags [OPTIONS -O1]): pch/core.pch in the build folder, with the flags of the libraries.
function(gs_precompile name)
  cmake_parse_arguments(ARG "" "" "LIBS;OPTIONS" ${ARGN})
  # Relative to the build folder, since __FILE__ in a header becomes part of the text.
  file(RELATIVE_PATH root ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
  set(header ${root}/cmake/precompiled/${name}.h)
  set(output ${CMAKE_BINARY_DIR}/pch/${name}.pch)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} -std=c++20")
  list(APPEND flags ${ARG_OPTIONS} -I${root}/src)
  foreach(lib IN LISTS ARG_LIBS)
    set(definitions $<TARGET_PROPERTY:${lib},INTERFACE_COMPILE_DEFINITIONS>)
    list(APPEND flags $<TARGET_PROPERTY:${lib},INTERFACE_COMPILE_OPTIONS>
      $<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>)
  endforeach()
  add_custom_command(OUTPUT ${output} ${output}.sum DEPFILE ${output}.d VERBATIM COMMAND_EXPAND_LISTS
    COMMENT "Precompiling ${name}.h"
    COMMAND ${CMAKE_CXX_COMPILER} ${flags} -x c++-header -fpch-instantiate-templates -Xclang -fno-pch-timestamp
      -MD -MF ${output}.d -MT ${output} ${header} -o ${output}
    COMMAND ${CMAKE_CXX_COMPILER} ${flags} -x c++-header -E -P -dD ${header} -o ${output}.text
    COMMAND sha256sum < ${output}.text > ${output}.sum
    COMMAND ${CMAKE_COMMAND} -E rm ${output}.text
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR} DEPENDS ${CMAKE_SOURCE_DIR}/cmake/precompiled/${name}.h)
  add_custom_target(precompiled_${name} DEPENDS ${output})  # so that there is a rule for what other folders need
endfunction()

# gs_use_precompiled(target core): compiles the files of a target on top of a precompiled header.
function(gs_use_precompiled target name)
  if(NOT GS_PRECOMPILED)
    return()
  endif()
  # Relative to the build folder, where ninja stands, so that other checkouts have the same command.
  target_compile_options(${target} PRIVATE -include-pch pch/${name}.pch)
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/pch/${name}.pch)
endfunction()

if(GS_PRECOMPILED)
  find_package(Boost 1.81 REQUIRED COMPONENTS json)
  find_package(spdlog REQUIRED)
  find_package(simdjson REQUIRED)
  foreach(lib Boost::json spdlog::spdlog simdjson::simdjson)
    target_compile_definitions(gs_adapters_flags INTERFACE $<TARGET_PROPERTY:${lib},INTERFACE_COMPILE_DEFINITIONS>)
  endforeach()
  gs_precompile(standard LIBS gs_flags)
  gs_precompile(core LIBS gs_flags OPTIONS ${GS_CORE_OPTIONS})
  gs_precompile(adapters LIBS gs_flags gs_adapters_flags)
  gs_precompile(asio LIBS gs_flags gs_adapters_flags)
  if(GS_BUILD_TESTS)
    gs_precompile(core_test LIBS gs_flags GTest::gtest)
    gs_precompile(adapters_test LIBS gs_flags gs_adapters_flags GTest::gtest)
    gs_precompile(asio_test LIBS gs_flags gs_adapters_flags GTest::gtest)
  endif()
endif()
