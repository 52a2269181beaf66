/**
 * What V8 runs slowly is written otherwise. Nothing else changes: neither what is counted, nor the order of keys, nor a text of an error.
 *
 * Slots of the stack and frames of calls are used again. A slot above the top belongs to nobody: an upvalue's slot is replaced when its
 * block is left (`luaF_close`), and a frame after the one that runs is none that anything returns to. What a thread has left of both when it
 * waits or ends is let go of, so that what waits holds no memory.
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
const forgotten = (count) => ({
  every: /delete L\.stack\[([^\]]*)\];/g,
  replace: 'L.stack[$1] = void 0;',
  count,
});

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
  // A view for each byte that is added would cost more than all else.
  'lauxlib.js': [
    {
      find: 'const luaL_prepbuffsize = function(B, sz) {',
      replace: 'const makeroom = function(B, sz) {',
    },
    {
      find: '    return B.b.subarray(B.n, newend);\n};',
      replace: `};

const luaL_prepbuffsize = function(B, sz) {
    makeroom(B, sz);
    return B.b.subarray(B.n, B.n + sz);
};`,
    },
    {
      find: '        let b = luaL_prepbuffsize(B, l);\n        b.set(s.subarray(0, l));\n',
      replace: `        makeroom(B, l);
        if (l > 16) B.b.set(l === s.length ? s : s.subarray(0, l), B.n);
        else for (let i = 0; i < l; i++) B.b[B.n + i] = s[i];
`,
    },
    { find: '    luaL_prepbuffsize(B, 1);\n', replace: '    makeroom(B, 1);\n' },
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
      every: / {12}for \(let i=L\.top; i>=\(res \+ nres\); i--\)\s+L\.stack\[i\] = void 0;\n/g,
      replace: '',
      count: 1,
    },
    { every: / {4}for \(let i=L\.top; i>=newtop; i--\)\s+L\.stack\[i\] = void 0;\n/g, replace: '', count: 1 },
    {
      find: '    L.ci = ci.previous;\n    L.ci.next = null;\n',
      replace: '    L.ci = ci.previous;\n',
    },
    {
      find: 'const luaD_shrinkstack = function(L) {',
      replace: 'const luaD_shrinkstack = function(L) {\n    L.ci.next = null;',
    },
    {
      find: "    L.nny = oldnny;  /* restore 'nny' */",
      // What JavaScript has popped leaves gaps; behind a long one there is nothing, else each resume would cost a whole stack.
      replace: `    L.ci.next = null;
    for (let i = L.top, gap = 0; gap < 40 && i < L.stack.length; i++) {
        gap = L.stack[i] === void 0 ? gap + 1 : 0;
        if (gap === 0) L.stack[i] = void 0;
    }
    L.nny = oldnny;  /* restore 'nny' */`,
    },
  ],
  'llex.js': [wholeFields(6)],
  'lobject.js': [
    literalTypes(34),
    // Nobody gives it one: there is no debug library.
    { find: 'this.uservalue = new TValue(0, null);', replace: 'this.uservalue = luaO_nilobject;' },
    // An object without prototype is a dictionary of 160 bytes.
    {
      find: 'this.data = Object.create(null); // ignores size argument',
      replace: 'this.data = new Held(); // ignores size argument',
    },
    {
      find: 'class Udata {',
      replace: `const Held = function() { this.type = null; this.held = void 0; };
Held.prototype = Object.freeze(Object.create(null));
class Udata {`,
    },
  ],
  'lparser.js': [forgotten(1), wholeFields(27), { every: /(\b\w+: )NaN\b/g, replace: '$10', count: 8 }],
  'lstate.js': [
    wholeFields(9),
    // Frames are taken from the chain that calls before have left.
    {
      find: `    let ci = new CallInfo();
    L.ci.next = ci;
    ci.previous = L.ci;
    ci.next = null;
    L.ci = ci;`,
      replace: `    let ci = L.ci.next;
    if (ci === null) {
        ci = new CallInfo();
        ci.previous = L.ci;
        L.ci.next = ci;
    } else {
        ci.c_k = null;
        ci.c_old_errfunc = null;
        ci.c_ctx = null;
    }
    L.ci = ci;`,
    },
  ],
  // Tables that never have an entry share one empty map.
  'ltable.js': [
    { find: 'class Table {', replace: 'const EMPTY = new Map();\n\nclass Table {' },
    { find: 'this.strong = new Map();', replace: 'this.strong = EMPTY;' },
    {
      find: '    t.strong.set(hash, entry);',
      replace: '    if (t.strong === EMPTY) t.strong = new Map();\n    t.strong.set(hash, entry);',
    },
    literalTypes(14),
  ],
  'ltm.js': [forgotten(1), literalTypes(2)],
  'lvm.js': [
    forgotten(3),
    literalTypes(14),
    { find: '                    oci.next = null;\n', replace: '' },
    // A key that is an integer or a short text, in a table that has it, or asks nobody else: nothing is charged for that.
    {
      find: 'const luaV_gettable = function(L, t, key, ra) {',
      replace: `/* undefined: a key of another kind, or one whose hash isn't known yet or is charged for */
const plainhash = function(key) {
    if (key.type === 19) return key.value;
    if (key.type !== 4 && key.type !== 20) return void 0;
    let hash = key.value.hash;
    return hash !== null && hash.length <= 64 ? hash : void 0;
};

const luaV_gettable = function(L, t, key, ra) {
    if (t.type === 5) {
        let hash = plainhash(key);
        if (hash !== void 0) {
            let entry = t.value.strong.get(hash);
            let to = L.stack[ra];
            if (entry !== void 0) {
                to.type = entry.type;
                to.value = entry.value;
                return;
            }
            if (t.value.metatable === null) {
                to.type = 0;
                to.value = null;
                return;
            }
        }
    }`,
    },
    {
      find: 'const settable = function(L, t, key, val) {',
      replace: `const settable = function(L, t, key, val) {
    if (t.type === 5 && val.type !== 0 && t.value.sealed === null) {
        let hash = plainhash(key);
        if (hash !== void 0) {
            let table = t.value;
            let entry = table.strong.get(hash);
            if (entry !== void 0) {
                entry.setfrom(val);
                table.flags = 0;
                return;
            }
            if (table.metatable === null) {
                ltable.add(table, hash, key.type, key.value, val.type, val.value);
                table.flags = 0;
                return;
            }
        }
    }`,
    },
    {
      every: /case (OP_[A-Z]+):/g,
      replace: (all, name) => (name in operations ? `case ${operations[name]}:` : all),
      count: 71,
    },
  ],
};
