// Branches and loops, interpreted and compiled.
#include "Evaluate.h"

using namespace tw::fe;
using namespace tw::fe::test;

namespace {

void expectBoth(const std::vector<Array> &inputs, const Build &build,
                const std::vector<Array> &expected) {
  for (auto &found : {evaluateAll(inputs, build), compileAndRun(inputs, build)}) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i != found.size(); ++i)
      expectNear(found[i], expected[i].shape, expected[i].data);
  }
}

} // namespace

TEST(Control, Cond) {
  Build build = [](Function &, Values &v) {
    return cond(
        sum(v[0]) > 0,
        [&]() -> Values {
          return {v[0] * 2, sum(v[0])};
        },
        [&]() -> Values {
          return {-v[0], sum(v[0])};
        });
  };
  expectBoth({{{2}, {1, 2}}}, build, {{{2}, {2, 4}}, {{}, {3}}});
  expectBoth({{{2}, {1, -2}}}, build, {{{2}, {-1, 2}}, {{}, {-1}}});
}

TEST(Control, Scan) {
  Build build = [](Function &f, Values &v) {
    return scan(
        [](const Values &carried, const Values &slices) -> Step {
          Value next = carried[0] * 0.5 + slices[0];
          return {{next}, {next * 10}};
        },
        {zeros(f, {2})}, {v[0]}, 3);
  };
  expectBoth({{{3, 2}, {1, 2, 3, 4, 5, 6}}}, build,
             {{{2}, {6.75, 8.5}}, {{3, 2}, {10, 20, 35, 50, 67.5, 85}}});
}

TEST(Control, Loops) {
  expectBoth({{{}, {1}}},
             [](Function &, Values &v) {
               return fori_loop(5,
                                [](const Value &i, const Values &carried) -> Values {
                                  return {carried[0] * 2 + astype(i, f32)};
                                },
                                {v[0]});
             },
             {{{}, {58}}}); // 1, 2, 5, 12, 27, 58
  expectBoth({{{}, {100}}},
             [](Function &f, Values &v) {
               return while_loop([](const Values &carried) { return carried[0] > 1; },
                                 [](const Values &carried) -> Values {
                                   return {carried[0] / 2, carried[1] + 1};
                                 },
                                 {v[0], zeros(f, {}, i32)}, 64);
             },
             {{{}, {0.78125}}, {{}, {7}}});
}

TEST(Control, Errors) {
  EXPECT_NE(errorsOf({{{2}, {1, 2}}},
                     [](Function &, Values &v) {
                       return cond(
                           sum(v[0]) > 0, [&]() -> Values { return {v[0]}; },
                           [&]() -> Values { return {sum(v[0])}; })[0];
                     })
                .find("cond: expected value 0 of a region to be of the result's type "
                      "'tensor<2xf32>', found 'tensor<f32>' [T0219]"),
            std::string::npos);
  EXPECT_NE(errorsOf({{{2}, {1, 2}}},
                     [](Function &, Values &v) {
                       return fori_loop(3,
                                        [](const Value &, const Values &c) -> Values {
                                          return {concat({c[0], c[0]})};
                                        },
                                        {v[0]})[0];
                     })
                .find("fori_loop: expected value 0 of a region to be of the carried type "
                      "'tensor<2xf32>', found 'tensor<4xf32>' [T0219]"),
            std::string::npos);
  // An error inside is reported where it is, and once.
  std::string errors = errorsOf({{{2}, {1, 2}}}, [](Function &, Values &v) {
    return fori_loop(3, [](const Value &, const Values &c) -> Values { return {select(c[0], 9)}; },
                     {v[0]})[0];
  });
  EXPECT_NE(errors.find("select: expected an index below the size 2, found 9"), std::string::npos)
      << errors;
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 1) << errors;
}
