// The CUDA side of foreign_step.cpp: a library with memory, kernels and graphs of its own.
#pragma once

#include <cstddef>

namespace step_kernels {

// Functions return a cudaError_t.
int allocate(float** data, std::size_t count);
void release(float* data);
int copy_in(float* device, const float* host, std::size_t count, void* stream);
int double_and_add(const float* x, float* h, std::size_t count, void* stream);
int square(const float* h, float* k, std::size_t count, void* stream);
int subtract(const float* k, const float* x, float* count_of_steps, float* y, std::size_t count,
             void* stream);
int capture(void* stream, int (*part)(void* argument), void* argument, void** graph);
int instantiate(void* graph, void** exec);
int launch(void* exec, void* stream);
void destroy(void* graph, void* exec);

}  // namespace step_kernels
