#include "core/decide/devices/class_partition.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace gs::devices {
namespace {

// Up to this size the argument at LeastOfAnchor holds.
constexpr std::size_t kMaxWholeSize = 13;

std::size_t Total(const ClassCounts& counts, std::size_t from = 0) {
  return std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(from), counts.end(),
                         std::size_t{0});
}

std::int64_t PairsOf(std::size_t gpus) {
  return static_cast<std::int64_t>(gpus) * (static_cast<std::int64_t>(gpus) - 1) / 2;
}

}  // namespace

ClassPartition::ClassPartition(const WiringClasses& classes, std::size_t size, Budget& budget)
    : classes_(classes), size_(size), budget_(budget), elder_(classes.size()) {
  FindLevels();
  is_uniform_ = IsUniform();
  for (std::size_t cls = 0; cls < classes.size(); ++cls) {
    for (std::size_t before = 0; before < cls; ++before) {
      if (classes.family(before) == classes.family(cls)) elder_[cls] = before;
    }
  }
}

void ClassPartition::FindLevels() {
  std::set<std::int64_t> scores;
  for (std::size_t a = 0; a < classes_.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      if (a != b || classes_.members(a).size() > 1) scores.insert(classes_.PairScore(a, b));
    }
  }
  std::int64_t below = 0;
  for (const std::int64_t score : scores) {
    levels_.push_back(LevelAt(score, score - below));
    below = score;
  }
}

ClassPartition::Level ClassPartition::LevelAt(std::int64_t score, std::int64_t step) const {
  Level level{.step = step, .clusters = {}};
  std::vector<bool> seen(classes_.size());
  for (std::size_t start = 0; start < classes_.size(); ++start) {
    if (seen[start]) continue;
    std::vector<std::size_t> cluster{start};
    seen[start] = true;
    for (std::size_t i = 0; i < cluster.size(); ++i) {
      for (std::size_t other = 0; other < classes_.size(); ++other) {
        if (seen[other] || classes_.PairScore(cluster[i], other) < score) continue;
        seen[other] = true;
        cluster.push_back(other);
      }
    }
    // GPUs of one class that reach neither each other nor anybody else form no pair at this level.
    const bool is_apart = cluster.size() == 1 && classes_.PairScore(start, start) < score;
    if (!is_apart) level.clusters.push_back(std::move(cluster));
  }
  return level;
}

// All classes have the same score inside, at least as high as the one score that all pairs of
// classes have.
bool ClassPartition::IsUniform() const {
  std::set<std::int64_t> inside;
  std::set<std::int64_t> between;
  for (std::size_t a = 0; a < classes_.size(); ++a) {
    if (classes_.members(a).size() > 1) inside.insert(classes_.PairScore(a, a));
    for (std::size_t b = 0; b < a; ++b) between.insert(classes_.PairScore(a, b));
  }
  if (inside.size() > 1 || between.size() > 1) return false;
  return inside.empty() || between.empty() || *inside.begin() >= *between.begin();
}

// The most pairs a partition can have inside that many GPUs.
std::int64_t ClassPartition::PairsIn(std::size_t gpus) const {
  return static_cast<std::int64_t>(gpus / size_) * PairsOf(size_) + PairsOf(gpus % size_);
}

std::int64_t ClassPartition::UpperBound(const ClassCounts& counts) const {
  const std::int64_t all_pairs = PairsIn(Total(counts));
  std::int64_t bound = 0;
  for (const Level& level : levels_) {
    std::int64_t pairs = 0;
    for (const auto& cluster : level.clusters) {
      std::size_t gpus = 0;
      for (const std::size_t cls : cluster) gpus += counts[cls];
      pairs += PairsIn(gpus);
    }
    bound += level.step * std::min(pairs, all_pairs);
  }
  return bound;
}

std::int64_t ClassPartition::Best(const ClassCounts& counts, std::int64_t floor) {
  if (size_ == 1) return classes_.ScoreOf(counts);
  ClassCounts left = counts;
  const std::int64_t taken = TakeFullSets(left);
  if (Total(left) <= size_) return taken + classes_.ScoreOf(left);
  left = classes_.Canonical(std::move(left));
  const std::int64_t left_floor = std::max<std::int64_t>(floor - taken, -1);
  const auto found = known_.find(left);
  if (found != known_.end() && (found->second.is_exact || found->second.score <= left_floor)) {
    return taken + found->second.score;
  }
  const std::int64_t best = Search(left, left_floor);
  known_.insert_or_assign(std::move(left), Known{.score = best, .is_exact = best > left_floor});
  return taken + best;
}

// In a uniform machine some best partition has all the full sets that fit inside single classes:
// trading the strangers in the set with most GPUs of a class for more of that class never loses
// pairs inside classes.
std::int64_t ClassPartition::TakeFullSets(ClassCounts& counts) const {
  std::int64_t score = 0;
  if (!is_uniform_) return score;
  for (std::size_t cls = 0; cls < counts.size(); ++cls) {
    score += static_cast<std::int64_t>(counts[cls] / size_) * PairsOf(size_) *
             classes_.PairScore(cls, cls);
    counts[cls] = static_cast<std::uint8_t>(counts[cls] % size_);
  }
  return score;
}

// Some set of the partition has a GPU of the largest class; among classes of one family with equal
// counts it may be taken to have most of the first. So only such sets are tried.
std::int64_t ClassPartition::Search(const ClassCounts& counts, std::int64_t floor) {
  const auto largest = std::max_element(counts.begin(), counts.end());
  Walk walk{.counts = counts,
            .anchor = static_cast<std::size_t>(largest - counts.begin()),
            .bound = UpperBound(counts),
            .best = floor,
            .set = ClassCounts(counts.size())};
  SearchSets(walk, size_);
  if (const std::size_t smaller = Total(counts) % size_; smaller > 0) SearchSets(walk, smaller);
  return walk.best;
}

void ClassPartition::SearchSets(Walk& walk, std::size_t set_size) {
  const std::size_t least = LeastOfAnchor(walk);
  std::size_t share = std::min<std::size_t>(walk.counts[walk.anchor], set_size);
  for (; share >= least; --share) {
    walk.set[walk.anchor] = static_cast<std::uint8_t>(share);
    Extend(walk, 0, set_size - share);
  }
}

// How few GPUs of the anchor its set may have. In a uniform machine the largest class need not be
// cut: bring its d GPUs that lie elsewhere into a set with p of them, and put d strangers of that
// set into the holes. If one class has d strangers there, s in all, this gains d * (largest - s) >=
// 0 pairs inside classes. Otherwise whole classes of strangers leave, largest first, and of the
// last one, s strong, only e: this gains at least d * p - e * (s - e), where d >= s + e and two
// classes of s fit beside p into the set. That is not negative while s <= 6, so while sets have at
// most 13.
std::size_t ClassPartition::LeastOfAnchor(const Walk& walk) const {
  return is_uniform_ && size_ <= kMaxWholeSize ? walk.counts[walk.anchor] : 1;
}

std::size_t ClassPartition::LargestShare(const Walk& walk, std::size_t cls,
                                         std::size_t missing) const {
  std::size_t share = std::min<std::size_t>(walk.counts[cls], missing);
  if (const auto elder = elder_[cls]; elder && walk.counts[*elder] == walk.counts[cls]) {
    share = std::min<std::size_t>(share, walk.set[*elder]);
  }
  return share;
}

// Whole classes are tried before cut ones, since cutting loses pairs: a good partition found early
// ends most branches.
void ClassPartition::Extend(Walk& walk, std::size_t cls, std::size_t missing) {
  if (budget_.is_spent() || walk.best >= walk.bound) return;
  if (missing == 0) return Consider(walk);
  if (cls == walk.anchor) return Extend(walk, cls + 1, missing);
  if (cls == walk.counts.size() || Total(walk.counts, cls) < missing) return;
  const std::size_t most = LargestShare(walk, cls, missing);
  const bool is_whole = most == walk.counts[cls];
  for (std::size_t step = 0; step <= most; ++step) {
    const std::size_t share = is_whole ? most - step : step;
    walk.set[cls] = static_cast<std::uint8_t>(share);
    Extend(walk, cls + 1, missing - share);
  }
  walk.set[cls] = 0;
}

void ClassPartition::Consider(Walk& walk) {
  if (!budget_.Spend()) return;
  ClassCounts rest = walk.counts;
  for (std::size_t cls = 0; cls < rest.size(); ++cls) {
    rest[cls] = static_cast<std::uint8_t>(rest[cls] - walk.set[cls]);
  }
  const std::int64_t score = classes_.ScoreOf(walk.set);
  if (score + UpperBound(rest) <= walk.best) return;
  walk.best = std::max(walk.best, score + Best(rest, walk.best - score));
}

}  // namespace gs::devices
