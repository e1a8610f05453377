// A plan can change everything that it gives out, including its own JSON. So nothing of it is used
// before its shape has been checked.
import type { DraftError, DraftNode, DraftPlan, DraftValue } from "../exchange/draft.ts";
import type { Expression } from "../exchange/expression.ts";
import type { Thrown } from "../sandbox/outcome.ts";

export type GuestResult = { plan: DraftPlan } | { errors: DraftError[] } | { thrown: Thrown };

/** Reads the text from the sandbox; gives undefined if it does not have the declared shape. */
export function readResult(text: string): GuestResult | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  if (isRecord(value["thrown"])) return isThrown(value["thrown"]) ? (value as never) : undefined;
  if (value["errors"] !== undefined) {
    const { errors } = value;
    return Array.isArray(errors) && errors.length > 0 && errors.every(isError)
      ? { errors } : undefined;
  }
  return isPlan(value["plan"]) ? { plan: value["plan"] } : undefined;
}

type Unknown = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isOptional(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || is(value);
}

function isListOf(value: unknown, is: (value: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function isThrown(value: Unknown): boolean {
  return isText(value["name"]) && isText(value["message"]) && isText(value["stack"]) &&
    isIndex(value["site"]);
}

function isError(value: unknown): value is DraftError {
  return isRecord(value) && isText(value["message"]) && isText(value["code"]) &&
    isIndex(value["site"]) && isOptional(value["hint"], isText) && isOptional(value["stack"], isText);
}

function isPlan(value: unknown): value is DraftPlan {
  if (!isRecord(value)) return false;
  const { name, version, site, nodes, outputs, output_keys, reserve_ms, fragments } = value;
  const isVersion = (version: unknown) => isText(version) || Number.isSafeInteger(version);
  if (!isText(name) || !isOptional(version, isVersion) || !isIndex(site) ||
      !isOptional(output_keys, (keys) => isListOf(keys, isText)) ||
      !isOptional(fragments, (uses) => isListOf(uses, isFragmentUse)) ||
      !isOptional(reserve_ms, Number.isFinite) || !isListOf(nodes, isNode)) {
    return false;
  }
  const drafts = nodes as DraftNode[];
  const isNodeIndex = (index: unknown) => isIndex(index) && index < drafts.length;
  return isListOf(outputs, isNodeIndex) && drafts.every((node, index) =>
    node.index === index &&
    node.inputs.every((input) => typeof input !== "number" || isNodeIndex(input)) &&
    Object.values(node.params).every((param) => !("node" in param) || isNodeIndex(param.node)));
}

function isNode(value: unknown): value is DraftNode {
  if (!isRecord(value)) return false;
  const { index, op, id, name, inputs, params, options, site, calls } = value;
  return isIndex(index) && isText(op) && isOptional(id, isText) && isOptional(name, isText) &&
    isListOf(inputs, isInput) && isRecord(params) && Object.values(params).every(isValue) &&
    isRecord(options) && isIndex(site) && isListOf(calls, isCall);
}

function isInput(value: unknown): boolean {
  if (isIndex(value)) return true;
  return isRecord(value) && (isText(value["request"]) || isListOf(value["ids"], Number.isSafeInteger));
}

function isFragmentUse(value: unknown): boolean {
  return isRecord(value) && isText(value["name"]) && isText(value["version"]) &&
    isListOf(value["versions"], isText);
}

function isCall(value: unknown): boolean {
  return isRecord(value) && isText(value["fragment"]) && isText(value["version"]) &&
    isIndex(value["site"]);
}

function isValue(value: unknown): value is DraftValue {
  if (!isRecord(value) || !isIndex(value["site"])) return false;
  if ("expression" in value) return isExpression(value["expression"]);
  return "node" in value ? isIndex(value["node"]) : "json" in value;
}

const OPERATORS = new Set(["or", "and", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"]);

function isExpression(value: unknown): value is Expression {
  if (!isRecord(value) || !isIndex(value["site"])) return false;
  const { kind, name, operand } = value;
  switch (kind) {
    case "key":
    case "param":
    case "request":
    case "viewer":
      return isText(name);
    case "literal":
      return isOptional(value["text"], isNumberText) && isScalar(value["value"]);
    case "binary":
      return OPERATORS.has(value["operator"] as string) && isExpression(value["left"]) &&
        isExpression(value["right"]);
    case "not":
    case "negate":
      return isExpression(operand);
    case "in":
      return isExpression(operand) && isListOf(value["items"], isExpression) &&
        typeof value["negated"] === "boolean";
    case "match":
      return isExpression(operand) && isText(value["source"]) && isText(value["flags"]);
    case "is_null":
      return isExpression(operand) && typeof value["negated"] === "boolean";
    case "call":
      return isText(name) && isListOf(value["operands"], isExpression);
    default:
      return false;
  }
}

function isNumberText(value: unknown): boolean {
  return isText(value) && /^-?[0-9.][0-9.eE+-]*$/.test(value);
}

function isScalar(value: unknown): boolean {
  return value === null || isText(value) || typeof value === "boolean" || Number.isFinite(value);
}
