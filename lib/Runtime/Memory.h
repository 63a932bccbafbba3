// Memory from the instance's allocator: every allocation may fail and is checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tw::runtime {

struct Allocator {
  void *(*allocateFunction)(void *, size_t bytes, size_t alignment);
  void (*releaseFunction)(void *, void *memory, size_t bytes);
  void *user;

  void *allocate(size_t bytes, size_t alignment) const {
    return allocateFunction(user, bytes ? bytes : 1, alignment);
  }
  void release(void *memory, size_t bytes) const {
    if (memory)
      releaseFunction(user, memory, bytes ? bytes : 1);
  }
};

/// The allocator over the C library.
Allocator defaultAllocator();

/// NULL when there is no memory.
template <typename T, typename... Arguments>
T *create(const Allocator &allocator, Arguments &&...arguments) {
  void *memory = allocator.allocate(sizeof(T), alignof(T));
  return memory ? new (memory) T(std::forward<Arguments>(arguments)...) : nullptr;
}

template <typename T> void destroy(const Allocator &allocator, T *object) {
  if (!object)
    return;
  object->~T();
  allocator.release(object, sizeof(T));
}

/// An array of its own that does not grow; empty until reset. Elements are value-initialized.
template <typename T> class Array {
public:
  Array() = default;
  explicit Array(const Allocator &allocator) : allocator(allocator) {}
  Array(Array &&other) noexcept { swap(other); }
  Array &operator=(Array &&other) noexcept {
    Array moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~Array() { clear(); }

  /// Replaces the contents by `count` new elements. False, with the contents as they were, when
  /// there is no memory.
  [[nodiscard]] bool reset(size_t newCount) {
    T *memory = nullptr;
    if (newCount > SIZE_MAX / sizeof(T))
      return false;
    if (newCount) {
      memory = static_cast<T *>(allocator.allocate(newCount * sizeof(T), alignof(T)));
      if (!memory)
        return false;
      for (size_t i = 0; i < newCount; ++i)
        new (memory + i) T();
    }
    clear();
    elements = memory;
    count = capacity = newCount;
    return true;
  }
  [[nodiscard]] bool assign(std::span<const T> source) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!reset(source.size()))
      return false;
    if (count)
      memcpy(elements, source.data(), count * sizeof(T));
    return true;
  }
  /// Lets go of the elements from `newCount` on; their memory stays.
  void truncate(size_t newCount) {
    for (size_t i = newCount; i < count; ++i)
      elements[i].~T();
    count = newCount < count ? newCount : count;
  }
  void clear() {
    truncate(0);
    if (elements)
      allocator.release(elements, capacity * sizeof(T));
    elements = nullptr;
    capacity = 0;
  }
  void swap(Array &other) {
    std::swap(allocator, other.allocator);
    std::swap(elements, other.elements);
    std::swap(count, other.count);
    std::swap(capacity, other.capacity);
  }

  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T *data() { return elements; }
  const T *data() const { return elements; }
  T &operator[](size_t index) { return elements[index]; }
  const T &operator[](size_t index) const { return elements[index]; }
  T *begin() { return elements; }
  T *end() { return elements + count; }
  const T *begin() const { return elements; }
  const T *end() const { return elements + count; }
  operator std::span<const T>() const { return {elements, count}; }

private:
  Allocator allocator = defaultAllocator();
  T *elements = nullptr;
  size_t count = 0, capacity = 0;
};

/// Text that grows; `failed` once there was no memory.
class Text {
public:
  explicit Text(const Allocator &allocator) : allocator(allocator) {}
  Text(const Text &) = delete;
  Text &operator=(const Text &) = delete;
  ~Text() { allocator.release(characters, capacity); }

  void append(std::string_view piece);
  /// Ended by a zero that `view` does not count.
  const char *c_str() const { return characters ? characters : ""; }
  std::string_view view() const { return {c_str(), length}; }
  bool failed() const { return outOfMemory; }

private:
  Allocator allocator;
  char *characters = nullptr;
  size_t length = 0, capacity = 0;
  bool outOfMemory = false;
};

} // namespace tw::runtime
