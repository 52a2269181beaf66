import { describe, expect, it } from 'vitest';
import { holds, inShort, procedure as P, prove, proved, record, wait } from './proof.fixture.js';

const recorded = P(`    checkpoint()\n    File.write("a", "b")\n    Sleep(1)\n${wait}`);
const edited = (from: string, to: string): string => recorded.replace(from, to);
const reworded = edited('"Go?"', '"Shall we go?"');
const gone = edited('local ok = Human.approve("Go?")', 'local ok = true');
const longer = edited('    local ok =', '    File.write("more", "x")\n    local ok =');
const byMia = edited('Human.approve("Go?")', 'Human.approve { message = "Go?", approvers = { "mia" } }');
const oneHour = edited('Human.approve("Go?")', 'Human.approve { message = "Go?", timeout = "1h" }');

describe('an edit of a request that is open is a divergence', () => {
  holds([
    ['nothing of it', recorded, recorded.replace('{ ok = ok }', '{ ok = ok, more = 1 }'), 'fits'],
    ['its message', recorded, reworded, 'diverges at 3, line 8'],
    ['its kind', recorded, edited('Human.approve("Go?")', 'Human.input("Go?")'), 'diverges at 3, line 8'],
    ['its approvers', recorded, byMia, 'diverges at 3, line 8'],
    ['its timeout', recorded, oneHour, 'diverges at 3, line 8'],
    ['it is gone', recorded, gone, 'diverges at 3, no line'],
    ['something is asked before it', recorded, longer, 'diverges at 3, line 8'],
    [
      'a turn of an agent stands before it',
      `W = Agent { model = "openai/x", system_prompt = "s" } ${recorded}`,
      `W = Agent { model = "openai/x", system_prompt = "s" } ${edited('    local ok =', '    W("m")\n    local ok =')}`,
      'diverges at 3, line 8',
    ],
  ]);

  it.each([
    ['its message', reworded, 'fits, 3 asked_anew'],
    ['its approvers', byMia, 'fits, 3 asked_anew'],
    ['its timeout', oneHour, 'fits, 3 asked_anew'],
    ['it is gone', gone, 'fits, 3 gone'],
    ['something is asked before it', longer, 'fits, 3 gone'],
  ])('unless it may be asked anew: %s', (_, after, said) => {
    expect(inShort(prove(recorded, after, record(recorded), { mayAskAnew: true }))).toBe(said);
  });

  it('says that one is kept', () => {
    expect(proved(recorded, recorded).open).toEqual({ '3': 'kept' });
  });

  it('where another run begins with the log, nothing is open', () => {
    const { log } = record(recorded);
    expect(inShort(prove(recorded, reworded, { log, open: [] }))).toBe('fits');
    expect(inShort(prove(recorded, gone, { log, open: [] }))).toBe('fits');
  });
});

describe('frames that are open while the run waits are compared', () => {
  const step = (name: string): string =>
    P(`    step("${name}", function() File.write("a", "b") checkpoint() Human.approve("Go?") end)`);
  const waits = (name: string): string =>
    P(`    step("${name}", function()\n      Human.approve("Go?") end)`);
  const sub = (n: number, name = 's', body = 'checkpoint() File.write("a", "b")'): string =>
    P(
      `    return Procedure("${name}")({ n = ${n} })`,
      `Procedure "${name}" { input = { n = field.integer {} }, function(i) ${body} Human.approve("Go?") return { n = i.n } end }`,
    );
  const branches = (more: string): string =>
    P(
      `    Parallel { function() File.write("a", "b") Human.approve("Go?") end, function() Sleep(1) end${more} }`,
    );
  holds([
    ['a step, by its name', step('a'), step('b'), 'diverges at 0, line 5'],
    ['a step in which nothing is recorded', waits('a'), waits('b'), 'diverges at 0, line 5'],
    ['a procedure, by its input', sub(1), sub(2), 'diverges at 0, line 5'],
    ['a procedure, by its name', sub(1), sub(1, 't'), 'diverges at 0, line 5'],
    ['a procedure in which nothing is recorded', sub(1, 's', ''), sub(2, 's', ''), 'diverges at 0, line 5'],
    ['one more branch', branches(''), branches(', function() Sleep(3) end'), 'fits'],
    [
      'a branch that has ended is gone',
      branches(''),
      branches('').replace(', function() Sleep(1) end', ''),
      'diverges at 0.1.0, no line',
    ],
    [
      'no step any more',
      step('a'),
      P('    File.write("a", "b") checkpoint() Human.approve("Go?")'),
      'diverges at 0, line 5',
    ],
  ]);

  it('the frame stands there, with what the new source has in its place', () => {
    expect(proved(step('a'), step('b')).diverges).toMatchObject({
      expected: { position: '0', type: 'step', name: 'a' },
      found: { position: '0', type: 'step', name: 'b' },
      file: 'main.tac',
    });
  });

  it('where another run begins with the log, a frame in which nothing is recorded is not', () => {
    const { log } = record(waits('a'));
    expect(inShort(prove(waits('a'), waits('b'), { log, open: [] }))).toBe('fits');
  });
});
