// Parser: the JavaScript handle of a parser of LIBSVM text. The text is pushed in chunks, and the results are taken as arrays.
#include "addon.h"
#include "arguments.h"
#include "parse.h"

namespace fista {
namespace {

// By ParseDefect::Kind.
const char* const kDefects[] = {"",     "",      "label", "word", "entry", "qid",     "value", "range",
                                "zero", "order", "extra", "long", "rows",  "entries", "empty"};

// Rounds a number that read_decimal leaves undecided, by JavaScript, which is correct whatever the locale.
double decide(void* context, const char* text, size_t length) {
  const Napi::Env env(static_cast<napi_env>(context));
  const Napi::HandleScope scope(env);
  return Napi::String::New(env, text, length).ToNumber().DoubleValue();
}

class ParserHandle : public Napi::ObjectWrap<ParserHandle> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "Parser",
        {InstanceMethod<&ParserHandle::push>("push"), InstanceMethod<&ParserHandle::finish>("finish"),
         InstanceMethod<&ParserHandle::sizes>("sizes"), InstanceMethod<&ParserHandle::take_starts>("takeStarts"),
         InstanceMethod<&ParserHandle::take_indices>("takeIndices"), InstanceMethod<&ParserHandle::take_values>("takeValues"),
         InstanceMethod<&ParserHandle::take_labels>("takeLabels"), InstanceMethod<&ParserHandle::take_words>("takeWords")});
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
    return defect(info.Env());
  }

  Napi::Value finish(const Napi::CallbackInfo& info) {
    parser_.finish({decide, static_cast<napi_env>(info.Env())});
    return defect(info.Env());
  }

  // sizes(): { rows, cols, ignored, entries, hasValues, words }
  Napi::Value sizes(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    Napi::Object o = Napi::Object::New(env);
    o.Set("rows", static_cast<double>(parser_.rows()));
    o.Set("cols", static_cast<double>(parser_.cols()));
    o.Set("ignored", static_cast<double>(parser_.ignored()));
    o.Set("entries", static_cast<double>(parser_.indices.size()));
    o.Set("hasValues", parser_.has_values());
    o.Set("words", static_cast<double>(parser_.words.size()));
    return o;
  }

  Napi::Value take_starts(const Napi::CallbackInfo& info) { return take(info, parser_.starts); }
  Napi::Value take_indices(const Napi::CallbackInfo& info) { return take(info, parser_.indices); }
  Napi::Value take_labels(const Napi::CallbackInfo& info) { return take(info, parser_.labels); }
  Napi::Value take_words(const Napi::CallbackInfo& info) { return take(info, parser_.words); }
  Napi::Value take_values(const Napi::CallbackInfo& info) {
    const auto out = room<double>(info, parser_.values_left());
    parser_.take_values(out.data, out.size);
    report(info.Env(), parser_.bytes());
    return info.Env().Undefined();
  }

  // take…(out): moves the next out.length entries of a list to out.
  template <typename T>
  Napi::Value take(const Napi::CallbackInfo& info, Blocks<T>& list) {
    const auto out = room<T>(info, list.size());
    list.take(out.data, out.size);
    report(info.Env(), parser_.bytes());
    return info.Env().Undefined();
  }

  template <typename T>
  static Span<T> room(const Napi::CallbackInfo& info, size_t left) {
    const auto out = array<T>(info, 0, "out", 0);
    if (out.size > left) refuse(info.Env(), "at most " + std::to_string(left) + " entries", "out", std::to_string(out.size));
    return out;
  }

  // The defect of the text, of which lib/input makes a message; or undefined.
  Napi::Value defect(Napi::Env env) const {
    const ParseDefect& defect = parser_.defect();
    if (defect.kind == ParseDefect::none) return env.Undefined();
    if (defect.kind == ParseDefect::out_of_memory) out_of_memory(env);
    Napi::Object o = Napi::Object::New(env);
    o.Set("defect", kDefects[defect.kind]);
    o.Set("line", static_cast<double>(defect.line));
    o.Set("column", static_cast<double>(defect.column));
    Napi::Uint8Array text = Napi::Uint8Array::New(env, defect.length);
    for (size_t i = 0; i < defect.length; ++i) text[i] = defect.text[i];
    o.Set("text", text);
    o.Set("last", static_cast<double>(defect.last));
    return o;
  }

  // Tells the garbage collector how much memory is held.
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
