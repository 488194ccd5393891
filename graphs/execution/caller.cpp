// Lays out and fills a caller's sets of inputs and outputs.
#include "graphs/execution/caller.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "graphs/ir/passes.hpp"

namespace graphbench::execution {
namespace {

constexpr std::size_t caller_alignment = 512;
constexpr std::size_t places_in_turn = 2;
// More fresh places than any library caches by address. All contain the same data, so they may overlap.
constexpr std::size_t places_fresh = 1024;
// The places under copy_if_moved: with 100, every whole percentage is exact. Value `id` starts its pattern at
// `id * turn_of_value`.
constexpr std::size_t places_by_share = 100;
constexpr std::size_t turn_of_value = 37;
constexpr int poison_byte = 0xFF;  // a NaN in every floating type

constexpr std::pair<std::string_view, IoForm> form_names[] = {
    {"static", IoForm::fixed},
    {"copy_in", IoForm::copy_in},
    {"copy_in_out", IoForm::copy_in_out},
    {"copy_out", IoForm::copy_out},
    {"copy_if_moved", IoForm::copy_if_moved},
    {"set_params", IoForm::set_params},
    {"update", IoForm::update},
    {"recapture", IoForm::recapture},
    {"exec_per_set", IoForm::exec_per_set},
};
constexpr std::pair<std::string_view, IoSource> source_names[] = {
    {"device", IoSource::device}, {"pinned", IoSource::pinned}, {"pageable", IoSource::pageable}};

template <typename Names>
auto find_name(const Names& names, std::string_view name) {
  using Value = std::remove_cvref_t<decltype(names[0].second)>;
  const auto found = std::ranges::find_if(names, [&](const auto& each) { return each.first == name; });
  return found == std::end(names) ? std::optional<Value>() : std::optional<Value>(found->second);
}

std::size_t padded(std::size_t bytes) {
  return (bytes + caller_alignment - 1) / caller_alignment * caller_alignment;
}

}  // namespace

std::optional<IoForm> find_io_form(std::string_view name) noexcept {
  return find_name(form_names, name);
}

std::optional<IoSource> find_io_source(std::string_view name) noexcept {
  return find_name(source_names, name);
}

CallerMemory::CallerMemory(Device& device, const ir::Program& program, ProgramBuffers& buffers,
                           const CallerSettings& settings)
    : device_(device),
      program_(program),
      buffers_(buffers),
      settings_(settings),
      sets_(settings.fresh_addresses ? places_fresh : places_in_turn),
      places_(settings.form == IoForm::copy_if_moved ? places_by_share : sets_),
      areas_(program.values().size()) {
  if (settings.form == IoForm::fixed && !settings.fresh_addresses) return;
  for (const ir::ValueKind kind : {ir::ValueKind::input, ir::ValueKind::output}) {
    const bool only_inputs = settings.form == IoForm::copy_in || settings.form == IoForm::copy_if_moved ||
                             settings.form == IoForm::fixed;
    if (kind == ir::ValueKind::output && only_inputs) continue;
    if (kind == ir::ValueKind::input && settings.form == IoForm::copy_out) continue;
    for (const ir::ValueId id : program.values_of(kind)) {
      if (ir::depends_on_batch(program.value(id))) add(id);
    }
  }
}

std::byte* CallerMemory::allocate(std::size_t bytes) {
  switch (settings_.source) {
    case IoSource::device:
      return static_cast<std::byte*>(buffers_of_device_.emplace_back(device_, bytes).data());
    case IoSource::pinned:
      pinned_.push_back(
          {device_.allocate_pinned(bytes), [this](void* data) { device_.deallocate_pinned(data); }});
      return static_cast<std::byte*>(pinned_.back().get());
    case IoSource::pageable:
      break;
  }
  return pageable_.emplace_back(bytes).data();
}

void CallerMemory::add(ir::ValueId id) {
  const std::size_t bytes = program_.describe(id, buffers_.largest_batch()).bytes();
  const std::size_t stride = settings_.fresh_addresses ? caller_alignment : padded(bytes);
  Area& area = areas_[id] = {allocate((sets_ - 1) * stride + padded(bytes)), bytes, stride};
  moved_.push_back(id);
  if (settings_.form != IoForm::copy_if_moved) return;
  for (std::size_t place = 0; place < places_; ++place) {
    const std::size_t turn = place + id * turn_of_value;
    const bool own = (turn + 1) * settings_.same_percent / 100 > turn * settings_.same_percent / 100;
    area.pointers.push_back(own ? static_cast<std::byte*>(buffers_.address(id))
                                : area.data + place % sets_ * stride);
  }
}

void* CallerMemory::address(ir::ValueId id, std::size_t place) const {
  const Area& area = areas_[id];
  if (!area.pointers.empty()) return area.pointers[place];
  return area.data == nullptr ? buffers_.address(id) : area.data + place * area.stride;
}

std::size_t CallerMemory::device_bytes() const noexcept {
  std::size_t total = 0;
  for (const Buffer& buffer : buffers_of_device_) total += buffer.bytes();
  return total;
}

void CallerMemory::copy_in(Stream& stream, void* to, const void* from, std::size_t bytes) const {
  on_host() ? stream.copy_to_device(to, from, bytes) : stream.copy_on_device(to, from, bytes);
}

void CallerMemory::copy_out(Stream& stream, void* to, const void* from, std::size_t bytes) const {
  on_host() ? stream.copy_to_host(to, from, bytes) : stream.copy_on_device(to, from, bytes);
}

void CallerMemory::fill_all_inputs(Stream& stream) {
  for (const ir::ValueId id : moved_) {
    if (program_.value(id).kind != ir::ValueKind::input) continue;
    const Area& area = areas_[id];
    const std::size_t step = std::max<std::size_t>(1, area.bytes / area.stride);
    for (std::size_t set = 0;; set = std::min(set + step, sets_ - 1)) {
      copy_out(stream, area.data + set * area.stride, buffers_.address(id), area.bytes);
      if (set == sets_ - 1) break;
    }
  }
  stream.synchronize();
}

void CallerMemory::fill_inputs(Stream& stream, std::uint64_t seed, std::size_t place) {
  buffers_.fill_inputs(stream, seed);
  for (const ir::ValueId id : moved_) {
    if (program_.value(id).kind != ir::ValueKind::input || is_own(id, place)) continue;
    copy_out(stream, address(id, place), buffers_.address(id), areas_[id].bytes);
    // Integers become 0: an integer with all bits set would be an out-of-range index.
    const int byte = program_.value(id).dtype == ir::DType::i32 ? 0 : poison_byte;
    stream.fill_bytes(buffers_.address(id), byte, areas_[id].bytes);
  }
  stream.synchronize();
}

void CallerMemory::poison_outputs(Stream& stream, std::size_t place) {
  for (const ir::ValueId id : moved_) {
    if (program_.value(id).kind != ir::ValueKind::output) continue;
    if (on_host()) {
      std::memset(address(id, place), poison_byte, areas_[id].bytes);
    } else {
      stream.fill_bytes(address(id, place), poison_byte, areas_[id].bytes);
    }
  }
  stream.synchronize();
}

}  // namespace graphbench::execution
