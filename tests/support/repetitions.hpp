// How often a test repeats a check that only one input in many fails.
#pragma once

namespace graphbench::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

// A tenth under sanitizers, where the code is unoptimised and takes ten times as long.
constexpr int repetitions(int count) {
  return sanitized ? count / 10 : count;
}

}  // namespace graphbench::test
