from . import typescript
from .planted import PlantedTreeTest


class TypeScriptTest(PlantedTreeTest):
    def test_passes_sources_that_import_downwards(self):
        tree = self.plant({"dsl/src/a.ts": 'import { b } from "./x/b.ts";\n// company: any\n',
                           "dsl/src/x/b.ts": 'import type { A } from "../a.ts";\nconst many = ": any";\n'})
        self.assert_clean(typescript.run(tree))

    def test_catches_import_cycle(self):
        tree = self.plant({"dsl/src/a.ts": 'import {\n  b,\n} from "./b.ts";\n',
                           "dsl/src/b.ts": 'export * from "./a.ts";\n'})
        self.assert_caught(typescript.run(tree), "imports in a circle: dsl/src/a.ts -> dsl/src/b.ts")

    def test_catches_any_outside_tests(self):
        text = "const x: any = 1;\n"
        self.assert_clean(typescript.run(self.plant({"dsl/src/a.test.ts": text})))
        self.assert_caught(typescript.run(self.plant({"dsl/src/a.ts": "\n" + text})), "dsl/src/a.ts:2: no `any`")

    def test_catches_compiled_output(self):
        self.assert_caught(typescript.run(self.plant({"dsl/src/a.js": ""})), "compiled output")
