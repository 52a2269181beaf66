/**
 * What V8 runs slowly is written otherwise. Nothing else changes: neither what is counted, nor the order of keys, nor a text of an error.
 *
 * Slots of the stack are used again. A slot above the top belongs to nobody: an upvalue's slot is replaced when its block is left
 * (`luaF_close`), and what a thread leaves above its top when it waits or ends is let go of, so that what waits holds no memory.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
/** @type {{ OpCodesI: Readonly<Record<string, number>> }} */
const { OpCodesI: operations } = require('fengari/src/lopcodes.js');
/** @type {{ constant_types: Readonly<Record<string, number>> }} */
const { constant_types: types } = require('fengari/src/defs.js');

/** @typedef {import('../fengari-edits.mjs').Edit} Edit */

/**
 * Deleting an element is a call out of compiled code.
 * @param {number} count
 * @returns {Edit}
 */
const forgotten = (count) => ({ every: /delete L\.stack\[([^\]]*)\];/g, replace: 'L.stack[$1] = void 0;', count });

/**
 * A field that begins as NaN holds a boxed double for ever, and each change of it makes another.
 * @param {number} count
 * @returns {Edit}
 */
const wholeFields = (count) => ({ every: /(this\.\w+ = )NaN;/g, replace: '$10;', count });

/**
 * Only literals make a jump table of a switch, and names of types are fields of a module.
 * @param {number} count
 * @returns {Edit}
 */
const literalTypes = (count) => ({
  every: /(case |new (?:lobject\.)?TValue\(|this\.type = |checktag\(|checktype\(|=== )(LUA_T[A-Z]+)\b/g,
  replace: (all, before, name) => (name in types ? `${before}${types[name]}` : all),
  count,
});

/** @type {Record<string, Edit[]>} */
export const speed = {
  'lapi.js': [
    // Values that JavaScript hands over may be large, and the main thread never waits.
    {
      find: '    ldo.adjust_top(L, newtop);',
      replace: '    while (L.top > newtop) L.stack[--L.top] = void 0;\n    ldo.adjust_top(L, newtop);',
    },
    forgotten(17),
    literalTypes(43),
  ],
  'ldebug.js': [forgotten(1)],
  'ldo.js': [
    forgotten(5),
    literalTypes(10),
    {
      from: 'const adjust_top = function(L, newtop) {',
      to: 'const seterrorobj = ',
      replace: `const adjust_top = function(L, newtop) {
    let stack = L.stack;
    for (let top = L.top; top < newtop; top++) {
        let slot = stack[top];
        if (slot === void 0) stack[top] = new lobject.TValue(0, null);
        else {
            slot.type = 0;
            slot.value = null;
        }
    }
    L.top = newtop;
};

`,
    },
    {
      every: /            for \(let i=L\.top; i>=\(res \+ nres\); i--\)\s+L\.stack\[i\] = void 0;\n/g,
      replace: '',
      count: 1,
    },
    { every: /    for \(let i=L\.top; i>=newtop; i--\)\s+L\.stack\[i\] = void 0;\n/g, replace: '', count: 1 },
    {
      find: "    L.nny = oldnny;  /* restore 'nny' */",
      replace: `    for (let i = L.top; i < L.stack.length && L.stack[i] !== void 0; i++) L.stack[i] = void 0;
    L.nny = oldnny;  /* restore 'nny' */`,
    },
  ],
  'llex.js': [wholeFields(6)],
  'lobject.js': [
    literalTypes(34),
    // An object without prototype is a dictionary of 160 bytes.
    {
      find: 'this.data = Object.create(null); // ignores size argument',
      replace: 'this.data = new Held(); // ignores size argument',
    },
    {
      find: 'class Udata {',
      replace: `const Held = function() { this.held = void 0; };
Held.prototype = Object.freeze(Object.create(null));
class Udata {`,
    },
  ],
  'lparser.js': [forgotten(1), wholeFields(27), { every: /(\b\w+: )NaN\b/g, replace: '$10', count: 8 }],
  'lstate.js': [wholeFields(9)],
  // Tables that never have an entry share one empty map.
  'ltable.js': [
    { find: 'class Table {', replace: 'const EMPTY = new Map();\n\nclass Table {' },
    { find: 'this.strong = new Map();', replace: 'this.strong = EMPTY;' },
    {
      find: '    t.strong.set(hash, entry);',
      replace: '    if (t.strong === EMPTY) t.strong = new Map();\n    t.strong.set(hash, entry);',
    },
    literalTypes(16),
  ],
  'ltm.js': [forgotten(1), literalTypes(2)],
  'lvm.js': [
    forgotten(3),
    literalTypes(14),
    {
      every: /case (OP_[A-Z]+):/g,
      replace: (all, name) => (name in operations ? `case ${operations[name]}:` : all),
      count: 71,
    },
  ],
};
