// Routes to the store and the runner. Nothing here takes longer than a small transaction.
#include "harness/service/serve/service_api.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>

#include "graphs/ir/error.hpp"
#include "harness/model/input_error.hpp"
#include "harness/service/net/router.hpp"
#include "harness/service/serve/compare_request.hpp"
#include "harness/service/serve/json_response.hpp"
#include "harness/service/serve/openapi.hpp"
#include "harness/service/serve/page.hpp"
#include "harness/service/serve/shared_scrape.hpp"
#include "harness/service/serve/submission.hpp"
#include "harness/service/serve/sweep_json.hpp"
#include "harness/service/serve/sweep_pages.hpp"

namespace graphbench::serve {
namespace {

using net::Request;
using net::Response;
using nlohmann::json;

std::string_view media_type_of(const Request& request) {
  const std::string_view type = request.header("content-type");
  return type.substr(0, type.find(';'));
}

class Api {
 public:
  struct Route {
    const char* method;
    const char* pattern;
    Response (Api::*answer)(const Request&) const;
  };
  static const std::array<Route, 16> routes;

  Api(ApiSettings settings, ApiParts parts)
      : settings_(std::move(settings)),
        store_(parts.store),
        runner_(parts.runner),
        feed_(parts.feed),
        metrics_(parts.metrics),
        service_metrics_(parts.service_metrics),
        submission_({settings_.queued_max, settings_.plugins, settings_.workloads}, store_,
                    [this] { runner_.wake(); }),
        router_(refusal) {
    for (const Route& route : routes) {
      router_.add(route.method, route.pattern,
                  [this, answer = route.answer](const Request& request) { return (this->*answer)(request); });
    }
  }

  Response operator()(Request& request) const {
    const auto began = Clock::now();
    Response response = counted(request, began, [this](Request& each) { return answer(each); });
    if (response.later) {
      response.later = [this, began, work = std::move(response.later)](Request& each) {
        return counted(each, began, work);
      };
    }
    return response;
  }

 private:
  using Clock = std::chrono::steady_clock;

  Response counted(Request& request, Clock::time_point began, const net::Handler& handle) const {
    Response response;
    try {
      response = handle(request);
    } catch (const StoreError& error) {
      response = store_fails(request, error.what());
    } catch (const std::exception& error) {
      response = fails(request, error);
    }
    if (response.later) return response;  // counted when it is answered
    const std::chrono::duration<double> took = Clock::now() - began;
    service_metrics_.count_request(router_.pattern_of(request.path), response.status, took.count());
    return response;
  }

  Response fails(const Request& request, const std::exception& error) const {
    std::fprintf(stderr, "graphbench: warning: %s %s: %s\n", request.method.c_str(),
                 router_.pattern_of(request.path).c_str(), error.what());
    return refusal(500, "an internal error");
  }

  // A change is stored as a whole or not at all: who is told this may ask the same again. However often it is
  // asked, stderr says it once a minute.
  Response store_fails(const Request& request, const std::string& why) const {
    {
      const std::scoped_lock lock(said_mutex_);
      const auto now = Clock::now();
      if (said_of_store_ != why || now > said_at_ + std::chrono::minutes(1)) {
        std::fprintf(stderr, "graphbench: warning: %s\n", why.c_str());
        said_of_store_ = why;
        said_at_ = now;
      }
    }
    const bool reads = request.method == "GET" || request.method == "HEAD";
    const std::string what =
        reads ? "it cannot be read: " : "nothing was queued or changed, for it cannot be stored: ";
    Response response = refusal(503, what + why + ": try again later");
    response.headers.emplace_back("Retry-After", "5");
    return response;
  }

  Response answer(Request& request) const {
    std::optional<Response> refused = refusal_of(request, settings_.access);
    return refused ? std::move(*refused) : router_(request);
  }

  Response page(const Request&) const { return page_response(built_in_page); }

  Response healthy(const Request&) const { return net::text_response(200, "ok"); }

  Response description(const Request&) const { return json_response(200, openapi_document); }

  Response devices(const Request&) const {
    json devices = json::array();
    for (const ListedDevice& device : settings_.devices) {
      devices.push_back({{"id", device.id},
                         {"available", device.available},
                         {"detail", device.detail},
                         {"advice", device.advice.empty() ? json(nullptr) : json(device.advice)}});
    }
    return json_response(200, text_of({{"devices", devices}}));
  }

  Response plugins(const Request&) const {
    json plugins = json::array();
    for (const std::string& name : settings_.plugins.names()) plugins.push_back({{"name", name}});
    return json_response(200, text_of({{"plugins", plugins}}));
  }

  // Documents may be long: only one whose turn it is, and not on the network's thread.
  Response compare(const Request& request) const {
    if (media_type_of(request) != "application/json")
      return refusal(415, "give Content-Type application/json");
    if (!request.hold) {
      Response busy = refusal(503, "another comparison is under way: try again");
      busy.headers.emplace_back("Retry-After", "1");
      return busy;
    }
    Response response;
    response.later = [this](Request& each) {
      const auto result_of = [this](const std::string& id) { return store_.result(id); };
      try {
        return json_response(200, answer_comparison(std::move(each.body), result_of));
      } catch (const InputError& error) {
        return refusal(400, error.what());
      }
    };
    return response;
  }

  Response ready(const Request&) const {
    std::string trouble = runner_.trouble();
    try {
      if (trouble.empty()) store_.probe();
    } catch (const Error& error) {
      trouble = error.what();
    }
    return trouble.empty() ? net::text_response(200, "ready") : net::text_response(503, trouble);
  }

  Response scrape(const Request&) const {
    Response response;
    response.content_type = reporters::metrics_content_type;
    std::optional<std::size_t> queued;
    try {
      queued = store_.queued();
    } catch (const StoreError&) {  // all else is known: /metrics is what tells of it
    }
    service_metrics_.set_queue(queued, settings_.queued_max);
    service_metrics_.set_streams(feed_.followers());
    response.body = scraped_.body(metrics_.text(), [this] { return service_metrics_.text(); });
    return response;
  }

  Response submit(const Request& request) const { return submission_.answer(request); }

  Response list(const Request& request) const { return list_sweeps(store_, request.query); }

  Response show(const Request& request) const {
    const auto sweep = store_.find(request.parameters.at("id"));
    return sweep ? json_response(200, text_of(json_of(*sweep))) : refusal(404, "there is no such sweep");
  }

  Response remove(const Request& request) const {
    const std::string& id = request.parameters.at("id");
    // What runs is stopped also where nothing can be stored; what is queued may begin to run meanwhile.
    const auto stop = [&]() -> std::optional<Response> {
      if (!runner_.cancel(id)) return std::nullopt;
      return json_response(202, text_of(json_of(*store_.find(id))));
    };
    if (auto stopped = stop()) return std::move(*stopped);
    const std::optional<StoredSweep> sweep = store_.find(id);
    if (!sweep) return refusal(404, "there is no such sweep");
    if (sweep->state == SweepState::queued) {
      if (store_.cancel(id)) {
        service_metrics_.count_sweep(name_of(SweepState::cancelled));
        feed_.tell_done(id);
        return json_response(200, text_of(json_of(*store_.find(id))));
      }
      if (auto stopped = stop()) return std::move(*stopped);
    }
    const bool ending = sweep->state == SweepState::running && !sweep->message.empty();
    return refusal(409, ending ? sweep->message : "this sweep has ended");
  }

  // Cells that are finished are not measured again: they stand in the document marked as taken over.
  Response resume(const Request& request) const {
    const std::string& id = request.parameters.at("id");
    const std::optional<StoredSweep> sweep = store_.find(id);
    if (!sweep) return refusal(404, "there is no such sweep");
    if (sweep->state != SweepState::interrupted) return refusal(409, "this sweep was not interrupted");
    if (store_.queued() >= settings_.queued_max) return queue_is_full();
    if (!store_.resume(id)) return refusal(409, "this sweep was not interrupted");
    runner_.wake();
    return json_response(202, text_of(json_of(*store_.find(id))));
  }

  Response cells(const Request& request) const {
    const std::string& id = request.parameters.at("id");
    if (!store_.find(id)) return refusal(404, "there is no such sweep");
    std::string body = "{\"cells\": [";
    const char* separator = "\n";
    for (const StoredCell& cell : store_.cells(id, 0)) {
      body += separator + cell.document;
      separator = ",\n";
    }
    return json_response(200, body + "]}");
  }

  Response events(const Request& request) const {
    const std::string& id = request.parameters.at("id");
    if (!store_.find(id)) return refusal(404, "there is no such sweep");
    const std::string_view last = request.header("last-event-id");
    std::int64_t after = 0;
    const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), after);
    if (!last.empty() && (error != std::errc() || end != last.data() + last.size() || after < 0)) {
      return refusal(400, "Last-Event-ID: give the id of an event of this sweep");
    }
    Response response;
    response.content_type = "text/event-stream";
    response.headers.emplace_back("Cache-Control", "no-store");
    if (request.method == "HEAD") return response;
    response.stream = feed_.follow(id, after);
    if (response.stream) return response;
    Response busy = refusal(503, "as many follow sweeps as may: try again later");
    busy.headers.emplace_back("Retry-After", "5");
    return busy;
  }

  Response results(const Request& request) const {
    const std::string& id = request.parameters.at("id");
    const auto sweep = store_.find(id);
    if (!sweep) return refusal(404, "there is no such sweep");
    const auto document = store_.result(id);
    if (!document) {
      const bool waiting = sweep->state == SweepState::queued || sweep->state == SweepState::running;
      return refusal(waiting ? 409 : 404, waiting ? "this sweep has not ended" : "this sweep has no results");
    }
    return json_response(200, *document);
  }

  ApiSettings settings_;
  SweepStore& store_;
  SweepRunner& runner_;
  SweepFeed& feed_;
  const reporters::SweepMetrics& metrics_;
  reporters::ServiceMetrics& service_metrics_;
  Submission submission_;
  net::Router router_;
  mutable SharedScrape scraped_;
  mutable std::mutex said_mutex_;
  mutable std::string said_of_store_;  // the last of it on stderr
  mutable Clock::time_point said_at_;
};

const std::array<Api::Route, 16> Api::routes = {{
    {"GET", "/", &Api::page},
    {"GET", "/healthz", &Api::healthy},
    {"GET", "/readyz", &Api::ready},
    {"GET", "/metrics", &Api::scrape},
    {"GET", "/openapi.json", &Api::description},
    {"GET", "/v1/devices", &Api::devices},
    {"GET", "/v1/plugins", &Api::plugins},
    {"POST", "/v1/compare", &Api::compare},
    {"POST", "/v1/sweeps", &Api::submit},
    {"GET", "/v1/sweeps", &Api::list},
    {"GET", "/v1/sweeps/{id}", &Api::show},
    {"DELETE", "/v1/sweeps/{id}", &Api::remove},
    {"POST", "/v1/sweeps/{id}/resume", &Api::resume},
    {"GET", "/v1/sweeps/{id}/cells", &Api::cells},
    {"GET", "/v1/sweeps/{id}/events", &Api::events},
    {"GET", "/v1/sweeps/{id}/results", &Api::results},
}};

}  // namespace

std::vector<std::string> api_routes() {
  std::vector<std::string> names;
  for (const Api::Route& route : Api::routes)
    names.push_back(std::string(route.method) + " " + route.pattern);
  return names;
}

net::Handler make_api(ApiSettings settings, ApiParts parts) {
  // Shared: a handler is copied, and its routes point at the object.
  const auto api = std::make_shared<const Api>(std::move(settings), parts);
  return [api](Request& request) { return (*api)(request); };
}

}  // namespace graphbench::serve
