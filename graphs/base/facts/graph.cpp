// Adds up the counts of graphs; boost::pfr lists the fields.
#include "graphs/base/facts/graph.hpp"

#include <boost/pfr/core.hpp>

namespace graphbench::facts {

void add(GraphContents& sum, const GraphContents& more) {
  boost::pfr::for_each_field(
      sum, [&](auto& count, auto index) { count += boost::pfr::get<decltype(index)::value>(more); });
}

}  // namespace graphbench::facts
