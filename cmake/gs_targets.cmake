# gs_library, gs_program, gs_test, gs_bench, gs_fuzz: one library per folder, each with a layer.
#
# A layer may use itself and the layers below it. Dependencies must be declared before they are used, so rings
# cannot be written; what points upwards stops the configure with a sentence.

set(GS_LAYERS base core adapters programs)
define_property(TARGET PROPERTY GS_LAYER BRIEF_DOCS "layer of a gs library")

# Stops the configure unless every dependency of `name` exists and lies in a layer that `layer` may use.
function(gs_check_layer name layer)
  list(FIND GS_LAYERS "${layer}" rank)
  if(rank EQUAL -1)
    message(FATAL_ERROR "gs::${name}: '${layer}' is no layer; the layers are: ${GS_LAYERS}")
  endif()
  foreach(dep IN LISTS ARGN)
    if(NOT TARGET gs_${dep})
      message(FATAL_ERROR "gs::${name} depends on gs::${dep}, which is not declared before it: "
                          "add its folder above in src/CMakeLists.txt, or break the ring")
    endif()
    get_target_property(dep_layer gs_${dep} GS_LAYER)
    list(FIND GS_LAYERS "${dep_layer}" dep_rank)
    if(dep_rank GREATER rank)
      message(FATAL_ERROR "gs::${name} (${layer}) must not depend on gs::${dep} (${dep_layer}): "
                          "a layer uses only itself and those below it")
    endif()
  endforeach()
endfunction()

# Whether the header's own source includes it before anything else, which shows that it compiles alone; to `make tidy`, since
# elsewhere another source may stand before that one.
function(gs_is_included_first header include result)
  string(REGEX REPLACE "\\.h$" ".cc" source ${header})
  set(first "")
  if(EXISTS ${source})
    file(STRINGS ${source} first REGEX "^#include" LIMIT_COUNT 1)
  endif()
  string(COMPARE EQUAL "${first}" "#include \"${include}\"" is_first)
  set(${result} ${is_first} PARENT_SCOPE)
endfunction()

# One translation unit per other header, which includes nothing else, so that every header compiles alone.
function(gs_check_headers name)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  set(units "")
  foreach(header IN LISTS headers)
    file(RELATIVE_PATH include ${CMAKE_SOURCE_DIR}/src ${header})
    gs_is_included_first(${header} ${include} is_shown)
    if(is_shown)
      continue()
    endif()
    string(REPLACE "/" "_" unit ${include})
    set(unit ${CMAKE_BINARY_DIR}/header_check/${unit}.cc)
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${include}\"\n" @ONLY)
    list(APPEND units ${unit})
  endforeach()
  if(units)
    add_library(gs_headers_${name} OBJECT EXCLUDE_FROM_ALL ${units})
    target_link_libraries(gs_headers_${name} PRIVATE gs_${name})
    set_target_properties(gs_headers_${name} PROPERTIES UNITY_BUILD OFF)
    if(NOT TARGET check_headers)
      add_custom_target(check_headers)
    endif()
    add_dependencies(check_headers gs_headers_${name})
  endif()
endfunction()

# Sources of one target are compiled several at a time, which reads the headers they share once. Where two of them have a private
# name of the same text, all but one stand here: gs_apart(a.cc b.cc). The preset tidy does not do
# this, so `make tidy` shows that each file includes what it uses.
function(gs_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# gs_library(NAME cache LAYER core SRCS a.cc DEPS base model [LIBS third::party])
function(gs_library)
  cmake_parse_arguments(ARG "" "NAME;LAYER" "SRCS;DEPS;LIBS" ${ARGN})
  gs_check_layer(${ARG_NAME} "${ARG_LAYER}" ${ARG_DEPS})
  list(TRANSFORM ARG_DEPS PREPEND gs_ OUTPUT_VARIABLE deps)
  if(ARG_SRCS)
    add_library(gs_${ARG_NAME} STATIC ${ARG_SRCS})
    target_link_libraries(gs_${ARG_NAME} PUBLIC gs_flags ${deps} ${ARG_LIBS})
  else()
    add_library(gs_${ARG_NAME} INTERFACE)
    target_link_libraries(gs_${ARG_NAME} INTERFACE gs_flags ${deps} ${ARG_LIBS})
  endif()
  set_target_properties(gs_${ARG_NAME} PROPERTIES GS_LAYER ${ARG_LAYER})
  add_library(gs::${ARG_NAME} ALIAS gs_${ARG_NAME})
  gs_check_headers(${ARG_NAME})
endfunction()

# All programs, and of the libraries only what they use: what `make run` builds.
add_custom_target(programs)

# gs_program(NAME kubectl-gpu SRCS main.cc DEPS kubectl_gpu_app): an executable in build/<preset>/bin.
# FOR_TESTS: nobody but a test runs it, so it is none of the programs.
function(gs_program)
  cmake_parse_arguments(ARG "FOR_TESTS" "NAME" "SRCS;DEPS;LIBS" ${ARGN})
  gs_check_layer(${ARG_NAME} programs ${ARG_DEPS})
  list(TRANSFORM ARG_DEPS PREPEND gs_ OUTPUT_VARIABLE deps)
  add_executable(${ARG_NAME} ${ARG_SRCS})
  target_compile_definitions(${ARG_NAME} PRIVATE GS_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${ARG_NAME} PRIVATE gs_flags ${deps} ${ARG_LIBS})
  if(NOT ARG_FOR_TESTS)
    add_dependencies(programs ${ARG_NAME})
  endif()
endfunction()

# Under sanitizers, `make test` builds what they are most likely to find something in: ThreadSanitizer gets the folders whose tests
# run threads; AddressSanitizer those that take bytes apart, the fuzzers, and the scenarios, which go through all of core. Both
# for everything would take longer than the rest; that is what `make asan` and `make tsan` are for.
set(GS_THREADED "/src/adapters/(runtime|http)(/|$)|/src/adapters/kube/(api|watch|write|election)$|/src/adapters/gpu/(watch|nvml)$|/src/adapters/localcluster/store$|/src/programs/(scheduler|webhook)(/|$)|/tests/(support/faults|crash/[a-z]+)$")
set(GS_PARSING "/src/base$|/src/adapters/(answers|json|yaml|gpu|gpu/amd)$|/src/adapters/kube/(login|objects|wire)$|/src/adapters/localcluster/(patch|wire)$")
add_custom_target(threaded_tests)
add_custom_target(parsing_tests)

# gs_test(NAME base_test SRCS a_test.cc DEPS base [LIBS …] [LABELS property] [TIMEOUT seconds] [ENVIRONMENT a=b]): tests
# beside the code. Without a label it is `unit`, `parsing` or `threaded`, by its folder. ENVIRONMENT is not for properties and
# scenarios, which have their own under sanitizers.
function(gs_test)
  if(NOT GS_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "NAME;LABELS;TIMEOUT;ENVIRONMENT" "SRCS;DEPS;LIBS;DEFINES" ${ARGN})
  list(TRANSFORM ARG_DEPS PREPEND gs_ OUTPUT_VARIABLE deps)
  add_executable(${ARG_NAME} ${ARG_SRCS})
  target_compile_definitions(${ARG_NAME} PRIVATE ${ARG_DEFINES})
  if(NOT ARG_LABELS STREQUAL property)
    target_compile_options(${ARG_NAME} PRIVATE -O0)  # a test's own code is compiled once and runs briefly
  endif()
  target_link_libraries(${ARG_NAME} PRIVATE gs_flags ${deps} ${ARG_LIBS} GTest::gtest GTest::gmock GTest::gtest_main)
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
    if(CMAKE_CURRENT_SOURCE_DIR MATCHES "${GS_THREADED}")
      set(ARG_LABELS threaded)
      add_dependencies(threaded_tests ${ARG_NAME})
    elseif(CMAKE_CURRENT_SOURCE_DIR MATCHES "${GS_PARSING}")
      set(ARG_LABELS parsing)
    endif()
  endif()
  if(ARG_LABELS MATCHES "^(parsing|scenario)$")
    add_dependencies(parsing_tests ${ARG_NAME})
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  if(GS_SANITIZE)
    math(EXPR ARG_TIMEOUT "4 * ${ARG_TIMEOUT}")
    if(ARG_LABELS STREQUAL property)
      set(ARG_ENVIRONMENT RC_PARAMS=max_success=2000)  # sanitizers look for other things than many cases
    endif()
  else()
    add_custom_command(TARGET ${ARG_NAME} POST_BUILD VERBATIM
      COMMAND ${CMAKE_COMMAND} -DTEST_PROGRAM=$<TARGET_FILE:${ARG_NAME}> -P ${CMAKE_SOURCE_DIR}/cmake/gs_has_tests.cmake)
  endif()
  if(GS_SANITIZE AND ARG_LABELS STREQUAL scenario)
    # A process for each would read all scenarios each time, which is slow with sanitizers.
    add_test(NAME ${ARG_NAME} COMMAND ${ARG_NAME} --gtest_brief=1)
    set_tests_properties(${ARG_NAME} PROPERTIES LABELS ${ARG_LABELS} TIMEOUT ${ARG_TIMEOUT})
    return()
  endif()
  set(environment "")
  if(ARG_ENVIRONMENT)
    set(environment ENVIRONMENT ${ARG_ENVIRONMENT})
  endif()
  gtest_discover_tests(${ARG_NAME} DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS ${ARG_LABELS} TIMEOUT ${ARG_TIMEOUT} ${environment})
endfunction()

# gs_module(NAME fake_nvml OUTPUT libnvidia-ml.so.1 FOLDER dir SRCS a.cc [LIBS …]): what a program under test
# loads at run time. Stays in memory once it is loaded, so that what it knows outlives the one who loaded it.
function(gs_module)
  cmake_parse_arguments(ARG "" "NAME;OUTPUT;FOLDER" "SRCS;LIBS" ${ARGN})
  add_library(${ARG_NAME} MODULE ${ARG_SRCS})
  target_compile_options(${ARG_NAME} PRIVATE -O0)
  target_include_directories(${ARG_NAME} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${ARG_NAME} PRIVATE gs_flags ${ARG_LIBS})
  target_link_options(${ARG_NAME} PRIVATE -Wl,-z,nodelete)
  set_target_properties(${ARG_NAME} PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME ${ARG_OUTPUT} DEFINE_SYMBOL ""
    LIBRARY_OUTPUT_DIRECTORY ${ARG_FOLDER})
endfunction()

# gs_bench(NAME devices_bench SRCS x_bench.cc DEPS devices): Google Benchmark, run by `make bench`.
function(gs_bench)
  if(NOT GS_BUILD_BENCH)
    return()
  endif()
  cmake_parse_arguments(ARG "" "NAME" "SRCS;DEPS" ${ARGN})
  list(TRANSFORM ARG_DEPS PREPEND gs_ OUTPUT_VARIABLE deps)
  add_executable(${ARG_NAME} ${ARG_SRCS})
  target_link_libraries(${ARG_NAME} PRIVATE gs_flags ${deps} benchmark::benchmark benchmark::benchmark_main)
endfunction()

# gs_fuzz(NAME quantity_fuzz SRCS x_fuzz.cc DEPS base): a libFuzzer target; seeds beside it in <NAME>_seeds/.
function(gs_fuzz)
  if(NOT GS_BUILD_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "NAME" "SRCS;DEPS" ${ARGN})
  list(TRANSFORM ARG_DEPS PREPEND gs_ OUTPUT_VARIABLE deps)
  add_executable(${ARG_NAME} ${ARG_SRCS})
  set_target_properties(${ARG_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
  target_link_libraries(${ARG_NAME} PRIVATE gs_flags ${deps})
  target_link_options(${ARG_NAME} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${ARG_NAME})
endfunction()

if(GS_BUILD_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  include(GoogleTest)
endif()
if(GS_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
if(GS_BUILD_FUZZ)
  add_custom_target(fuzzers)
endif()
