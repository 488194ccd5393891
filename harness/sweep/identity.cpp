// Computes digests of files, of the loaded graphbench libraries, and of tasks as workers receive them.
#include "harness/sweep/identity.hpp"

#include <link.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "graphs/base/digest.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/files.hpp"
#include "harness/measure/machine/environment.hpp"
#include "harness/model/codec/messages.hpp"
#include "harness/model/codec/result_fields.hpp"

namespace graphbench::sweep {
namespace {

std::string digest_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Sha256 digest;
  std::string bytes(std::size_t{1} << 16, '\0');
  while (file) {
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    digest.add({bytes.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (!file.eof()) throw Error(ErrorCode::io, "read " + path + " for its digest: the file cannot be read");
  return digest.hex();
}

// Leaves out the paths: machines that share a sweep may keep the files in different folders.
std::string digest_of_files(const std::set<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += digest_of_file(path) + "\n";
  return sha256_hex(text);
}

int add_library(dl_phdr_info* info, std::size_t, void* paths) {
  const std::filesystem::path path(info->dlpi_name);
  if (path.filename().string().starts_with("libgraphbench"))
    static_cast<std::set<std::string>*>(paths)->insert(path.string());
  return 0;
}

}  // namespace

std::string binary_digest() {
  std::set<std::string> paths = {"/proc/self/exe"};
  dl_iterate_phdr(add_library, &paths);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(module_directory(), error))
    if (entry.path().extension() == ".so" || entry.path().extension() == ".py")
      paths.insert(entry.path().string());
  return digest_of_files(paths);
}

std::string plugins_digest(const std::vector<std::string>& paths) {
  return digest_of_files({paths.begin(), paths.end()});
}

model::WorkerTask without_place(model::WorkerTask task) {
  task.device.clear();
  task.settings.plugins.clear();
  task.settings.package.file.clear();  // the digest identifies the package
  task.settings.package.weights.clear();
  task.settings.instruments.submitter.reset();
  return task;
}

RunIdentity identity_of(const model::Plan& plan, const model::DeviceFacts& facts,
                        const std::vector<std::string>& plugins, const std::string& more) {
  std::string tasks = plan.facts.concurrent + "\n";
  for (const model::WorkerTask& task : plan.tasks) tasks += model::write_data(without_place(task)) + "\n";
  tasks += more;
  return {{"plan", sha256_hex(tasks)},
          {"binary", binary_digest()},
          {"plugins", plugins_digest(plugins)},
          {"kind of device", measure::read_environment(facts).fingerprint}};
}

}  // namespace graphbench::sweep
