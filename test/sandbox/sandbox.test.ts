import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/contract/json.js';
import type { Attack, AttackReport } from './attack.js';
import { generatedAttacks } from './generated-attacks.js';
import required from './outcomes.json' with { type: 'json' };

/** What an attack must come to: a run that no `pcall` could save, a plain Lua error, or a harmless value. */
interface Outcome {
  fails?: string;
  raises?: string;
  gives?: JsonValue;
  givesLike?: string;
}

/** Temporal kills a workflow task that blocks for longer. */
const mostCpuMs = 5_000;
const mostGrownMiB = 256;
/** A run must live with a small heap: that of a worker is shared by hundreds. */
const heap = ['--max-old-space-size=256', '--max-semi-space-size=8'];
/** Far more than any attack may take, for machines that do other things as well. */
const patienceMs = 90_000;

const folder = join(import.meta.dirname, 'attacks');
const outcomes = required as Record<string, Outcome>;
const attacks: Record<string, Attack> = { ...generatedAttacks };
for (const file of readdirSync(folder))
  attacks[file.replace(/\.lua$/, '')] = { source: readFileSync(join(folder, file), 'utf8') };

const scratch = mkdtempSync(join(tmpdir(), 'tactus-sandbox-'));
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
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it('has an outcome for every attack, and an attack for every outcome', () => {
  expect(Object.keys(outcomes).sort()).toEqual(Object.keys(attacks).sort());
});

describe.concurrent('attacks', () => {
  it.each(Object.keys(attacks).sort())('%s', { timeout: patienceMs + 5_000 }, async (name) => {
    const { end, cpuMs, grownMiB } = await report(attacks[name] as Attack);
    expect(end).toEqual(expectedEnd(outcomes[name] ?? {}));
    expect(cpuMs).toBeLessThan(mostCpuMs);
    expect(grownMiB).toBeLessThan(mostGrownMiB);
  });
});

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
