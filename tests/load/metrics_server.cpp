// graphbench_metrics_server SERIES [CHANGES_A_SECOND]: serves /metrics with at least SERIES series on a free
// port of 127.0.0.1 until stdin ends, and prints the URL. Sets so many cells per second again meanwhile.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "harness/service/net/http.hpp"
#include "harness/service/net/http_server.hpp"
#include "harness/sweep/report/sweep_metrics.hpp"
#include "tests/golden/sample_results.hpp"

namespace graphbench {
namespace {

constexpr long series_a_cell = 3 * 5 + 8;  // three summaries of sum, count and three quantiles; eight gauges

std::vector<model::CellResult> cells_with(long series) {
  model::CellResult model_cell{};
  for (const model::CellResult& cell : samples::default_sweep_result().cells) {
    if (cell.cell.mode == "whole") model_cell = cell;
  }
  for (model::Launch& launch : model_cell.launches) launch.device_seconds = launch.latency_seconds;
  std::vector<model::CellResult> cells((series + series_a_cell - 1) / series_a_cell, model_cell);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i].cell.batch = static_cast<std::int64_t>(i) + 1;
  return cells;
}

int serve(long series, double changes_a_second) {
  const std::vector<model::CellResult> cells = cells_with(series);
  sweep::SweepMetrics metrics("0.0.0");
  for (const model::CellResult& cell : cells) metrics.set_cell("host", cell);
  service::Router router;
  router.add("GET", "/metrics", [&metrics](const service::Request&) {
    service::Response response;
    response.content_type = sweep::metrics_content_type;
    response.body = metrics.text();
    return response;
  });
  service::ServerSettings settings;
  settings.address = *service::parse_listen_address("127.0.0.1:0");
  const service::HttpServer server(std::move(settings), router);
  std::printf("http://%s/metrics\n", server.address().text().c_str());
  std::fflush(stdout);
  std::atomic<bool> stop = false;
  std::thread changer([&] {
    for (std::size_t i = 0; changes_a_second > 0 && !stop; ++i) {
      metrics.set_cell("host", cells[i % cells.size()]);
      std::this_thread::sleep_for(std::chrono::duration<double>(1 / changes_a_second));
    }
  });
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
  stop = true;
  changer.join();
  return 0;
}

}  // namespace
}  // namespace graphbench

int main(int argc, char** argv) {
  const long series = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  const double changes_a_second = argc > 2 ? std::strtod(argv[2], nullptr) : 0;
  if (series <= 0 || changes_a_second < 0) {
    std::fprintf(stderr, "usage: graphbench_metrics_server SERIES [CHANGES_A_SECOND]\n");
    return 2;
  }
  return graphbench::serve(series, changes_a_second);
}
