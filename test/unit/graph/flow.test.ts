import { describe, expect, it } from 'vitest';
import { flowOf } from './outline.js';

const turn = 'agent a · m';

describe('control flow', () => {
  it('if, elseif and else', () => {
    const body = 'if x == 1 then a("1") elseif x then Sleep(2) else error("no") end';
    expect(flowOf(body)).toEqual([
      'main -> x == 1?',
      `x == 1? -yes-> ${turn}`,
      'x == 1? -no-> x?',
      'x? -yes-> Sleep 2',
      'x? -no-> error("no")',
      `${turn} -> end`,
      'Sleep 2 -> end',
    ]);
  });

  it('what neither asks for anything nor leaves is not drawn', () => {
    const body =
      'local n = 0\nif x then n = 1 end\nfor i = 1, 3 do if i > 2 then break end n = n + i end\n' +
      'while n < 3 do n = n + 1 end\nlocal function pure() if n then return 1 end error("x") end\npure()\nreturn n';
    expect(flowOf(body)).toEqual(['main -> return n']);
  });

  it('clauses behind the last that does something are left out, those before it stay', () => {
    expect(flowOf('if x then n = 1 elseif y then Sleep(1) elseif z then n = 2 else n = 3 end')).toEqual([
      'main -> x?',
      'x? -no-> y?',
      'y? -yes-> Sleep 1',
      'x? -yes-> end',
      'Sleep 1 -> end',
      'y? -no-> end',
    ]);
  });

  it('for, with continue and break', () => {
    const body =
      'for i, v in ipairs(list) do\nif v == 1 then goto continue end\nif v == 2 then break end\na(v)\n::continue::\nend';
    expect(flowOf(body)).toEqual([
      'main -> for i, v in ipairs(list)',
      'for i, v in ipairs(list) -each-> v == 1?',
      'v == 1? -no-> v == 2?',
      `v == 2? -no-> ${turn}`,
      `${turn} -> continue`,
      'v == 1? -yes-> continue',
      'continue -back-> for i, v in ipairs(list)',
      'for i, v in ipairs(list) -done-> end',
      'v == 2? -yes-> end',
    ]);
  });

  it('while, repeat, and loops that only break leaves', () => {
    expect(flowOf('while n < 3 do a("x") end')).toEqual([
      'main -> while n < 3',
      `while n < 3 -yes-> ${turn}`,
      `${turn} -back-> while n < 3`,
      'while n < 3 -no-> end',
    ]);
    expect(flowOf('repeat a("x") until done')).toEqual([
      'main -> repeat',
      `repeat -> ${turn}`,
      `${turn} -> until done`,
      'until done -back no-> repeat',
      'until done -yes-> end',
    ]);
    expect(flowOf('while true do if Human.approve("Stop?") then break end end')).toEqual([
      'main -> while true',
      'while true -> Human.approve: Stop?',
      'Human.approve: Stop? -> Human.approve("Stop?")?',
      'Human.approve("Stop?")? -back no-> while true',
      'Human.approve("Stop?")? -yes-> end',
    ]);
  });

  it('goto, back to a label', () => {
    expect(flowOf('::again::\na("x")\nif bad then goto again end')).toEqual([
      'main -> again',
      `again -> ${turn}`,
      `${turn} -> bad?`,
      'bad? -back yes-> again',
      'bad? -no-> end',
    ]);
  });

  it('and, or: what is evaluated only sometimes', () => {
    expect(flowOf('local v = known[x] or a("x").output')).toEqual([
      'main -> known[x]?',
      `known[x]? -no-> ${turn}`,
      `${turn} -> end`,
      'known[x]? -yes-> end',
    ]);
  });

  it('the order of evaluation', () => {
    expect(flowOf('return { x = a("1").output .. File.read("f"), Sleep(1) }')).toEqual([
      `main -> ${turn}`,
      `${turn} -> File.read f`,
      'File.read f -> Sleep 1',
      'Sleep 1 -> return { x = a("1").output .. File.read("f"), Sleep(1) }',
    ]);
  });

  it('pcall: an error leads on, a return within it too', () => {
    const body =
      'local ok = pcall(function()\nif x then return 1 end\na("x")\nend)\npcall(a, "y")\nreturn ok';
    expect(flowOf(body)).toEqual([
      'main -> x?',
      `x? -no-> ${turn}`,
      `${turn} -> ${turn}`,
      `x? -yes-> ${turn}`,
      `pcall ~error~> ${turn}`,
      `${turn} -> return ok`,
      'pcall ~error~> return ok',
    ]);
  });
});
