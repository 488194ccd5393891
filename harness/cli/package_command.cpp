// Runs graphbench package inspect, which reads a package as a sweep does, and prints its contents.
#include <cstdio>

#include "graphs/base/digest.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/options/command.hpp"
#include "harness/package/package.hpp"

namespace graphbench::cli {
namespace {

class PackageCommand final : public options::Command {
 public:
  explicit PackageCommand(options::Options& options)
      : inspect_(
            options.command("inspect", "print the contents of a package", "package inspect FILE [options]")) {
    inspect_.word("FILE", file_, "a package that graphbench compile wrote");
    inspect_.flag("--programs", programs_, "print the programs too");
  }

  void check() override {
    if (!inspect_.parsed()) throw InputError("package", "the command needs an action: give inspect");
    if (file_.empty())
      throw InputError("package inspect", "FILE is missing: graphbench package inspect FILE");
  }

  int run(const options::Invocation&) override {
    try {
      print(package::open_package(file_));
    } catch (const Error& error) {
      throw InputError("FILE", error.what());
    }
    return model::exit_done;
  }

 private:
  void print(const package::Package& package) const {
    const package::Manifest& manifest = package.manifest;
    std::printf("%s: %zu bytes, sha256 %s\n", file_.c_str(), package.bytes, package.digest.c_str());
    std::printf("compiled by graphbench %s (%s) on %s (%s)\n", manifest.tool_version.c_str(),
                manifest.tool_commit.c_str(), manifest.device.c_str(), manifest.device_name.c_str());
    std::string batches;
    for (const std::int64_t batch : manifest.batches) batches += " " + std::to_string(batch);
    std::string axes;
    for (const package::PackagedAxis& axis : package::packaged_axes())
      axes += std::string(", ") + axis.name + " " + manifest.*axis.value;
    std::printf("for %s; %s, %s%s; batches%s%s\n", join(manifest.architectures).c_str(),
                manifest.workload.c_str(), manifest.dtype.c_str(), axes.c_str(), batches.c_str(),
                manifest.general ? ", and any other size" : "");
    for (const package::Method& method : manifest.methods)
      std::printf("method   %s: %s of %s\n", method.name.c_str(), method.pass.c_str(), method.preset.c_str());
    for (const package::PluginFile& plugin : manifest.plugins)
      std::printf("plugin   %s  sha256 %s\n", plugin.name.c_str(), plugin.sha256.c_str());
    for (const package::Section& section : package.sections)
      std::printf("section  %-24s %10zu B  sha256 %s\n", section.name.c_str(), section.content.size(),
                  sha256_hex(section.content).c_str());
    for (const package::Tensor& tensor : manifest.tensors)
      std::printf("tensor   %-24s %10lld B  sha256 %s%s\n", tensor.name.c_str(),
                  static_cast<long long>(tensor.bytes), tensor.sha256.c_str(),
                  tensor.method.empty() ? "" : (" (" + tensor.method + ")").c_str());
    for (const cache::Entry& entry : package.choices) {
      const cache::Choice choice = cache::split_choice(entry.content);
      const std::string plan = "; serialised plan, " + std::to_string(choice.serialised.size()) + " B";
      std::printf("choice   %s %s: %s%s\n", entry.key.values[0].c_str(), entry.key.values[1].c_str(),
                  choice.algorithm.c_str(), choice.serialised.empty() ? "" : plan.c_str());
    }
    for (const package::Programs& programs : package.programs) {
      if (programs_) std::printf("\n%s\n%s", programs.before.c_str(), programs.after.c_str());
    }
  }

  std::string file_;
  bool programs_ = false;
  options::Options& inspect_;
};

}  // namespace

std::unique_ptr<options::Command> make_package(options::Options& options) {
  return std::make_unique<PackageCommand>(options);
}

}  // namespace graphbench::cli
