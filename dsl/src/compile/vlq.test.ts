import assert from "node:assert/strict";
import { test } from "node:test";
import { findMapping, readMappings } from "./vlq.ts";

test("mappings are read as differences", () => {
  assert.deepEqual(readMappings("AAAA,IAAM;;EACD"), [
    [{ column: 0, originalLine: 0, originalColumn: 0 }, { column: 4, originalLine: 0, originalColumn: 6 }],
    [],
    [{ column: 2, originalLine: 1, originalColumn: 5 }],
  ]);
});

test("the mapping at or before a place counts", () => {
  const lines = readMappings("AAAA,IAAM");
  assert.equal(findMapping(lines, 0, 3)?.originalColumn, 0);
  assert.equal(findMapping(lines, 0, 9)?.originalColumn, 6);
  assert.equal(findMapping(lines, 7, 0), undefined);
});
