import { didYouMean } from "../extract/names.ts";

export class UsageError extends Error {}

/** The last line of every help. */
export const EXIT_CODES = "Exit code: 0 fine, 1 problems, 2 wrong usage.";

/** The words and flags of a command, with the texts of its help. */
export interface CommandHelp {
  readonly usage: string;
  readonly about: string;
  readonly flags: Readonly<Record<string, FlagHelp>>;
}

export interface FlagHelp {
  /** The name of the value in help; missing for a flag without a value. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** May be given several times; `lists` has all of its values. */
  readonly repeats?: boolean;
  readonly about: string;
}

export interface Arguments {
  readonly words: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  /** Values of the flags that may be repeated, in the order given. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
}

/** Reads the arguments of one command: `--name value`, `--name=value`, `--name`, words. */
export function readArguments(given: readonly string[], help: CommandHelp): Arguments {
  const words: string[] = [];
  const flags = new Map<string, string>();
  const lists = new Map<string, string[]>();
  for (let index = 0; index < given.length; ++index) {
    const argument = given[index]!;
    if (argument === "--") {
      words.push(...given.slice(index + 1));
      break;
    }
    if (!argument.startsWith("--")) {
      if (argument.startsWith("-") && argument !== "-") throw new UsageError(`unknown option ${argument}`);
      words.push(argument);
      continue;
    }
    const [name, ...rest] = argument.slice(2).split("=");
    const flag = Object.hasOwn(help.flags, name!) ? help.flags[name!] : undefined;
    if (flag === undefined) {
      const near = didYouMean(name!, Object.keys(help.flags))?.replace("`", "`--");
      throw new UsageError(`unknown option --${name}${near ? `; ${near}` : ""}`);
    }
    let value = rest.length > 0 ? rest.join("=") : undefined;
    if (flag.value === undefined) {
      if (value !== undefined) throw new UsageError(`--${name} takes no value`);
      value = "";
    } else {
      value ??= given[++index];
      if (value === undefined) throw new UsageError(`--${name} needs a value: ${flag.value}`);
    }
    if (flag.choices && !flag.choices.includes(value)) {
      throw new UsageError(`--${name} is one of ${flag.choices.join(", ")}, not '${value}'`);
    }
    flags.set(name!, value);
    if (flag.repeats) lists.set(name!, [...(lists.get(name!) ?? []), value]);
  }
  return { words, flags, lists };
}

export function helpText(help: CommandHelp): string {
  const rows = Object.entries(help.flags).map(([name, { value, about }]) =>
    [`--${name}${value ? ` ${value}` : ""}`, about] as const);
  const width = Math.max(20, ...rows.map(([left]) => left.length)) + 2;
  const flags = rows.map(([left, about]) => `  ${left.padEnd(width)}${about}\n`);
  return `Usage: ${help.usage}\n\n${help.about}\n${flags.length > 0 ? `\n${flags.join("")}` : ""}\n${EXIT_CODES}\n`;
}
