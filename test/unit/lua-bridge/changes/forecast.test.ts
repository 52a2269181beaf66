import { describe, expect, it } from 'vitest';
import type { ProofResult } from '../../../../src/contract/changes/proof.js';
import type { Checkpoint } from '../../../../src/contract/checkpoints/checkpoint.js';
import { fork } from '../../../../src/log/pack.js';
import { procedure as P, prove, record, type Recorded } from './proof.fixture.js';

const text = ({ again }: ProofResult): string[] =>
  again.map(
    ({ position, type, effect, repeats }) => `${position} ${type} ${effect}${repeats ? ' again' : ''}`,
  );

/** What another run is told that goes its own way from a position on. */
function from(at: string, { log }: Recorded, [before, after = before]: string[], set?: boolean): string[] {
  const answer = { value: set ?? null, timed_out: false, by: null, comment: null };
  const kept = fork(log, at, set === undefined ? undefined : answer) as Checkpoint[];
  return text(prove(before ?? '', after ?? '', { log, open: [] }, { kept }));
}

const source = P(
  `    File.append("log.txt", "begun")
    local page = http_client.get("http://a.example/x").body
    local ok = Human.approve("Go?")
    if ok then http_client.post("http://a.example/pay", { body = page }) else File.write("no.txt", "no") end
    Sleep(1)
    return W("Why?").output`,
  'W = Agent { model = "openai/gpt-5-mini", system_prompt = "s" }',
);
const run = record(source, { people: [true] });

describe('what is asked for again', () => {
  it('is answered by what the run was answered, up to its end', () => {
    expect(from('0', run, [source])).toEqual([
      '0 file once again',
      '1 http pure',
      '2 hitl_approval human',
      '3 http once again',
      '4 sleep pure',
      '5.0 model_call model',
    ]);
    expect(from('4', run, [source])).toEqual(['4 sleep pure', '5.0 model_call model']);
  });

  it('follows what is set instead, and ends where nobody knows the answer', () => {
    expect(from('2', run, [source], false)).toEqual(['3 file idempotent']);
    expect(from('2', run, [source], true)).toEqual([
      '3 http once again',
      '4 sleep pure',
      '5.0 model_call model',
    ]);
  });

  it('repeats what may be done once alone where it has moved, and not where it is another thing', () => {
    const moved = source.replace('    if ok', '    Sleep(2)\n    if ok');
    expect(from('2', run, [source, moved])).toEqual(['2 hitl_approval human', '3 sleep pure']);
    const sooner = source.replace(
      '    local ok',
      '    http_client.post("http://a.example/pay", { body = page })\n    local ok',
    );
    expect(from('2', run, [source, sooner])).toEqual(['2 http once again']);
    const other = sooner.replace(
      'http_client.post("http://a.example/pay", { body = page })\n',
      'http_client.post("http://a.example/pay", { body = "other" })\n',
    );
    expect(from('2', run, [source, other])).toEqual(['2 http once']);
  });

  it('does not repeat what was refused before it began', () => {
    const { log } = run;
    const refused = log.map((each) =>
      each.position === '3'
        ? { ...each, outcome: { ok: false, code: 'egress_denied', message: 'no' } as const }
        : each,
    );
    expect(from('2', { log: refused, open: [] }, [source])).toEqual(['2 hitl_approval human', '3 http once']);
  });

  it('repeats what was under way without an answer, where nobody waits for it any more', () => {
    const log = run.log.filter(({ position }) => Number(position) < 3);
    const again = (isGivenUp: boolean) => text(prove(source, source, { log, open: [] }, { isGivenUp }));
    expect(again(true)).toEqual(['3 http once again']);
    expect(again(false)).toEqual(['3 http once']);
  });

  it('is all of the branches', () => {
    const branches = P(
      `    Parallel { function() File.append("a", "1") end, function() File.read("b") Human.approve("Go?") end }`,
    );
    const recorded = record(branches, { people: [true] });
    expect(from('0.0.0', recorded, [branches]).sort()).toEqual([
      '0.0.0 file once again',
      '0.1.0 file pure',
      '0.1.1 hitl_approval human',
    ]);
  });
});
