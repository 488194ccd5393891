// A caller's own memory: several sets of inputs and outputs at addresses that are not the graph's, and the
// ways in which a graph's step reaches them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "graphs/device/device.hpp"
#include "graphs/execution/program_buffers.hpp"
#include "graphs/ir/program.hpp"

namespace graphbench::execution {

// `fixed`: the caller uses the graph's own memory.
enum class IoForm : std::uint8_t {
  fixed,
  copy_in,
  copy_in_out,
  copy_out,
  copy_if_moved,
  set_params,
  update,
  recapture,
  exec_per_set
};
std::optional<IoForm> find_io_form(std::string_view name) noexcept;  // "static" is `fixed`
inline bool copies(IoForm form) {
  return form >= IoForm::copy_in && form <= IoForm::copy_if_moved;
}

enum class IoSource : std::uint8_t { device, pinned, pageable };
std::optional<IoSource> find_io_source(std::string_view name) noexcept;

struct CallerSettings {
  IoForm form = IoForm::fixed;
  IoSource source = IoSource::device;  // used by copies only
  // Steps take 1024 sets of addresses in turn, not two. Under `fixed`, graphs use only their own memory.
  bool fresh_addresses = false;
  bool copy_back = false;  // forms with copies also copy back the inputs that the program writes
  // Under copy_if_moved: the percentage of steps in which a pointer is the graph's own.
  std::size_t same_percent = 90;
};

// The memory of one caller, for batches up to `buffers.largest_batch()`. A moved value lies in this memory.
// A place is one address for each moved value; the constructor chooses all places. Not moved: values that do
// not depend on the batch; outputs under copy_in, copy_if_moved and `fixed`; inputs under copy_out. Under
// copy_if_moved an input has the graph's own address at some places.
class CallerMemory {
 public:
  // All arguments must outlive the object. Throws Error(out_of_memory).
  CallerMemory(Device& device, const ir::Program& program, ProgramBuffers& buffers,
               const CallerSettings& settings);
  CallerMemory(const CallerMemory&) = delete;
  CallerMemory& operator=(const CallerMemory&) = delete;

  std::size_t places() const noexcept { return places_; }
  const std::vector<ir::ValueId>& moved() const noexcept { return moved_; }
  bool moves(ir::ValueId id) const { return areas_.at(id).data != nullptr; }
  // The value's address at `place`. If not moved: an input's address in the buffers, or null for an output.
  void* address(ir::ValueId id, std::size_t place) const;
  void* own_address(ir::ValueId id) const { return buffers_.address(id); }
  bool on_host() const noexcept { return settings_.source != IoSource::device; }
  const CallerSettings& settings() const noexcept { return settings_; }
  std::size_t device_bytes() const noexcept;

  void copy_in(Stream& stream, void* to, const void* from, std::size_t bytes) const;
  void copy_out(Stream& stream, void* to, const void* from, std::size_t bytes) const;

  // Copies the buffers' inputs to every place. Waits for the copies.
  void fill_all_inputs(Stream& stream);
  // Fills the inputs at `place` as ProgramBuffers::fill_inputs() does. Fills the graph's own inputs with NaN
  // (integers with 0), to detect a step that reads the wrong memory. Waits for the fills.
  void fill_inputs(Stream& stream, std::uint64_t seed, std::size_t place);
  // Fills the outputs at `place` with NaN. Waits for the fills.
  void poison_outputs(Stream& stream, std::size_t place);

 private:
  struct Area {
    std::byte* data = nullptr;              // null if the value is not moved
    std::size_t bytes = 0;                  // for the largest batch
    std::size_t stride = 0;                 // from the start of one set to the next
    std::vector<std::byte*> pointers = {};  // under copy_if_moved: the value's address at each place
  };

  std::byte* allocate(std::size_t bytes);
  void add(ir::ValueId id);
  bool is_own(ir::ValueId id, std::size_t place) const { return address(id, place) == own_address(id); }

  Device& device_;
  const ir::Program& program_;
  ProgramBuffers& buffers_;
  CallerSettings settings_;
  std::size_t sets_;
  std::size_t places_;
  std::vector<Area> areas_;  // by ValueId
  std::vector<ir::ValueId> moved_;
  std::vector<Buffer> buffers_of_device_;
  std::vector<std::shared_ptr<void>> pinned_;
  std::vector<std::vector<std::byte>> pageable_;
};

}  // namespace graphbench::execution
