from . import contract_proof
from .planted import PlantedTreeTest

_CONTRACT = "# Scheduler\n- K1 Counters.\n- **D6 Sharing.** Text K9.\n| P5 | steal |\n- C-cost: EWMA\n"
_TESTS = {
    "engine/runtime/a_test.cpp": "TEST(ATest, K1_CountsDistinctProducers) {}\n",
    "tests/sim/b.cpp": "// Checks: D6, P5\nTEST_F(BTest, C_cost_IsSampled) {}\n",
}


class ContractProofTest(PlantedTreeTest):
    def plant_contract(self, text: str, tests: dict[str, str]):
        return self.plant({contract_proof.CONTRACT: text} | tests)

    def test_passes_when_every_statement_is_named(self):
        self.assert_clean(contract_proof.run(self.plant_contract(_CONTRACT, _TESTS)))

    def test_passes_without_contract(self):
        self.assert_clean(contract_proof.run(self.plant(_TESTS | {contract_proof.EXCEPTIONS: "K1\n"})))

    def test_catches_unproven_statement(self):
        tree = self.plant_contract(_CONTRACT + "- K2 Tokens.\n", _TESTS)
        self.assert_caught(contract_proof.run(tree), "scheduler.md:6: no test names K2")

    def test_does_not_take_product_code_or_disabled_tests_as_proof(self):
        tree = self.plant_contract(_CONTRACT + "- K2 Tokens.\n- K3 Copies.\n", _TESTS | {
            "engine/runtime/a.cpp": "// Checks: K2\n",
            "engine/runtime/c_test.cpp": "TEST(CTest, DISABLED_K3_Copies) {}\n"})
        self.assert_caught(contract_proof.run(tree), "names K2", "names K3")

    def test_catches_stale_exception(self):
        tree = self.plant_contract(_CONTRACT, _TESTS | {contract_proof.EXCEPTIONS: "K1\n"})
        self.assert_caught(contract_proof.run(tree), "stale entry, remove it: K1")
