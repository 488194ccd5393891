// Reads tensors from the device in parts, for their digests and for the file.
#include "harness/cli/kept_weights.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "graphs/base/digest.hpp"

namespace graphbench::cli {

void KeptWeights::download(worker::TaskRig& rig, ir::ValueId id, const package::TakePart& take) {
  const ir::Program& program = rig.program();
  const std::size_t bytes = program.describe(id, program.micro_batches()).bytes();
  const auto* from = static_cast<const std::byte*>(rig.buffers().address(id));
  const std::size_t part_bytes = std::min(package::part_bytes_of(low_memory_), bytes);
  part_.reserve(part_bytes);
  staging_bytes_ = std::max(staging_bytes_, part_.capacity());
  for (std::size_t done = 0; done < bytes; done += part_.size()) {
    part_.resize(std::min(part_bytes, bytes - done));
    rig.stream().copy_to_host(part_.data(), from + done, part_.size());
    rig.stream().synchronize();
    take(part_);
  }
}

void KeptWeights::keep(std::string content) {
  kept_bytes_ += content.size();
  staging_bytes_ = std::max(staging_bytes_, kept_bytes_);
  contents_.push_back(std::move(content));
}

void KeptWeights::add(const package::Method& method, const model::WorkerTask& task,
                      const ir::Program& program, worker::TaskRig& rig,
                      std::vector<package::Tensor>& tensors) {
  sources_.push_back(std::make_unique<const Source>(Source{task, program}));
  for (ir::ValueId id = 0; id < program.values().size(); ++id) {
    const ir::Value& value = program.value(id);
    if (value.kind != ir::ValueKind::weight && value.kind != ir::ValueKind::parameter) continue;
    const ir::TensorDesc desc = program.describe(id, program.micro_batches());
    package::Tensor tensor{.name = value.name,
                           .method = {},
                           .dtype = std::string(ir::name_of(desc.dtype)),
                           .dims = desc.dims,
                           .bytes = static_cast<std::int64_t>(desc.bytes()),
                           .sha256 = {}};
    const auto [known, is_new] = shared_.emplace(value.name, std::pair(desc, value.init));
    if (!is_new) {
      if (known->second.first == desc && known->second.second == value.init) continue;
      tensor.method = method.name;
    }
    Sha256 digest;
    download(rig, id, [&](std::string_view part) { digest.add(part); });
    tensor.sha256 = digest.hex();
    if (!low_memory_) keep(std::exchange(part_, {}));
    origins_.push_back({sources_.size() - 1, id});
    tensors.push_back(std::move(tensor));
  }
}

void KeptWeights::write(Device& device, const std::vector<package::Tensor>& tensors,
                        const package::TakePart& write) {
  std::optional<worker::TaskRig> rig;
  std::size_t loaded = sources_.size();
  package::write_weights(
      tensors,
      [&](std::size_t tensor, const package::TakePart& take) {
        if (!low_memory_) return take(contents_[tensor]);
        const Origin& origin = origins_[tensor];
        if (loaded != origin.source) {
          const Source& source = *sources_[origin.source];
          rig.reset();
          rig.emplace(source.task, device, source.program);
          rig->allocate(source.program.micro_batches());
          loaded = origin.source;
        }
        download(*rig, origin.id, take);
      },
      write);
}

}  // namespace graphbench::cli
