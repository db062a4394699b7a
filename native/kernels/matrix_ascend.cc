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

size_t Matrix::ascend(const Run& run, Ascent& ascent, const uint32_t* row, const Windows& windows) const {
  if (in_file()) return ascend_file(run, ascent, row, windows);
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

// A window of rows is visited while the next one is read.
size_t Matrix::ascend_file(const Run& run, Ascent& ascent, const uint32_t* row, const Windows& windows) const {
  const Ascent plan = ascent;
  const size_t height = windows.chunks > 0 ? windows.rows : rows_;
  const auto row_of = [&](size_t k) { return row[plan.order[k]]; };
  const auto window_of = [&](size_t k) { return windows.chunks > 0 ? windows.window_of[row_of(k) / height] : 0; };
  // The chunks of a window, in the order of the file, and where each begins among the rows that are loaded.
  struct Room {
    LoadedRows rows;
    Buffer<uint32_t> list;
    size_t chunk[kChunks], at[kChunks], chunks, count;
  };
  Room rooms[2];
  const auto load = [&](size_t k, Room& room) {
    const size_t window = window_of(k), chunks = std::max(windows.chunks, size_t(1));
    room.chunks = room.count = 0;
    if (room.list.size() == 0 && !room.list.allocate(std::min(height * kChunks, rows_))) {
      return file_->fail({CopyResult::out_of_memory});
    }
    for (size_t c = 0; c < chunks; ++c) {
      if (windows.chunks > 0 && windows.window_of[c] != window) continue;
      room.chunk[room.chunks] = c;
      room.at[room.chunks++] = room.count;
      for (size_t i = c * height; i < std::min((c + 1) * height, rows_); ++i) room.list[room.count++] = static_cast<uint32_t>(i);
    }
    for (size_t k = 0; k < room.chunks; ++k)
      file_->will_need(room.chunk[k] * height, std::min((room.chunk[k] + 1) * height, rows_));
    return file_->load(run, room.list.data(), 0, room.count, shift_.data(), RowFile::kScattered, room.rows);
  };
  size_t read = 0;
  bool loaded = plan.visits > 0 && load(0, rooms[0]);
  for (size_t k = 0, next, turn = 0; k < plan.visits && loaded && !run.interrupted(); k = next, ++turn) {
    const size_t window = window_of(k);
    for (next = k; next < plan.visits && window_of(next) == window; ++next) {
    }
    const Room& room = rooms[turn % 2];
    const auto visit = [&] {
      for (size_t v = k; v < next; ++v) {
        const size_t c = row_of(v) / height;
        const size_t slot = static_cast<size_t>(std::lower_bound(room.chunk, room.chunk + room.chunks, c) - room.chunk);
        const size_t i = room.at[slot] + (row_of(v) - c * height);
        AscentRow& at = plan.rows[plan.order[v]];
        at.from = sparse_ ? room.rows.start[i] : static_cast<uint32_t>(i);
        at.to = sparse_ ? room.rows.start[i + 1] : at.from;
      }
      ascent.order = plan.order + k;
      ascent.visits = ascent.known = next - k;
      const FileLayout& layout = file_->layout();
      read += sparse_ ? run.table->sparse_ascend[size_t(index_)][size_t(values_)](room.rows.sparse(layout, room.count), ascent)
                      : run.table->dense_ascend[size_t(values_)](room.rows.dense(layout, room.count), ascent);
    };
    parallel(2, next < plan.visits ? run.threads : 1, [&](size_t part) {
      if (part == 0) return visit();
      if (next < plan.visits) loaded = load(next, rooms[(turn + 1) % 2]);
    });
  }
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
