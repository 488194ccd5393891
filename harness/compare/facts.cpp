// A table of names, and a walk over both sides' facts.
#include "harness/compare/facts.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace graphbench::compare {
namespace {

struct Field {
  std::string_view name;
  bool blocking = false;
  bool on_host = false;  // blocking where the device is the host
};

// In the order in which differences are listed.
constexpr std::array<Field, 21> known_fields = {{
    {"tool.name", true},   {"device.kind", true},
    {"device.name", true}, {"device.compute_capability", true},
    {"plan", true},        {"device.memory_bytes"},
    {"device.driver"},     {"device.runtime"},
    {"cpu", false, true},  {"cores", false, true},
    {"hostname"},          {"os"},
    {"device.uuid"},       {"machine.governor"},
    {"machine.turbo"},     {"machine.pinned"},
    {"plan.seed"},         {"plan.launches"},
    {"tool.version"},      {"tool.commit"},
    {"fingerprint", true},
}};

// What the fingerprint says nothing about: a difference here does not explain another fingerprint.
constexpr std::array<std::string_view, 12> outside_fingerprint = {"plan",
                                                                  "hostname",
                                                                  "os",
                                                                  "cores",
                                                                  "device.memory_bytes",
                                                                  "device.uuid",
                                                                  "machine.turbo",
                                                                  "machine.governor",
                                                                  "machine.pinned",
                                                                  "plan.seed",
                                                                  "plan.launches",
                                                                  "tool.commit"};

const std::string& value_of(const DocumentFacts& facts, const std::string& field) {
  static const std::string absent;
  const auto found = facts.fields.find(field);
  return found == facts.fields.end() ? absent : found->second;
}

bool is_allowed(const std::string& field, const std::vector<std::string>& allow) {
  return std::ranges::any_of(allow, [&](const std::string& name) {
    return name == field || (name == "device" && (field == "device.kind" || field == "device.name" ||
                                                  field == "device.compute_capability"));
  });
}

bool explains_fingerprint(const model::Difference& difference) {
  return std::ranges::find(outside_fingerprint, difference.field) == outside_fingerprint.end();
}

}  // namespace

const std::vector<std::string>& allowable_fields() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made = {"device"};
    for (const Field& field : known_fields) {
      if (field.blocking || field.on_host) made.emplace_back(field.name);
    }
    return made;
  }();
  return names;
}

std::vector<model::Difference> differences_of(const DocumentFacts& base, const DocumentFacts& now,
                                              const std::vector<std::string>& allow) {
  const bool on_host = value_of(base, "device.kind") == "host";
  std::vector<model::Difference> differences;
  const auto add = [&](const std::string& name, bool blocking) {
    const std::string& before = value_of(base, name);
    const std::string& after = value_of(now, name);
    if (before == after) return;
    differences.push_back({name, before, after, blocking, blocking && is_allowed(name, allow)});
  };
  std::set<std::string> libraries;
  for (const DocumentFacts* facts : {&base, &now}) {
    for (const auto& [name, value] : facts->fields) {
      if (name.starts_with(library_prefix)) libraries.insert(name);
    }
  }
  for (const Field& field : known_fields) {
    bool blocking = field.blocking || (field.on_host && on_host);
    if (field.name == "fingerprint") blocking = std::ranges::none_of(differences, explains_fingerprint);
    add(std::string(field.name), blocking);
    if (field.name != "device.runtime") continue;
    for (const std::string& library : libraries) add(library, false);
  }
  return differences;
}

bool comparable(const std::vector<model::Difference>& differences) {
  return std::ranges::none_of(differences,
                              [](const model::Difference& one) { return one.blocking && !one.allowed; });
}

}  // namespace graphbench::compare
