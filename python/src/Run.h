// One run of a model: arguments in, results out.
#pragma once

#include "Model.h"

namespace tw::python {

/// The elements of an array up to these extents, without a copy.
nb::object sliceOf(nb::handle array, const std::vector<int64_t> &dims);

/// Holds a call of the model from the arguments to the results. Everything but `wait` needs the
/// GIL.
class Run {
public:
  explicit Run(Model &model);
  Run(const Run &) = delete;
  ~Run();

  /// Takes arguments by position and by name, and `out`.
  void setArguments(nb::handle args, nb::handle kwargs);
  /// Hands the program to the queue, or to one of the call's own. Short runs keep the GIL.
  void submit(TwrtQueue *queue, const std::vector<TwrtPoint> &after, bool waits);
  /// Blocks until the run is over. False if `timeout` was too short. Raises what failed.
  bool wait(uint64_t timeoutNs);
  bool isDone() const;
  /// The results as the first argument's library has arrays; one alone, or a tuple.
  nb::object takeResults();

  TwrtCall *call() const { return state->call.get(); }
  TwrtPoint point = {nullptr, 0};

private:
  void setArgument(size_t index);
  /// Raises if what is written in place shares memory with another argument.
  void checkInPlace();
  void placeArgument(size_t index, const Array &array, TwrtTensor &tensor);
  void setOut(nb::handle out);
  void setLimits();
  void placeResults();
  void placeResult(size_t index, const int64_t *dims);
  nb::object takeResult(size_t index);
  nb::object makeArray(Buffer &&buffer, ValueInfo &info);
  std::string describe(size_t argument) const;

  Model &model;
  std::shared_ptr<Loaded> loaded;
  std::unique_ptr<CallState> state;
  nb::object out;
  std::unique_ptr<Array[]> outArrays;
  /// Of a failed run the call is not used again.
  bool isSound = true, isSubmitted = false, isOver = false;
  Library library = Library::Numpy;
  bool hasLibrary = false;
};

} // namespace tw::python
