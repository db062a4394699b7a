// What the drivers of LIBLINEAR and LIBSVM share: a problem read from a file into the library's own form, and a conversation by
// lines.
//   file   int64: kind (0 dense f32, 1 dense f64, 2 CSR of ones, 3 CSR f64), rows, cols, stored; then labels f64[rows] and
//          dense: data[rows * cols]; CSR: int64 indptr[rows + 1], int32 indices[stored], for kind 3 also f64 values[stored]
//   lines  in: numbers that say what to train; out: JSON with the seconds of the training alone, by the clock and of the processor
// The weights and, behind them, the bias of the last training go into the file named second, if there are two classes. With a file
// of test rows, --test <file> before the others, the answers have the accuracy on them, by the library's own prediction.
#ifndef BENCH_PEERS_DRIVER_H_
#define BENCH_PEERS_DRIVER_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

/** Both libraries' nodes have these two fields; a row ends with index -1. Zeros are left out, which both can only gain from. */
template <typename Node>
struct Problem {
  int64_t rows = 0, cols = 0, stored = 0;
  std::vector<double> labels;
  std::vector<Node> nodes;
  std::vector<Node*> x;
};

inline void check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

template <typename T>
void readArray(std::FILE* file, std::vector<T>& out, int64_t count) {
  out.resize(count);
  check(std::fread(out.data(), sizeof(T), count, file) == static_cast<size_t>(count), "the problem's file is too short");
}

template <typename T, typename Node, typename End>
void readDense(std::FILE* file, Problem<Node>& p, std::vector<int64_t>& starts, End end) {
  std::vector<T> row;
  for (int64_t i = 0; i < p.rows; i++) {
    starts.push_back(p.nodes.size());
    readArray(file, row, p.cols);
    for (int64_t j = 0; j < p.cols; j++)
      if (row[j] != 0) p.nodes.push_back({static_cast<int>(j + 1), static_cast<double>(row[j])});
    end();
  }
}

/** With `bias` each row ends with a 1 in a column of its own. */
template <typename Node>
Problem<Node> readProblem(const char* path, bool bias) {
  std::FILE* file = std::fopen(path, "rb");
  check(file != nullptr, "the problem's file cannot be opened");
  std::vector<int64_t> head;
  readArray(file, head, 4);
  Problem<Node> p;
  p.rows = head[1], p.cols = head[2], p.stored = head[3];
  readArray(file, p.labels, p.rows);
  p.nodes.reserve(p.stored + (bias ? 2 : 1) * p.rows);
  std::vector<int64_t> starts;
  const auto end = [&] {
    if (bias) p.nodes.push_back({static_cast<int>(p.cols + 1), 1.0});
    p.nodes.push_back({-1, 0});
  };
  if (head[0] == 0) {
    readDense<float>(file, p, starts, end);
  } else if (head[0] == 1) {
    readDense<double>(file, p, starts, end);
  } else {
    std::vector<int64_t> indptr;
    std::vector<int32_t> indices;
    std::vector<double> values;
    readArray(file, indptr, p.rows + 1);
    readArray(file, indices, p.stored);
    if (head[0] == 3) readArray(file, values, p.stored);
    for (int64_t i = 0; i < p.rows; i++) {
      starts.push_back(p.nodes.size());
      for (int64_t k = indptr[i]; k < indptr[i + 1]; k++) {
        const double value = values.empty() ? 1 : values[k];
        if (value != 0) p.nodes.push_back({indices[k] + 1, value});
      }
      end();
    }
  }
  std::fclose(file);
  for (const int64_t start : starts) p.x.push_back(p.nodes.data() + start);
  return p;
}

/** The program's arguments. */
struct Files {
  const char *test = nullptr, *problem, *weights;
  Files(int argc, char** argv) {
    if (argc == 5 && std::strcmp(argv[1], "--test") == 0) test = argv[2];
    check(argc == (test ? 5 : 3), "usage: [--test <problem>] <problem> <weights>");
    problem = argv[argc - 2];
    weights = argv[argc - 1];
  }
};

/** The share of rows that get their label from predict(row); 0 without rows. */
template <typename Node, typename Predict>
double accuracyOf(const Problem<Node>& test, Predict predict) {
  int64_t right = 0;
  for (int64_t i = 0; i < test.rows; i++) right += predict(test.x[i]) == test.labels[i];
  return test.rows > 0 ? static_cast<double>(right) / test.rows : 0;
}

inline double now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

/** Seconds of a call by the clock on the wall, and of the processor. */
struct Seconds {
  double wall = now(CLOCK_MONOTONIC), processor = now(CLOCK_PROCESS_CPUTIME_ID);
  void stop() {
    wall = now(CLOCK_MONOTONIC) - wall;
    processor = now(CLOCK_PROCESS_CPUTIME_ID) - processor;
  }
};

inline void writeWeights(const char* path, const std::vector<double>& w) {
  std::FILE* file = std::fopen(path, "wb");
  check(file != nullptr, "the weights' file cannot be written");
  check(std::fwrite(w.data(), sizeof(double), w.size(), file) == w.size(), "the weights' file cannot be written");
  std::fclose(file);
}

#endif
