# Defines how all targets are made: one library per room, one naming rule, the same warnings. Keeps builds
# short by a shared compiler cache, precompiled headers, and optimisation only where speed matters.

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Makes the installed tree relocatable: it finds its own libraries in any folder.
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../lib")
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Only the first configuration looks: with a compiler cache from then on, all would be compiled again.
if(NOT DEFINED CACHE{GRAPHBENCH_CCACHE})
  find_program(GRAPHBENCH_CCACHE ccache)
endif()
if(GRAPHBENCH_CCACHE)
  # Paths are hashed relative to the source tree, so that all clones and worktrees share one cache. Without
  # this sloppiness, ccache does not cache files that use precompiled headers.
  set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros "${GRAPHBENCH_CCACHE}")
  foreach(language C CXX CUDA)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${launcher}")
  endforeach()
endif()

add_library(graphbench_flags INTERFACE)
target_compile_features(graphbench_flags INTERFACE cxx_std_20)
target_include_directories(graphbench_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(graphbench_flags INTERFACE
  # The data generator must give the same bits on every device (graphs/ir/random_fill.hpp).
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
  # Clang compiles only sanitized builds, where its warnings would repeat GCC's in other words.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
    -Werror=missing-field-initializers>
  # GCC 12 warns about an overlapping copy in "text" + std::string; GCC 13 does not.
  $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
if(GRAPHBENCH_SANITIZE)
  target_compile_options(graphbench_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${GRAPHBENCH_SANITIZE};-fno-omit-frame-pointer>"
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>
    # AddressSanitizer reports the same errors, and these checks add code to every use of a pointer.
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,vptr>
    # Clang 14 cannot assemble a coroutine with this check ("cannot represent a difference across sections").
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=function>
    # Checks for undefined behaviour take half of the compile time, so only the tested code has them, not
    # tests.
    $<$<BOOL:$<TARGET_PROPERTY:GRAPHBENCH_IS_TEST>>:-fno-sanitize=undefined>)
  # Fuzzed code uses neither tests nor the host's kernels. Both are slow if each of their comparisons is
  # reported to libFuzzer.
  if(GRAPHBENCH_SANITIZE MATCHES "fuzzer-no-link")
    set(is_host $<STREQUAL:$<TARGET_PROPERTY:NAME>,graphbench_host>)
    target_compile_options(graphbench_flags INTERFACE
      $<$<OR:$<BOOL:$<TARGET_PROPERTY:GRAPHBENCH_IS_TEST>>,${is_host}>:-fno-sanitize=fuzzer-no-link>)
  endif()
  target_link_options(graphbench_flags INTERFACE -fsanitize=${GRAPHBENCH_SANITIZE})
endif()

# Libraries that start, configure, judge and serve. No measured step runs their code, and at -O3 their
# templates take much of the build time. Under sanitizers the optimiser takes more than half of the time, so
# only the host's kernels, which tests wait for, are optimised.
set(GRAPHBENCH_COLD_LIBRARIES bill bill_process cli judge options package service sweep)
set(GRAPHBENCH_COLD_OPTIONS -O1)
if(GRAPHBENCH_SANITIZE)
  list(APPEND GRAPHBENCH_COLD_LIBRARIES abi backends base codec device execution ir ladder measure model
    reporters workloads)
  set(GRAPHBENCH_COLD_OPTIONS -O0)
endif()

# All files of a library are compiled as one, and the files of a test program in groups of eight, because each
# file would instantiate the standard library's templates again, which takes most of the build time. So two
# files of a target must not use one name for different things, except for overloaded functions. The base
# workloads are plugins: their files are compiled separately.
option(GRAPHBENCH_COMPILE_TOGETHER "Compile the files of a target together, as one" ON)
function(graphbench_compile_together target files_max)
  if(GRAPHBENCH_COMPILE_TOGETHER AND NOT target STREQUAL "graphbench_workloads")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files_max})
    # GCC treats joined files as headers, and warns about members whose types are local to one file.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# graphbench_joined_kernels(<result> <name> <file>...): the same for CUDA files, because CMake joins them only
# from 3.31 on. Included headers are read three times: for two architectures and for the host.
function(graphbench_joined_kernels result name)
  set(${result} ${ARGN} PARENT_SCOPE)
  if(GRAPHBENCH_COMPILE_TOGETHER)
    list(TRANSFORM ARGN REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
    list(JOIN includes "" text)
    set(${result} "${CMAKE_BINARY_DIR}/generated/${name}.cu" PARENT_SCOPE)
    file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/${name}.cu" CONTENT "${text}" @ONLY)
  endif()
endfunction()

# A compiler accepts a precompiled header only with equal options, so each kind of target has its own header.
option(GRAPHBENCH_PRECOMPILE "Precompile headers of the standard library and of GoogleTest" ON)
# ccache needs these options: GCC's marks a header as precompiled, clang's omits the time stamp.
set(GRAPHBENCH_PCH -fpch-preprocess)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(GRAPHBENCH_PCH "SHELL:-Xclang -fno-pch-timestamp")
endif()
function(graphbench_precompiled kind)
  cmake_parse_arguments(ARG "" "" "OPTIONS;LINK;HEADERS" ${ARGN})
  if(NOT GRAPHBENCH_PRECOMPILE)
    return()
  endif()
  set(source "${CMAKE_BINARY_DIR}/generated/precompiled.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "")
  set(target graphbench_precompiled_${kind})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL "${source}")
  target_link_libraries(${target} PRIVATE graphbench_flags ${ARG_LINK})
  target_compile_options(${target} PRIVATE ${ARG_OPTIONS} ${GRAPHBENCH_PCH})
  target_precompile_headers(${target} PRIVATE ${ARG_HEADERS})
endfunction()
function(graphbench_use_precompiled target kind)
  if(TARGET graphbench_precompiled_${kind})
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${GRAPHBENCH_PCH}>)
    target_precompile_headers(${target} REUSE_FROM graphbench_precompiled_${kind})
  endif()
endfunction()
set(headers <algorithm> <array> <chrono> <cmath> <cstdint> <cstdio> <cstring> <filesystem> <fstream>
  <functional> <map> <memory> <mutex> <optional> <set> <sstream> <string> <string_view> <thread> <utility>
  <variant> <vector>)
graphbench_precompiled(library HEADERS ${headers})
graphbench_precompiled(cold_library OPTIONS ${GRAPHBENCH_COLD_OPTIONS} HEADERS ${headers})

# graphbench_library(<room> [SHARED|MODULE] [FOLDER ...] [EXCLUDE ...] [SOURCES ...] [LINK ...] [PRIVATE_LINK
# ...]): makes a room's library, target graphbench_<room>, alias graphbench::<room>, of all .cpp files below
# FOLDER. A new file needs no change here. FOLDER defaults to <room>, or to none if SOURCES is given. EXCLUDE
# omits the paths in FOLDER that begin with it. LINK is public.
function(graphbench_library room)
  cmake_parse_arguments(ARG "SHARED;MODULE" "FOLDER;EXCLUDE" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  if(NOT ARG_FOLDER AND NOT ARG_SOURCES)
    set(ARG_FOLDER ${room})
  endif()
  if(ARG_FOLDER)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS "${ARG_FOLDER}/*.cpp")
    if(ARG_EXCLUDE)
      list(FILTER found EXCLUDE REGEX "/${ARG_FOLDER}/${ARG_EXCLUDE}")
    endif()
    list(APPEND ARG_SOURCES ${found})
  endif()
  set(type STATIC)
  if(ARG_SHARED)
    set(type SHARED)
  elseif(ARG_MODULE)
    set(type MODULE)
  endif()
  add_library(graphbench_${room} ${type} ${ARG_SOURCES})
  if(NOT ARG_MODULE)
    add_library(graphbench::${room} ALIAS graphbench_${room})
  endif()
  graphbench_compile_together(graphbench_${room} 0) # no limit
  target_link_libraries(graphbench_${room}
    PUBLIC graphbench_flags ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  if(room IN_LIST GRAPHBENCH_COLD_LIBRARIES)
    target_compile_options(graphbench_${room} PRIVATE ${GRAPHBENCH_COLD_OPTIONS})
    graphbench_use_precompiled(graphbench_${room} cold_library)
  elseif(NOT "graphbench_openmp" IN_LIST ARG_PRIVATE_LINK) # one option more than the header was made with
    graphbench_use_precompiled(graphbench_${room} library)
  endif()
endfunction()

# graphbench_backend_module(<target> <name> <rpath>...): a module that the registry opens as
# lib/graphbench/<name>.so.
function(graphbench_backend_module target name)
  set_target_properties(${target} PROPERTIES
    PREFIX ""
    OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/graphbench"
    CXX_VISIBILITY_PRESET hidden
    DISABLE_PRECOMPILE_HEADERS ON # they were made with another visibility, which clang refuses
    INSTALL_RPATH "${ARGN}"
    BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(${target} PRIVATE "LINKER:--exclude-libs,ALL")
endfunction()

# Tests are compiled without optimisation; the tested libraries keep their own options. tests/CMakeLists.txt
# makes the precompiled header of tests, because only it knows GoogleTest.
function(graphbench_test_program name)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests" GRAPHBENCH_IS_TEST ON)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
  graphbench_compile_together(${name} 8)
  graphbench_use_precompiled(${name} test)
endfunction()

# graphbench_test(<name> [THREADS] [SLOW] [LABEL label] [FOLDERS ...] [SOURCES ...] [LINK ...]): makes one
# GoogleTest program of all .cpp files in FOLDERS. It is one entry of CTest, because starting it takes longer
# than most of its tests; its report in tests/reports has each test. With THREADS, the tests run threads, and
# the program runs under ThreadSanitizer too. With SLOW, `ci/test` leaves the program out.
function(graphbench_test name)
  cmake_parse_arguments(ARG "THREADS;SLOW" "LABEL" "FOLDERS;SOURCES;LINK" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  if(ARG_THREADS)
    list(APPEND ARG_LABEL threads)
    set_property(GLOBAL APPEND PROPERTY GRAPHBENCH_THREADED_PROGRAMS ${name})
  endif()
  if(ARG_SLOW)
    list(APPEND ARG_LABEL slow)
  endif()
  foreach(folder IN LISTS ARG_FOLDERS)
    file(GLOB found CONFIGURE_DEPENDS "${folder}/*.cpp")
    list(APPEND ARG_SOURCES ${found})
  endforeach()
  add_executable(${name} ${ARG_SOURCES})
  graphbench_test_program(${name})
  target_link_libraries(${name} PRIVATE
    graphbench_flags ${ARG_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} "--gtest_output=xml:${CMAKE_BINARY_DIR}/tests/reports/${name}.xml")
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT 900)
endfunction()
