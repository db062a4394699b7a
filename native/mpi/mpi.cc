// Connects ranks by MPI: an addon of its own, as the ordinary one must load where there is no MPI. It has no kernels; those get a
// pointer to the struct Ranks (native/kernels/ranks.h).
//
// Given: values[0..n) on each rank. Wanted: their sum over the ranks, or their maximum, with the same bits on every rank and in
// every run. MPI_SUM promises neither, so the additions are made here. With q the largest power of two up to the number of ranks,
// rank q + i first hands its values to rank i. Among the q ranks, step k adds the sums of two groups of 2^k ranks that differ in
// bit k of their numbers. Both partners add the same two numbers, and addition is commutative.
//   Short vectors: partners exchange all they have (recursive doubling): log2 q rounds, n log2 q numbers sent.
//   Long vectors: partners exchange halves of the segment that they share, and each goes on with one half; then the segments are
//   gathered in reverse order (Rabenseifner): 2 log2 q rounds, 2 n (1 - 1/q) numbers sent. Each number goes through the same tree
//   of additions.
// Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH, IJHPCA 19, 2005.
//
// An MPI call that fails ends all ranks: MPI_ERRORS_ARE_FATAL is the default, and is kept.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "arguments.h"
#include "ranks.h"

namespace fista {
namespace {

// The MPI whose header this file was compiled with. Intel MPI and MVAPICH define MPICH_VERSION too, and name themselves differently
// when they run: of them, as of others, only the version of the standard is compared.
#if defined(OPEN_MPI)
std::string built_with() {
  return "Open MPI " + std::to_string(OMPI_MAJOR_VERSION) + "." + std::to_string(OMPI_MINOR_VERSION) + "." +
         std::to_string(OMPI_RELEASE_VERSION);
}
constexpr bool kNamed = true;
#elif defined(MPICH_VERSION) && !defined(I_MPI_VERSION) && !defined(MVAPICH2_VERSION) && !defined(MVAPICH_VERSION)
std::string built_with() { return "MPICH " MPICH_VERSION; }
constexpr bool kNamed = true;
#else
std::string built_with() { return "MPI " + std::to_string(MPI_VERSION) + "." + std::to_string(MPI_SUBVERSION); }
constexpr bool kNamed = false;
#endif

// The first line of what the running library says of itself.
std::string library_line() {
  std::vector<char> text(MPI_MAX_LIBRARY_VERSION_STRING + 1);
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string line(text.data());
  line.resize(std::min(line.find_first_of("\r\n"), line.size()));
  std::replace(line.begin(), line.end(), '\t', ' ');
  while (!line.empty() && (line.back() == ' ' || line.back() == '\0')) line.pop_back();
  return line;
}

// The running library in the words of built_with: "Open MPI v4.1.4, package: …" and "MPICH Version: 4.0.2" are what they say.
std::string running(const std::string& line) {
  if (!kNamed) {
    int version = 0, subversion = 0;
    MPI_Get_version(&version, &subversion);
    return "MPI " + std::to_string(version) + "." + std::to_string(subversion);
  }
  const struct {
    const char *start, *name;
  } forms[] = {{"Open MPI v", "Open MPI "}, {"MPICH Version:", "MPICH "}};
  for (const auto& form : forms) {
    const std::string start = form.start;
    if (line.compare(0, start.size(), start) != 0) continue;
    const size_t begin = std::min(line.find_first_not_of(' ', start.size()), line.size());
    return form.name + line.substr(begin, std::min(line.find_first_of(", ", begin), line.size()) - begin);
  }
  return line;
}

// The name with major and minor version: releases of one minor version have one binary interface.
std::string series(const std::string& name) {
  const size_t first = name.find('.');
  return first == std::string::npos ? name : name.substr(0, name.find_first_not_of("0123456789", first + 1));
}

// Longer messages are sent in parts, which bounds the buffer and keeps counts far below INT_MAX.
constexpr size_t kPart = size_t{1} << 20;
// Longer vectors are added by halves, where that sends less: with four ranks or more.
constexpr size_t kShort = 2048;
// Of numbers, and of the word of a rank that it will send no more of them.
constexpr int kTag = 1, kEnding = 2;

struct Communicator {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1;
  int group = 1;  // the largest power of two up to size
  std::string library;
  bool started = false, finished = false;
  std::mutex mutex;  // MPI_THREAD_SERIALIZED: one thread at a time
  double* received = nullptr;
  size_t capacity = 0;
  std::atomic<uint64_t> calls{0}, rounds{0}, bytes{0};
  Ranks seam{};
};

// One a process, as MPI can be started once a process. Never destroyed: threads may still wait in it when the process exits.
Communicator& here() {
  static Communicator* const communicator = new Communicator;
  return *communicator;
}

// Says why, and ends all ranks.
[[noreturn]] void end_all(const std::string& reason) {
  std::fprintf(stderr, "fista-classify: %s\n", reason.c_str());
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::_Exit(1);
}

using Clock = std::chrono::steady_clock;

// Whether what this rank waits for will never come: `from`, or one of all ranks, has ended. Whoever ends has sent everything
// before, which may still be on its way for a moment.
class Lost {
 public:
  Lost(const Communicator& c, int from) : c_(c), from_(from) {}

  void check() {
    if (from_ == kNobody || !c_.started || c_.finished) return;
    if (who_ == kNobody) {
      int found = 0;
      MPI_Status status;
      MPI_Iprobe(from_, kEnding, c_.comm, &found, &status);
      if (!found) return;
      who_ = status.MPI_SOURCE;
      until_ = Clock::now() + std::chrono::seconds(5);
    }
    if (Clock::now() < until_) return;
    end_all("rank " + std::to_string(who_) + " has ended, and rank " + std::to_string(c_.rank) + " waits for it");
  }

  static constexpr int kNobody = INT_MIN;

 private:
  const Communicator& c_;
  const int from_;
  int who_ = kNobody;
  Clock::time_point until_;
};

// Waits for messages from a rank, from any (MPI_ANY_SOURCE), or from those that are ending. MPICH's own waiting occupies a core,
// and Open MPI's does unless OMPI_MCA_mpi_yield_when_idle=1 is set (mpirun sets it where it knows of more ranks than cores). Other
// ranks or threads may need that core to send what is waited for. So: poll a few times, then let others run between polls, and
// after a millisecond sleep. Large messages move only while MPI is polled, hence sleep comes later for them, after the time that a
// slow network takes.
void wait(const Communicator& c, int from, MPI_Request* requests, int n, size_t bytes, MPI_Status* statuses = MPI_STATUSES_IGNORE) {
  int done = 0;
  for (int polls = 0; polls < 100; polls++) {
    MPI_Testall(n, requests, &done, statuses);
    if (done) return;
  }
  const Clock::time_point patience = Clock::now() + std::chrono::microseconds(1000 + bytes / 100);
  Lost lost(c, from);
  for (;;) {
    MPI_Testall(n, requests, &done, statuses);
    if (done) return;
    if (Clock::now() < patience) {
      std::this_thread::yield();
    } else {
      lost.check();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
}

// Sends some values to a rank while others come from it. One of the two may be empty.
void transfer(const Communicator& c, int other, const double* out, size_t n_out, double* in, size_t n_in) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int n = 0, got = 0;
  if (n_in > 0) MPI_Irecv(in, static_cast<int>(n_in), MPI_DOUBLE, other, kTag, c.comm, &requests[n++]);
  if (n_out > 0) MPI_Isend(out, static_cast<int>(n_out), MPI_DOUBLE, other, kTag, c.comm, &requests[n++]);
  wait(c, other, requests, n, (n_in + n_out) * sizeof(double), statuses);
  if (n_in > 0) MPI_Get_count(&statuses[0], MPI_DOUBLE, &got);
  if (got != static_cast<int>(n_in)) {  // more than that is an error of MPI
    end_all("rank " + std::to_string(c.rank) + " expected " + std::to_string(n_in) + " numbers from rank " + std::to_string(other) +
            " but received " + std::to_string(got) + ": ranks must make the same calls in the same order");
  }
}

// A round of an all-reduce.
void exchange(Communicator& c, int other, const double* out, size_t n_out, double* in, size_t n_in) {
  transfer(c, other, out, n_out, in, n_in);
  c.rounds.fetch_add(1, std::memory_order_relaxed);
  c.bytes.fetch_add(n_out * sizeof(double), std::memory_order_relaxed);
}

// Calls part(begin_out, n_out, begin_in, n_in) until both lengths are covered.
template <typename Part>
void in_parts(size_t n_out, size_t n_in, Part part) {
  for (size_t at = 0; at < std::max(n_out, n_in); at += kPart) {
    const size_t out = std::min(at, n_out), in = std::min(at, n_in);
    part(out, std::min(kPart, n_out - out), in, std::min(kPart, n_in - in));
  }
}

void send(Communicator& c, int other, const double* values, size_t n) {
  in_parts(n, 0, [&](size_t at, size_t count, size_t, size_t) { exchange(c, other, values + at, count, nullptr, 0); });
}

void receive(Communicator& c, int other, double* values, size_t n) {
  in_parts(0, n, [&](size_t, size_t, size_t at, size_t count) { exchange(c, other, nullptr, 0, values + at, count); });
}

// The sum of NaNs has the bits of either, as the compiler orders the operands; hence one NaN stands for all.
struct Add {
  static double of(double a, double b) {
    const double sum = a + b;
    return sum == sum ? sum : std::numeric_limits<double>::quiet_NaN();
  }
};

// A NaN wins, and 0 wins against -0.
struct Max {
  static double of(double a, double b) {
    if (a > b) return a;
    if (a < b) return b;
    if (a == b) return std::signbit(a) ? b : a;
    return std::numeric_limits<double>::quiet_NaN();
  }
};

template <typename Operation>
void combine(double* __restrict values, const double* __restrict others, size_t n) {
  for (size_t k = 0; k < n; k++) values[k] = Operation::of(values[k], others[k]);
}

// Sends out[0..n_out), and combines what comes with values[0..n_in).
template <typename Operation>
void exchange_and_combine(Communicator& c, int other, const double* out, size_t n_out, double* values, size_t n_in) {
  in_parts(n_out, n_in, [&](size_t at_out, size_t part_out, size_t at_in, size_t part_in) {
    exchange(c, other, out + at_out, part_out, c.received, part_in);
    combine<Operation>(values + at_in, c.received, part_in);
  });
}

template <typename Operation>
void by_doubling(Communicator& c, double* values, size_t n) {
  for (int distance = 1; distance < c.group; distance *= 2) {
    exchange_and_combine<Operation>(c, c.rank ^ distance, values, n, values, n);
  }
}

template <typename Operation>
void by_halving(Communicator& c, double* values, size_t n) {
  size_t begins[32], ends[32];  // of the segment that this rank shares with its partner, by step
  size_t begin = 0, end = n;
  int step = 0;
  for (int distance = 1; distance < c.group; distance *= 2, step++) {
    begins[step] = begin;
    ends[step] = end;
    const size_t middle = begin + (end - begin) / 2;
    if (c.rank & distance) {
      exchange_and_combine<Operation>(c, c.rank ^ distance, values + begin, middle - begin, values + middle, end - middle);
      begin = middle;
    } else {
      exchange_and_combine<Operation>(c, c.rank ^ distance, values + middle, end - middle, values + begin, middle - begin);
      end = middle;
    }
  }
  for (int distance = c.group / 2; distance >= 1; distance /= 2) {
    step--;
    // The partner has the rest of the segment.
    const bool upper = (c.rank & distance) != 0;
    const size_t from = upper ? begins[step] : end, to = upper ? begin : ends[step];
    in_parts(end - begin, to - from, [&](size_t at_out, size_t part_out, size_t at_in, size_t part_in) {
      exchange(c, c.rank ^ distance, values + begin + at_out, part_out, values + from + at_in, part_in);
    });
    begin = begins[step];
    end = ends[step];
  }
}

// Grows the buffer for what is received. Callers cannot be told of a failure, and the other ranks wait: all end.
void reserve(Communicator& c, size_t n) {
  n = std::min(n, kPart);
  if (n <= c.capacity) return;
  std::free(c.received);
  c.received = static_cast<double*>(std::malloc(n * sizeof(double)));
  if (c.received == nullptr) MPI_Abort(MPI_COMM_WORLD, 1);
  c.capacity = n;
}

template <typename Operation>
void all_reduce(void* self, double* values, size_t n) {
  Communicator& c = *static_cast<Communicator*>(self);
  const std::lock_guard<std::mutex> lock(c.mutex);
  c.calls.fetch_add(1, std::memory_order_relaxed);
  if (c.size == 1 || n == 0) return;
  reserve(c, n);
  const int rest = c.size - c.group;
  if (c.rank >= c.group) {
    send(c, c.rank - c.group, values, n);
    receive(c, c.rank - c.group, values, n);
    return;
  }
  if (c.rank < rest) exchange_and_combine<Operation>(c, c.rank + c.group, nullptr, 0, values, n);
  if (n > kShort && c.group >= 4) {
    by_halving<Operation>(c, values, n);
  } else {
    by_doubling<Operation>(c, values, n);
  }
  if (c.rank < rest) send(c, c.rank + c.group, values, n);
}

// The communicator, if it can be used.
Communicator& connected(Napi::Env env) {
  Communicator& c = here();
  if (!c.started || c.finished) fail(env, c.finished ? "MPI has been finished" : "MPI has not been started", "ERR_MPI");
  return c;
}

// start(): starts MPI; the first call in a process does.
Napi::Value start(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Communicator& c = here();
  if (c.finished) fail(env, "MPI has been finished, and cannot be started again in the same process", "ERR_MPI");
  if (!c.started) {
    const std::string line = library_line(), built = built_with(), runs = running(line);
    if (series(built) != series(runs)) {
      const std::string message = "The MPI addon was built with " + built + ", and " + runs + " is the library that runs";
      fail(env, message.c_str(), "ERR_MPI");
    }
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
      MPI_Finalize();
      c.finished = true;
      fail(env, (runs + " lacks MPI_THREAD_SERIALIZED: build it with support for threads").c_str(), "ERR_MPI");
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &c.comm);
    MPI_Comm_rank(c.comm, &c.rank);
    MPI_Comm_size(c.comm, &c.size);
    while (c.group <= c.size / 2) c.group *= 2;
    c.library = line;
    c.seam = {Ranks::kMagic, static_cast<uint32_t>(c.rank), static_cast<uint32_t>(c.size), &c, all_reduce<Add>, all_reduce<Max>};
    c.started = true;
  }
  Napi::Object result = Napi::Object::New(env);
  result.Set("rank", Napi::Number::New(env, c.rank));
  result.Set("size", Napi::Number::New(env, c.size));
  result.Set("library", Napi::String::New(env, c.library));
  result.Set("running", Napi::String::New(env, running(c.library)));
  return result;
}

// seam(): what the kernels call.
Napi::Value seam(const Napi::CallbackInfo& info) { return Napi::External<Ranks>::New(info.Env(), &connected(info.Env()).seam); }

// exchange(text): the texts of all ranks, in their order.
Napi::Value exchange_texts(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Communicator& c = connected(env);
  if (!info[0].IsString()) refuse(env, "a string", "text", "something else");
  std::vector<uint64_t> lengths;
  std::vector<char> all;
  std::vector<int> counts, begins;
  try {
    const std::string text = info[0].As<Napi::String>().Utf8Value();
    lengths.resize(static_cast<size_t>(c.size));
    counts.resize(lengths.size());
    begins.resize(lengths.size());
    const std::lock_guard<std::mutex> lock(c.mutex);
    const uint64_t own = text.size();
    MPI_Request request;
    MPI_Iallgather(&own, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, c.comm, &request);
    wait(c, MPI_ANY_SOURCE, &request, 1, 0);
    uint64_t total = 0;
    for (const uint64_t length : lengths) total += length;
    // Every rank knows the lengths, and refuses.
    if (total > INT_MAX) refuse(env, "texts of at most 2147483647 bytes in all", "exchange", std::to_string(total));
    all.resize(total);
    for (size_t r = 0, begin = 0; r < lengths.size(); begin += lengths[r++]) {
      counts[r] = static_cast<int>(lengths[r]);
      begins[r] = static_cast<int>(begin);
    }
    MPI_Iallgatherv(text.data(), counts[static_cast<size_t>(c.rank)], MPI_CHAR, all.data(), counts.data(), begins.data(), MPI_CHAR,
                    c.comm, &request);
    wait(c, MPI_ANY_SOURCE, &request, 1, total);
  } catch (const std::bad_alloc&) {
    out_of_memory(env);
  }
  Napi::Array texts = Napi::Array::New(env, lengths.size());
  for (uint32_t r = 0; r < texts.Length(); r++) {
    texts.Set(r, Napi::String::New(env, all.data() + begins[r], static_cast<size_t>(counts[r])));
  }
  return texts;
}

// fromFirst(value): rank 0's value.
Napi::Value from_first(const Napi::CallbackInfo& info) {
  Communicator& c = connected(info.Env());
  double value = number(info, 0, "value");
  const std::lock_guard<std::mutex> lock(c.mutex);
  // Those below `known` have it, and each of them tells one of those above. Unlike MPI_Bcast, each rank knows whom it waits for.
  for (int known = 1; known < c.size; known *= 2) {
    if (c.rank < known && c.rank + known < c.size) transfer(c, c.rank + known, &value, 1, nullptr, 0);
    if (c.rank >= known && c.rank < 2 * known) transfer(c, c.rank - known, nullptr, 0, &value, 1);
  }
  return Napi::Number::New(info.Env(), value);
}

template <typename Operation>
Napi::Value reduce_array(const Napi::CallbackInfo& info) {
  Communicator& c = connected(info.Env());
  const Span<double> values = array<double>(info, 0, "values", 0);
  all_reduce<Operation>(&c, values.data, values.size);
  return info.Env().Undefined();
}

// counts(): how many all-reduces this rank has made, in how many message rounds, and the bytes that it sent in them.
Napi::Value counts(const Napi::CallbackInfo& info) {
  const Communicator& c = here();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("calls", Napi::Number::New(info.Env(), static_cast<double>(c.calls.load())));
  result.Set("rounds", Napi::Number::New(info.Env(), static_cast<double>(c.rounds.load())));
  result.Set("bytes", Napi::Number::New(info.Env(), static_cast<double>(c.bytes.load())));
  return result;
}

// Tells all ranks that this one ends, and waits until they say so too: they may be at work of their own, for as long as they like.
// One that waits for this rank meanwhile ends all (Lost).
void meet_at_end(const Communicator& c) {
  std::vector<MPI_Request> requests;
  requests.reserve(2 * static_cast<size_t>(c.size));
  for (int other = 0; other < c.size; other++) {
    if (other == c.rank) continue;
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(nullptr, 0, MPI_CHAR, other, kEnding, c.comm, &requests.back());
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Isend(nullptr, 0, MPI_CHAR, other, kEnding, c.comm, &requests.back());
  }
  wait(c, Lost::kNobody, requests.data(), static_cast<int>(requests.size()), 0);
}

// Seconds after which a process ends that waits for MPI to end, when all ranks do.
constexpr int kPatience = 10;

// finish(code): ends MPI when all ranks do. Where another thread still waits for a message, that may never come: all end. MPICH
// before 4.2 may then wait forever over UCX, as a rank that waits for the launcher no longer answers one that closes its connection
// (pmodels/mpich#6596): the process ends with this code.
Napi::Value finish(const Napi::CallbackInfo& info) {
  const int code = static_cast<int>(number(info, 0, "code"));
  Communicator& c = here();
  const std::unique_lock<std::mutex> lock(c.mutex, std::try_to_lock);
  if (c.started && !c.finished) {
    if (!lock.owns_lock()) MPI_Abort(MPI_COMM_WORLD, 1);
    meet_at_end(c);
    c.finished = true;
    static std::atomic<bool> ended{false};
    std::thread([code] {
      for (int tenths = 0; tenths < 10 * kPatience; tenths++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        if (ended) return;
      }
      std::_Exit(code);
    }).detach();
    MPI_Comm_free(&c.comm);
    MPI_Finalize();
    ended = true;
  }
  return info.Env().Undefined();
}

// abort(code): ends all ranks at once. Takes no lock: another thread may hold it for good.
Napi::Value abort_all(const Napi::CallbackInfo& info) {
  const int code = static_cast<int>(number(info, 0, "code"));
  const Communicator& c = here();
  if (c.started && !c.finished) MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

// abortAtExit(code): ends all ranks when this process exits. Node prints an uncaught error after its exit event, hence an abort in
// that event would lose the message, and mpirun may not have read it yet when this process ends. An error that all ranks have is to
// be seen from rank 0: the others let it be the first to end.
std::atomic<int> code_at_exit{0};

void at_exit() {
  const Communicator& c = here();
  if (!c.started || c.finished) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(c.rank > 0 ? 500 : 100));
  MPI_Abort(MPI_COMM_WORLD, code_at_exit);
}

Napi::Value abort_at_exit(const Napi::CallbackInfo& info) {
  if (code_at_exit.exchange(static_cast<int>(number(info, 0, "code"))) == 0) std::atexit(at_exit);
  return info.Env().Undefined();
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports.Set("built", Napi::String::New(env, built_with()));
  exports.Set("start", Napi::Function::New(env, start, "start"));
  exports.Set("seam", Napi::Function::New(env, seam, "seam"));
  exports.Set("exchange", Napi::Function::New(env, exchange_texts, "exchange"));
  exports.Set("fromFirst", Napi::Function::New(env, from_first, "fromFirst"));
  exports.Set("addUp", Napi::Function::New(env, reduce_array<Add>, "addUp"));
  exports.Set("findMax", Napi::Function::New(env, reduce_array<Max>, "findMax"));
  exports.Set("counts", Napi::Function::New(env, counts, "counts"));
  exports.Set("finish", Napi::Function::New(env, finish, "finish"));
  exports.Set("abort", Napi::Function::New(env, abort_all, "abort"));
  exports.Set("abortAtExit", Napi::Function::New(env, abort_at_exit, "abortAtExit"));
  return exports;
}

}  // namespace

NODE_API_MODULE(fista_classify_mpi, init)

}  // namespace fista
