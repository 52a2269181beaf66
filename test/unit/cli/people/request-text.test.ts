import { expect, it } from 'vitest';
import { requestText } from '../../../../src/cli/people/requests.js';
import type { HumanForm, HumanItem, HumanRequest } from '../../../../src/contract/people/human-request.js';

const request = (parts: Partial<HumanRequest>): HumanRequest => ({
  ...{ id: 'r/0', run_id: 'r', kind: 'approval', message: 'Go?', context: null, options: [] },
  ...{ default: null, deadline: null, created_at: '', position: '0', approvers: [], digest: '' },
  ...parts,
});

const again = {
  position: '0.1',
  type: 'http',
  name: 'POST x\nError: none',
  effect: 'once',
  repeats: true,
};
const failed = { error: 'no file', code: 'file_failed', repeats: [again], more: 2, second_time: 1 };

const choices = [
  { value: 'eu', label: 'Europe', description: 'near' },
  { value: 'us', label: 'us' },
];
const select: HumanForm = { type: 'select', multiple: false, min: 1, max: null, choices };
const several: HumanForm = { ...select, multiple: true, max: 2 };
const item = (parts: Partial<HumanItem>): HumanItem => ({
  ...{ id: 'a', label: 'A', kind: 'input', message: 'Name?', options: [], required: true, default: null },
  ...parts,
});

it.each<[Partial<HumanRequest>, string[]]>([
  [{}, ['approval: Go?', '  tactus-temporal respond r/0 y']],
  [
    { kind: 'select', options: ['eu', 'us'], form: select },
    ['select: Go?', '  one of: eu (Europe): near, us', '  tactus-temporal respond r/0 "eu"'],
  ],
  ...[
    ['$(touch x)', "'$(touch x)'"],
    ['`id`', "'`id`'"],
    ['a"b', `'a"b'`],
    ['a\\', "'a\\'"],
    ["it's !!", String.raw`'it'\''s !!'`],
  ].map(([option = '', shown = '']): [Partial<HumanRequest>, string[]] => [
    { kind: 'review', options: [option] },
    ['review: Go?', `  one of: ${option}`, `  tactus-temporal respond r/0 ${shown}`],
  ]),
  [
    { id: "--help; rm 'x'/0", approvers: ['ann'] },
    [
      'approval: Go?',
      '  to be decided by: ann (--as NAME)',
      String.raw`  tactus-temporal respond --as ann -- '--help; rm '\''x'\''/0' y`,
    ],
  ],
  [
    { kind: 'review', options: ['-x'] },
    ['review: Go?', '  one of: -x', '  tactus-temporal respond -- r/0 "-x"'],
  ],
  [
    { kind: 'select', options: ['eu', 'us'], form: several },
    ['select: Go?', '  1 to 2 of: eu (Europe): near, us', `  tactus-temporal respond r/0 '["eu"]'`],
  ],
  [
    {
      kind: 'multiple',
      form: {
        type: 'items',
        items: [
          item({}),
          item({ id: 'b', kind: 'select', options: ['eu'], form: select, required: false }),
          item({ id: "it's", kind: 'approval' }),
        ],
      },
    },
    [
      'multiple: Go?',
      '  a · input: Name?',
      '  b · select: Name? (may be left out)',
      '    one of: eu (Europe): near, us',
      "  it's · approval: Name?",
      String.raw`  tactus-temporal respond r/0 '{"a":"…","b":"eu","it'\''s":true}'`,
    ],
  ],
  [
    { kind: 'upload', form: { type: 'upload', accept: ['.pdf'], max_size: 10, multiple: false } },
    ['upload: Go?', '  a file of .pdf, at most 10 bytes each', '  tactus-temporal respond r/0 ./FILE'],
  ],
  [{ kind: 'input', form: { type: 'any' } }, ['input: Go?', '  tactus-temporal respond r/0 JSON']],
  [
    { approvers: ['ann', 'the cfo', 'bob'], requester: 'ann', authority: 'signed' },
    [
      'approval: Go?',
      '  to be decided by: ann, the cfo, bob (--as NAME)',
      '  asked by ann, who may not decide',
      "  tactus-temporal respond r/0 y --as 'the cfo' --key FILE",
    ],
  ],
  [
    { kind: 'review', context: { artifact: '# One\n\n"two"', artifact_type: 'markdown', context: { n: 1 } } },
    [
      ...[
        'review: Go?',
        '  artifact (markdown):',
        '    # One',
        '    ',
        '    "two"',
        '  {',
        '    "n": 1',
        '  }',
      ],
      '  tactus-temporal respond r/0 "…"',
    ],
  ],
  [
    { by_host: true, context: failed },
    [
      'approval: Go?',
      '  If you try it again, 1 effect that must not be repeated is done a second time',
      '  Another attempt asks again for:',
      '    0.1  http POST x Error: none (once): a second time',
      '    and 2 more',
      '  Error (file_failed): no file',
      '  asked by the host: the words above are its own',
      '  tactus-temporal respond r/0 y',
    ],
  ],
  [
    { kind: 'review', context: { artifact: { n: 1 }, artifact_type: null } },
    [
      ...[
        'review: Go?',
        '  {',
        '    "artifact": {',
        '      "n": 1',
        '    },',
        '    "artifact_type": null',
        '  }',
      ],
      '  tactus-temporal respond r/0 "…"',
    ],
  ],
])('%j', (parts, lines) => expect(requestText(request(parts), { how: true }).split('\n')).toEqual(lines));
