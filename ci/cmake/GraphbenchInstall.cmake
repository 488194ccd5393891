# Installs the binary, the CUDA module, and for plugin authors the ABI header and a CMake package with the
# target graphbench::abi. The component `tests`, for ci/bundle, has the test programs that run on a GPU
# machine.
include(CMakePackageConfigHelpers)

install(TARGETS graphbench RUNTIME DESTINATION bin COMPONENT runtime)
install(TARGETS graphbench_base graphbench_ir graphbench_device graphbench_step LIBRARY
  DESTINATION lib COMPONENT runtime)
install(TARGETS graphbench_host_module LIBRARY DESTINATION lib/graphbench COMPONENT runtime)
if(TARGET graphbench_cuda)
  install(TARGETS graphbench_cuda LIBRARY DESTINATION lib/graphbench COMPONENT runtime)
endif()
install(DIRECTORY workloads/torch/ DESTINATION lib/graphbench COMPONENT runtime
  FILES_MATCHING PATTERN "*.py" PATTERN package EXCLUDE)
# A worker's `import graphbench` gives the package that a wheel has.
install(FILES workloads/torch/package/__init__.py DESTINATION lib/graphbench RENAME graphbench_package.py
  COMPONENT runtime)
# The installed documentation keeps the tree's folders, so that all links between its files work.
file(GLOB documents RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.md"
  "${PROJECT_SOURCE_DIR}/docs/*.png" "${PROJECT_SOURCE_DIR}/docs/*.ipynb"
  "${PROJECT_SOURCE_DIR}/docs/reference/*.md")
foreach(document IN LISTS documents ITEMS LICENSE README.md CHANGELOG.md ARCHITECTURE.md CONTRIBUTING.md
    graphs/ir/OPS.md ci/peers/README.md dashboards/README.md dashboards/prometheus/alerts.rules.yml
    dashboards/prometheus/recording.rules.yml dashboards/prometheus/scrape.yml
    dashboards/provisioning/dashboards/graphbench.yaml reporters/schema/openapi.json
    reporters/schema/result.schema.json tests/integration/plugins/foreign_step.cpp)
  get_filename_component(folder "${document}" DIRECTORY)
  install(FILES "${document}" DESTINATION "share/doc/graphbench/${folder}" COMPONENT runtime)
endforeach()
install(DIRECTORY tests/integration/plugins/example
  DESTINATION share/doc/graphbench/tests/integration/plugins COMPONENT runtime)
install(FILES reporters/schema/result.schema.json reporters/schema/floors.schema.json
  reporters/schema/bill.schema.json reporters/schema/canary.schema.json
  reporters/schema/comparison.schema.json reporters/schema/openapi.json
  DESTINATION share/graphbench COMPONENT runtime)
install(DIRECTORY dashboards/grafana dashboards/prometheus DESTINATION share/graphbench/dashboards
  COMPONENT runtime PATTERN "*.test.yml" EXCLUDE)

# What the binary prints about its options: completions of shells and the manual page, at their usual places.
set(completion_folder "${CMAKE_BINARY_DIR}/completion")
file(MAKE_DIRECTORY "${completion_folder}")
function(graphbench_install_completion what file destination)
  add_custom_command(OUTPUT "${completion_folder}/${file}"
    COMMAND graphbench completion ${what} > "${completion_folder}/${file}"
    DEPENDS graphbench VERBATIM)
  set_property(GLOBAL APPEND PROPERTY GRAPHBENCH_COMPLETIONS "${completion_folder}/${file}")
  install(FILES "${completion_folder}/${file}" DESTINATION "share/${destination}" COMPONENT runtime)
endfunction()
graphbench_install_completion(bash graphbench bash-completion/completions)
graphbench_install_completion(zsh _graphbench zsh/site-functions)
graphbench_install_completion(fish graphbench.fish fish/vendor_completions.d)
graphbench_install_completion(man graphbench.1 man/man1)
get_property(completions GLOBAL PROPERTY GRAPHBENCH_COMPLETIONS)
add_custom_target(completion ALL DEPENDS ${completions})

# For the CI of users: the gate finds its binary from this folder, and the templates call the gate here.
install(PROGRAMS ci/gate DESTINATION share/graphbench/ci COMPONENT runtime)
install(PROGRAMS ci/shards/entry ci/shards/submit ci/shards/shards.sbatch
  DESTINATION share/graphbench/ci/shards COMPONENT runtime)
install(FILES ci/shards/kubernetes.yaml DESTINATION share/graphbench/ci/shards COMPONENT runtime)
install(FILES ci/templates/github-actions.yml ci/templates/gitlab-ci.yml ci/templates/graphbench.toml
  ci/templates/kubernetes-serve.yaml DESTINATION share/graphbench/ci/templates COMPONENT runtime)
install(FILES ci/templates/action/action.yml
  DESTINATION share/graphbench/ci/templates/action COMPONENT runtime)

install(FILES graphs/abi/graphbench_abi.h DESTINATION include/graphbench COMPONENT development)
install(TARGETS graphbench_plugin_abi EXPORT graphbench COMPONENT development)
install(EXPORT graphbench NAMESPACE graphbench:: DESTINATION lib/cmake/graphbench
  FILE graphbench-config.cmake COMPONENT development)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/graphbench-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/graphbench-config-version.cmake" DESTINATION lib/cmake/graphbench
  COMPONENT development)

# Returns all executables made below a folder of the source tree, as target names.
function(graphbench_executables_below folder result)
  set(found "")
  if(EXISTS "${folder}/CMakeLists.txt")
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "EXECUTABLE")
        list(APPEND found ${target})
      endif()
    endforeach()
    get_property(folders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    foreach(below IN LISTS folders)
      graphbench_executables_below("${below}" more)
      list(APPEND found ${more})
    endforeach()
  endif()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

if(GRAPHBENCH_BUILD_TESTS)
  # The targets of sanitized builds: the programs that test inside one process, and the fuzzers; for
  # ThreadSanitizer the programs whose code runs threads.
  graphbench_executables_below("${PROJECT_SOURCE_DIR}/tests/unit" unit_programs)
  graphbench_executables_below("${PROJECT_SOURCE_DIR}/tests/conformance" conformance_programs)
  set(fuzz_programs "")
  if(GRAPHBENCH_SANITIZE MATCHES "fuzzer-no-link")
    graphbench_executables_below("${PROJECT_SOURCE_DIR}/tests/fuzz" fuzz_programs)
  endif()
  add_custom_target(sanitized_tests DEPENDS ${unit_programs} ${conformance_programs} ${fuzz_programs})
  get_property(threaded_programs GLOBAL PROPERTY GRAPHBENCH_THREADED_PROGRAMS)
  add_custom_target(threaded_tests DEPENDS ${threaded_programs} ${conformance_programs})

  # Lists the programs that ci/gpu runs, in lines "KIND PROGRAM".
  set(programs "")
  foreach(program IN LISTS conformance_programs ITEMS cuda_device_test
      graphbench_bare_loops graphbench_caller_loops graphbench_ladder_loops graphbench_instrument_cost
      graphbench_canary_simulation)
    if(NOT TARGET ${program})
      continue()
    endif()
    set(kind gpu)
    if(program IN_LIST conformance_programs)
      set(kind conformance)
    elseif(program MATCHES "^graphbench_")
      set(kind bare)
    endif()
    string(APPEND programs "${kind} ${program}\n")
    # The toolkit's default folder for CUDA's libraries, unless the machine's linker finds them elsewhere.
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib;/usr/local/cuda/lib64"
      RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    install(TARGETS ${program} RUNTIME DESTINATION tests COMPONENT tests EXCLUDE_FROM_ALL)
  endforeach()
  install(TARGETS plugin_planted plugin_foreign_step planted_driver
    LIBRARY DESTINATION tests COMPONENT tests EXCLUDE_FROM_ALL)
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/tests/programs.txt" CONTENT "${programs}")
  install(FILES "${CMAKE_BINARY_DIR}/tests/programs.txt" DESTINATION tests COMPONENT tests EXCLUDE_FROM_ALL)
endif()

# Settings for ci/deb. The CUDA module loads the machine's own toolkit, which no Debian package contains.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "graphbench <graphbench@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "what CUDA graphs buy, at which batch size, at what cost")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_BINARY_DIR}/lib")
include(CPack)
