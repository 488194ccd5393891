// What sdpa and its gradient share on the tensor cores: tiles of 64 rows in shared memory, and products of a
// warp's 16 rows with them (mma.m16n8k16 fragments as the PTX ISA lays them out). A 16 x 64 product of a lane
// is s[8][4]: element i of group j is row lane / 4 + i / 2 * 8 of the warp's, and column j * 8 + lane % 4 * 2
// + i % 2.
#pragma once

#include "graphs/cuda/ops/kernel_support.cuh"
#include "graphs/cuda/ops/sdpa.hpp"

namespace graphbench::cuda {

constexpr int mma_tile = 64;      // rows of a block, and of a tile it visits
constexpr int mma_threads = 128;  // four warps of 16 rows

template <class T>
__device__ __forceinline__ std::uint32_t pack(T low, T high) {
  const T both[2] = {low, high};
  return *reinterpret_cast<const std::uint32_t*>(both);
}

__device__ __forceinline__ void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                         std::uint32_t b1, __half) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void multiply(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                         std::uint32_t b1, __nv_bfloat16) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two 16 x 8 fragments of a row-major [key][d] tile, transposed on the way to the registers.
__device__ __forceinline__ void load_transposed(std::uint32_t (&b)[4], const void* row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
               : "r"(address));
}

// Rows are padded by sixteen bytes, which spreads them over the banks.
template <class T, int D>
using Tile = T[mma_tile][D + 8];

// Rows from `first` on, `stride` elements apart; those at or past `rows` are zero.
template <class T, int D>
__device__ __forceinline__ void load_tile(Tile<T, D>& to, const T* from, std::int64_t stride, int first,
                                          int rows) {
  constexpr int per_row = D / 8;
  for (int i = static_cast<int>(threadIdx.x); i < mma_tile * per_row; i += mma_threads) {
    const int row = i / per_row;
    const int d = i % per_row * 8;
    store16(&to[row][d], first + row < rows ? load16(from + (first + row) * stride + d) : Vector16<T>{});
  }
}

template <class T>
__device__ __forceinline__ std::uint32_t load_pair(const T* row, bool inside) {
  return inside ? *reinterpret_cast<const std::uint32_t*>(row) : 0u;
}

// A warp's 16 rows as left operands; likewise.
template <class T, int D>
__device__ __forceinline__ void load_rows(std::uint32_t (&rows)[D / 16][4], const T* from,
                                          std::int64_t stride, int first, int count) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int step = 0; step < D / 16; ++step) {
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      const int row = first + lane / 4 + part % 2 * 8;
      const int d = step * 16 + lane % 4 * 2 + part / 2 * 8;
      rows[step][part] = load_pair(from + row * stride + d, row < count);
    }
  }
}

// The warp's rows times the tile's.
template <class T, int D>
__device__ __forceinline__ void dots(float (&s)[8][4], const std::uint32_t (&rows)[D / 16][4],
                                     const Tile<T, D>& tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) s[j][i] = 0.0f;
    const T* row = tile[j * 8 + lane / 4];
#pragma unroll
    for (int step = 0; step < D / 16; ++step) {
      const T* at = row + step * 16 + lane % 4 * 2;
      multiply(s[j], rows[step], load_pair(at, true), load_pair(at + 8, true), T{});
    }
  }
}

// Scores of a warp's 16 queries against 64 keys, in base-2 units; keys a query does not see are lowest.
template <class T, int D>
__device__ __forceinline__ void scores(float (&s)[8][4], const Tile<T, D>& keys,
                                       const std::uint32_t (&q)[D / 16][4], int first_key,
                                       const int (&visible)[2], float scale_log2) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  dots<T, D>(s, q, keys);
#pragma unroll
  for (int j = 0; j < 8; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int index = first_key + j * 8 + lane % 4 * 2 + i % 2;
      s[j][i] = index < visible[i / 2] ? s[j][i] * scale_log2 : sdpa_lowest;
    }
  }
}

struct RowState {
  float max = sdpa_lowest;
  float sum = 0.0f;  // of this lane's keys only, until the end
};

// Turns the scores of row half `r` (fragment elements 2r, 2r + 1) into weights; returns by how much
// what was summed before shrinks.
__device__ __forceinline__ float weigh(float (&s)[8][4], RowState& row, int r) {
  float largest = row.max;
#pragma unroll
  for (int j = 0; j < 8; ++j) largest = fmaxf(largest, fmaxf(s[j][2 * r], s[j][2 * r + 1]));
  largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
  largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, 2));
  const float factor = exp2f(row.max - largest);
  row.max = largest;
  row.sum *= factor;
#pragma unroll
  for (int j = 0; j < 8; ++j) {
#pragma unroll
    for (int i = 2 * r; i < 2 * r + 2; ++i) {
      s[j][i] = s[j][i] == sdpa_lowest ? 0.0f : exp2f(s[j][i] - largest);
      row.sum += s[j][i];
    }
  }
  return factor;
}

// Adds the tile's rows, weighed. The score fragments of two neighbouring 8-key tiles are, element by
// element, the left operand of a 16-key product.
template <class T, int D>
__device__ __forceinline__ void accumulate(float (&o)[D / 8][4], const Tile<T, D>& tile,
                                           const float (&s)[8][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    std::uint32_t weights[4];
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      const float low = s[2 * step + part / 2][part % 2 * 2];
      const float high = s[2 * step + part / 2][part % 2 * 2 + 1];
      weights[part] = pack(from_float<T>(low), from_float<T>(high));
    }
#pragma unroll
    for (int n = 0; n < D / 16; ++n) {
      std::uint32_t b[4];
      load_transposed(b, &tile[step * 16 + lane % 16][n * 16 + lane / 16 * 8]);
      multiply(o[2 * n], weights, b[0], b[1], T{});
      multiply(o[2 * n + 1], weights, b[2], b[3], T{});
    }
  }
}

}  // namespace graphbench::cuda
