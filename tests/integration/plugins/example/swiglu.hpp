// The launch functions of the ops `swiglu` and `swiglu_grad`, one per device.
#pragma once

#include <graphbench/graphbench_abi.h>

// y[r, c] = silu(x[r, c]) * x[r, c + C] for x of shape [R, 2C] and y of shape [R, C]; fp32 or bf16.
// Operands are x, then y. The result is computed in fp32 and rounded once.
extern "C" int swiglu_run_host(const gb_op_call* call, void* const* operands, void* user);
// Operands are x, y, dy, then dx, the gradient of x. Also computed in fp32 and rounded once.
extern "C" int swiglu_gradient_run_host(const gb_op_call* call, void* const* operands, void* user);
extern "C" int swiglu_gradient_launch_cuda(const gb_op_call* call, void* const* operands, void* cuda_stream,
                                           void* user);
extern "C" int swiglu_prepare(const gb_op_call* call, void** prepared, char* error, size_t error_size,
                              void* user);
extern "C" int swiglu_launch_cuda(const gb_op_call* call, void* const* operands, void* cuda_stream,
                                  void* user);
