#include "tests/cluster_client/told_leases.h"

#include <variant>

#include "base/resource_version.h"

namespace gs::testing {
namespace {

using runtime::MutexLock;

}  // namespace

void ToldLeases::Take(const std::vector<model::Event>& events) {
  const MutexLock lock(mutex_);
  for (const auto& event : events) {
    if (const auto* seen = std::get_if<model::LeaseSeen>(&event)) Apply(*seen);
    if (const auto* gone = std::get_if<model::LeaseGone>(&event)) Apply(*gone);
  }
  changed_.NotifyAll();
}

void ToldLeases::TakeProblem(const Error& problem) {
  const MutexLock lock(mutex_);
  problems_.push_back(ToString(problem));
}

void ToldLeases::Apply(const model::LeaseSeen& event) {
  ++count_;
  const model::GpuLease& lease = event.lease;
  const std::string what = lease.name.text() + " in version " + lease.resource_version.text();
  if (!versions_.insert(what).second) mistakes_.push_back(what + " was told twice");
  if (gone_uids_.contains(lease.uid.text())) mistakes_.push_back(what + " came back");
  const auto known = leases_.find(lease.name.text());
  if (known != leases_.end()) {
    const bool is_newer =
        CompareVersions(known->second.resource_version, lease.resource_version) < 0;
    if (!is_newer) mistakes_.push_back(what + " went backwards");
    if (known->second.uid != lease.uid) mistakes_.push_back(what + " replaced another unseen");
  }
  leases_.insert_or_assign(lease.name.text(), lease);
}

void ToldLeases::Apply(const model::LeaseGone& event) {
  ++count_;
  const auto known = leases_.find(event.name.text());
  if (known == leases_.end() || known->second.uid != event.uid) {
    mistakes_.push_back(event.name.text() + " went without having been there");
    return;
  }
  gone_uids_.insert(event.uid.text());
  leases_.erase(known);
}

ToldLeases::State ToldLeases::StateNow() const {
  State now;
  for (const auto& [name, lease] : leases_) now[name] = lease.resource_version.text();
  return now;
}

bool ToldLeases::WaitFor(const State& state, Duration timeout) const {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  const MutexLock lock(mutex_);
  while (StateNow() != state) {
    if (!changed_.WaitUntil(mutex_, deadline)) return StateNow() == state;
  }
  return true;
}

ToldLeases::State ToldLeases::state() const {
  const MutexLock lock(mutex_);
  return StateNow();
}

std::vector<std::string> ToldLeases::mistakes() const {
  const MutexLock lock(mutex_);
  return mistakes_;
}

std::vector<std::string> ToldLeases::problems() const {
  const MutexLock lock(mutex_);
  return problems_;
}

std::size_t ToldLeases::count() const {
  const MutexLock lock(mutex_);
  return count_;
}

}  // namespace gs::testing
