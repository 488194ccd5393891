// A package file: programs compiled ahead of time for some devices and batches. A sweep runs them without the
// workload that made them. The file has a head that people can read, and named sections.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/device/cache/entry.hpp"
#include "graphs/ir/program.hpp"
#include "harness/package/manifest.hpp"

namespace graphbench::package {

// A method's program before IR passes (the workload's forward program) and after them (the one that runs).
struct Programs {
  std::string before;  // text of ir::write_program
  std::string after;
};

struct Section {
  std::string name;
  std::string content;
};

struct Package {
  Manifest manifest;
  std::vector<Programs> programs;     // programs[i] is of manifest.methods[i]
  std::vector<cache::Entry> choices;  // the algorithms chosen from libraries
  // Only reading sets the members below. The digest is the SHA-256 of the file.
  std::vector<Section> sections = {};
  std::size_t bytes = 0;
  std::string digest = {};
};

// The bytes of a package file with these sections.
std::string encode(const std::vector<Section>& sections);

// Accepts only what encode() writes. Throws Error(invalid_argument), which names the fault and its section.
std::vector<Section> decode(std::string_view text);

// Returns why a package cannot store `plan`, a library's serialised plan; "" if it can, because the plan is a
// JSON object of at most 16 MiB.
std::string why_not_serialised(std::string_view plan);

std::string write_package(const Package& package);

// Accepts only what write_package() writes, but leaves the programs to program_of(). Throws
// Error(invalid_argument), which names the fault.
Package read_package(std::string_view text);
// Reads a package file. Throws Error(invalid_argument), which names the file, also if `digest` is given and
// the file has another digest. Throws Error(io) if the file cannot be read.
Package open_package(const std::string& path, const std::string& digest = "");

enum class Stage { before, after };
// Returns the program of a pass and preset. Throws Error(invalid_argument) if there is none, if its tensors
// differ from the manifest's, if no loaded plugin has one of its ops, or if the text is damaged.
ir::Program program_of(const Package& package, std::string_view pass, std::string_view preset, Stage stage,
                       const ir::OpCatalog& catalog);

// Why the package cannot run on a device of this kind and compute capability, or "".
std::string why_not_on(const Manifest& manifest, const std::string& kind, const std::string& capability);
// Returns which plugin of the package is missing in `plugins`, or "" if none is. Throws Error(io).
std::string why_not_with(const Manifest& manifest, const std::vector<std::string>& plugins);
// Throws Error(io) if the file cannot be read.
PluginFile plugin_file(const std::string& path);

}  // namespace graphbench::package
