// Writes tokens with a Llama or Phi-3 checkpoint.
//
// Usage: language-model --weights=FOLDER --prompt="1 2 3" [--tokens=256] [options]
#include "Checkpoint.h"
#include "Decoder.h"
#include "Generator.h"
#include "Sampler.h"

#include "tw/Support/AtomicFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <unistd.h>

using namespace llvm;

[[noreturn]] static void fail(const Twine &text) {
  errs() << "language-model: error: " << text << "\n";
  exit(1);
}

struct Options {
  std::string weights, prompt = "1", module;
  int64_t tokens = 256, context = 0, chunk = 512, threads = 0;
  double temperature = 0, nucleus = 1;
  int64_t top = 0, seed = 0;
  bool check = false;
};

static void printHelp() {
  outs()
      << "Usage: language-model --weights=FOLDER [options]\n"
         "  --prompt=\"1 2 3\"   numbers of tokens (default 1)\n"
         "  --tokens=N         tokens to write at most (default 256)\n"
         "  --context=N        room for tokens (default: what prompt and tokens need)\n"
         "  --chunk=N          tokens of the prompt at once (default 512)\n"
         "  --temperature=T    0: the most likely token (default)\n"
         "  --top-k=N          draw from so many tokens (default 0: all)\n"
         "  --top-p=P          draw from tokens that together have this probability (default 1)\n"
         "  --seed=N           of the draws\n"
         "  --threads=N        default 0: one per core\n"
         "  --module=FILE.twm  compiled module, made if it is not there\n"
         "  --check            compare each step with the whole sequence computed anew\n";
}

/// Exits where an argument is none of these.
static Options parseOptions(ArrayRef<char *> arguments) {
  Options options;
  for (StringRef argument : arguments) {
    auto [name, value] = argument.split('=');
    bool good = true;
    if (name == "--help") {
      printHelp();
      exit(0);
    }
    auto number = [&](auto &to, int64_t least) {
      if constexpr (std::is_same_v<std::decay_t<decltype(to)>, double>)
        good = !value.getAsDouble(to) && to >= double(least);
      else
        good = !value.getAsInteger(10, to) && to >= least;
    };
    if (name == "--weights")
      options.weights = value;
    else if (name == "--prompt")
      options.prompt = value;
    else if (name == "--module")
      options.module = value;
    else if (name == "--tokens")
      number(options.tokens, 1);
    else if (name == "--context")
      number(options.context, 1);
    else if (name == "--chunk")
      number(options.chunk, 1);
    else if (name == "--threads")
      number(options.threads, 0);
    else if (name == "--temperature")
      number(options.temperature, 0);
    else if (name == "--top-k")
      number(options.top, 0);
    else if (name == "--top-p")
      number(options.nucleus, 0);
    else if (name == "--seed")
      number(options.seed, 0);
    else if (argument == "--check")
      options.check = true;
    else
      good = false;
    if (!good)
      fail("argument '" + argument + "'; --help lists them");
  }
  if (options.weights.empty())
    fail("expected --weights=FOLDER; --help lists all arguments");
  return options;
}

static void compile(const Checkpoint &checkpoint, const Options &settings, int64_t capacity,
                    const std::string &path) {
  Expected<tw::fe::Module> program =
      buildDecoder(checkpoint, capacity, std::min<int64_t>(settings.chunk, capacity));
  if (!program)
    fail(toString(program.takeError()));
  tw::fe::Options options;
  options.weights = checkpoint.folder;
  if (settings.threads)
    options.options = "threads=" + std::to_string(settings.threads);
  std::optional<tw::fe::Bytes> bytes = tw::fe::compile(*program, options);
  if (!bytes) {
    errs() << program->errorText();
    exit(1);
  }
  StringRef text(reinterpret_cast<const char *>(bytes->data()), bytes->size());
  if (Error error = tw::writeFileAtomically(path, text))
    fail(toString(std::move(error)));
}

using Clock = std::chrono::steady_clock;
static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Whether a sequence that is computed at once gives the same next token, and about the same
/// logits.
static void compareWithAll(Generator &generator, const std::vector<int64_t> &all,
                           const std::vector<float> &logits) {
  int64_t length = generator.position();
  std::vector<float> found = logits;
  generator.reset();
  const std::vector<float> &expected = generator.feed(all);
  double worst = 0, largest = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    worst = std::max(worst, double(std::abs(found[i] - expected[i])));
    largest = std::max(largest, double(std::abs(expected[i])));
  }
  if (sample(found, {}, 0) != sample(expected, {}, 0) || !(worst <= 0.02 * largest))
    fail("position " + Twine(length) + ": logits differ by " + std::to_string(worst) + ", of " +
         std::to_string(largest));
}

int main(int argc, char **argv) {
  Options options = parseOptions(ArrayRef(argv + 1, size_t(argc - 1)));
  Expected<Checkpoint> checkpoint = Checkpoint::open(options.weights);
  if (!checkpoint)
    fail(toString(checkpoint.takeError()));
  std::vector<int64_t> sequence;
  SmallVector<StringRef> words;
  SplitString(options.prompt, words);
  for (StringRef word : words) {
    int64_t token;
    if (word.getAsInteger(10, token) || token < 0 || token >= checkpoint->config.vocabulary)
      fail("expected tokens from 0 to " + Twine(checkpoint->config.vocabulary - 1) + ", found '" +
           word + "'");
    sequence.push_back(token);
  }
  if (sequence.empty())
    fail("expected a prompt of at least one token");
  int64_t capacity = options.context ? options.context : int64_t(sequence.size()) + options.tokens;
  if (capacity > checkpoint->config.positions || capacity < int64_t(sequence.size()))
    fail("a context of " + Twine(capacity) + " tokens, expected from " + Twine(sequence.size()) +
         " to " + Twine(checkpoint->config.positions));

  Clock::time_point start = Clock::now();
  std::string path = options.module;
  bool isTemporary = path.empty();
  if (isTemporary)
    path = "/tmp/language-model-" + std::to_string(getpid()) + ".twm";
  if (isTemporary || !sys::fs::exists(path))
    compile(*checkpoint, options, capacity, path);
  Generator generator(path, options.weights, uint32_t(options.threads));
  if (isTemporary)
    (void)sys::fs::remove(path);
  errs() << format("ready    %.2f s, room for %lld tokens\n", secondsSince(start),
                   (long long)generator.capacity());

  start = Clock::now();
  const std::vector<float> *logits = &generator.feed(sequence);
  double promptSeconds = secondsSince(start);
  Sampling sampling{options.temperature, uint64_t(options.top), options.nucleus,
                    uint64_t(options.seed)};
  int64_t written = 0;
  double seconds = 0;
  for (; written < options.tokens && generator.position() <= generator.capacity(); ++written) {
    if (options.check)
      compareWithAll(generator, sequence, *logits);
    int64_t token = sample(*logits, sampling, uint64_t(generator.position()));
    outs() << (written ? " " : "") << token;
    outs().flush();
    sequence.push_back(token);
    if (is_contained(checkpoint->config.stops, token) ||
        generator.position() == generator.capacity())
      break;
    start = Clock::now();
    logits = &generator.feed({token});
    seconds += secondsSince(start);
  }
  outs() << "\n";
  errs() << format("prompt   %zu tokens, %.1f a second\n", words.size(),
                   double(words.size()) / promptSeconds);
  if (written > 0)
    errs() << format("written  %lld tokens, %.1f a second\n", (long long)written,
                     double(written) / seconds);
  return 0;
}
