import { expect, it } from 'vitest';
import { wholeCharacters } from '../../../../src/activities/models/call-stream.js';

const smile = '😀';
const [high = '', low = ''] = smile.split('');

function told(...pieces: string[]): string[] {
  const all: string[] = [];
  const whole = wholeCharacters((piece) => all.push(piece));
  for (const piece of pieces) whole.add(piece);
  whole.end();
  return all;
}

it.each([
  [
    [`ok ${high}`, `${low} bye`],
    ['ok ', `${smile} bye`],
  ],
  [[high, low], [smile]],
  [
    [high, '', low, 'x'],
    [smile, 'x'],
  ],
  [
    [`${smile}${high}`, `${low}${high}`, low],
    [smile, smile, smile],
  ],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  // What is no character is told all the same.
  [[`a${high}`], ['a', high]],
  [[high, 'x'], [`${high}x`]],
  [[low], [low]],
])('%j', (pieces, expected) => expect(told(...pieces)).toEqual(expected));
