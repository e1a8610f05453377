import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoint, planOf, problems, problemsOf, result } from "./plan_fixture.ts";
import { E, Key, Pred } from "./index.ts";

test("a chain becomes nodes in the order of their making", () => {
  const plan = planOf((ctx) =>
    ctx.viewer!({ endpoint }).follow!({ fanout: 5, endpoint }).sort!({
      key: Key.parent_id,
      order: "desc",
    }).take!({ count: 3 }),
  );
  assert.deepEqual(
    plan.nodes.map(({ op, inputs }) => [op, inputs]),
    [
      ["viewer", []],
      ["follow", [0]],
      ["sort", [1]],
      ["take", [2]],
    ],
  );
  assert.deepEqual(plan.nodes[1]!.params, {
    endpoint: { json: "redis_default", site: 0 },
    fanout: { json: 5, site: 0 },
  });
  assert.deepEqual(Object.keys(plan.nodes[1]!.params), ["endpoint", "fanout"]);
  assert.deepEqual(plan.outputs, [3]);
});

test("rows do not change: two branches start from one node", () => {
  const plan = planOf((ctx) => {
    const v = ctx.viewer!({ endpoint });
    return [v.follow!({ endpoint }), v.recommendation!({ endpoint })];
  });
  assert.deepEqual(
    plan.nodes.map(({ inputs }) => inputs),
    [[], [0], [0]],
  );
  assert.deepEqual(plan.outputs, [1, 2]);
});

test("ART4: a param that is a node holds the node", () => {
  const plan = planOf((ctx) => {
    const v = ctx.viewer!({ endpoint });
    return v.follow!({ endpoint }).concat!({ rhs: v, inputs: [v] });
  });
  assert.deepEqual(plan.nodes[2]!.inputs, [1, 0]);
  assert.deepEqual(plan.nodes[2]!.params, { rhs: { node: 0, site: 0 } });
});

test("ART3: ids and fields of the request are inputs", () => {
  const plan = planOf((ctx) => [
    ctx.ids!([3, 4]).take!({ count: 1 }),
    ctx.request!("user_id").take!({ count: 1 }),
  ]);
  assert.deepEqual(
    plan.nodes.map(({ inputs }) => inputs),
    [[{ ids: [3, 4] }], [{ request: "user_id" }]],
  );
  assert.deepEqual(
    problems((ctx) => ctx.ids!([1])),
    ["no_output: build gives rows of the request or of constant ids, not rows of a node"],
  );
  assert.deepEqual(
    problems((ctx) => ctx.ids!([1.5])),
    ["wrong_type: ids takes a list of whole numbers up to 2^53"],
  );
});

test("DSL6: options of a node have the artifact's names", () => {
  const plan = planOf(
    (ctx) => {
      const v = ctx.viewer!({ endpoint, id: "me" });
      return v.follow!({
        endpoint,
        timeoutMs: 30,
        onFailure: { use: "node", node: v },
        onRowError: "drop",
        priority: "low",
        scheduling: { inline: false, costEstimateUs: 900 },
        trace: false,
      });
    },
    { version: 2, reserveMs: 3 },
  );
  assert.equal(plan.nodes[0]!.id, "me");
  assert.deepEqual(plan.nodes[1]!.options, {
    timeout_ms: 30,
    on_failure: { use: "node", node: 0 },
    on_row_error: "drop",
    priority: "low",
    scheduling: { inline: false, cost_estimate_us: 900 },
    trace: false,
  });
  assert.deepEqual([plan.version, plan.reserve_ms], [2, 3]);
});

test("wrong options are all reported", () => {
  assert.deepEqual(
    problemsOf("take", {
      count: 1,
      id: "",
      timeoutMs: 0,
      onFailure: { use: "empty", node: 1 },
      onRowError: "skip",
      priority: 1,
      scheduling: { inline: 1, costEstimateUs: -1, more: 1 },
      trace: undefined,
    }),
    [
      "bad_name: take.id is not a name",
      "bad_timeout: take.timeoutMs is not a duration: 0",
      'unknown_field: take.onFailure: only { use: "node" } names one',
      "bad_value: Unknown take.onRowError: skip",
      "wrong_type: take.priority: expected a string, found a number",
      "unknown_field: take.scheduling: unknown field: more",
      "wrong_type: take.scheduling.inline: expected a bool, found a number",
      "bad_cost: take.scheduling.costEstimateUs: not a whole number of microseconds up to one hour",
      "undefined_value: take.trace: expected a bool, found undefined",
    ],
  );
});

test("wrong params are all reported", () => {
  assert.deepEqual(problemsOf("follow", { endpont: endpoint, fanout: 0 }), [
    "unknown_param: Unknown param of follow: endpont",
    "missing_param: Missing param of follow: endpoint",
    "param_range: follow.fanout is below 1: 0",
  ]);
  assert.deepEqual(
    problemsOf("follow", { endpoint: "redis_default", fanout: 1.5, pattern: "follow:{" }),
    [
      "wrong_type: follow.endpoint: expected an endpoint, as EP.redis.redis_default, found a string",
      "bad_pattern: Not a key pattern: follow:{",
      "wrong_type: follow.fanout: expected an int, found 1.5",
    ],
  );
  assert.deepEqual(problemsOf("sort", { key: "age", order: "up" }), [
    "wrong_type: sort.key: expected a key, as Key.score, found a string",
    "bad_value: Unknown sort.order: up",
  ]);
  assert.deepEqual(problemsOf("sort", { by: [{ key: Key.age, order: undefined }] }), [
    "bad_value: Unknown order: undefined",
  ]);
  assert.deepEqual(problemsOf("concat", { rhs: 1, tags: ["a", 2] }), [
    "wrong_type: concat.rhs: expected rows of a node, found a number",
    "wrong_type: concat.tags: expected a string, found a number",
  ]);
  assert.deepEqual(problemsOf("vm", { outKey: Key.age, expr: Key.age }), [
    "key_not_writable: A plan may not write the key: age",
  ]);
});

test("a key to write and its expression come together", () => {
  assert.deepEqual(problemsOf("vm", { outKey: Key.score }), [
    "missing_param: Missing param of vm: expr",
  ]);
  assert.deepEqual(problemsOf("vm", { expr: 1 }), ["missing_param: Missing param of vm: outKey"]);
});

test("DSL4: undefined anywhere is an error", () => {
  assert.deepEqual(problemsOf("take", { count: undefined }), [
    "undefined_value: take.count: expected an int, found undefined",
  ]);
  assert.deepEqual(problemsOf("filter", { pred: undefined }), [
    "undefined_value: filter.pred: expected an expression, found undefined",
  ]);
  assert.deepEqual(problemsOf("dedupe", { by: [Key.id, undefined] }), [
    "undefined_value: dedupe.by: expected a key, as Key.score, found undefined",
  ]);
  assert.deepEqual(problemsOf("dedupe", { by: [, Key.id] }), [
    "undefined_value: dedupe.by: expected a key, as Key.score, found undefined",
  ]);
  assert.deepEqual(
    problems(() => undefined),
    ["no_output: build gives undefined"],
  );
  assert.deepEqual(
    problems((ctx) => ctx.viewer!({ endpoint }), { version: undefined }),
    ["undefined_value: version of the plan is undefined"],
  );
  assert.deepEqual(
    problems((ctx) => ctx.viewer!({ endpoint }).filter!({ pred: () => undefined })),
    ["undefined_value: An operand is undefined"],
  );
});

test("DSL3: a key that nothing before a node writes is an error", () => {
  const missing = (key: string): string[] => [
    `key_not_available: Nothing before this node writes the key: ${key}`,
  ];
  assert.deepEqual(problemsOf("sort", { key: Key.score }), missing("score"));
  assert.deepEqual(
    problemsOf("filter", { pred: Pred.cmp(">", E.key(Key.parent_id), 1) }),
    missing("parent_id"),
  );
  assert.deepEqual(
    problemsOf("filter", { pred: (row: typeof Key) => row.score!.isNull() }),
    missing("score"),
  );
  assert.deepEqual(
    problems((ctx) => ctx.fixedSource!().follow!({ endpoint, pattern: "a:{age}" })),
    missing("age"),
  );
  assert.deepEqual(
    problems((ctx) => ctx.fixedSource!().sortedSet!({ endpoint, pattern: "a:{id}:{age}" })),
    missing("age"),
  );
  assert.deepEqual(
    problems((ctx) => ctx.fixedSource!().dedupe!({ by: Key.country })),
    missing("country"),
  );
  assert.deepEqual(
    problems((ctx) => ctx.fixedSource!(), { outputKeys: [Key.id, Key.score] }),
    ["key_not_available: Nothing writes the output key: score"],
  );
});

test("TSK4 TSK7: lists and sets are sources, and names in their patterns are fields of the request", () => {
  assert.deepEqual(problems((ctx) => ctx.list!({ endpoint, pattern: "trending" })), []);
  assert.deepEqual(
    problems((ctx) =>
      ctx.sortedSet!({ endpoint, pattern: "top:{user_id}", order: "desc", withScores: Key.score })
        .sort!({ key: Key.score })),
    [],
  );
  assert.deepEqual(problems((ctx) => ctx.setMembers!({ endpoint, pattern: "saved:{id}" })), [
    "key_not_available: The node has no input to read a key from: id",
  ]);
  assert.deepEqual(problems((ctx) => ctx.setMembers!({ endpoint, pattern: "saved:{usr}" })), [
    "unknown_request_field: Unknown field of the request: usr",
  ]);
  assert.deepEqual(
    problems((ctx) => ctx.list!({ endpoint, pattern: "trending", carry: [Key.score] })),
    ["unknown_param: Unknown param of list: carry"],
  );
  assert.deepEqual(
    problems((ctx) => ctx.list!({ endpoint, pattern: "trending" }).sort!({ key: Key.parent_id })),
    ["key_not_available: Nothing before this node writes the key: parent_id"],
  );
});

test("DSL3: keys flow from what writes them", () => {
  planOf(
    (ctx) => {
      const v = ctx.viewer!({ endpoint });
      const scored = v.follow!({ endpoint, carry: [Key.age] }).vm!({ outKey: Key.score, expr: 1 }).sort!({
        by: [Key.parent_id, Key.age, Key.score],
      });
      const listed = ctx.fixedSource!().hydrate!({ endpoint, prefix: "item", keys: [Key.boost] })
        .sort!({ key: Key.boost });
      return listed.concat!({ rhs: scored }).sort!({
        by: [Key.source, Key.score, Key.boost, { key: Key.age, order: "asc" }],
      });
    },
    { outputKeys: [Key.id, Key.boost] },
  );
  assert.deepEqual(
    problems((ctx) =>
      ctx.fixedSource!().hydrate!({ endpoint, prefix: "item", keys: Key.likes }).sort!({
        key: Key.views,
      }),
    ).length,
    1,
  );
});

test("E1 E2: rows of a fan-out have what it takes along, and a lost key says where", () => {
  const [problem] = result((ctx) =>
    ctx.viewer!({ endpoint }).follow!({ endpoint }).media!({ endpoint }).sort!({ key: Key.name }),
  ).errors!;
  assert.equal(problem!.code, "key_not_available");
  assert.match(problem!.message, /lost at `follow`.*: name$/);
  assert.match(problem!.hint!, /`hydrate`.*`carry: \[Key\.name\]`/);
  const plan = planOf((ctx) =>
    ctx.viewer!({ endpoint }).follow!({ endpoint, carry: { response: Key.name } }).sort!({
      key: Key.response,
    }),
  );
  assert.deepEqual(plan.nodes[1]!.params.carry, { json: { response: "name" }, site: 0 });
  assert.deepEqual(
    problems((ctx) =>
      ctx.viewer!({ endpoint }).follow!({ endpoint, carry: { country: Key.name } }),
    ),
    ["key_not_writable: A plan may not write the key: country"],
  );
});

test("REQ12: candidates have the keys that are read, and of writable ones those that are named", () => {
  assert.deepEqual(problems((ctx) => ctx.candidates!().sort!({ key: Key.likes })), []);
  assert.deepEqual(
    problems((ctx) => ctx.candidates!({ keys: [Key.score] }).sort!({ key: Key.score })),
    [],
  );
  assert.deepEqual(
    problems((ctx) => ctx.candidates!().sort!({ key: Key.score })).map((text) => text.split(":")[0]),
    ["key_not_available"],
  );
});

test("E1 E2 E9: groups have their keys and what is computed, of the right types", () => {
  const grouped = (params: object, key: unknown) =>
    problems((ctx) => ctx.viewer!({ endpoint }).aggregate!({ by: [Key.country], ...params }).sort!({ key }));
  assert.deepEqual(grouped({}, Key.country), []);
  assert.deepEqual(grouped({ count: { total: Key.id } }, Key.total), []);
  assert.deepEqual(grouped({ mean: { score: Key.age }, first: [Key.name] }, Key.name), []);
  assert.deepEqual(grouped({ sum: { total: Key.age } }, Key.age), [
    "key_not_available: The key was lost at `aggregate`, whose rows stand for several before it: age",
  ]);
  assert.deepEqual(grouped({ max: { age: Key.age } }, Key.country), [
    "key_not_writable: A plan may not write the key: age",
  ]);
  assert.deepEqual(grouped({ max: [Key.age] }, Key.country), [
    "key_not_writable: A plan may not write the key: age",
  ]);
  assert.deepEqual(grouped({ mean: { total: Key.age } }, Key.country), [
    "wrong_key_type: aggregate.mean of age is float, and total is int",
  ]);
  assert.deepEqual(grouped({ sum: { total: Key.name } }, Key.country), [
    "wrong_key_type: aggregate.sum takes a key of type int or float, and name is string",
  ]);
});

test("E5: a join gives the columns that it takes from its right side", () => {
  const joined = (params: object) =>
    problems((ctx) => {
      const left = ctx.fixedSource!();
      const right = ctx.fixedSource!().hydrate!({ endpoint, prefix: "user", keys: [Key.name] });
      return left.join!({ rhs: right, ...params }).sort!({ key: Key.name });
    }).map((problem) => problem.split(":")[0]);
  assert.deepEqual(joined({}), []);
  assert.deepEqual(joined({ kind: "left" }), []);
  assert.deepEqual(joined({ kind: "semi" }), ["key_not_available"]);
  assert.deepEqual(joined({ columns: [] }), ["key_not_available"]);
  assert.deepEqual(joined({ columns: { response: Key.name } }), ["key_not_available"]);
  assert.deepEqual(joined({ columns: [Key.age] }), ["key_not_available", "key_not_available"]);
  assert.deepEqual(joined({ rhsBy: Key.age }), ["key_not_available"]);
  assert.deepEqual(joined({ by: [] }), ["bad_value"]);
});

test("E9: a key of another type is refused where a number is read", () => {
  const found = problems((ctx) => ctx.viewer!({ endpoint }).diversify!({ score: Key.name, by: Key.age }));
  assert.deepEqual(found, [
    "wrong_key_type: diversify.score takes a key of type int or float, and name is string",
  ]);
});
