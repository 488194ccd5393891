// Who may be connected: so many in all, so many of one client, and who goes where another one comes.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>

namespace graphbench::net {

class Places;

// A connection's place, given back at the end of this object. It may be taken away as long as the connection
// is quiet; `move_on` then ends the connection.
class Place {
 public:
  using Clock = std::chrono::steady_clock;

  Place(Places& places, boost::asio::ip::address client);
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place();

  // Nothing was asked, or nothing is left to answer, since now.
  void set_quiet(std::function<void()> move_on);
  // What is being answered at length is not cut off.
  void keep();

 private:
  friend class Places;

  Places& places_;
  const boost::asio::ip::address client_;
  std::function<void()> move_on_;  // empty: not quiet
  Clock::time_point quiet_since_;
  std::list<Place*>::iterator at_;  // among the quiet ones
  bool counted_ = true;
};

// Of one thread. Whoever comes takes the place of the connection that has been quiet for longest, of its own
// client's where that one has all it may, but only after a while: who has just come is about to ask.
class Places {
 public:
  struct Limits {
    std::size_t all = 0;
    std::size_t of_one_client = 0;
    std::chrono::milliseconds quiet_min{1'000};
  };
  // `freed` is called whenever next_at() may have come nearer.
  Places(Limits limits, std::function<void()> freed);
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;
  ~Places() = default;

  std::size_t taken() const noexcept { return taken_; }
  bool is_full() const noexcept { return taken_ >= limits_.all; }
  // When a newcomer would find a place: in the past, later, or time_point::max(): none of them is quiet.
  Place::Clock::time_point next_at() const;

  bool has_all_it_may(const boost::asio::ip::address& client) const;
  // Null where there is none for this client now. Places outlive what is returned.
  std::shared_ptr<Place> take(const boost::asio::ip::address& client);

 private:
  friend class Place;

  bool take_from_quiet(const boost::asio::ip::address* client);
  void uncount(Place& place);

  const Limits limits_;
  const std::function<void()> freed_;
  std::size_t taken_ = 0;
  std::map<boost::asio::ip::address, std::size_t> clients_;  // the places of each
  std::list<Place*> quiet_;                                  // the longest first
};

}  // namespace graphbench::net
