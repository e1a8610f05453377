// Runs DuckDB and Polars on the benchmark's data: in memory, on one thread, with statements
// prepared and queries built once. Reads one order per line and answers each with one line; see
// rival_process.h.
import { createInterface } from "node:readline";
import { DuckDBInstance } from "@duckdb/node-api";
import pl from "nodejs-polars";

const folder = process.argv[2];
const WEIGHT_A = 0.7;
const WEIGHT_B = 0.2;
const WEIGHT_AGE = 0.1;
const THRESHOLD = 0.4;
const TOP_COUNT = 50;
const TAG_PATTERN = "(news|sport)-[0-9]*[02468]$";

const file = (name, rows) => `${folder}/${name}_${rows}.csv`;
const isRegex = (name) => name === "regex" || name.startsWith("regex_");
const sum = (values) => values.reduce((total, value) => total + Number(value), 0);
const summary = (ids, values) => [ids.length, sum(ids), Math.round(sum(values) * 1e6)];

// --- DuckDB ----------------------------------------------------------------------------------

const duckdbTypes = {
  pipeline: "{'id':'BIGINT','a':'DOUBLE','b':'DOUBLE','age':'DOUBLE','score':'DOUBLE'}",
  tagged: "{'id':'BIGINT','author':'BIGINT','weight':'DOUBLE','tag':'VARCHAR'}",
};
let duckdb;

async function duckdbTable(name, rows, types) {
  duckdb ??= await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  const table = `${name}_${rows}`;
  await duckdb.run(`CREATE TABLE IF NOT EXISTS ${table} AS SELECT * FROM
    read_csv('${file(name, rows)}', header = true, columns = ${duckdbTypes[types]})`);
  return table;
}

async function duckdbQuery(name, rows) {
  if (["pipeline", "score", "filter", "top"].includes(name)) {
    const table = await duckdbTable("pipeline", rows, "pipeline");
    const score = `a * ${WEIGHT_A}::DOUBLE + b * ${WEIGHT_B}::DOUBLE - age * ${WEIGHT_AGE}::DOUBLE`;
    const order = `ORDER BY score DESC LIMIT ${TOP_COUNT}`;
    return {
      pipeline: `SELECT id, s AS score FROM (SELECT id, ${score} AS s FROM ${table})
                 WHERE s >= ${THRESHOLD}::DOUBLE ${order}`,
      score: `SELECT id, ${score} AS score FROM ${table}`,
      filter: `SELECT id, score FROM ${table} WHERE score >= ${THRESHOLD}::DOUBLE`,
      top: `SELECT id, score FROM ${table} ${order}`,
    }[name];
  }
  if (name === "concat") {
    const left = await duckdbTable("concat_left", rows, "tagged");
    const right = await duckdbTable("concat_right", rows, "tagged");
    return `SELECT * FROM ${left} UNION ALL SELECT * FROM ${right}`;
  }
  if (name === "dedupe") {
    const table = await duckdbTable("dedupe", rows, "tagged");
    return `SELECT DISTINCT ON (author) * FROM ${table} ORDER BY author, id`;
  }
  if (name === "join") {
    const left = await duckdbTable("join_left", rows, "tagged");
    const right = await duckdbTable("join_right", rows, "tagged");
    return `SELECT l.*, r.id AS author_id, r.weight AS author_weight, r.tag AS author_tag
            FROM ${left} l JOIN ${right} r ON l.author = r.author`;
  }
  const table = await duckdbTable(name, rows, "tagged");
  return `SELECT * FROM ${table} WHERE regexp_matches(tag, '${TAG_PATTERN}')`;
}

async function makeDuckdb(name, rows) {
  const statement = await duckdb_prepare(await duckdbQuery(name, rows));
  return {
    run: () => statement.run(),
    columns: async () => {
      const reader = await statement.runAndReadAll();
      const values = reader.getColumnsJS();
      return Object.fromEntries(reader.columnNames().map((column, i) => [column, values[i]]));
    },
  };
}

const duckdb_prepare = (sql) => duckdb.prepare(sql);

// --- Polars ----------------------------------------------------------------------------------

const polarsFrames = new Map();

function polarsFrame(name, rows) {
  const path = file(name, rows);
  if (!polarsFrames.has(path)) polarsFrames.set(path, pl.readCSV(path));
  return polarsFrames.get(path).lazy();
}

function polarsQuery(name, rows) {
  const frame = (table) => polarsFrame(table, rows);
  const score = pl.col("a").mul(WEIGHT_A).add(pl.col("b").mul(WEIGHT_B)).sub(pl.col("age").mul(WEIGHT_AGE));
  const input = () => frame("pipeline").select("id", "a", "b", "age");
  const scored = () => frame("pipeline").select("id", "score");
  const atLeast = pl.col("score").gtEq(THRESHOLD);
  if (name === "pipeline") {
    return input().select(pl.col("id"), score.alias("score")).filter(atLeast).sort("score", true).limit(TOP_COUNT);
  }
  if (name === "score") return input().select(pl.col("id"), score.alias("score"));
  if (name === "filter") return scored().filter(atLeast);
  if (name === "top") return scored().sort("score", true).limit(TOP_COUNT);
  if (name === "concat") return pl.concat([frame("concat_left"), frame("concat_right")], { how: "vertical" });
  if (name === "dedupe") return frame("dedupe").unique("author", "first", true);
  if (name === "join") {
    const right = frame("join_right").rename({ id: "author_id", weight: "author_weight", tag: "author_tag" });
    return frame("join_left").join(right, { on: "author", how: "inner" });
  }
  return frame(name).filter(pl.col("tag").str.contains(TAG_PATTERN));
}

function makePolars(name, rows) {
  const query = polarsQuery(name, rows);
  return {
    run: () => query.collectSync(),
    columns: async () => {
      const result = query.collectSync();
      return Object.fromEntries(result.columns.map((column) => [column, result.getColumn(column).toArray()]));
    },
  };
}

// --- orders ----------------------------------------------------------------------------------

const makers = { duckdb: makeDuckdb, polars: makePolars };
const contestants = new Map();

async function contestant(engine, name, rows) {
  const key = `${engine} ${name} ${rows}`;
  if (!contestants.has(key)) contestants.set(key, await makers[engine](name, Number(rows)));
  return contestants.get(key);
}

async function answer(engine, name, rows) {
  const columns = await (await contestant(engine, name, rows)).columns();
  if (name === "pipeline" || name === "top") return columns.id.map(Number);
  if (name === "filter") return [columns.id.length, sum(columns.id)];
  if (name === "score") return columns.score.slice(0, 10);
  return summary(columns.id, columns[name === "join" ? "author_weight" : "weight"]);
}

// The median over single runs, in nanoseconds.
async function sample(engine, name, rows, milliseconds) {
  const subject = await contestant(engine, name, rows);
  const times = [];
  const end = process.hrtime.bigint() + BigInt(Math.round(milliseconds * 1e6));
  do {
    const start = process.hrtime.bigint();
    const result = subject.run();
    if (result instanceof Promise) await result;
    times.push(Number(process.hrtime.bigint() - start));
  } while (process.hrtime.bigint() < end);
  times.sort((left, right) => left - right);
  return [times[times.length >> 1]];
}

const orders = { answer, sample };

for await (const line of createInterface({ input: process.stdin })) {
  const [verb, ...parts] = line.split(" ");
  try {
    console.log((await orders[verb](...parts)).join(" "));
  } catch (error) {
    console.log(`error ${String(error.message).replaceAll("\n", " ")}`);
  }
}
