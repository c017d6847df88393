// Calls the check function of a module, and prints the verdict as the last line of standard output.
//
// The module exports a function, by default or as `check`, or an object with one. Its output goes to
// standard error, so that it cannot be mistaken for the verdict.

import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import { readFileSync, writeSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";

const STRIP_TYPES = "--experimental-strip-types";
const LONGEST_MESSAGE = 2000;
const SHAPE = "{ passed: true or false, message?: text }";

const [modulePath, contextPath] = process.argv.slice(2);
let hasAnswered = false;

function say(passed, message) {
  hasAnswered = true;
  const text = message === undefined ? undefined : String(message).slice(0, LONGEST_MESSAGE);
  // Another writer to standard output may have left a line open.
  let rest = Buffer.from(`\n${JSON.stringify({ passed, message: text })}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

function end(passed, message) {
  say(passed, message);
  process.exit(passed ? 0 : 1);
}

function fail(what, error) {
  console.error(error);
  end(false, `${what}: ${error?.message ?? error}`);
}

// Some versions of node strip types only with an option, and older ones cannot.
function seeThatTypesAreUnderstood() {
  const isNode = !("Bun" in globalThis) && !("Deno" in globalThis);
  const isTold = process.features.typescript || process.execArgv.includes(STRIP_TYPES);
  if (!isNode || isTold || !/\.[cm]?ts$/.test(modulePath)) return;
  if (!process.allowedNodeEnvironmentFlags.has(STRIP_TYPES)) {
    end(false, `node ${process.version} runs no TypeScript; it takes node 22.6 or later, bun or deno`);
  }
  const args = [STRIP_TYPES, "--disable-warning=ExperimentalWarning", ...process.argv.slice(1)];
  const again = spawnSync(process.execPath, args, { stdio: "inherit" });
  if (again.error) fail("node cannot be started again", again.error);
  if (again.signal) process.kill(process.pid, again.signal);
  process.exit(again.status ?? 1);
}

function keepOutputApart() {
  console.log = console.info = console.debug = console.error;
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

function checker(exported) {
  const outer = exported.default;
  // A module that was compiled for `require` has its default export one level deeper.
  const given = (outer?.__esModule && outer.default) || outer;
  if (typeof given === "function") return { name: exported.name, check: given };
  return [given, exported].find((candidate) => typeof candidate?.check === "function");
}

function shown(value) {
  const text = typeof value === "function" ? "a function" : (JSON.stringify(value) ?? String(value));
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

async function run() {
  const context = JSON.parse(readFileSync(contextPath, "utf8"));
  let exported;
  try {
    exported = await import(pathToFileURL(modulePath).href);
  } catch (error) {
    const isOldSyntax = error instanceof SyntaxError && /'export'|import statement/.test(error.message);
    fail(isOldSyntax ? "it is no ES module (call it .mjs)" : "it cannot be loaded", error);
  }
  const found = checker(exported);
  if (found === undefined) {
    end(false, "it exports no check: a function, by default or called `check`, or an object with one");
  }
  let result;
  try {
    result = await found.check(context);
  } catch (error) {
    fail("its check failed", error);
  }
  if (typeof result?.passed !== "boolean") {
    end(false, `its check returned ${shown(result)}, which is not ${SHAPE}`);
  }
  const message = result.message ?? (result.passed ? undefined : "did not pass");
  const isNamed = typeof found.name === "string" && found.name !== "" && message !== undefined;
  end(result.passed, isNamed ? `${found.name}: ${message}` : message);
}

seeThatTypesAreUnderstood();
keepOutputApart();
process.on("uncaughtException", (error) => fail("it failed", error));
process.on("exit", () => {
  if (!hasAnswered) {
    say(false, "it ended before its check had answered");
    process.exitCode = 1;
  }
});
await run();
