// The options that every node has in addition to the params of its task, by the artifact's names.
import type { Site } from "../exchange/site.ts";
import { report } from "./build.ts";
import { kindOf, nodeOf, plain } from "./param_values.ts";

const HOUR_MS = 3_600_000;
const ROW_ERRORS: readonly unknown[] = ["null", "drop", "fail"];
const PRIORITIES: readonly unknown[] = ["high", "normal", "low", "background"];

type Given = Readonly<Record<string, unknown>>;
type Options = Record<string, unknown>;

/** Reads the options in an argument of a builder; the other properties belong to the task. */
export function readOptions(given: Given, what: string, siteOf: (name: string) => Site): Options {
  const options: Options = {};
  const wrong = (name: string, expected: string): void => {
    const value = given[name];
    report(
      value === undefined ? "undefined_value" : "wrong_type",
      `${what}.${name}: expected ${expected}, found ${kindOf(value)}`,
      siteOf(name),
    );
  };
  const choice = (name: string, field: string, words: readonly unknown[]): void => {
    if (!(name in given)) return;
    if (words.includes(given[name])) options[field] = given[name];
    else if (typeof given[name] !== "string") {
      wrong(name, "a string");
    } else {
      report(
        "bad_value",
        `Unknown ${what}.${name}: ${String(given[name])}`,
        siteOf(name),
        `one of ${words.join(", ")}`,
      );
    }
  };
  if ("timeoutMs" in given) {
    const value = plain(given.timeoutMs);
    if (typeof value !== "number") wrong("timeoutMs", "a number");
    else if (isWhole(value, 1)) {
      options.timeout_ms = value;
    } else {
      report(
        "bad_timeout",
        `${what}.timeoutMs is not a duration: ${value}`,
        siteOf("timeoutMs"),
        "a whole number of milliseconds from 1 to one hour",
      );
    }
  }
  if ("onFailure" in given) {
    const value = readFallback(given.onFailure, what, siteOf("onFailure"));
    if (value !== undefined) options.on_failure = value;
  }
  choice("onRowError", "on_row_error", ROW_ERRORS);
  choice("priority", "priority", PRIORITIES);
  if ("scheduling" in given) {
    const value = readScheduling(given.scheduling, what, siteOf("scheduling"));
    if (value !== undefined) options.scheduling = value;
  }
  if ("trace" in given) {
    if (typeof given.trace === "boolean") options.trace = given.trace;
    else wrong("trace", "a bool");
  }
  return options;
}

function isWhole(value: number, least: number): boolean {
  return Number.isInteger(value) && value >= least && value <= HOUR_MS;
}

/** `{use: "node", node}` keeps the node's index; the host replaces it by the id. */
function readFallback(value: unknown, what: string, site: Site): unknown {
  if (value === "fail") return value;
  const hint = '"fail", { use: "empty" }, { use: "input" } or { use: "node", node: rows }';
  if (typeof value !== "object" || value === null) {
    return void report("bad_value", `${what}.onFailure: not a fallback`, site, hint);
  }
  const { use, node, ...rest } = value as { use?: unknown; node?: unknown };
  for (const name of Object.keys(rest)) {
    report("unknown_field", `${what}.onFailure: unknown field: ${name}`, site);
  }
  if (use === "empty" || use === "input") {
    if (!("node" in value)) return { use };
    return void report("unknown_field", `${what}.onFailure: only { use: "node" } names one`, site);
  }
  const target = nodeOf(node);
  if (use === "node" && target !== undefined) return { use, node: target.index };
  return void report("bad_value", `${what}.onFailure: not a fallback`, site, hint);
}

function readScheduling(value: unknown, what: string, site: Site): unknown {
  if (typeof value !== "object" || value === null) {
    return void report("wrong_type", `${what}.scheduling: expected an object`, site);
  }
  const { inline, costEstimateUs, ...rest } = value as Given;
  for (const name of Object.keys(rest)) {
    report("unknown_field", `${what}.scheduling: unknown field: ${name}`, site);
  }
  const hints: Options = {};
  if ("inline" in value) {
    if (typeof inline === "boolean") {
      hints.inline = inline;
    } else {
      report(
        "wrong_type",
        `${what}.scheduling.inline: expected a bool, found ${kindOf(inline)}`,
        site,
      );
    }
  }
  if ("costEstimateUs" in value) {
    const cost = plain(costEstimateUs);
    if (typeof cost === "number" && Number.isInteger(cost) && cost >= 0 && cost <= HOUR_MS * 1000) {
      hints.cost_estimate_us = cost;
    } else {
      report(
        "bad_cost",
        `${what}.scheduling.costEstimateUs: not a whole number of microseconds up to one hour`,
        site,
      );
    }
  }
  return hints;
}
