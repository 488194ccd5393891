# Sets the version and the commit for `--version` and for result documents. The header is written at configure
# time, which comes again when another commit is made or checked out; a build from a tarball has the commit
# "unknown".
execute_process(COMMAND git -C "${PROJECT_SOURCE_DIR}" describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE GRAPHBENCH_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE git_failed)
if(git_failed OR NOT GRAPHBENCH_COMMIT)
  set(GRAPHBENCH_COMMIT "unknown")
endif()
execute_process(COMMAND git -C "${PROJECT_SOURCE_DIR}" rev-parse --git-path logs/HEAD
  OUTPUT_VARIABLE head_log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
get_filename_component(head_log "${head_log}" ABSOLUTE BASE_DIR "${PROJECT_SOURCE_DIR}")
if(EXISTS "${head_log}" AND NOT IS_DIRECTORY "${head_log}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${head_log}")
endif()
configure_file("${PROJECT_SOURCE_DIR}/ci/cmake/version.hpp.in"
  "${CMAKE_BINARY_DIR}/generated/graphbench_version.hpp" @ONLY)
target_include_directories(graphbench_flags INTERFACE "$<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/generated>")
