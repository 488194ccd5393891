// What only generated kernels use, behind row_math.cuh: NVRTC compiles it, which has no headers. Elements of
// 16 bits are converted as the toolkit's headers do it, rounded to nearest even.
#pragma once

namespace graphbench::cuda {

struct Half {
  unsigned short bits;
};
struct BFloat16 {
  unsigned short bits;
};

__device__ __forceinline__ float to_float(float x) {
  return x;
}
__device__ __forceinline__ float to_float(Half x) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
  return wide;
}
__device__ __forceinline__ float to_float(BFloat16 x) {
  return __uint_as_float(static_cast<unsigned>(x.bits) << 16);
}
__device__ __forceinline__ void store_float(float* to, float x) {
  *to = x;
}
__device__ __forceinline__ void store_float(Half* to, float x) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(x));
}
__device__ __forceinline__ void store_float(BFloat16* to, float x) {
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to->bits) : "f"(x));
}
// As it would come back from memory.
template <class T>
__device__ __forceinline__ float rounded(float x) {
  T stored;
  store_float(&stored, x);
  return to_float(stored);
}

// The elements of one thread: neighbours, sixteen bytes in one access, all or none of which are there.
struct Neighbours {
  template <class T, int items>
  __device__ __forceinline__ static void load(float (&to)[items], const T* from, long long left) {
    if (left <= 0) {
      for (int i = 0; i < items; ++i) to[i] = 0.0f;
      return;
    }
    static_assert(sizeof(T) * items == 16);
    const uint4 raw = *reinterpret_cast<const uint4*>(from);
    const T* const lanes = reinterpret_cast<const T*>(&raw);
#pragma unroll
    for (int i = 0; i < items; ++i) to[i] = to_float(lanes[i]);
  }
  template <class T, int items>
  __device__ __forceinline__ static void store(T* to, const float (&from)[items], long long left) {
    if (left <= 0) return;
    uint4 raw;
    T* const lanes = reinterpret_cast<T*>(&raw);
#pragma unroll
    for (int i = 0; i < items; ++i) store_float(lanes + i, from[i]);
    *reinterpret_cast<uint4*>(to) = raw;
  }
  __device__ __forceinline__ static bool has(int, long long left) {
    return left > 0;
  }
  // How far a thread's first element lies behind that of the thread ahead of it.
  __device__ __forceinline__ static int thread_step(int items) {
    return items;
  }
};

// A thread has every `step`-th element (0: as many as the block has threads), of which those are there that
// lie below `left`.
template <int step>
struct Apart {
  __device__ __forceinline__ static int apart() { return step > 0 ? step : static_cast<int>(blockDim.x); }
  __device__ __forceinline__ static int thread_step(int) { return 1; }
  template <class T, int items>
  __device__ __forceinline__ static void load(float (&to)[items], const T* from, long long left) {
#pragma unroll
    for (int i = 0; i < items; ++i) to[i] = has(i, left) ? to_float(from[i * apart()]) : 0.0f;
  }
  template <class T, int items>
  __device__ __forceinline__ static void store(T* to, const float (&from)[items], long long left) {
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (has(i, left)) store_float(to + i * apart(), from[i]);
    }
  }
  __device__ __forceinline__ static bool has(int i, long long left) {
    return static_cast<long long>(i) * apart() < left;
  }
};

// q, k and v of the block's row, a token's; all threads have written theirs to `row`. `turns` is shared
// memory for half as many angles as `head_dim`.
template <class T>
__device__ __forceinline__ void rope_row(const T* row, float2* turns, T* q, T* k, T* v, int tokens, int heads,
                                         int head_dim, double log2_theta) {
  const int half = head_dim / 2, width = heads * head_dim;
  const int sequence = static_cast<int>(blockIdx.x) / tokens;
  const int token = static_cast<int>(blockIdx.x) % tokens;
  for (int i = static_cast<int>(threadIdx.x); i < half; i += static_cast<int>(blockDim.x))
    turns[i] = turn_of(token, rope_frequency(i, head_dim, log2_theta));
  __syncthreads();
  const auto turn = [&](const T* from, T* to, float2 by) {
    const Pair pair = rotated({to_float(from[0]), to_float(from[half])}, by);
    store_float(to, pair.low);
    store_float(to + half, pair.high);
  };
  for (int pair = static_cast<int>(threadIdx.x); pair < heads * half; pair += static_cast<int>(blockDim.x)) {
    const int i = pair % half, head = pair / half;
    const T* const from = row + head * head_dim + i;
    const long long to = ((static_cast<long long>(sequence) * heads + head) * tokens + token) * head_dim + i;
    turn(from, q + to, turns[i]);
    turn(from + width, k + to, turns[i]);
    v[to] = from[2 * width];
    v[to + half] = from[2 * width + half];
  }
}

}  // namespace graphbench::cuda
