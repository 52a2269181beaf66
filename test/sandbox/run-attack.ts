/**
 * Runs one procedure against a host in memory, in a process of its own: takes an `Attack` as JSON from standard input,
 * and writes an `AttackReport`: how the procedure ended, and what it cost this process.
 */
import { readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '../../src/contract/json/json.js';
import type { ToolCall } from '../../src/contract/models/model-call.js';
import type { Turn } from '../../src/lua-bridge/index.js';
import { answerOf, runFake, type Perform } from '../support/fake-host.js';
import type { Attack, AttackEnd, AttackReport } from './attack.js';

const attack = JSON.parse(readFileSync(0, 'utf8')) as Attack;
runFake('return 1'); // what any run needs is not the attack's doing
let turnMs = 0;
const before = { peak: peakKiB(), cpu: process.cpuUsage() };
const end = attempt();
const { user, system } = process.cpuUsage(before.cpu);
const report: AttackReport = {
  end,
  cpuMs: (user + system) / 1_000,
  turnMs,
  grownMiB: (peakKiB() - before.peak) / 1_024,
};
process.stdout.write(JSON.stringify(report));

function attempt(): AttackEnd {
  try {
    const { ended } = runFake(attack.source, {
      files: attack.files ?? {},
      limits: attack.limits ?? {},
      perform,
      turn: timed,
    });
    if (ended === null) return { kind: 'waiting' };
    if (ended.kind === 'completed') return { kind: 'completed', output: ended.output };
    return { kind: 'failed', code: ended.error.code, message: ended.error.message };
  } catch (error) {
    return {
      kind: 'crashed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}

function timed(program: { turn(): Turn }): Turn {
  const began = process.cpuUsage();
  const turn = program.turn();
  const { user, system } = process.cpuUsage(began);
  turnMs = Math.max(turnMs, (user + system) / 1_000);
  return turn;
}

/** A model that first calls every tool it was given, and three that nobody gave it. */
function perform(...[effect, request]: Parameters<Perform>): JsonValue {
  const answer = answerOf(effect, request);
  if (effect.kind !== 'model_call' || effect.call.tools.length === 0 || effect.call.messages.length > 1)
    return answer;
  const names = [...effect.call.tools.map(({ name }) => name), 'constructor', 'toString', '__proto__'];
  const toolCalls = names.map((name, i): ToolCall => ({ id: `call_${i}`, name, arguments: {} }));
  return { ...(answer as JsonObject), toolCalls: toolCalls as unknown as JsonValue };
}

/** Most memory that the process has held. `maxRSS` counts the parent's from before the start, on Linux. */
function peakKiB(): number {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  } catch {
    return process.resourceUsage().maxRSS;
  }
}
