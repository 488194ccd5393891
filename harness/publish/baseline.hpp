// What sweeps that publish are compared with when they have ended: a result read before anything is
// measured.
#pragma once

#include <string>

#include "harness/compare/read_side.hpp"
#include "harness/model/comparison.hpp"

namespace graphbench::publish {

class Baseline {
 public:
  // A result document or a folder of them. Read once: the file may be written over by the very sweep that it
  // is the baseline of. Throws config::InputError that begins with `where` for one that will not do.
  Baseline(const std::string& path, const std::string& where);

  // By the rules and the defaults of `graphbench compare BASELINE NEW`. `document` is NEW's text.
  // Thread-safe.
  model::Comparison compare_with(std::string document, const std::string& source) const;

  // One line on a comparison with it, for a person.
  std::string said_of(const model::Comparison& comparison) const;

  const std::string& path() const noexcept { return side_.source; }

 private:
  compare::Side side_;
};

}  // namespace graphbench::publish
