// Field by field, by the names that harness/verdict/compare/facts.cpp compares.
#include "harness/codec/read_facts.hpp"

#include <set>
#include <utility>


namespace graphbench::codec {

void FactsReader::read_tool(Value value) {
  read_named(value, "tool.", {"version", "commit"});
}

void FactsReader::set_fact(const std::string& name, Value value) {
  std::string fact = walk_.fact(value);
  if (!fact.empty()) facts_.fields[name] = std::move(fact);
}

void FactsReader::read_named(Value value, const std::string& prefix,
                             std::initializer_list<std::string_view> names) {
  walk_.fields(value, [&](std::string_view key, Value field) {
    for (const std::string_view name : names) {
      if (key == name) return set_fact(prefix + std::string(name), field);
    }
    walk_.skip(field);
  });
}

void FactsReader::read_environment(Value value) {
  walk_.fields(value, [&](std::string_view key, Value field) {
    if (key == "device") {
      read_device(field);
    } else if (key == "machine" && walk_.is_object(field)) {
      read_named(field, "machine.", {"governor", "turbo", "pinned"});
    } else if (key == "hostname" || key == "os" || key == "cpu" || key == "cores" || key == "fingerprint") {
      set_fact(std::string(key), field);
    } else {
      walk_.skip(field);
    }
  });
}

void FactsReader::read_device(Value value) {
  walk_.fields(value, [&](std::string_view key, Value field) {
    if (key == "libraries") {
      walk_.fields(field, [&](std::string_view name, Value version) {
        set_fact(std::string(library_prefix) + std::string(name), version);
      });
      return;
    }
    for (const std::string_view name :
         {"kind", "name", "uuid", "compute_capability", "memory_bytes", "driver", "runtime"}) {
      if (key == name) return set_fact("device." + std::string(name), field);
    }
    walk_.skip(field);
  });
}

void FactsReader::read_plan(Value value) {
  walk_.fields(value, [&](std::string_view key, Value field) {
    if (key == "hash") {
      set_fact("plan", field);
    } else if (key == "seed" || key == "launches" || key == "cell_processes") {
      set_fact("plan." + std::string(key), field);
    } else if (key == "interleaved" && walk_.is_object(field)) {
      walk_.fields(field, [&](std::string_view name, Value id) {
        if (name != "id") return walk_.skip(id);
        facts_.interleaved = walk_.text_or_empty(id);
      });
    } else {
      walk_.skip(field);
    }
  });
}

void FactsReader::read_clocks(Value machine) {
  DeviceClocks& clocks = facts_.clocks;
  std::set<std::string> reasons;
  bool is_read = false;
  walk_.fields(machine, [&](std::string_view moment, Value reading) {
    if ((moment != "before" && moment != "after") || !walk_.is_object(reading)) return walk_.skip(reading);
    is_read = true;
    walk_.fields(reading, [&](std::string_view key, Value field) {
      if (key == "sm_clock_hz") {
        if (walk_.is_null(field)) return;
        if (const double hz = walk_.number(field); hz > 0) clocks.sm_clocks_hz.push_back(hz);
      } else if (key == "throttle") {
        walk_.elements(field, [&](Value reason) { reasons.insert(walk_.text(reason)); });
      } else {
        walk_.skip(field);
      }
    });
  });
  if (!is_read) return;
  ++clocks.launches;
  for (const std::string& reason : reasons) ++clocks.throttled[reason];
}

}  // namespace graphbench::codec
