from . import contract_proof
from .planted import PlantedTreeTest

_SCHEDULER = "# Scheduler\n- K1 Counters.\n- **D6 Sharing.** Text K9.\n| P5 | steal |\n- C-cost: EWMA\n"
_PLANS = "# Plans\n- **REG1** Keys,\n  DSL9 of them.\n- **DSL2** Forms.\n- **EXP1** Operators.\n"
_PAGES = {
    "docs/contract/scheduler.md": _SCHEDULER,
    "docs/contract/plans.md": _PLANS,
    "docs/contract/notes.md": "# Nothing is numbered here\n",
}
_TESTS = {
    "engine/runtime/a_test.cpp": "TEST(ATest, K1_CountsDistinctProducers) {}\n",
    "tests/sim/b.cpp": "// Checks: D6, P5\nTEST_F(BTest, C_cost_IsSampled) {}\n",
    "engine/plan/c_test.cpp": "TEST(CTest, REG1_ReadsKeys) {}\n",
    "dsl/src/forms.test.ts": 'test(\n  "DSL2 EXP1: every form", () => {});\n',
}
_CLEAN = _PAGES | _TESTS


class ContractProofTest(PlantedTreeTest):
    def problems(self, files: dict[str, str]):
        return contract_proof.run(self.plant(files))

    def test_passes_when_every_statement_of_every_page_is_named(self):
        self.assert_clean(self.problems(_CLEAN))

    def test_passes_without_contract(self):
        self.assert_clean(self.problems(_TESTS | {contract_proof.EXCEPTIONS: "K1\n"}))

    def test_catches_unproven_statements_of_every_page(self):
        self.assert_caught(self.problems(_CLEAN | {
            "docs/contract/scheduler.md": _SCHEDULER + "- K2 Tokens.\n",
            "docs/contract/plans.md": _PLANS + "- **REQ10** Errors.\n"}),
            "scheduler.md:6: no test names K2", "plans.md:6: no test names REQ10")

    def test_a_python_test_names_statements_too(self):
        self.assert_clean(self.problems(_CLEAN | {
            "docs/contract/plans.md": _PLANS + "- **BAL2** Balance.\n",
            "tests/x/x_test.py": "    def test_BAL2_restarting(self):\n"}))

    def test_does_not_take_a_longer_number_for_a_shorter_one(self):
        self.assert_caught(self.problems(_CLEAN | {
            "docs/contract/plans.md": _PLANS + "- **G1** One.\n",
            "engine/plan/d_test.cpp": "// Checks: REG1, G10\nTEST(DTest, G11_Eleven) {}\n"}),
            "names G1")

    def test_does_not_take_product_code_or_disabled_tests_as_proof(self):
        self.assert_caught(self.problems(_CLEAN | {
            "docs/contract/scheduler.md": _SCHEDULER + "- K2 Tokens.\n- K3 Copies.\n",
            "docs/contract/plans.md": _PLANS + "- **DSL3** Columns.\n- **DSL4** Values.\n",
            "engine/runtime/a.cpp": "// Checks: K2\n",
            "engine/runtime/c_test.cpp": "TEST(CTest, DISABLED_K3_Copies) {}\n",
            "dsl/src/forms.ts": 'test("DSL3: in product code");\n',
            "dsl/src/rows.test.ts": 'test.skip("DSL4: left out");\ntest("says DSL4 only", run);\n'}),
            "names K2", "names K3", "names DSL3", "names DSL4")

    def test_a_page_that_is_not_built_is_listed_as_a_whole(self):
        page = {"docs/contract/graphs.md": "- **G1** Regions.\n- **G2** Lanes.\n"}
        self.assert_caught(self.problems(_CLEAN | page),
                           "graphs.md: no test names any of its statements")
        listed = {contract_proof.EXCEPTIONS: "docs/contract/graphs.md  # not built yet\n"}
        self.assert_clean(self.problems(listed))
        self.assert_caught(
            self.problems({"engine/graph/g_test.cpp": "TEST(GTest, G1_FindsRegions) {}\n"}),
            "stale entry, remove it: docs/contract/graphs.md", "graphs.md:2: no test names G2")

    def test_catches_a_number_of_two_pages(self):
        self.assert_caught(self.problems(_CLEAN | {
            "docs/contract/plans.md": _PLANS + "- **K1** Keys.\n"}), "K1 is in ")

    def test_catches_stale_exception(self):
        self.assert_caught(self.problems(_CLEAN | {contract_proof.EXCEPTIONS: "K1\n"}),
                           "stale entry, remove it: K1")
