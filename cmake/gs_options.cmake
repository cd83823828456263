# What every target is compiled and linked with. Presets choose the values; this file only applies them.

add_library(gs_flags INTERFACE)
target_include_directories(gs_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(gs_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast -Werror
  -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(gs_flags INTERFACE -Wthread-safety -Wimplicit-fallthrough)
  target_link_options(gs_flags INTERFACE -fuse-ld=lld)
else()
  # g++ warns about fields that a designated initialiser leaves at their default, which is what those are for.
  target_compile_options(gs_flags INTERFACE -Wno-missing-field-initializers)
endif()
if(GS_SANITIZE)
  target_compile_options(gs_flags INTERFACE -fsanitize=${GS_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(gs_flags INTERFACE -fsanitize=${GS_SANITIZE})
endif()
if(GS_BUILD_FUZZ)
  target_compile_options(gs_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(GS_CCACHE ccache)
if(GS_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${GS_CCACHE})
endif()
