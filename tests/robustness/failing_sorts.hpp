// Shared by the tests of failing calls: sorts of data in some kind of memory in which each call and allocation fails in
// turn.
#pragma once

#include <string>
#include <vector>

#include "check.hpp"
#include "failure_points.hpp"
#include "gpu/algorithm.hpp"
#include "inputs.hpp"
#include "places.hpp"
#include "records.hpp"
#include "support.hpp"

namespace testing {

inline bool cannot_run() {
  if (gpu::device_count() > 0) return false;
  skip("calls of CUDA that fail: no device");
  return true;
}

/// Keys with few values; they are overwritten by the next call.
inline const std::vector<std::int32_t>& keys(std::size_t n) {
  static std::vector<std::int32_t> all;
  return all = make_keys<std::int32_t>(few_values, n), all;
}

template <class Element>
std::string changed(const std::vector<Element>& before, const storage<Element>& data) {
  return difference(before, data.fetch());
}
template <class Element>
std::string missing(const std::vector<Element>& before, const storage<Element>& data) {
  return permutation_problem(before, data.fetch());
}

/// Whether a failing call must leave data at this place unchanged.
template <class Place>
bool stays_as_it_was(const Place& place) {
  return place.kind != memory::device && place.kind != memory::managed;
}

/// Lets everything fail in call(view), which sorts one range in place.
template <class Place, class Element, class Call, class Less>
void check_sort(const Place& place, const std::string& name, const std::vector<Element>& before, bool stable, Call call,
                Less less) {
  storage<Element> data = place.store(before);
  fail_everything(
      {place.name + ", " + name, stays_as_it_was(place), [&] { data.refill(before); }, [&] { call(place.view(data)); },
       [&] { return changed(before, data); }, [&] { return missing(before, data); },
       [&] {
         return stable ? stable_sort_problem(before, data.fetch(), less) : sort_problem(before, data.fetch(), less);
       }});
}

/// A key column and a value column at a place, which can be read as rows.
template <class Place, class Key, class Value>
class row_columns {
 public:
  row_columns(const Place& place, const std::vector<indexed<Key, Value>>& rows)
      : place_{place},
        keys_{place.store(column(rows, &indexed<Key, Value>::key))},
        values_{place.store(column(rows, &indexed<Key, Value>::index))} {}

  [[nodiscard]] auto keys() const { return place_.view(keys_); }
  [[nodiscard]] auto values() const { return place_.view(values_); }

  void refill(const std::vector<indexed<Key, Value>>& rows) {
    keys_.refill(column(rows, &indexed<Key, Value>::key));
    values_.refill(column(rows, &indexed<Key, Value>::index));
  }
  [[nodiscard]] std::vector<indexed<Key, Value>> fetch() const {
    const auto keys = keys_.fetch();
    const auto values = values_.fetch();
    std::vector<indexed<Key, Value>> rows;
    for (std::size_t i = 0; i < keys.size(); ++i) rows.push_back({keys[i], values[i]});
    return rows;
  }

 private:
  template <class Member>
  static std::vector<Member> column(const std::vector<indexed<Key, Value>>& rows, Member indexed<Key, Value>::*member) {
    std::vector<Member> all;
    for (const auto& row : rows) all.push_back(row.*member);
    return all;
  }

  const Place& place_;
  storage<Key> keys_;
  storage<Value> values_;
};

/// The same for call(keys, values), which sorts rows in two columns. Tries every `every`-th point of failure.
template <class Place, class Key, class Value, class Call, class Less>
void check_rows(const Place& place, const std::string& name, const std::vector<indexed<Key, Value>>& rows, Call call,
                Less less, std::size_t every = 1) {
  row_columns<Place, Key, Value> data{place, rows};
  fail_everything({place.name + ", " + name, stays_as_it_was(place), [&] { data.refill(rows); },
                   [&] { call(data.keys(), data.values()); }, [&] { return difference(rows, data.fetch()); },
                   [&] { return permutation_problem(rows, data.fetch()); },
                   [&] { return sort_problem(rows, data.fetch(), less); }, true, false, every});
}

}  // namespace testing
