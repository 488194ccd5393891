// The op that slows a step down on purpose: it keeps one thread of the device busy for a while.
// The CUDA side is in pause.cu, the host side in planted.cpp.
#pragma once

#include <cstdint>

// Enqueues on `stream`, a cudaStream_t, one thread that runs for `cycles` clocks. Returns a cudaError_t.
extern "C" int planted_pause_cuda(std::int64_t cycles, void* stream);
