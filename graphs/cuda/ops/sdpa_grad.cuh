// What the two ways to compute sdpa's gradient share: parameters, and where things are.
#pragma once

#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/cuda/ops/sdpa.hpp"

namespace graphbench::cuda {

struct SdpaGradParameters {
  const void* dy;
  const void* q;
  const void* k;
  const void* v;
  void* first;    // over queries: o, which is read; over keys: dk
  void* second;   // dq; dv
  float2* stats;  // of each query: log2 of the sum of its scores' powers of 2, and o·do
  int heads;
  int tokens;
  int slots;
  int head_dim;
  int width;  // head_dim, rounded up to whole float4
  int pitch;  // floats from a row of a tile to the next
  bool causal;
  float scale;  // 1 / sqrt(head_dim)
};

// A kernel over queries, then one over keys; a block owns `tile` rows.
struct SdpaGradKernels {
  const void* queries;
  const void* keys;
  int tile;
  unsigned threads;
};

// On the tensor cores: fp16 and bf16 with head_dim 64. Nothing for other shapes.
std::optional<SdpaGradKernels> sdpa_grad_tensor(const OpContext& context, ir::DType dtype,
                                                const SdpaGradParameters& p);

// Which rows a block owns: of one head of one sequence, from `first` on.
struct SdpaRows {
  std::int64_t head_row;
  int first;
};
__device__ __forceinline__ SdpaRows sdpa_rows(int rows, int tile) {
  const int tiles = (rows + tile - 1) / tile;
  return {blockIdx.x / tiles, static_cast<int>(blockIdx.x % tiles) * tile};
}

// Where o and do have a query of the head.
__device__ __forceinline__ std::int64_t output_at(const SdpaGradParameters& p, std::int64_t head_row,
                                                  int query) {
  return ((head_row / p.heads * p.tokens + query) * p.heads + head_row % p.heads) * p.head_dim;
}

__device__ __forceinline__ bool sees(const SdpaGradParameters& p, int query, int key) {
  return query < p.tokens && key < p.slots && (!p.causal || key <= p.slots - p.tokens + query);
}
__device__ __forceinline__ float scale_log2(const SdpaGradParameters& p) {
  return p.scale * 1.4426950408889634f;
}

}  // namespace graphbench::cuda
