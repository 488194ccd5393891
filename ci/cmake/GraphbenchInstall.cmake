# Installs the binary, the CUDA module and what a plugin author needs: the ABI header and a CMake
# package with the target graphbench::abi.
include(CMakePackageConfigHelpers)
install(TARGETS graphbench RUNTIME DESTINATION bin)
install(TARGETS graphbench_ir graphbench_device LIBRARY DESTINATION lib)
if(TARGET graphbench_cuda)
  install(TARGETS graphbench_cuda LIBRARY DESTINATION lib/graphbench)
endif()
install(FILES graphs/abi/graphbench_abi.h DESTINATION include/graphbench)
install(TARGETS graphbench_plugin_abi EXPORT graphbench)
install(EXPORT graphbench NAMESPACE graphbench:: DESTINATION lib/cmake/graphbench FILE graphbench-config.cmake)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/graphbench-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/graphbench-config-version.cmake" DESTINATION lib/cmake/graphbench)
install(FILES reporters/schema/result.schema.json DESTINATION share/graphbench)
