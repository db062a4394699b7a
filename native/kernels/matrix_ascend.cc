// Epochs of coordinate ascent over the rows of a matrix (method 1.10), with prefetching for matrices that are not in cache.
#include <algorithm>
#include <atomic>

#include "hints.h"
#include "matrix.h"
#include "matrix_internal.h"

namespace fista {
namespace {

// A thread that prefetches is ahead by this many bytes.
constexpr size_t kLead = size_t(1) << 17;

}  // namespace

size_t Matrix::ascend(const Run& run, Ascent& ascent) const {
  const auto visit = [&] {
    return sparse_ ? run.table->sparse_ascend[size_t(index_)][size_t(values_)](sparse_rows(nullptr, 0, rows_), ascent)
                   : run.table->dense_ascend[size_t(values_)](dense_rows(nullptr, 0, rows_), ascent);
  };
  if (bytes() < kFar) return visit();
  const Ascent plan = ascent;
  std::atomic<size_t> at{0};  // how many visits are over
  size_t read = 0;
  const auto visit_all = [&](size_t some) {
    const size_t often = rows_in(kFar) / some + 1;  // reading the clock takes as long as a few rows
    for (size_t k = 0, asked = 0; k < plan.visits; k += some, ++asked) {
      if (asked % often == 0 && run.interrupted()) break;
      ascent.order = plan.order + k;
      ascent.known = plan.visits - k;
      ascent.visits = std::min(some, ascent.known);
      read += visit();
      at.store(k + ascent.visits, std::memory_order_relaxed);
    }
    at.store(plan.visits, std::memory_order_relaxed);
  };
  if (run.threads < 2) {
    visit_all(rows_in(kFar));
    return read;
  }
  // Rows are visited one after the other, but a second thread can prefetch: data then come from the other core's cache.
  parallel(2, 2, [&](size_t part) { part == 0 ? visit_all(rows_in(kLead / 8)) : look_ahead(plan, at); });
  return read;
}

// Prefetches the rows that are visited next, until all were visited. If one thread runs both parts, they already were.
void Matrix::look_ahead(const Ascent& plan, const std::atomic<size_t>& at) const {
  const auto ask = [](const void* x, size_t size, size_t from, size_t to) {
    for (size_t byte = from * size; byte < to * size; byte += 64) prefetch(static_cast<const char*>(x) + byte);
  };
  const size_t lead = rows_in(kLead);
  for (size_t next = 0; next < plan.visits;) {
    const size_t now = at.load(std::memory_order_relaxed);
    if (next < now) next = now;
    if (next >= plan.visits) return;
    if (next >= now + lead) {
      pause();
      continue;
    }
    const AscentRow& row = plan.rows[plan.order[next++]];
    const size_t from = sparse_ ? row.from : row.from * cols_, to = sparse_ ? row.to : from + cols_;
    if (sparse_ && index_ == Index::u16) ask(index16_.data(), sizeof(uint16_t), from, to);
    if (sparse_ && index_ == Index::u32) ask(index32_.data(), sizeof(uint32_t), from, to);
    if (values_ == Values::f64) ask(f64_.data(), sizeof(double), from, to);
    if (values_ == Values::f32) ask(f32_.data(), sizeof(float), from, to);
  }
}

}  // namespace fista
