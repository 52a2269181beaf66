import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/contract/json/json.js';
import { defaultLimits, type Limits } from '../../src/contract/runs/limits.js';
import type { Attack, AttackReport } from './attack.js';
import { generatedAttacks } from './generated-attacks.js';
import { sampled } from '../support/sampled.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** What an attack must come to: a run that no `pcall` could save, a plain Lua error, or a harmless value. */
interface Outcome {
  fails?: string;
  raises?: string;
  gives?: JsonValue;
  givesLike?: string;
  /** Where the attack needs the whole of the budgets to come to its end. */
  wholeBudget?: true;
}

/** Temporal kills a workflow task that blocks for 5 s. */
const mostCpuMs = 5_000;
/** A turn is one slice at most, and a call that can't be interrupted: far from what ends a workflow task. */
const mostTurnMs = 3_500;
/** Attacks get this share of the default budgets and of the time, so that they don't take minutes. */
const usualShare = 1 / 4;
/** For compiling what an attack runs through. */
const coldStartMs = 750;
const mostGrownMiB = 256;
/** A run must live with a small heap: that of a worker is shared by hundreds. */
const heap = ['--max-old-space-size=256', '--max-semi-space-size=8'];
/** Far more than any attack may take, for machines that do other things as well. */
const patienceMs = 90_000;
/** What takes too long is run again: a machine that does other things only ever adds to the time of an attack. */
const mostTries = 4;

const folder = join(import.meta.dirname, 'attacks');
const outcomes = JSON.parse(readFileSync(join(import.meta.dirname, 'outcomes.json'), 'utf8')) as Record<
  string,
  Outcome
>;
const attacks: Record<string, Attack> = { ...generatedAttacks };
for (const file of readdirSync(folder))
  attacks[file.replace(/\.lua$/, '')] = { source: readFileSync(join(folder, file), 'utf8') };

let worst = { name: '', turnMs: 0 };
afterAll(() => console.log(`longest turn: ${Math.round(worst.turnMs)} ms, of ${worst.name}`));

const scratch = temporaryFolder('sandbox');
const runner = join(scratch, 'run-attack.mjs');

beforeAll(() =>
  build({
    entryPoints: [join(import.meta.dirname, 'run-attack.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: runner,
  }),
);

it('has an outcome for every attack, and an attack for every outcome', () => {
  expect(Object.keys(outcomes).sort()).toEqual(Object.keys(attacks).sort());
});

describe.concurrent('attacks', () => {
  it.each(sampled(Object.keys(attacks).sort(), 3))(
    '%s',
    { timeout: mostTries * patienceMs + 5_000 },
    async (name) => {
      const outcome = outcomes[name] ?? {};
      const share = outcome.wholeBudget === true ? 1 : usualShare;
      const attack = { ...(attacks[name] as Attack), limits: limitsOf(share) };
      const least = { cpuMs: Infinity, turnMs: Infinity };
      const mostAllMs = mostCpuMs * share + coldStartMs;
      for (
        let tries = 0;
        tries < mostTries && (least.turnMs >= mostTurnMs || least.cpuMs >= mostAllMs);
        tries++
      ) {
        const { end, cpuMs, turnMs, grownMiB } = await report(attack);
        expect(end).toEqual(expectedEnd(outcome));
        expect(grownMiB).toBeLessThan(mostGrownMiB);
        least.cpuMs = Math.min(least.cpuMs, cpuMs);
        least.turnMs = Math.min(least.turnMs, turnMs);
      }
      if (least.turnMs > worst.turnMs) worst = { name, turnMs: least.turnMs };
      expect(least.turnMs).toBeLessThan(mostTurnMs);
      expect(least.cpuMs).toBeLessThan(mostAllMs);
    },
  );
});

function limitsOf(share: number): Partial<Limits> {
  return {
    idleInstructions: defaultLimits.idleInstructions * share,
    overdraftInstructions: defaultLimits.overdraftInstructions * share,
  };
}

function expectedEnd({ fails, raises, gives, givesLike }: Outcome): unknown {
  if (fails !== undefined) return { kind: 'failed', code: fails, message: expect.any(String) as unknown };
  if (raises !== undefined)
    return { kind: 'failed', code: 'lua_error', message: expect.stringContaining(raises) as unknown };
  return {
    kind: 'completed',
    output: givesLike === undefined ? gives : (expect.stringMatching(new RegExp(givesLike)) as unknown),
  };
}

/** Runs the attack in a process of its own, so that one that hangs or eats the memory harms nothing else. */
function report(attack: Attack): Promise<AttackReport> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...heap, runner], { timeout: patienceMs, killSignal: 'SIGKILL' });
    let text = '';
    let complaint = '';
    child.stdout.on('data', (chunk) => (text += String(chunk)));
    child.stderr.on('data', (chunk) => (complaint += String(chunk)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve(JSON.parse(text) as AttackReport);
      else reject(new Error(`the process ended by ${signal ?? code}: ${complaint.slice(-500)}`));
    });
    child.stdin.end(JSON.stringify(attack));
  });
}
