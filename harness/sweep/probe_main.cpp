// Opens the devices, plugins and programs of the request in stages, and reports each stage before it begins.
#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <utility>

#include "graphs/abi/plugin.hpp"
#include "graphs/backends/registry.hpp"
#include "graphs/base/process/child_io.hpp"
#include "graphs/base/text.hpp"
#include "graphs/execution/executor.hpp"
#include "graphs/ir/passes.hpp"
#include "harness/model/axes.hpp"
#include "harness/package/package.hpp"
#include "harness/sweep/probe.hpp"
#include "harness/sweep/probe_fields.hpp"
#include "workloads/builtin.hpp"

namespace graphbench::sweep {
namespace {

void send_probe_event(const ProbeEvent& event) {
  process::send_line(model::write_message(event));
}

class Probe {
 public:
  Probe(const ProbeRequest& request, const abi::LentPlugin* lent) : request_(request), lent_(lent) {}

  // Sends failures instead of throwing them. After a failure there is no answer.
  void run() {
    try {
      stages();
    } catch (const std::exception& error) {
      // An absent device is a limit of this machine. Any other failure counts as the user's mistake, and so
      // does an invalid environment variable.
      const auto* ours = dynamic_cast<const Error*>(&error);
      const bool bad_value = ours != nullptr && ours->code() == ErrorCode::invalid_argument;
      const bool bad_input = stage_.what != ProbeStage::What::device || bad_value;
      send_probe_event(ProbeFailure{stage_, bad_input, bad_split_, error.what()});
    }
  }

 private:
  void stages() {
    if (request_.list_devices) {
      begin({ProbeStage::What::device, "all"});
      answer_.devices = list_devices(work_);
    }
    if (!request_.device.empty()) describe_device();
    if (request_.list_workloads || !request_.programs.empty()) load_plugins();
    if (request_.list_workloads) answer_.catalog.workloads = registry_.workloads();
    for (const model::WorkerTask& program : request_.programs) check_program(program);
    refuse_patterns_without_ops();
    send_probe_event(answer_);
  }

  void begin(ProbeStage stage) {
    stage_ = std::move(stage);
    send_probe_event(stage_);
  }

  void describe_device() {
    begin({ProbeStage::What::device, request_.device});
    std::string spec = request_.device;
    if (spec == "auto") {
      AutoDevice chosen = auto_device(work_);
      spec = std::move(chosen.spec);
      answer_.catalog.no_gpu = std::move(chosen.no_gpu);
    }
    const std::unique_ptr<Device> device = open_device(spec, work_);
    const facts::DeviceFacts& info = device->info();
    const std::string host = info.uuid.empty() ? info.kind : info.uuid;  // the whole host, or a share of it
    answer_.catalog.device = info.kind == "host" ? host : info.kind + ":" + std::to_string(device->index());
    answer_.catalog.facts = info;
    if (lent_ != nullptr) answer_.catalog.facts.libraries[lent_->plugin->name] = lent_->plugin->version;
    answer_.catalog.dtypes = supported_dtypes([&](ir::DType dtype) { return device->supports(dtype); });
  }

  // The programs of a package need only the plugins' ops, and no built-in workloads.
  void load_plugins() {
    const bool packaged =
        !request_.programs.empty() && !request_.programs.front().settings.package.file.empty();
    if (!packaged) workloads::add_builtin(registry_);
    for (const std::string& path : request_.plugins) {
      begin({ProbeStage::What::plugin, path});
      registry_.load(path);
    }
    if (lent_ != nullptr) registry_.add(*lent_->plugin, lent_->origin);
  }

  void check_program(const model::WorkerTask& task) {
    begin({ProbeStage::What::program, task.workload});
    const std::optional<ir::DType> dtype = ir::parse_dtype(task.dtype);
    GRAPHBENCH_ASSERT(dtype.has_value() && !task.batches.empty());
    try {
      check_splits(task, task.settings.package.file.empty()
                             ? registry_.build(task.workload, {task.preset, *dtype, task.pass, task.options,
                                                               task.more_axes, task.settings.split_ops})
                             : packaged_program(task));
    } catch (const Error& error) {
      // The probe does not fail: the worker will report the error, and can measure other cells.
      if (error.code() != ErrorCode::no_backward) throw;
      if (request_.dump) answer_.dumps.push_back(cell_of(task) + not_captured(error));
    }
  }

  ir::Program packaged_program(const model::WorkerTask& task) const {
    const package::Package package =
        package::open_package(task.settings.package.file, task.settings.package.digest);
    const auto read = [&](package::Stage stage) {
      return package::program_of(package, task.pass, task.preset, stage, registry_.catalog());
    };
    read(package::Stage::before);
    return read(package::Stage::after);
  }

  void check_splits(const model::WorkerTask& task, const ir::Program& program) {
    bad_split_ = true;
    for (const std::string& split : task.settings.split_ops) check_split(program, split);
    bad_split_ = false;
    if (request_.dump) answer_.dumps.push_back(cell_of(task) + dump_of(task, program));
  }

  static std::string cell_of(const model::WorkerTask& task) {
    return "cell " + model::id_of(model::cell_of(task, task.batches.front())) + "\n";
  }

  static std::string not_captured(const Error& error) {
    return std::string("not captured: ") + error.what() + "\n";
  }

  static std::string dump_of(const model::WorkerTask& task, const ir::Program& program) {
    const std::optional<execution::ExecutionMode> mode = execution::find_mode(task.mode);
    GRAPHBENCH_ASSERT(mode.has_value());
    try {
      return ir::dump(program, execution::segments_of(*mode, program, task.settings.split_ops),
                      task.batches.front());
    } catch (const Error& error) {
      return not_captured(error);
    }
  }

  // All programs share one list of splits: op kinds, and patterns of op names. An unknown kind is an error,
  // as is a pattern that matches no op of any program. A split without an op in this program gives a note.
  void check_split(const ir::Program& program, const std::string& split) {
    if (std::ranges::any_of(program.ops(), [&](const ir::Op& op) { return ir::splits_at(op, split); })) {
      found_.insert(split);
      return;
    }
    const bool pattern = ir::names_ops(split);
    std::set<std::string> present;
    for (const ir::Op& op : program.ops()) present.insert(pattern ? ending_of(op.name) : op.kind);
    const std::string list = join(present);
    const std::string mistake = (pattern ? "no op has the name " : "no op has kind ") + in_quotes(split) +
                                "; the op " + (pattern ? "names" : "kinds") + " of program " +
                                program.name() + " are " + list;
    if (pattern) lacking_.try_emplace(split, stage_, mistake);
    if (!pattern && registry_.catalog().find(split) == nullptr)
      throw Error(ErrorCode::invalid_argument, mistake);
    const std::string note = in_quotes(split) + " occurs nowhere in program " + program.name() +
                             ", so nothing is split there; the op " + (pattern ? "names" : "kinds") +
                             " are " + list;
    if (!contains(answer_.notes, note)) answer_.notes.push_back(note);
  }

  void refuse_patterns_without_ops() {
    for (const auto& [pattern, failure] : lacking_) {
      if (found_.contains(pattern)) continue;
      bad_split_ = true;
      stage_ = failure.first;
      throw Error(ErrorCode::invalid_argument, failure.second);
    }
  }

  // Makes "*.norm" from "layer0.norm": a pattern for the op and its siblings in other layers.
  static std::string ending_of(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    return "*" + (dot == std::string::npos ? name : name.substr(dot));
  }

  const ProbeRequest& request_;
  const abi::LentPlugin* const lent_;
  const Work work_ = lent_ != nullptr ? Work::lent_step : Work::programs;
  abi::WorkloadRegistry registry_;
  ProbeStage stage_;
  ProbeAnswer answer_;
  bool bad_split_ = false;
  std::set<std::string> found_;  // splits that some program has
  std::map<std::string, std::pair<ProbeStage, std::string>>
      lacking_;  // per pattern: the first program without a match
};

}  // namespace

int probe_main(std::string_view parent, const abi::LentPlugin* lent) {
  return process::child_main("probe", parent, [&](const std::string& text) {
    const ProbeRequest request = model::read_data<ProbeRequest>(text, "read probe request");
    Probe(request, lent).run();
    return 0;
  });
}

}  // namespace graphbench::sweep
