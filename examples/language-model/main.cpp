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
  std::string weights, module;
  std::vector<std::string> prompts;
  int64_t streams = 0, tokens = 256, context = 0, chunk = 512, threads = 0;
  double temperature = 0, nucleus = 1;
  int64_t top = 0, seed = 0;
  bool check = false;
};

static void printHelp() {
  outs()
      << "Usage: language-model --weights=FOLDER [options]\n"
         "  --prompt=\"1 2 3\"   numbers of tokens (default 1); again for each stream, equally "
         "many\n"
         "  --streams=N        continue the prompt so many times at once, with a seed each\n"
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
      options.prompts.push_back(value.str());
    else if (name == "--module")
      options.module = value;
    else if (name == "--streams")
      number(options.streams, 1);
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
  if (options.prompts.empty())
    options.prompts.push_back("1");
  if (options.streams && options.prompts.size() > 1)
    fail("expected one prompt with --streams, found " + Twine(options.prompts.size()));
  if (options.streams)
    options.prompts.resize(size_t(options.streams), options.prompts.front());
  return options;
}

static void compile(const Checkpoint &checkpoint, const Options &settings, int64_t capacity,
                    const std::string &path) {
  Expected<tw::fe::Module> program =
      buildDecoder(checkpoint, int64_t(settings.prompts.size()), capacity,
                   std::min<int64_t>(settings.chunk, capacity));
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

/// A line that stays, where a person looks at it and no tokens are written between.
class Progress {
public:
  Progress(int64_t streams, int64_t tokens)
      : isShown(errs().is_displayed() && (streams > 1 || !outs().is_displayed())), streams(streams),
        tokens(tokens) {}

  void show(int64_t written, double seconds) {
    if (!isShown || !(secondsSince(last) >= 0.1))
      return;
    last = Clock::now();
    errs() << format("\rwriting  %lld of %lld tokens, %.1f a second\033[K",
                     (long long)(streams * written), (long long)(streams * tokens),
                     double(streams * written) / seconds);
  }

  void clear() {
    if (isShown)
      errs() << "\r\033[K";
  }

private:
  bool isShown;
  int64_t streams, tokens;
  Clock::time_point last;
};

using Sequences = std::vector<std::vector<int64_t>>;

/// Whether sequences that are computed at once give the same next tokens, and about the same
/// logits.
static void compareWithAll(Generator &generator, const Sequences &all,
                           const std::vector<std::vector<float>> &logits) {
  int64_t length = generator.position();
  std::vector<std::vector<float>> found = logits;
  generator.reset();
  const std::vector<std::vector<float>> &expected = generator.feed(all);
  for (auto [own, other] : zip_equal(found, expected)) {
    double worst = 0, largest = 0;
    for (auto [a, b] : zip_equal(own, other)) {
      worst = std::max(worst, double(std::abs(a - b)));
      largest = std::max(largest, double(std::abs(b)));
    }
    if (sample(own, {}, 0) != sample(other, {}, 0) || !(worst <= 0.02 * largest))
      fail("position " + Twine(length) + ": logits differ by " + std::to_string(worst) + ", of " +
           std::to_string(largest));
  }
}

/// Exits where one is no number of a token, or not as long as the first.
static Sequences parsePrompts(const Options &options, int64_t vocabulary) {
  Sequences sequences;
  for (const std::string &prompt : options.prompts) {
    std::vector<int64_t> &sequence = sequences.emplace_back();
    SmallVector<StringRef> words;
    SplitString(prompt, words);
    for (StringRef word : words) {
      int64_t token;
      if (word.getAsInteger(10, token) || token < 0 || token >= vocabulary)
        fail("expected tokens from 0 to " + Twine(vocabulary - 1) + ", found '" + word + "'");
      sequence.push_back(token);
    }
    if (sequence.empty())
      fail("expected a prompt of at least one token");
    if (sequence.size() != sequences.front().size())
      fail("expected prompts of one length, found " + Twine(sequences.front().size()) + " and " +
           Twine(sequence.size()) + " tokens");
  }
  return sequences;
}

/// Writes tokens until all streams have ended: one stream as they come, several a line each.
static int64_t write(Generator &generator, const Options &options, ArrayRef<int64_t> stops,
                     Sequences &sequences, double &seconds,
                     const std::vector<std::vector<float>> *logits) {
  std::vector<std::string> lines(sequences.size());
  std::vector<bool> ended(sequences.size());
  Progress progress(generator.streams(), options.tokens);
  int64_t written = 0;
  for (; written < options.tokens; ++written) {
    if (options.check)
      compareWithAll(generator, sequences, *logits);
    Sequences next;
    for (auto [i, sequence] : enumerate(sequences)) {
      Sampling sampling{options.temperature, uint64_t(options.top), options.nucleus,
                        uint64_t(options.seed) + i};
      int64_t token = sample((*logits)[i], sampling, uint64_t(generator.position()));
      sequence.push_back(token);
      next.push_back({token});
      if (ended[i])
        continue;
      std::string word = (written ? " " : "") + std::to_string(token);
      if (sequences.size() == 1)
        outs() << word;
      else
        lines[i] += word;
      ended[i] = is_contained(stops, token);
    }
    outs().flush();
    if (!is_contained(ended, false) || generator.position() == generator.capacity())
      break;
    Clock::time_point start = Clock::now();
    logits = &generator.feed(next);
    seconds += secondsSince(start);
    progress.show(written + 1, seconds);
  }
  progress.clear();
  outs() << join(lines, "\n") << "\n";
  return written;
}

int main(int argc, char **argv) {
  Options options = parseOptions(ArrayRef(argv + 1, size_t(argc - 1)));
  Expected<Checkpoint> checkpoint = Checkpoint::open(options.weights);
  if (!checkpoint)
    fail(toString(checkpoint.takeError()));
  Sequences sequences = parsePrompts(options, checkpoint->config.vocabulary);
  int64_t length = int64_t(sequences.front().size());
  int64_t capacity = options.context ? options.context : length + options.tokens;
  if (capacity > checkpoint->config.positions || capacity < length)
    fail("a context of " + Twine(capacity) + " tokens, expected from " + Twine(length) + " to " +
         Twine(checkpoint->config.positions));

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

  if (generator.streams() != int64_t(sequences.size()))
    fail("the module continues " + Twine(generator.streams()) + " sequences, found " +
         Twine(sequences.size()) + " prompts");
  start = Clock::now();
  const std::vector<std::vector<float>> &logits = generator.feed(sequences);
  double promptSeconds = secondsSince(start), seconds = 0;
  int64_t streams = generator.streams();
  int64_t written =
      write(generator, options, checkpoint->config.stops, sequences, seconds, &logits);
  errs() << format("prompt   %lld tokens, %.1f a second\n", (long long)(streams * length),
                   double(streams * length) / promptSeconds);
  if (written > 0)
    errs() << format("written  %lld tokens, %.1f a second\n", (long long)(streams * written),
                     double(streams * written) / seconds);
  return 0;
}
