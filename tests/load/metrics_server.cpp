// graphbench_metrics_server SERIES [CHANGES_A_SECOND]: serves /metrics with at least SERIES series on a free
// port of 127.0.0.1 until stdin ends, and prints the URL. Sets so many cells per second again meanwhile.
// graphbench_metrics_server DOCUMENT: serves what the sweep of this document published when it was done.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <thread>

#include "graphs/base/clock.hpp"
#include "harness/model/codec/documents.hpp"
#include "harness/model/codec/parse_document.hpp"
#include "harness/model/findings/findings.hpp"
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

// Calls `meanwhile` until stdin ends, unless it is empty.
void serve(const sweep::SweepMetrics& metrics, const std::function<void()>& meanwhile = {}) {
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
    while (meanwhile && !stop) meanwhile();
  });
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) continue;
  stop = true;
  changer.join();
}

void serve_samples(long series, double changes_a_second) {
  const std::vector<model::CellResult> cells = cells_with(series);
  sweep::SweepMetrics metrics("0.0.0");
  for (const model::CellResult& cell : cells) metrics.set_cell("host", cell);
  if (changes_a_second == 0) return serve(metrics);
  serve(metrics, [&, i = std::size_t{0}]() mutable {
    metrics.set_cell("host", cells[i++ % cells.size()]);
    std::this_thread::sleep_for(std::chrono::duration<double>(1 / changes_a_second));
  });
}

void serve_document(const std::string& file) {
  const model::Result result = model::read_result(model::read_text(file).view(), file);
  const std::string device = result.environment.device.kind == "host" ? "host" : "cuda:0";
  sweep::SweepMetrics metrics(result.tool_version);
  metrics.begin_sweep(device);
  metrics.set_device(device, result.environment.device);
  for (const model::CellResult& cell : result.cells) metrics.set_cell(device, cell);
  metrics.set_notes(device, model::notes_of(result));
  metrics.end_sweep(device, unix_seconds_now());
  serve(metrics);
}

}  // namespace
}  // namespace graphbench

int main(int argc, char** argv) {
  char* end = nullptr;
  const long series = argc > 1 ? std::strtol(argv[1], &end, 10) : 0;
  const double changes_a_second = argc > 2 ? std::strtod(argv[2], nullptr) : 0;
  const bool is_document = argc == 2 && *end != '\0';
  if (!is_document && (series <= 0 || changes_a_second < 0)) {
    std::fprintf(stderr, "usage: graphbench_metrics_server SERIES [CHANGES_A_SECOND] | DOCUMENT\n");
    return 2;
  }
  try {
    if (is_document) {
      graphbench::serve_document(argv[1]);
    } else {
      graphbench::serve_samples(series, changes_a_second);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graphbench_metrics_server: %s\n", error.what());
    return 2;
  }
}
