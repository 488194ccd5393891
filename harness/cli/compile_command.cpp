// Runs graphbench compile, which writes a workload's programs and library choices as a package, and its
// weights as a file. A fork of this process opens the device, loads plugins and writes the files, and tells
// its exit code at the end: a plugin that crashes, hangs or calls exit() ends the fork alone.
#include <algorithm>
#include <cstdio>
#include <iterator>

#include "graphbench_version.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "graphs/base/process/exit_text.hpp"
#include "graphs/base/process/process_supervisor.hpp"
#include "graphs/base/text.hpp"
#include "harness/cli/package_compiler.hpp"
#include "harness/model/axes.hpp"
#include "harness/model/codec/messages.hpp"
#include "harness/model/vocabulary.hpp"
#include "harness/options/command.hpp"
#include "harness/options/numbers.hpp"
#include "harness/options/output.hpp"
#include "harness/options/raw_options.hpp"
#include "harness/package/package.hpp"
#include "harness/sweep/planning.hpp"

namespace graphbench::cli {
namespace {

// What the fork tells: the stage that begins, or at the end its exit code.
struct CompileEvent {
  CompileStage stage;
  std::optional<std::int64_t> code;
};

}  // namespace
}  // namespace graphbench::cli

namespace graphbench::model {
GB_DESCRIBE(cli::CompileStage, option, subject, during);
GB_DESCRIBE(cli::CompileEvent, stage, code);
}  // namespace graphbench::model

namespace graphbench::cli {
namespace {

constexpr const char* compile_footer =
    "Without --method the package has one method, \"forward\".\n"
    "Weights that are equal in several methods are stored once.\n"
    "Batch sizes that are not listed are refused at run time, unless --general is given.\n"
    "Exit codes: 0 done; 1 the device failed; 2 bad usage or input; 130 interrupted.\n";

class CompileCommand final : public options::Command {
 public:
  explicit CompileCommand(options::Options& options) {
    options.text("--workload", manifest_.workload, "NAME", "the workload");
    options.text("--preset", asked_.preset, "NAME",
                 "the workload's sizes (default: base on cuda, tiny on host)");
    options.text("--dtype", manifest_.dtype, "TYPE", "bf16, fp16 or fp32 (default: as in a sweep)");
    options.texts("--method", asked_.methods, "NAME=PASS:PRESET",
                  "a program of the package: NAME=forward:base or NAME=training:base (repeatable)");
    options.text("--batch", asked_.batches, "LIST", "batch sizes to compile: 1,2,4 or 1:256:x2");
    options.flag(
        "--general", manifest_.general,
        "allow other batch sizes at run time; their algorithms are chosen when the package is loaded");
    options.text("--arch", asked_.architectures, "LIST",
                 "devices that can run the package: host, or sm_80,sm_90,... (default: the device's own)");
    for (const package::PackagedAxis& packaged : package::packaged_axes()) {
      const model::Axis& axis = model::axis_named(packaged.name);
      std::string& value = manifest_.*packaged.value;
      value = axis.fallback;
      options.text("--" + axis.name, value, "VALUE",
                   join(axis.choices) + ": one value, as in a sweep (default: " + axis.fallback + ")");
    }
    options.text("--device", asked_.device, "DEVICE",
                 "where to compile: auto, host, cuda, cuda:N (default: auto)");
    options.texts("--plugin", asked_.plugins, "FILE.so", "load a plugin (repeatable)");
    options.text("--cache", asked_.cache, "DIR|off",
                 "read library choices from this folder, and keep new ones in it");
    options.text("--low-memory", asked_.low_memory, "ON|OFF",
                 "ON: do not keep the weights in memory, but generate them a second time to write the "
                 "weights file (default: OFF)");
    options.text("--worker-timeout", asked_.timeout, "SECONDS",
                 "end a compilation that is silent for this long (default: 120)");
    options.text("--weights", asked_.weights, "FILE", "write the weights to FILE");
    options.text("-o,--output", asked_.output, "FILE.gbp", "write the package to FILE.gbp");
    options.footer(compile_footer);
  }

  void check() override {
    const auto refuse_missing = [](const std::string& option, const std::string& given) {
      if (given.empty()) throw InputError(option, "the option is missing: give a value");
    };
    refuse_missing("--workload", manifest_.workload);
    refuse_missing("--batch", asked_.batches);
    refuse_missing("--weights", asked_.weights);
    refuse_missing("--output", asked_.output);
    manifest_.tool_version = GRAPHBENCH_VERSION;
    manifest_.tool_commit = GRAPHBENCH_COMMIT;
    manifest_.batches = options::parse_numbers("--batch", asked_.batches, {.noun = "batch"});
    std::ranges::sort(manifest_.batches);
    if (!manifest_.dtype.empty())
      require_known("--dtype", manifest_.dtype, "dtype", model::names_of(model::data_types()));
    if (asked_.low_memory != "ON" && asked_.low_memory != "OFF")
      throw InputError("--low-memory", in_quotes(asked_.low_memory) + " is not valid: give ON or OFF");
    silent_seconds_max_ = options::seconds(
        {{"worker-timeout", {{.text = asked_.timeout, .where = "--worker-timeout"}}}}, "worker-timeout", 0);
    for (const package::PackagedAxis& packaged : package::packaged_axes()) {
      const model::Axis& axis = model::axis_named(packaged.name);
      require_known("--" + axis.name, manifest_.*packaged.value, axis.noun, axis.choices);
    }
    if (!asked_.architectures.empty()) take_architectures(split(asked_.architectures, ','));
    for (const std::string& text : asked_.methods) manifest_.methods.push_back(method_of(text));
    if (manifest_.methods.empty()) manifest_.methods = {{"forward", "forward", ""}};
    options::check_output_file("--weights", asked_.weights, options::Stdout::refused);
    options::check_output_file("--output", asked_.output, options::Stdout::refused);
    if (options::same_file(asked_.weights, asked_.output))
      throw InputError("--weights",
                       in_quotes(asked_.weights) + " is also the package's file: give another file");
  }

  int run(const options::Invocation&) override {
    process::ProcessSupervisor supervisor;
    CompileStage stage;
    std::optional<std::int64_t> code;
    const auto on_line = [&](std::string_view line) {
      CompileEvent event = model::read_data<CompileEvent>(line, "read compile event");
      stage = std::move(event.stage);
      code = event.code;
    };
    const auto work = [&](const process::SendLine& send) {
      const auto tell = [&](const CompileStage& begun) { send(model::write_data(CompileEvent{begun, {}})); };
      const int ended = options::guarded([&] { return compile(tell); });
      send(model::write_data(CompileEvent{{}, ended}));
      return ended;
    };
    const process::ChildExit exit = supervisor.run(
        {.argv = {}, .input = {}, .silent_seconds_max = silent_seconds_max_, .work = work}, on_line);
    if (code) return static_cast<int>(*code);
    for (const std::string& file : {asked_.weights, asked_.output}) remove_leftovers_of(file);
    if (exit.how == process::ChildExit::How::interrupted) {
      complain("interrupted: no package was written");
      return model::exit_interrupted;
    }
    const std::string ended = process::how_it_ended(exit, silent_seconds_max_, stage.during);
    if (!stage.option.empty()) throw InputError(stage.option, stage.subject + " " + ended);
    throw Error(ErrorCode::device_failed, stage.subject + ": the process " + ended);
  }

 private:
  int compile(const TellStage& tell) {
    sweep::use_cache("--cache", asked_.cache);
    PackageCompiler compiler(asked_, manifest_, tell);
    const package::Package package = compiler.run();
    const std::string text = package::write_package(package);
    static_cast<void>(package::read_package(text));
    std::int64_t weights_bytes = 0;
    // Writes the weights first: alone they do no harm, but a package without its weights is refused.
    write_file_atomically(asked_.weights, [&](const std::function<void(std::string_view)>& write) {
      compiler.write_weights(package.manifest.tensors, [&](std::string_view part) {
        weights_bytes += static_cast<std::int64_t>(part.size());
        write(part);
      });
    });
    write_file_atomically(asked_.output, text);
    std::printf("%s: %zu bytes, %zu programs, %zu library choices; %s: %lld bytes, %zu tensors\n",
                asked_.output.c_str(), text.size(), package.programs.size(), package.choices.size(),
                asked_.weights.c_str(), static_cast<long long>(weights_bytes),
                package.manifest.tensors.size());
    compiler.print_memory();
    return model::exit_done;
  }

  // Adds each given architecture once, in the order of known_architectures().
  void take_architectures(const std::vector<std::string>& given) {
    const std::vector<std::string>& known = package::known_architectures();
    for (const std::string& each : given) require_known("--arch", each, "known architecture", known);
    std::ranges::copy_if(known, std::back_inserter(manifest_.architectures),
                         [&](const std::string& each) { return std::ranges::count(given, each) > 0; });
  }

  package::Method method_of(const std::string& text) const {
    const std::size_t equals = text.find('=');
    const std::size_t colon = text.find(':', std::min(equals, text.size()));
    package::Method method;
    if (colon != std::string::npos)
      method = {text.substr(0, equals), text.substr(equals + 1, colon - equals - 1), text.substr(colon + 1)};
    if (method.name.empty() || method.preset.empty())
      throw InputError("--method", in_quotes(text) + " is not a method: give NAME=PASS:PRESET");
    require_known("--method", method.pass, "pass", model::names_of(model::passes()));
    for (const package::Method& other : manifest_.methods) {
      if (other.name == method.name || (other.pass == method.pass && other.preset == method.preset))
        throw InputError("--method", in_quotes(text) +
                                         " has the same name, or the same pass and preset, as " +
                                         in_quotes(other.name) + ": give each method once");
    }
    return method;
  }

  CompileRequest asked_;
  package::Manifest manifest_;
  double silent_seconds_max_ = 0;
};

}  // namespace

std::unique_ptr<options::Command> make_compile(options::Options& options) {
  return std::make_unique<CompileCommand>(options);
}

}  // namespace graphbench::cli
