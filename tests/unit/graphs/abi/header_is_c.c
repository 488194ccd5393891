/* The ABI header as a C compiler sees it; layout_test.cpp compares with what C++ sees. */
#include "graphs/abi/graphbench_abi.h"

size_t gb_test_plugin_bytes(void) { return sizeof(gb_plugin); }
size_t gb_test_workload_bytes(void) { return sizeof(gb_workload); }
size_t gb_test_op_bytes(void) { return sizeof(gb_op); }
size_t gb_test_builder_api_bytes(void) { return sizeof(gb_builder_api); }
size_t gb_test_op_call_bytes(void) { return sizeof(gb_op_call); }
