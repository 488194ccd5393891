// Routes requests, checks and queues sweeps, and answers with the page. The server's thread reads no disk, so
// a slow disk delays only requests that need the disk.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>

#include "graphs/base/clock.hpp"
#include "graphs/base/error.hpp"
#include "graphs/base/text.hpp"
#include "harness/service/net/http.hpp"
#include "harness/service/report/report.hpp"
#include "harness/service/serve/json_response.hpp"
#include "harness/service/serve/page.hpp"
#include "harness/service/serve/service.hpp"
#include "harness/service/serve/sweep_feed.hpp"
#include "harness/service/serve/sweep_request.hpp"
#include "harness/sweep/devices.hpp"

namespace graphbench::service {
namespace {

using nlohmann::json;

constexpr std::size_t key_bytes_max = 255;
// The number of requests that may wait for plugins to load; each request keeps its connection open.
constexpr long waiting_max = 16;

Refused queue_is_full() {
  return {429, "the queue is full: try again later", 30};
}

class Api {
 public:
  struct Route {
    const char* method;
    const char* pattern;
    Response (Api::*answer)(const Request&) const;
    bool reads_disk = false;
  };
  static const std::array<Route, 19> routes;

  Api(ApiSettings settings, ApiParts parts)
      : settings_(std::move(settings)), parts_(parts), router_(refusal) {
    for (const Route& route : routes) {
      const Handler answer = [this, answer = route.answer](const Request& request) {
        return (this->*answer)(request);
      };
      router_.add(route.method, route.pattern, route.reads_disk ? brief(answer) : answer);
    }
  }

  Response operator()(Request& request) const {
    const Stopwatch watch;
    Response response = counted(request, watch, [this](Request& each) { return answer(each); });
    if (response.later) {
      response.later = [this, watch, work = std::move(response.later)](Request& each) {
        return counted(each, watch, work);
      };
    }
    return response;
  }

 private:
  static Handler brief(const Handler& handle) {
    return [handle](const Request&) { return Response{.later = handle, .brief = true}; };
  }

  Response counted(Request& request, const Stopwatch& watch, const Handler& handle) const {
    Response response = answered(request, handle);
    if (response.later) return response;  // counted when `later` has answered
    parts_.service_metrics.count_request(router_.pattern_of(request.path), response.status, watch.seconds());
    return response;
  }

  Response answered(Request& request, const Handler& handle) const {
    try {
      return handle(request);
    } catch (const Refused& refused) {
      return refused.response();
    } catch (const InputError& error) {
      return refusal(400, error.what());
    } catch (const DamagedDocument& error) {
      complain("warning: %s", error.what());
      return refusal(500, error.what());
    } catch (const SqlError& error) {
      return store_fails(request, error.what());
    } catch (const std::exception& error) {
      complain("warning: %s %s: %s", request.method.c_str(), router_.pattern_of(request.path).c_str(),
               error.what());
      return refusal(500, "an internal error");
    }
  }

  // The answer 503, for a failure of the store. The client may try again, because a change is stored
  // completely or not at all. Warns on stderr once per minute, and when the reason changes.
  Response store_fails(const Request& request, const std::string& why) const {
    {
      const std::scoped_lock lock(warning_mutex_);
      const auto now = SteadyClock::now();
      if (warning_ != why || now > warned_at_ + std::chrono::minutes(1)) {
        complain("warning: %s", why.c_str());
        warning_ = why;
        warned_at_ = now;
      }
    }
    const bool reads = request.method == "GET" || request.method == "HEAD";
    const char* what = reads ? "the stored data cannot be read: "
                             : "nothing was queued or changed, because the change cannot be stored: ";
    return Refused(503, what + why + ": try again later", 5).response();
  }

  Response answer(Request& request) const {
    std::optional<Response> refused = refusal_of(request, settings_.access);
    return refused ? std::move(*refused) : router_(request);
  }

  Response page(const Request&) const { return page_response(built_in_page); }

  Response healthy(const Request&) const { return text_response(200, "ok"); }

  Response description(const Request&) const { return json_response(200, openapi_document); }

  Response devices(const Request&) const {
    json devices = json::array();
    for (const DeviceStatus& device : settings_.devices) {
      devices.push_back({{"id", device.id},
                         {"available", device.available},
                         {"detail", device.detail},
                         {"advice", device.advice.empty() ? json(nullptr) : json(device.advice)}});
    }
    return json_response(200, text_of({{"devices", devices}}));
  }

  Response plugins(const Request&) const { return names_of("plugins", settings_.plugins); }

  Response steps(const Request&) const { return names_of("steps", settings_.steps); }

  Response workloads(const Request&) const {
    std::vector<std::string> names = settings_.workloads.built_in();
    std::ranges::copy(settings_.steps.step_functions(), std::back_inserter(names));
    return json_response(200, text_of({{"workloads", names}}));
  }

  static Response names_of(const char* key, const CodeFolder& folder) {
    json names = json::array();
    for (const std::string& name : folder.names()) names.push_back({{"name", name}});
    return json_response(200, text_of({{key, names}}));
  }

  // Runs one comparison at a time, on another thread than the server's, because documents may be long.
  Response compare(const Request& request) const {
    if (request.media_type() != "application/json") throw Refused(415, "give Content-Type application/json");
    const std::shared_ptr<void> turn = parts_.turn.take();
    if (!turn) throw Refused(503, "another comparison is running: try again later", 1);
    return {.later = [this, turn](Request& each) {
      const auto result_of = [this](const std::string& id) { return parts_.store.result(id); };
      return json_response(200, answer_comparison(std::move(each.body), result_of));
    }};
  }

  Response ready(const Request&) const {
    std::string trouble = parts_.runner.trouble();
    try {
      if (trouble.empty()) parts_.store.probe();
    } catch (const Error& error) {
      trouble = error.what();
    }
    return trouble.empty() ? text_response(200, "ready") : text_response(503, trouble);
  }

  Response scrape(const Request&) const {
    std::optional<std::size_t> queued;
    try {
      queued = parts_.store.queued();
    } catch (const SqlError&) {  // /metrics shows all other metrics without the store
    }
    parts_.service_metrics.set_queue(queued, settings_.queued_max);
    parts_.service_metrics.set_streams(parts_.feed.followers());
    return {
        .content_type = sweep::metrics_content_type,
        .body = std::make_shared<const std::string>(*parts_.metrics.text() + parts_.service_metrics.text())};
  }

  // Checks and queues a requested sweep. If the request names plugins, another thread loads them and answers.
  Response submit(const Request& request) const {
    const std::string_view type = request.media_type();
    if (type != "application/json" && type != "application/toml") {
      throw Refused(415, "give Content-Type application/json or application/toml");
    }
    const std::string key(request.header("idempotency-key"));
    if (key.size() > key_bytes_max) throw Refused(400, "Idempotency-Key: give at most 255 bytes");
    const BodyFormat format = type == "application/json" ? BodyFormat::json : BodyFormat::toml;
    SweepRequest sweep =
        parse_sweep_request(request.body, format, settings_.plugins.names(), settings_.steps.files());
    const bool is_brief = sweep.asked.plugins.empty();
    if (!is_brief && turn_.use_count() > waiting_max) {
      throw Refused(503, "too many requests are loading plugins: try again later", 1);
    }
    auto later = [this, turn = turn_, sweep = std::move(sweep), key](Request&) { return queue(sweep, key); };
    return {.later = std::move(later), .brief = is_brief};
  }

  std::vector<std::string> files_of(const std::vector<std::string>& plugins) const {
    std::vector<std::string> files;
    try {
      for (const std::string& plugin : plugins) files.push_back(settings_.plugins.path_of(plugin));
    } catch (const Error& error) {  // the plugin was removed after its name was checked
      throw InputError("plugins", error.what());
    }
    return files;
  }

  Response queue(const SweepRequest& sweep, const std::string& key) const {
    sweep::check_auto(sweep.options.device, settings_.devices);
    settings_.workloads.check(sweep, files_of(sweep.asked.plugins));
    const SweepStore::Added added = parts_.store.add(sweep.asked, key, settings_.queued_max);
    using What = SweepStore::Added::What;
    if (added.what == What::full) throw queue_is_full();
    if (!added.same) throw Refused(422, "this Idempotency-Key belongs to another request: give a new key");
    if (added.what == What::added) parts_.runner.wake();
    Response response = json_response(202, text_of(json_of(added.sweep)));
    response.headers.emplace_back("Location", "/v1/sweeps/" + added.sweep.id);
    return response;
  }

  Response list(const Request& request) const {
    return list_sweeps(parts_.store, parts_.runner, request.query);
  }

  StoredSweep asked(const Request& request) const {
    std::optional<StoredSweep> sweep = parts_.store.find(request.parameters.at("id"));
    if (!sweep) throw Refused(404, "this sweep does not exist");
    return parts_.runner.with_message(*std::move(sweep));
  }

  Response answer_with(unsigned status, const Request& request) const {
    return json_response(status, text_of(json_of(asked(request))));
  }

  Response show(const Request& request) const { return answer_with(200, request); }

  Response remove(const Request& request) const {
    const std::string& id = request.parameters.at("id");
    // Asks the runner first, so that a sweep can be stopped even if the store fails.
    if (parts_.runner.cancel(id)) return answer_with(202, request);
    const StoredSweep sweep = asked(request);
    if (sweep.state == SweepState::queued && parts_.store.cancel(id)) {
      parts_.service_metrics.count_sweep(name_of(SweepState::cancelled));
      parts_.feed.tell_done(id);
      return answer_with(200, request);
    }
    if (parts_.runner.cancel(id))
      return answer_with(202, request);  // the sweep has started since the first call
    const bool ending = sweep.state == SweepState::running && !sweep.message.empty();
    throw Refused(409, ending ? sweep.message : "this sweep has ended, so it cannot be cancelled");
  }

  // Queues an ended sweep again. Finished cells are not measured again: the document marks them as resumed.
  Response resume(const Request& request) const {
    const StoredSweep sweep = asked(request);
    const Refused not_resumable(409,
                                "this sweep cannot be resumed: it was not interrupted and has not failed");
    if (!is_resumable(sweep.state)) throw not_resumable;
    if (parts_.store.queued() >= settings_.queued_max) throw queue_is_full();
    if (!parts_.store.resume(sweep.id)) throw not_resumable;
    documents_.forget(results_name(sweep.id));
    parts_.runner.wake();
    return answer_with(202, request);
  }

  Response cells(const Request& request) const {
    const std::string id = asked(request).id;
    const std::string name = "cells " + id + " " + std::to_string(parts_.store.last_cell(id));
    return json_response(200, documents_.get(name, [&] { return cells_of(id); }));
  }

  std::string cells_of(const std::string& id) const {
    std::string body = "{\"cells\": [";
    const char* separator = "\n";
    const std::vector<StoredCell> cells = parts_.store.cells(id, 0);
    body.reserve(document_bytes(cells) + 64 * cells.size());
    for (const StoredCell& cell : cells) {
      body += separator + cell.document;
      separator = ",\n";
    }
    return body + "]}\n";
  }

  Response events(const Request& request) const {
    const std::string id = asked(request).id;
    const std::string_view last = request.header("last-event-id");
    const std::int64_t after = last.empty() ? 0 : to_number<std::int64_t>(last).value_or(-1);
    if (after < 0) throw Refused(400, "Last-Event-ID: give the id of an event of this sweep");
    Response response{.content_type = "text/event-stream", .headers = {{"Cache-Control", "no-store"}}};
    if (request.method == "HEAD") return response;
    const std::optional<SweepFeed::Following> following = parts_.feed.follow(id, after);
    if (!following) {
      throw Refused(503, "the maximum number of event streams is open: try again later", 5);
    }
    response.body = following->past;
    response.stream = following->stream;
    return response;
  }

  static std::string results_name(const std::string& id) { return "results " + id; }

  Response results(const Request& request) const {
    const StoredSweep sweep = asked(request);
    const bool waiting = sweep.state == SweepState::queued || sweep.state == SweepState::running;
    if (waiting) throw Refused(409, "this sweep has not ended, so it has no results yet");
    return json_response(200, documents_.get(results_name(sweep.id), [&] {
      std::optional<std::string> document = parts_.store.result(sweep.id);
      if (!document) throw Refused(404, "this sweep has no results");
      if (!document->ends_with('\n')) *document += '\n';
      return *std::move(document);
    }));
  }

  Response report(const Request& request) const {
    const StoredSweep sweep = asked(request);
    const std::optional<std::string> document = parts_.store.result(sweep.id);
    if (!document) throw Refused(404, "this sweep has no results");
    if (built_in_page.html.empty()) throw Refused(501, no_page);
    return {
        .content_type = "text/html; charset=utf-8",
        .body = std::make_shared<const std::string>(report_of(sweep.id, *document)),
        .headers = {{"Content-Disposition", "attachment; filename=\"graphbench-" + sweep.id + ".html\""}}};
  }

  static std::string report_of(const std::string& id, const std::string& document) {
    try {
      return make_report(built_in_page, {{"results", document}});
    } catch (const InputError& error) {
      throw DamagedDocument(id, error.what());
    }
  }

  const ApiSettings settings_;
  const ApiParts parts_;
  // Each request that waits for plugins has a copy, so that use_count() counts these requests.
  const std::shared_ptr<char> turn_ = std::make_shared<char>();
  Router router_;
  mutable SharedDocuments documents_;  // used only on the thread for brief work
  mutable std::mutex warning_mutex_;
  mutable std::string warning_;  // the last store warning on stderr
  mutable SteadyClock::time_point warned_at_;
};

const std::array<Api::Route, 19> Api::routes = {{
    {"GET", "/", &Api::page},
    {"GET", "/healthz", &Api::healthy},
    {"GET", "/readyz", &Api::ready, true},
    {"GET", "/metrics", &Api::scrape, true},
    {"GET", "/openapi.json", &Api::description},
    {"GET", "/v1/devices", &Api::devices},
    {"GET", "/v1/plugins", &Api::plugins, true},
    {"GET", "/v1/steps", &Api::steps, true},
    {"GET", "/v1/workloads", &Api::workloads, true},
    {"POST", "/v1/compare", &Api::compare},
    {"POST", "/v1/sweeps", &Api::submit},
    {"GET", "/v1/sweeps", &Api::list, true},
    {"GET", "/v1/sweeps/{id}", &Api::show, true},
    {"DELETE", "/v1/sweeps/{id}", &Api::remove, true},
    {"POST", "/v1/sweeps/{id}/resume", &Api::resume, true},
    {"GET", "/v1/sweeps/{id}/cells", &Api::cells, true},
    {"GET", "/v1/sweeps/{id}/events", &Api::events, true},
    {"GET", "/v1/sweeps/{id}/results", &Api::results, true},
    {"GET", "/v1/sweeps/{id}/report", &Api::report, true},
}};

}  // namespace

std::vector<std::string> api_routes() {
  std::vector<std::string> names;
  for (const Api::Route& route : Api::routes)
    names.push_back(std::string(route.method) + " " + route.pattern);
  return names;
}

Handler make_api(ApiSettings settings, ApiParts parts) {
  // A shared_ptr, because the handler is copied while the object's routes point to the object.
  const auto api = std::make_shared<const Api>(std::move(settings), parts);
  return [api](Request& request) { return (*api)(request); };
}

// The headers keep browsers from running or loading anything else.
service::Response page_response(const Page& page) {
  if (page.html.empty()) {
    return text_response(
        200, std::string("graphbench serve: ") + no_page + ". The API is here: /openapi.json describes it");
  }
  return {.content_type = "text/html; charset=utf-8",
          .body = std::make_shared<const std::string>(page.html),
          .headers = {{"Content-Security-Policy", std::string(page.policy)},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"Cache-Control", "no-cache"}}};
}

}  // namespace graphbench::service
