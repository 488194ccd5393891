// Large comparisons are worked on by two threads.
#pragma once

#include <cstddef>
#include <future>
#include <span>

namespace graphbench::compare {

inline constexpr std::size_t worth_a_thread = 5000;  // items

// Calls `work` with all of `items`, or with each half on a thread of its own where there are many. Throws
// what `work` throws.
template <typename Item, typename Work>
void in_halves(std::span<Item> items, const Work& work) {
  if (items.size() < worth_a_thread) return work(items);
  const std::size_t half = items.size() / 2;
  std::future<void> second = std::async(std::launch::async, [&] { work(items.subspan(half)); });
  work(items.first(half));
  second.get();
}

}  // namespace graphbench::compare
