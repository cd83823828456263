# Run after a test program is linked: stops the build when it holds no test, which would otherwise pass unnoticed.
#   cmake -DTEST_PROGRAM=build/dev/bin/base_test -P cmake/gs_has_tests.cmake

execute_process(COMMAND ${TEST_PROGRAM} --gtest_list_tests OUTPUT_VARIABLE tests RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${TEST_PROGRAM} cannot list its tests: ${result}")
endif()
if(NOT tests MATCHES "\n  [^ \n]")
  message(FATAL_ERROR "${TEST_PROGRAM} holds no test: write one, or take the gs_test out of its CMakeLists.txt")
endif()
