import { describe, expect, it } from 'vitest';
import { answerInOrder } from '../../../support/answer-in-order.js';
import { fakeProgram, outputOf, runFake, runStart, type FakeOptions } from '../../../support/fake-host.js';

const trip = (end: string): string => `local ok, err = pcall(Saga, "trip", function(saga)
    for _, what in ipairs { "flight", "hotel", "car" } do
      saga.add_compensation("cancel " .. what, function() File.write("c", what) end)
      File.read(what)
    end
    ${end}
    return "booked"
  end)
  Sleep(1)
  return { ok, err }`;

const namesOf = (source: string, options: FakeOptions = {}): string[] =>
  runFake(source, options).program.log.entries.map(
    ({ position, name, outcome }) => `${position} ${name}${outcome.ok ? '' : '!'}`,
  );

/** Answers what is asked until the program ends or has nothing to ask for; gives the positions and names of the log. */
function cancelledAfter(source: string, effects: number) {
  const program = fakeProgram(source);
  let turn = program.turn();
  let cancels = false;
  const cancelled: string[] = [];
  for (let i = 0; turn.kind === 'blocked'; i++) {
    cancelled.push(...turn.cancelled);
    if (i === effects) {
      cancels = program.cancel(runStart + 60_000);
      if (!cancels) break;
      turn = program.turn();
      continue;
    }
    const [request] = program.pending;
    if (request === undefined) break;
    program.settle(request.position, { ok: true, value: null }, runStart + i);
    turn = program.turn();
  }
  return {
    program,
    turn,
    cancels,
    cancelled,
    log: program.log.entries.map(({ position, name }) => `${position} ${name}`),
  };
}

describe('a saga', () => {
  it('that fails compensates in reverse order, each in a frame with its name, and raises its error', () => {
    expect(outputOf(trip('error("no seats", 0)'))).toEqual([false, 'no seats']);
    expect(namesOf(trip('error("no seats", 0)'))).toEqual(
      [
        ...['0.0 read flight', '0.1 read hotel', '0.2 read car'],
        ...[
          '0.3.0 write c',
          '0.3 cancel car',
          '0.4.0 write c',
          '0.4 cancel hotel',
          '0.5.0 write c',
          '0.5 cancel flight',
        ],
        ...['0 trip!', '1 sleep'],
      ].map((line) => (line === '1 sleep' ? (expect.stringMatching(/^1 /) as string) : line)),
    );
  });

  it('that ends well compensates nothing, and gives all that its function gives', () => {
    expect(outputOf(trip(''))).toEqual([true, 'booked']);
    expect(namesOf(trip('')).filter((line) => line.includes('cancel'))).toEqual([]);
    expect(outputOf('local a, b = Saga("s", function() return 1, 2 end) return { a, b }')).toEqual([1, 2]);
  });

  it('tells what failed among the compensations, runs the others, and keeps the code', () => {
    const source = `local ok, err = pcall(Saga, "s", function(saga)
      saga:add_compensation("first", function() File.write("a", "1") end)
      saga:add_compensation("second", function() error("broken", 0) end)
      File.read("gone")
    end) return { Error.code(err), err }`;
    const { turn, log, program } = answerInOrder(source, ['0.0!no file', '0.2.0']);
    expect(turn).toMatchObject({ output: ['tool_failed', "no file; failed after it: 'second': broken"] });
    expect(log).toEqual(['0.0!', '0.1!', '0.2.0', '0.2', '0!']);
    expect(program.shown).toContainEqual(
      expect.objectContaining({ level: 'error', message: 'second · compensation failed: broken' }),
    );
  });

  it('leaves an error that is a table as it is', () => {
    const source = `local _, err = pcall(Saga, "s", function(saga)
      saga.add_compensation("c", function() error("broken") end) error({ n = 3 }) end) return err.n`;
    expect(outputOf(source)).toBe(3);
  });

  it.each([
    [
      'of a race that another has won',
      'Parallel.race { work, function() File.read("fast") return 1 end }',
      '0.1.0',
    ],
    ['beside one that failed', 'pcall(Parallel, { work, function() File.read("fast") end })', '0.1.0!no'],
    ['whose deadline has passed', 'pcall(step, "timed", work, { deadline = 60 })', '0.0'],
    ['whose time is over', 'pcall(step, "timed", work, { timeout = 60 })', '0.0.1.0'],
  ])('in a branch %s has its compensations before anything goes on', (_, call, answer) => {
    const source = `local function work()
      Saga("inner", function(saga) saga.add_compensation("undo", function() File.write("a", "1") end) File.read("slow") end)
    end
    ${call} Sleep(5) return "after"`;
    const { program, asked } = answerInOrder(source, [answer]);
    const [undo] = program.pending;
    expect(program.pending).toHaveLength(1);
    expect(undo).toMatchObject({ name: 'write a' });
    program.settle(undo?.position ?? '', { ok: true, value: null }, runStart + 9);
    program.turn();
    expect(program.log.entries.map(({ name }) => name)).toContain('undo');
    expect(program.pending).toMatchObject([{ position: '1' }]);
    expect(asked.filter((position) => position === '1')).toEqual([]);
  });

  it('goes on from a log that ends among its compensations', () => {
    const source = trip('error("no seats", 0)');
    for (let effects = 1; effects < 7; effects++) {
      const { ended, handed } = runFake(source, { handsOver: (done) => done === effects });
      expect([effects, ended]).toMatchObject([effects, { output: [false, 'no seats'] }]);
      expect(handed).toHaveLength(1);
    }
  });

  it.each([
    ['Saga(function() end)', 'the name of the saga expected'],
    ['Saga("s", 1)', 'function expected'],
    [
      'Saga("s", function(saga) saga.add_compensation(function() end) end)',
      'the name of the compensation expected',
    ],
    [
      'local kept Saga("s", function(saga) kept = saga end) kept.add_compensation("late", print)',
      "'late' comes too late",
    ],
    ['for i = 1, 1001 do defer(i, print) end', 'is one too many'],
  ])('%s is refused', (source, message) => {
    expect(runFake(source).ended).toMatchObject({
      error: { message: expect.stringContaining(message) as string },
    });
  });

  it('is none in runs of before there were any', () => {
    expect(runFake('return { Saga == nil, defer == nil }', { engine: 9 }).ended).toMatchObject({
      output: [true, true],
    });
  });
});

describe('defer', () => {
  it.each([
    ['', '0 sleep'],
    ['error("broken")', '0 sleep'],
  ])('has its turn at the end of a step, in reverse order: %s', (end) => {
    const source = `pcall(step, "s", function()
      defer("one", function() File.write("a", "1") end)
      defer("two", function() File.write("a", "2") end)
      ${end}
    end) return 1`;
    expect(namesOf(source).map((line) => line.replace('!', ''))).toEqual([
      ...['0.0.0 write a', '0.0 two', '0.1.0 write a', '0.1 one', '0 s'],
    ]);
  });

  it('belongs to the run outside of steps, and to a procedure in its call', () => {
    expect(namesOf('defer("last", function() end) File.read("a") return 1')).toEqual(['0 read a', '1 last']);
    const source = `local sub = Procedure "sub" { function() defer("inner", function() end) return 2 end }
      Procedure { function() defer("outer", function() end) sub() return 1 end }`;
    expect(namesOf(source)).toEqual(['0.0 inner', '0 sub', '1 outer']);
  });

  it('fails what ended well where it fails, and not the error of what failed', () => {
    expect(runFake('defer("a", function() error("broken", 0) end) return 1').ended).toMatchObject({
      error: { message: 'broken' },
    });
    expect(runFake('defer("a", function() error("broken", 0) end) error("first", 0)').ended).toMatchObject({
      error: { message: "first; failed after it: 'a': broken" },
    });
  });

  it('keeps a pass from ending', () => {
    const source =
      'Procedure { function() defer("a", function() end) Sleep(1) Procedure.continue_as_new({}) end }';
    expect(runFake(source).ended).toMatchObject({
      error: { message: expect.stringContaining("can't leave deferred functions behind") as string },
    });
  });

  it('keeps a loop from handing on a snapshot, as long as it waits', () => {
    const source = (inside: string): string => `Procedure { function()
      local n = 0
      return DurableLoop { body = function()
        n = #Session.slice("r", { reducer = "replace_latest" }).all() == 0 and 1 or Session.slice("r").latest().n + 1
        Session.slice("r").append { n = n }
        Sleep(1)
        ${inside}
        if n == 40 then return { n = n } end
      end }
    end }`;
    const last = (inside: string): number =>
      (
        runFake(source(inside), { handsOver: (effects) => effects > 0 && effects % 13 === 0 }).handed.at(
          -1,
        ) ?? []
      ).length;
    expect(last('')).toBeLessThan(60);
    expect(last('if n == 1 then defer("end", function() end) end')).toBeGreaterThan(60);
  });
});

describe('a run that is cancelled', () => {
  const nested = `Procedure { function()
    defer("last", function() File.write("a", "last") end)
    Parallel {
      function()
        Saga("one", function(saga)
          saga.add_compensation("undo one", function() File.write("a", "one") end)
          Sleep(100)
        end)
      end,
      function() pcall(function() Human.approve("Go?") end) return Sleep(1) end,
    }
  end }`;

  it('gives up all that is under way, runs what is open in reverse order, and ends', () => {
    const { turn, cancelled, log, program } = cancelledAfter(nested, 0);
    expect(cancelled).toEqual(['0.0.0.0', '0.1.0']);
    expect(turn).toMatchObject({ kind: 'completed' });
    expect(log.map((line) => line.replace(/^\S+ /, ''))).toEqual(['write a', 'undo one', 'write a', 'last']);
    expect(program.cleanup).toEqual({ left: [], problems: [] });
  });

  it('has nothing to do where nothing is open', () => {
    expect(cancelledAfter('step("s", function() defer("a", function() end) end) Sleep(9)', 0).cancels).toBe(
      false,
    );
    expect(cancelledAfter('Sleep(9)', 0).cancels).toBe(false);
  });

  it('ends the compensation that it is at, once, and goes on with the others', () => {
    const source = `pcall(function() ${trip('error("no seats", 0)')} end) return "never"`;
    for (let effects = 1; effects <= 5; effects++) {
      const { log, turn, cancelled } = cancelledAfter(source, effects);
      // What a compensation waits for is not given up.
      expect([effects, cancelled]).toEqual([effects, effects < 3 ? [`0.${effects}`] : []]);
      const undone = log
        .filter((line) => line.includes('cancel '))
        .map((line) => line.replace(/^\S+ cancel /, ''));
      expect([effects, undone]).toEqual([
        effects,
        ['flight', 'hotel', 'car'].slice(0, Math.min(effects + 1, 3)).reverse(),
      ]);
      expect(turn).toMatchObject({ kind: 'completed' });
      expect(log.some((line) => line.startsWith('1 '))).toBe(false);
    }
  });

  it('tells what failed, and what has not run', () => {
    const source = `defer("a", function() Sleep(1) end) defer("b", function() error("broken", 0) end) Sleep(9)`;
    const { program } = cancelledAfter(source, 0);
    expect(program.cleanup).toEqual({ left: [], problems: ["'b': broken"] });
    const first = fakeProgram(source);
    first.turn();
    expect(first.cancel(runStart)).toBe(true);
    first.turn();
    expect(first.cleanup).toEqual({ left: ['a'], problems: [] });
  });
});
