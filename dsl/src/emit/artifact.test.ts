import assert from "node:assert/strict";
import { test } from "node:test";
import type { DraftNode } from "../exchange/draft.ts";
import { nodeIds, sourcesDigest, variantSuffix, writeArtifact } from "./artifact.ts";

const node = (index: number, change: Partial<DraftNode> = {}): DraftNode =>
  ({ index, op: "take", inputs: [], params: {}, options: {}, site: 0, calls: [], ...change });

test("ids: given, then named, then by op; numbered from 2 where taken", () => {
  assert.deepEqual(nodeIds([
    node(0), node(1, { name: "take" }), node(2, { id: "take_2" }), node(3), node(4, { name: "$rows" }),
    node(5, { name: "rows" }), node(6, { name: "$" }),
  ]), ["take_3", "take", "take_2", "take_4", "rows", "rows_2", "take_5"]);
});

test("fields come in one order, whatever order they were made in", () => {
  const { text } = writeArtifact({
    name: "p", version: 3, site: 0, outputs: [1], reserve_ms: 5, output_keys: ["id"],
    fragments: [{ name: "z", version: "1", versions: ["1"] }, { name: "a", version: "2", versions: ["2"] }],
    nodes: [node(0, { id: "b" }), node(1, { id: "n", inputs: [0, { request: "x" }, { ids: [1, 2] }],
      params: { rhs: { node: 0, site: 0 }, count: { json: 3, site: 0 } },
      options: { trace: false, on_failure: { use: "node", node: 0 }, timeout_ms: 9 } })],
  }, { file: "p.plan.ts", digest: "sha256:0", spanOf: ({ index }) => (index === 0 ? [1, 2, 3, 4] : undefined) },
  { of: "p", versions: { z: "1", a: "2" } });
  assert.equal(text, `{
  "schema_version": 1,
  "name": "p@a=2,z=1",
  "version": 3,
  "fragments": {"a": "2", "z": "1"},
  "variant_of": "p",
  "nodes": [
    {"id": "b", "op": "take", "inputs": [], "params": {}},
    {"id": "n", "op": "take", "inputs": ["b", "$req.x", [1, 2]], "params": {"rhs": "b", "count": 3}, "timeout_ms": 9, "on_failure": {"use": "node", "id": "b"}, "trace": false}
  ],
  "outputs": ["n"],
  "output_keys": ["id"],
  "reserve_ms": 5,
  "sources": {
    "file": "p.plan.ts",
    "digest": "sha256:0",
    "spans": {"b": [1, 2, 3, 4]}
  }
}
`);
});

test("the digest is that of the file, or of all files in any order", () => {
  const [a, b] = [{ id: "a.ts", digest: "11" }, { id: "b.ts", digest: "22" }];
  assert.equal(sourcesDigest([a]), "sha256:11");
  assert.equal(sourcesDigest([a, b]), sourcesDigest([b, a]));
  assert.notEqual(sourcesDigest([a, b]), sourcesDigest([a, { ...b, id: "c.ts" }]));
});

test("a variant is named by what differs, in one order", () => {
  assert.equal(variantSuffix({ mix: "b", cut: "2" }), "@cut=2,mix=b");
});
