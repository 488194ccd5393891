// A list in the order in which connections became quiet, so that the one to go is found at its front.
#include "harness/service/net/places.hpp"

#include <utility>

namespace graphbench::net {

Place::Place(Places& places, boost::asio::ip::address client)
    : places_(places), client_(std::move(client)), at_(places.quiet_.end()) {
  ++places_.taken_;
  ++places_.clients_[client_];
}

Place::~Place() {
  keep();
  if (!counted_) return;
  places_.uncount(*this);
  places_.freed_();
}

void Place::set_quiet(std::function<void()> move_on) {
  keep();
  if (!counted_) return;  // it was taken away, and its end is under way
  move_on_ = std::move(move_on);
  quiet_since_ = Clock::now();
  at_ = places_.quiet_.insert(places_.quiet_.end(), this);
  if (places_.is_full()) places_.freed_();
}

void Place::keep() {
  if (!move_on_) return;
  move_on_ = nullptr;
  places_.quiet_.erase(at_);
}

Places::Places(Limits limits, std::function<void()> freed) : limits_(limits), freed_(std::move(freed)) {}

Place::Clock::time_point Places::next_at() const {
  if (!is_full()) return Place::Clock::time_point::min();
  if (quiet_.empty()) return Place::Clock::time_point::max();
  return quiet_.front()->quiet_since_ + limits_.quiet_min;
}

bool Places::has_all_it_may(const boost::asio::ip::address& client) const {
  const auto found = clients_.find(client);
  return found != clients_.end() && found->second >= limits_.of_one_client;
}

std::shared_ptr<Place> Places::take(const boost::asio::ip::address& client) {
  if (has_all_it_may(client) && !take_from_quiet(&client)) return nullptr;
  if (is_full() && !take_from_quiet(nullptr)) return nullptr;
  return std::make_shared<Place>(*this, client);
}

// `client`: of this one alone.
bool Places::take_from_quiet(const boost::asio::ip::address* client) {
  const auto latest = Place::Clock::now() - limits_.quiet_min;
  for (Place* const place : quiet_) {
    if (place->quiet_since_ > latest) return false;
    if (client != nullptr && place->client_ != *client) continue;
    const std::function<void()> move_on = std::move(place->move_on_);
    place->move_on_ = nullptr;
    quiet_.erase(place->at_);
    uncount(*place);
    move_on();
    return true;
  }
  return false;
}

void Places::uncount(Place& place) {
  place.counted_ = false;
  --taken_;
  const auto found = clients_.find(place.client_);
  if (--found->second == 0) clients_.erase(found);
}

}  // namespace graphbench::net
