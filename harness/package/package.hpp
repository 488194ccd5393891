// A package file: programs compiled ahead of time for devices and batches, which a sweep runs without the
// workload that made them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/device/cache/entry.hpp"
#include "graphs/ir/program.hpp"
#include "harness/package/container.hpp"
#include "harness/package/manifest.hpp"

namespace graphbench::package {

// A method's program, as the workload gives it without gradients, and as it is run.
struct Programs {
  std::string before;  // text of ir::write_program
  std::string after;
};

struct Package {
  Manifest manifest;
  std::vector<Programs> programs;      // by method
  std::vector<cache::Entry> choices;   // the choices among libraries' algorithms
  std::vector<Section> sections = {};  // as read: sizes and digests of what the file holds
  std::size_t bytes = 0;               // likewise: of the file
  std::string digest = {};             // likewise
};

// Empty, or why a plan that a library wrote down (cache::Choice) cannot be in a package: it is a JSON object
// of bounded size.
std::string why_not_serialised(std::string_view plan);

std::string write_package(const Package& package);

// Accepts exactly what write_package() gives; programs are read by program_of(). Throws
// Error(invalid_argument) that names what is wrong.
Package read_package(std::string_view text);
// Opens the package in a file, which the error names; Error(io) where it cannot be read. `digest`, where
// given, is that of the file that was looked at before.
Package open_package(const std::string& path, const std::string& digest = "");

enum class Stage { before, after };
// The program of a pass and preset. Its tensors are those of the manifest. Throws Error(invalid_argument) if
// there is none, if no loaded plugin has one of its ops, or if the text is damaged.
ir::Program program_of(const Package& package, std::string_view pass, std::string_view preset, Stage stage,
                       const ir::OpCatalog& catalog);

// Empty, or why it cannot be used on a device of this kind and compute capability.
std::string why_not_on(const Manifest& manifest, const std::string& kind, const std::string& capability);
// Empty, or which plugin is missing among those files. Throws Error(io).
std::string why_not_with(const Manifest& manifest, const std::vector<std::string>& plugins);
// Throws Error(io).
PluginFile plugin_file(const std::string& path);

}  // namespace graphbench::package
