// dslc: the compiler of plans.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../dist_folder.ts";
import { didYouMean } from "../extract/names.ts";
import { EXIT_CODES, helpText, readArguments, UsageError, type Arguments, type CommandHelp } from "./arguments.ts";
import { CODEGEN_HELP, runCodegen } from "./codegen_command.ts";
import { BUILD_HELP, CHECK_HELP, runBuild, runCheck } from "./build_command.ts";
import { INIT_HELP, runInit } from "./init_command.ts";
import { printable } from "./report.ts";
import { runWatch, WATCH_HELP } from "./watch_command.ts";

interface Command {
  readonly help: CommandHelp;
  /** Gives the exit code. */
  readonly run: (given: Arguments) => Promise<number>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  build: { help: BUILD_HELP, run: runBuild },
  check: { help: CHECK_HELP, run: runCheck },
  watch: { help: WATCH_HELP, run: runWatch },
  init: { help: INIT_HELP, run: runInit },
  codegen: { help: CODEGEN_HELP, run: runCodegen },
};

function overview(): string {
  const lines = Object.entries(COMMANDS).map(([name, { help }]) =>
    `  ${name.padEnd(10)}${help.about.split("\n")[0]}\n`);
  return `dslc compiles ranking plans: NAME.plan.ts becomes NAME.plan.json, which rankd runs.\n\n` +
    `Usage: dslc COMMAND [arguments]\n\n${lines.join("")}\n` +
    `\`dslc COMMAND --help\` says more. ${EXIT_CODES}\n`;
}

async function main(given: readonly string[]): Promise<number> {
  const [name, ...rest] = given;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    process.stdout.write(overview());
    return name === undefined ? 2 : 0;
  }
  if (name === "--version") {
    const text = readFileSync(join(packageFolder(), "package.json"), "utf8");
    process.stdout.write(`dslc ${(JSON.parse(text) as { version: string }).version}\n`);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const near = didYouMean(name, Object.keys(COMMANDS));
    throw new UsageError(`unknown command '${name}'${near ? `; ${near}` : ""}`);
  }
  if (rest.includes("--help") || rest.includes("-h")) {
    process.stdout.write(helpText(command.help));
    return 0;
  }
  return command.run(readArguments(rest, command.help));
}

main(process.argv.slice(2)).then(
  // Does not wait for the compiler's thread and processes, which end with this process.
  (code) => process.exit(code),
  (error: unknown) => {
    const usage = error instanceof UsageError;
    process.stderr.write(`dslc: ${printable(error instanceof Error ? error.message : String(error))}\n`);
    if (usage) process.stderr.write("`dslc help` shows the commands.\n");
    process.exit(usage ? 2 : 1);
  },
);
