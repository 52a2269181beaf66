/**
 * Whatever reads or makes something of any length is charged for the length, through `weigh`. These charges are none
 * in runs that began before there were any, whose slices end where they ended.
 */

/** Texts shorter than this cost nothing more than the instruction. */
const long = 64;

/** @type {Record<string, import('../fengari-edits.mjs').Edit[]>} */
export const bySize = {
  'lstate.js': [
    {
      find: '        this.fuel = Infinity; /* instructions left in this slice */',
      replace:
        '        this.weighs = false; /* charge-by-size in src/contract/engine.ts */\n        this.fuel = Infinity; /* instructions left in this slice */',
    },
    {
      find: '/* Refuses a string before its bytes are allocated. */',
      replace: `/* Charges for the length of what is read or made. */
const weigh = function(L, units) {
    let g = L.l_G;
    if (g.weighs && (g.fuel -= units) < g.fuelFloor) g.meter.outOfFuel(L, false);
};
/* Charges what is known of the global state alone. */
const weighIn = function(g, units) {
    if (g.weighs && (g.fuel -= units) < g.fuelFloor) g.meter.outOfFuel(g.mainthread, false);
};
/* Charges for a text that is gone through. */
const weighText = function(L, length) {
    if (length >= ${long}) weigh(L, length >> 3);
};
/* Charges for a text that is read as a number. */
const weighNumeral = function(L, length) {
    if (length >= ${long}) weigh(L, length >> 1);
};
/* Refuses a string before its bytes are allocated. */`,
    },
    {
      find: 'module.exports.work = work;',
      replace:
        'module.exports.work = work;\nmodule.exports.weigh = weigh;\nmodule.exports.weighText = weighText;\nmodule.exports.weighIn = weighIn;\nmodule.exports.weighNumeral = weighNumeral;',
    },
  ],
  'lstring.js': [
    // A long key is compared with that of the table at each look, and its hash is as long as itself.
    {
      find: `    if(ts.hash === null) {
        ts.hash = luaS_hash(ts.getstr());
    }
    return ts.hash;`,
      replace: `    if(ts.hash === null) {
        let length = ts.realstring.length;
        if (length >= ${long} && g !== null && g.weighs) {
            lstate.weighIn(g, length >> 3);
            if ((g.heap -= length) < 0) g.meter.outOfHeap(g.mainthread, length);
        }
        ts.hash = luaS_hash(ts.getstr());
    }
    if (ts.hash.length > ${long} && g !== null) lstate.weighIn(g, ts.hash.length >> 6);
    return ts.hash;`,
    },
    {
      find: 'const luaS_hashlongstr = function(ts) {',
      replace: 'const lstate = require("./lstate.js");\nconst luaS_hashlongstr = function(ts, g = null) {',
    },
  ],
  'ltable.js': [
    {
      find: 'return luaS_hashlongstr(key.tsvalue());',
      replace: 'return luaS_hashlongstr(key.tsvalue(), g);',
    },
    // The parser knows no thread here.
    { find: 'const table_hash = function(L, key) {', replace: 'const table_hash = function(L, key, g) {' },
    { find: 'getgeneric(t, table_hash(L, key))', replace: 'getgeneric(t, table_hash(L, key, t.g))' },
    { find: 'let hash = table_hash(L, key);', replace: 'let hash = table_hash(L, key, t.g);' },
    { find: 'let hash = table_hash(L, keyO);', replace: 'let hash = table_hash(L, keyO, table.g);' },
    {
      find: 'getgeneric(t, luaS_hashlongstr(key))',
      replace: 'getgeneric(t, luaS_hashlongstr(key, t.g))',
    },
    // A border may be far to seek, and behind a key that is gone there may be many more.
    {
      find: '        let m = Math.floor((i+j)/2);\n',
      replace: '        let m = Math.floor((i+j)/2);\n        lstate.weighIn(t.g, 1);\n',
    },
    {
      find: '        if (j > LUA_MAXINTEGER / 2) {',
      replace: '        lstate.weighIn(t.g, 1);\n        if (j > LUA_MAXINTEGER / 2) {',
    },
    {
      find: '            while (!luaH_getint(t, i).ttisnil()) i++;\n',
      replace: '            while (!luaH_getint(t, i).ttisnil()) i++;\n            lstate.weighIn(t.g, i);\n',
    },
    {
      find: '            do {\n                entry = entry.n;',
      replace: '            do {\n                lstate.weigh(L, 1);\n                entry = entry.n;',
    },
    // Most tables never lose a key.
    { find: '        this.dead_strong = new Map();', replace: '        this.dead_strong = null;' },
    {
      find: '    t.dead_strong.clear();\n',
      replace: '    if (t.dead_strong !== null) t.dead_strong.clear();\n',
    },
    {
      find: '            t.dead_strong.set(hash, e);',
      replace:
        '            if (t.dead_strong === null) t.dead_strong = new Map();\n            t.dead_strong.set(hash, e);',
    },
    {
      find: 'table.dead_strong.get(hash)',
      replace: '(table.dead_strong !== null && table.dead_strong.get(hash))',
    },
  ],
  'lobject.js': [
    // What is no numeral is found out without a copy of it.
    {
      find: '        if (SIGILS.indexOf(v) !== -1) {',
      replace: '        if (v === 46 || (v | 32) === 120 || (v | 32) === 110) {',
    },
    {
      find: `    try {
        s = to_jsstring(s);
    } catch (e) {
        return null;
    }
    /* use a regex`,
      replace: `    s = asciistring(s);
    /* use a regex`,
    },
    {
      find: 'const lua_str2number = function(s) {',
      replace: `/* Bytes as Latin-1: what isn't ASCII is in no numeral. */
const asciistring = function(s) {
    if (s.length <= 4096) return String.fromCharCode.apply(null, s);
    let text = "";
    for (let i = 0; i < s.length; i += 4096) text += String.fromCharCode.apply(null, s.subarray(i, i + 4096));
    return text;
};

const lua_str2number = function(s) {`,
    },
    {
      find: `        buff = to_luastring(lua_integer2str(obj.value));
    else {`,
      replace: `        buff = digits(lua_integer2str(obj.value));
    else {
        lstate.weigh(L, 25);`,
    },
    { find: '        buff = to_luastring(str);\n    }', replace: '        buff = digits(str);\n    }' },
    {
      find: 'const luaO_tostring = function(L, obj) {',
      replace: `const digits = function(text) {
    let bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
};

const luaO_tostring = function(L, obj) {`,
    },
    { find: 'lvm.tointeger(p1)', replace: 'lvm.tointeger(p1, L)' },
    { find: 'lvm.tointeger(p2)', replace: 'lvm.tointeger(p2, L)' },
    { find: 'lvm.tonumber(p1)', replace: 'lvm.tonumber(p1, L)', count: 2 },
    { find: 'lvm.tonumber(p2)', replace: 'lvm.tonumber(p2, L)', count: 2 },
  ],
  'luaconf.js': [
    // Only a number that ends after its 18th digit lies halfway between two of 17, and few are of a size for that.
    {
      find: '        let exact = n.toExponential(60);',
      replace:
        '        let size = Math.abs(n);\n        let exact = size < 1e-9 || size > 1e41 ? "" : n.toExponential(60);',
    },
  ],
  'lapi.js': [
    { find: 'lvm.tointeger(index2addr(L, idx))', replace: 'lvm.tointeger(index2addr(L, idx), L)' },
    { find: 'lvm.tonumber(index2addr(L, idx))', replace: 'lvm.tonumber(index2addr(L, idx), L)', count: 2 },
    {
      find: '    let sz = lobject.luaO_str2num(s, tv);',
      replace: '    lstate.weighNumeral(L, s.length);\n    let sz = lobject.luaO_str2num(s, tv);',
    },
  ],
  'ldebug.js': [
    { find: 'lvm.tonumber(p1)', replace: 'lvm.tonumber(p1, L)' },
    { find: 'lvm.tointeger(p1)', replace: 'lvm.tointeger(p1, L)' },
  ],
  'lvm.js': [
    {
      find: '(numberop1 = tonumber(op1)) !== false && (numberop2 = tonumber(op2)) !== false',
      replace: '(numberop1 = tonumber(op1, L)) !== false && (numberop2 = tonumber(op2, L)) !== false',
      count: 7,
    },
    {
      find: '(numberop1 = tointeger(op1)) !== false && (numberop2 = tointeger(op2)) !== false',
      replace: '(numberop1 = tointeger(op1, L)) !== false && (numberop2 = tointeger(op2, L)) !== false',
      count: 5,
    },
    { find: 'let numberop = tointeger(op);', replace: 'let numberop = tointeger(op, L);' },
    { find: '(numberop = tonumber(op))', replace: '(numberop = tonumber(op, L))' },
    { find: 'forlimit(plimit, pstep.value)', replace: 'forlimit(L, plimit, pstep.value)' },
    { find: 'const forlimit = function(obj, step) {', replace: 'const forlimit = function(L, obj, step) {' },
    { find: 'luaV_tointeger(obj, step < 0 ? 2 : 1)', replace: 'luaV_tointeger(obj, step < 0 ? 2 : 1, L)' },
    { find: 'let n = tonumber(obj);', replace: 'let n = tonumber(obj, L);' },
    { find: 'tonumber(plimit)', replace: 'tonumber(plimit, L)' },
    { find: 'tonumber(pstep)', replace: 'tonumber(pstep, L)' },
    { find: 'tonumber(init)', replace: 'tonumber(init, L)' },
    {
      find: 'const luaV_tointeger = function(obj, mode) {',
      replace: 'const luaV_tointeger = function(obj, mode, L) {',
    },
    {
      find: '        if (lobject.luaO_str2num(obj.svalue(), v)',
      replace:
        '        lstate.weighNumeral(L, obj.vslen());\n        if (lobject.luaO_str2num(obj.svalue(), v)',
    },
    { find: 'return luaV_tointeger(v, mode);', replace: 'return luaV_tointeger(v, mode, L);' },
    { find: 'const tointeger = function(o) {', replace: 'const tointeger = function(o, L) {' },
    { find: 'const tonumber = function(o) {', replace: 'const tonumber = function(o, L) {' },
    { find: 'luaV_tointeger(o, 0)', replace: 'luaV_tointeger(o, 0, L)' },
    {
      find: '        if (lobject.luaO_str2num(o.svalue(), v)',
      replace: '        lstate.weighNumeral(L, o.vslen());\n        if (lobject.luaO_str2num(o.svalue(), v)',
    },
  ],
  'lauxlib.js': [
    {
      find: 'const luaL_error = function(L, fmt, ...argp) {',
      replace: 'const luaL_error = function(L, fmt, ...argp) {\n    fmt = from_userstring(fmt);',
    },
    // A function without a name is looked for among all that there are.
    {
      find: '    while (lua_next(L, -2)) {  /* for each pair in table */',
      replace: '    while (lua_next(L, -2)) {  /* for each pair in table */\n        lstate.weigh(L, 8);',
    },
  ],
  'lbaselib.js': [
    {
      from: 'const b_str2int = function(s, base) {',
      to: 'const luaB_tonumber = ',
      // Byte by byte: an expression would try each of many zeros as the first digit.
      replace: `const b_isspace = (c) => c === 32 || (c >= 9 && c <= 13);
const b_digit = (c) => c >= 48 && c <= 57 ? c - 48 : (c | 32) >= 97 && (c | 32) <= 122 ? (c | 32) - 87 : 36;
const b_str2int = function(L, s, base) {
    lstate.weighNumeral(L, s.length);
    let i = 0, end = s.length, v = 0;
    while (b_isspace(s[i])) i++;
    let negative = s[i] === 45;
    if (negative || s[i] === 43) i++;
    while (end > i && b_isspace(s[end - 1])) end--;
    if (i === end) return null;
    for (; i < end; i++) {
        let d = b_digit(s[i]);
        if (d >= base) return null;
        v = v * base + d;
    }
    if (!Number.isSafeInteger(v)) return null;
    return negative ? 0 - v : v;
};

`,
    },
    { find: 'b_str2int(s, base)', replace: 'b_str2int(L, s, base)' },
    {
      find: 'const luaB_tostring = ',
      replace: "const lstate = require('./lstate.js');\nconst luaB_tostring = ",
    },
    {
      find: '    let i = luaL_checkinteger(L, 2) + 1;\n',
      replace:
        '    let i = luaL_checkinteger(L, 2) + 1;\n    luaL_argcheck(L, Number.isSafeInteger(i), 2, "index out of range");\n',
    },
  ],
  'lstrlib.js': [
    // What is found to be malformed only at its end was read as well.
    {
      find: `                if (p === ms.p_end)
                    luaL_error(ms.L, to_luastring("malformed pattern (missing ']')"));`,
      replace: `                if (p === ms.p_end) {
                    lstate.weigh(ms.L, (p - from) >> 3);
                    luaL_error(ms.L, to_luastring("malformed pattern (missing ']')"));
                }`,
    },
    // A call of it may go through all of a pattern, and be made again at each byte of the text.
    {
      find: '        gotoinit = false;\n',
      replace: '        gotoinit = false;\n        if ((++ms.steps & 63) === 0) lstate.weigh(ms.L, 16);\n',
    },
    {
      find: '        this.capture = [];\n',
      replace: '        this.capture = [];\n        this.steps = 0;\n',
    },
    {
      find: 'const nospecials = function(p, l) {\n',
      replace: `const nospecials = function(L, p, l) {\n    if (l >= ${long}) lstate.weigh(L, l >> 1);\n`,
    },
    { find: 'nospecials(p, lp)', replace: 'nospecials(L, p, lp)' },
    {
      find: '                while (len++ < size)  /* pad extra space */\n',
      replace:
        '                lstate.checkString(L, totalsize);\n                lstate.weigh(L, (size - len) >> 1);\n                while (len++ < size)  /* pad extra space */\n',
    },
    {
      find: '    let p = luaL_buffinitsize(L, b, n);\n',
      replace: '    lstate.weigh(L, n >> 1);\n    let p = luaL_buffinitsize(L, b, n);\n',
    },
  ],
  'ltablib.js': [
    {
      find: '    let e = aux_getn(L, 1, TAB_RW) + 1;  /* first empty element */\n',
      replace:
        '    let e = aux_getn(L, 1, TAB_RW) + 1;  /* first empty element */\n    luaL_argcheck(L, e <= LUA_MAXINTEGER, 1, "array too big");\n',
    },
    {
      find: '    for (; i < e; i++)  /* push arg[i..e - 1] (to avoid overflows) */',
      replace:
        '    lstate.weigh(L, n);\n    for (; i < e; i++)  /* push arg[i..e - 1] (to avoid overflows) */',
    },
    {
      find: '    lua_createtable(L, n, 1);  /* create result table */',
      replace: '    lstate.weigh(L, 5 * n);\n    lua_createtable(L, n, 1);  /* create result table */',
    },
  ],
  'lutf8lib.js': [
    {
      find: 'const pushutfchar = function(L, arg) {\n',
      replace: 'const pushutfchar = function(L, arg) {\n    lstate.weigh(L, 30);\n',
    },
    {
      find: '        while (posi > 0 && iscont(s[posi])) posi--;\n',
      replace:
        '        let from = posi;\n        while (posi > 0 && iscont(s[posi])) posi--;\n        lstate.weigh(L, (from - posi) >> 3);\n',
    },
    {
      find: '    if (s[posi] & 0x80) while (iscont(s[posi + 1])) posi++;\n',
      replace:
        '    let first = posi;\n    if (s[posi] & 0x80) while (iscont(s[posi + 1])) posi++;\n    lstate.weigh(L, (posi - first) >> 3);\n',
    },
    {
      find: '        while (iscont(s[n])) n++;  /* and its continuations */\n',
      replace:
        '        let from = n;\n        while (iscont(s[n])) n++;  /* and its continuations */\n        lstate.weigh(L, (n - from) >> 3);\n',
    },
  ],
};
