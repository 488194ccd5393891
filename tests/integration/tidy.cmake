# The tests of the tree itself, of its scripts and of an installed copy. Included by tests/golden.
set(folder "${PROJECT_SOURCE_DIR}/tests/integration")

function(graphbench_python_test name tests)
  add_test(NAME ${name} COMMAND "${GRAPHBENCH_PYTHON}" -B -m unittest ${tests} WORKING_DIRECTORY "${folder}")
  # What unittest skips shows as skipped: a test that did not run is not one that passed.
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 SKIP_REGULAR_EXPRESSION "OK \\(skipped=")
endfunction()

graphbench_python_test(tidy.tree tidy_test.Tree)
graphbench_python_test(tidy.rules tidy_test.Rules)
graphbench_python_test(tidy.commits tidy_test.Commits)
graphbench_python_test(tidy.format tidy_test.Format)
graphbench_python_test(ci.scripts scripts_test)
graphbench_python_test(ci.house house_test)
add_test(NAME ci.peers COMMAND "${GRAPHBENCH_PYTHON}" -B "${PROJECT_SOURCE_DIR}/ci/peers/test_peers.py")
set_tests_properties(ci.peers PROPERTIES LABELS slow TIMEOUT 300 COST 100
  SKIP_REGULAR_EXPRESSION "OK \\(skipped="
  ENVIRONMENT "GRAPHBENCH_BINARY=$<TARGET_FILE:graphbench>")
graphbench_python_test(install.plugin install_test)
set_tests_properties(install.plugin PROPERTIES COST 200
  ENVIRONMENT "ONEDNN_MAX_CPU_ISA=AVX2;GRAPHBENCH_BUILD=${CMAKE_BINARY_DIR}")
