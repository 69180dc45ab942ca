#include <cstdio>
#include <stdexcept>
#include <vector>

namespace work {

constexpr int square(int n)
{
  int s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s++;
  return s;
}
static_assert(square(3) == 9, "evaluated by the compiler");

class Sum {
public:
  explicit Sum(int n) : total{0}, size(n)
  {
    for (int i = 0; i < n; i++)
      add(i);
  }
  ~Sum() noexcept { total = -1; }
  int operator()(int x) const
  {
    if (x > 3)
      throw std::runtime_error("too large");
    return total + x;
  }
  operator bool() const { return total != 0; }
  template <class T> T scaled(T by) const;
private:
  void add(int i);
  int total, size;
};

void Sum::add(int i) { total += i; }

template <class T>
T Sum::scaled(T by) const
{
  T r = 0;
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < 2; j++)
      r += by;
  }
  return r;
}

struct Base {
  Base(int n) { if (n < 0) throw n; }
};
struct Derived : Base {
  Derived(int n) try : Base(n) {
    std::printf("made %d\n", n);
  } catch (int bad) {
    std::printf("not made %d\n", bad);
  }
};

} // namespace work

extern "C" {
static int c_linkage(const std::vector<int> &v)
{
  int s = 0;
  for (int x : v) {
    if (x == 4)
      return s;
    for (auto it = v.begin(); it != v.end(); ++it)
      s += *it;
  }
  auto deep = [&](int k) {
    for (int i = 0; i < k; i++)
      for (int j = 0; j < k; j++)
        s++;
    return s;
  };
  return deep(3);
}
}

auto trailing(int n) -> int
{
  int s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i * j > 10) throw std::logic_error("out of the loops");
      else s++;
  return s;
}

#if defined(NEVER) && \
    defined(EVER)
int broken( {
#endif

int main() try {
  work::Sum s(4);
  std::printf("%d %d %d\n", s(1), bool(s), s.scaled(2));
  std::printf("%g\n", s.scaled(1.5));
  try {
    s(7);
  } catch (const std::exception &e) {
    std::printf("%s\n", e.what());
  }
  try {
    trailing(10);
  } catch (const std::logic_error &e) {
    std::printf("%s\n", e.what());
  }
  std::printf("%d %d\n", c_linkage({1, 2, 3}), c_linkage({1, 4}));
  work::Derived good(1);
  work::Derived bad(-1);
  return 0;
} catch (int n) {
  std::printf("main caught %d\n", n);
}
