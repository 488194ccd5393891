# Sets the version and the commit for `--version` and for result documents. The header is written at configure
# time; a build from a tarball has the commit "unknown".
execute_process(COMMAND git -C "${PROJECT_SOURCE_DIR}" describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE GRAPHBENCH_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE git_failed)
if(git_failed OR NOT GRAPHBENCH_COMMIT)
  set(GRAPHBENCH_COMMIT "unknown")
endif()
configure_file("${PROJECT_SOURCE_DIR}/ci/cmake/version.hpp.in"
  "${CMAKE_BINARY_DIR}/generated/graphbench_version.hpp" @ONLY)
target_include_directories(graphbench_flags INTERFACE "$<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/generated>")
