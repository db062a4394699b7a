// Parser: LIBSVM text pushed piece by piece, and the arrays it makes.
#include "addon.h"
#include "arguments.h"
#include "parse.h"

namespace fista {
namespace {

const char* const kProblems[] = {"",     "",      "label", "word", "entry", "qid",     "value", "range",
                                 "zero", "order", "extra", "long", "rows",  "entries", "empty"};

// JavaScript's own conversion rounds correctly, whatever the locale.
double decide(void* context, const char* text, size_t length) {
  const Napi::Env env(static_cast<napi_env>(context));
  const Napi::HandleScope scope(env);
  return Napi::String::New(env, text, length).ToNumber().DoubleValue();
}

class ParserHandle : public Napi::ObjectWrap<ParserHandle> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "Parser",
                       {InstanceMethod<&ParserHandle::push>("push"), InstanceMethod<&ParserHandle::finish>("finish"),
                        InstanceMethod<&ParserHandle::take>("take")});
  }

  // new Parser(zeroBased, limit, ignoreExtra, words)
  explicit ParserHandle(const Napi::CallbackInfo& info)
      : Napi::ObjectWrap<ParserHandle>(info),
        parser_(flag(info, 0, "zeroBased"), static_cast<int64_t>(count(info, 1, "limit")), flag(info, 2, "ignoreExtra"),
                flag(info, 3, "words")) {}

  ~ParserHandle() override { report(Env(), 0); }

 private:
  Napi::Value push(const Napi::CallbackInfo& info) {
    const auto chunk = array<uint8_t>(info, 0, "chunk", 0);
    parser_.push(chunk.data, chunk.size, {decide, static_cast<napi_env>(info.Env())});
    report(info.Env(), parser_.bytes());
    return problem(info.Env());
  }

  Napi::Value finish(const Napi::CallbackInfo& info) {
    parser_.finish({decide, static_cast<napi_env>(info.Env())});
    return problem(info.Env());
  }

  // take(): { rows, cols, ignored, indptr, indices, values, labels, words }
  Napi::Value take(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    Napi::Object o = Napi::Object::New(env);
    o.Set("rows", static_cast<double>(parser_.rows()));
    o.Set("cols", static_cast<double>(parser_.cols()));
    o.Set("ignored", static_cast<double>(parser_.ignored()));
    if (!parser_.starts.push(static_cast<uint32_t>(parser_.indices.size()))) out_of_memory(env);
    o.Set("indptr", array_of(env, parser_.starts));
    o.Set("indices", array_of(env, parser_.indices));
    o.Set("values", parser_.has_values() ? array_of(env, parser_.values) : env.Undefined());
    o.Set("labels", parser_.has_words() ? env.Undefined() : array_of(env, parser_.labels));
    o.Set("words", parser_.has_words() ? array_of(env, parser_.words) : env.Undefined());
    report(env, 0);
    return o;
  }

  template <typename T>
  static Napi::Value array_of(Napi::Env env, Blocks<T>& list) {
    Napi::TypedArrayOf<T> all = Napi::TypedArrayOf<T>::New(env, list.size());
    list.take(all.Data());
    return all;
  }

  // What is wrong, for lib/input to word; or undefined.
  Napi::Value problem(Napi::Env env) const {
    const ParseProblem& problem = parser_.problem();
    if (problem.kind == ParseProblem::none) return env.Undefined();
    if (problem.kind == ParseProblem::out_of_memory) out_of_memory(env);
    Napi::Object o = Napi::Object::New(env);
    o.Set("problem", kProblems[problem.kind]);
    o.Set("line", static_cast<double>(problem.line));
    o.Set("column", static_cast<double>(problem.column));
    Napi::Uint8Array text = Napi::Uint8Array::New(env, problem.length);
    for (size_t i = 0; i < problem.length; ++i) text[i] = problem.text[i];
    o.Set("text", text);
    o.Set("last", static_cast<double>(problem.last));
    return o;
  }

  // Tells the garbage collector what is held.
  void report(Napi::Env env, size_t bytes) {
    const int64_t held = static_cast<int64_t>(bytes);
    if (held != reported_) Napi::MemoryManagement::AdjustExternalMemory(env, held - reported_);
    reported_ = held;
  }

  Parser parser_;
  int64_t reported_ = 0;
};

}  // namespace

void register_parser(Napi::Env env, Napi::Object exports) { exports.Set("Parser", ParserHandle::define(env)); }

}  // namespace fista
