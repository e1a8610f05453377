import unittest

from . import cpp_code


def _found(text: str) -> list[tuple[str, int, int]]:
    return [(f.name, f.line_count, f.parameter_count) for f in cpp_code.functions(text)]


class CommentsTest(unittest.TestCase):
    def test_finds_comments_but_not_what_looks_like_one(self):
        text = 'a("// no"); // one\nb(\'/\'); /* two\n*/ c(R"(/* no */)");'
        self.assertEqual([text[start:end] for start, end in cpp_code.comments(text)],
                         ["// one", "/* two\n*/"])


class BlankTest(unittest.TestCase):
    def test_removes_comments_and_strings_and_keeps_offsets(self):
        text = 'a("throw // x"); // throw\nb(\'"\'); /* throw\n*/ c(R"(throw")"); d(1\'000);'
        code = cpp_code.blank(text)
        self.assertEqual(len(code), len(text))
        self.assertEqual(code.count("\n"), text.count("\n"))
        self.assertNotIn("throw", code)
        for kept in ("a(", "b(", "c(", "d(1'000)"):
            self.assertIn(kept, code)


class FunctionsTest(unittest.TestCase):
    def test_finds_free_function(self):
        self.assertEqual(_found("namespace a {\nint f(int x) {\n  return x;\n}\n}\n"), [("f", 3, 1)])

    def test_finds_members_in_class(self):
        text = ("class A final : public B {\n public:\n  int f() const override { return 1; }\n"
                "  bool operator()(int a, int b) const { return a < b; }\n  int x_{0};\n};\n")
        self.assertEqual(_found(text), [("f", 1, 0), ("operator()", 1, 2)])

    def test_skips_member_initializers(self):
        text = "A::A(int x)\n    : x_{x},\n      y_{std::move(x)} {\n  go();\n}\n"
        self.assertEqual(_found(text), [("A", 5, 1)])

    def test_skips_data(self):
        self.assertEqual(_found("constexpr int kX[] = {1, 2};\nenum class E : int { kA };\n"), [])

    def test_counts_lambda_as_part_of_its_function(self):
        text = "void f() {\n  run([](int a, int b) {\n    return a;\n  });\n}\n"
        self.assertEqual(_found(text), [("f", 5, 0)])

    def test_reads_attributes_templates_and_tests(self):
        text = ("template <class T, class U>\n[[nodiscard]] Map<T, U> f(Map<T, U> m) MR_REQUIRES(m) {\n}\n"
                "TEST(SuiteTest, Name) {\n}\n")
        self.assertEqual(_found(text), [("f", 3, 1), ("TEST", 2, 2)])

    def test_ignores_macro_bodies(self):
        self.assertEqual(_found("#define MR_X(a) \\\n  if (a) { \\\n  }\nint f() {\n}\n"), [("f", 2, 0)])

    def test_finds_function_with_struct_in_signature(self):
        self.assertEqual(_found("int f(struct stat* s) {\n}\n"), [("f", 2, 1)])
