# How every target of the project is made: one library a folder, one name for it, the same warnings.

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Relocatable: an installed tree finds its own libraries wherever it is unpacked.
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../lib")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(GRAPHBENCH_CCACHE ccache)
if(GRAPHBENCH_CCACHE)
  # Paths are hashed relative to the source tree, so that every clone and worktree shares one cache.
  set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
    "${GRAPHBENCH_CCACHE}")
  foreach(language C CXX CUDA)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${launcher}")
  endforeach()
endif()

add_library(graphbench_options INTERFACE)
target_compile_features(graphbench_options INTERFACE cxx_std_20)
target_include_directories(graphbench_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(graphbench_options INTERFACE
  # The data generator must give the same bits on every device (graphs/ir/random_fill.hpp).
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor>
  # GCC 12 takes "text" + std::string for an overlapping copy; mended in 13.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
if(GRAPHBENCH_SANITIZE)
  target_compile_options(graphbench_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${GRAPHBENCH_SANITIZE};-fno-omit-frame-pointer>"
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>)
  target_link_options(graphbench_options INTERFACE -fsanitize=${GRAPHBENCH_SANITIZE})
endif()

# graphbench_library(<folder> [SHARED|MODULE] SOURCES ... [LINK ...] [PRIVATE_LINK ...]): the library
# of one folder, target graphbench_<folder>, alias graphbench::<folder>. LINK is public.
function(graphbench_library folder)
  cmake_parse_arguments(ARG "SHARED;MODULE" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  set(type STATIC)
  if(ARG_SHARED)
    set(type SHARED)
  elseif(ARG_MODULE)
    set(type MODULE)
  endif()
  add_library(graphbench_${folder} ${type} ${ARG_SOURCES})
  if(NOT ARG_MODULE)
    add_library(graphbench::${folder} ALIAS graphbench_${folder})
  endif()
  target_link_libraries(graphbench_${folder}
    PUBLIC graphbench_options ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
endfunction()

# graphbench_test(<name> [THREADS] SOURCES ... [LINK ...] [LABELS ...]): one GoogleTest program, one CTest
# entry a test. THREADS: what it tests runs threads, so that it runs under ThreadSanitizer too.
function(graphbench_test name)
  cmake_parse_arguments(ARG "THREADS" "" "SOURCES;LINK;LABELS" ${ARGN})
  if(ARG_THREADS)
    list(APPEND ARG_LABELS threads)
    set_property(GLOBAL APPEND PROPERTY GRAPHBENCH_THREADED_PROGRAMS ${name})
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(${name} PRIVATE
    graphbench_options ${ARG_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 300)
endfunction()
