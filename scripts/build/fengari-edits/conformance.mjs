/**
 * What the official tests of Lua look at. Runs that began before it keep what they have: `lua-conformance` in
 * src/contract/engine.ts.
 */

/** @type {Record<string, import('../fengari-edits.mjs').Edit[]>} */
export const conformance = {
  'lstate.js': [
    {
      find: '        this.weighs = false;',
      replace: `        this.conforms = false; /* lua-conformance in src/contract/engine.ts */
        this.powersOfOne = false; /* powers-of-one in src/contract/engine.ts */
        this.overflows = 0; /* how many there were since the outermost message handler began */
        this.weighs = false;`,
    },
    {
      find: '        this.status = LUA_OK;\n        this.errfunc = 0;',
      replace:
        '        this.status = LUA_OK;\n        this.handlers = 0; /* message handlers that run, one within the other */\n        this.errfunc = 0;',
    },
  ],
  // A power of 1 is 1, and so is an infinite power of -1: JavaScript has nan for both.
  'lobject.js': [
    {
      find: 'const numarith = function(L, op, v1, v2) {',
      replace: `const power = function(L, x, y) {
    if ((x === 1 || x === -1) && L.l_G.powersOfOne && (x === 1 || y === Infinity || y === -Infinity)) return 1;
    return Math.pow(x, y);
};

const numarith = function(L, op, v1, v2) {`,
    },
    { find: 'return Math.pow(v1, v2);', replace: 'return power(L, v1, v2);' },
    {
      find: 'module.exports.luaO_arith ',
      replace: 'module.exports.power = power;\nmodule.exports.luaO_arith ',
    },
  ],
  'lvm.js': [{ find: 'Math.pow(numberop1, numberop2)', replace: 'lobject.power(L, numberop1, numberop2)' }],
  'llimits.js': [
    // The product of two tiny numbers is 0, and has no sign.
    {
      find: '    if ((m*b) < 0)\n        m += b;',
      replace: '    if (m * b < 0 || L.l_G.conforms && (m < 0 ? b > 0 : m > 0 && b < 0))\n        m += b;',
    },
  ],
  'lcode.js': [
    {
      find: 'const constfolding = function(op, e1, e2) {',
      replace: 'const constfolding = function(L, op, e1, e2) {',
    },
    { find: 'luaO_arith(null, op, v1, v2, res)', replace: 'luaO_arith(L, op, v1, v2, res)' },
    { find: 'constfolding(op + LUA_OPUNM,', replace: 'constfolding(fs.ls.L, op + LUA_OPUNM,' },
    { find: 'constfolding(op + LUA_OPADD,', replace: 'constfolding(fs.ls.L, op + LUA_OPADD,' },
  ],
  'lparser.js': [
    // A call has the line of its arguments, where it is one, rather than that of what is called.
    {
      find: '                funcargs(ls, v, line);\n',
      replace: '                funcargs(ls, v, ls.L.l_G.conforms ? ls.linenumber : line);\n',
      count: 2,
    },
  ],
  'ldebug.js': [
    // Handlers that overflow would be called again and again, each with less room, until there is none.
    {
      find: `        let errfunc = L.errfunc;
        lobject.pushobj2s(L, L.stack[L.top - 1]); /* move argument */
        lobject.setobjs2s(L, L.top - 2, errfunc); /* push function */
        ldo.luaD_callnoyield(L, L.top - 2, 1);
`,
      replace: `        let errfunc = L.errfunc;
        let g = L.l_G;
        if (L.handlers === 0) g.overflows = 0;
        else if (g.conforms && g.overflows >= MAXOVERFLOWS) ldo.luaD_throw(L, LUA_ERRERR);
        lobject.pushobj2s(L, L.stack[L.top - 1]); /* move argument */
        lobject.setobjs2s(L, L.top - 2, errfunc); /* push function */
        L.handlers++;
        ldo.luaD_callnoyield(L, L.top - 2, 1);
        L.handlers--;
`,
    },
    {
      find: 'const luaG_errormsg = function(L) {',
      replace: 'const MAXOVERFLOWS = 10;\n\nconst luaG_errormsg = function(L) {',
    },
    { find: '    thread_status: {\n', replace: '    thread_status: {\n        LUA_ERRERR,\n' },
  ],
  'ldo.js': [
    {
      find: '            luaD_reallocstack(L, ERRORSTACKSIZE);\n',
      replace: '            luaD_reallocstack(L, ERRORSTACKSIZE);\n            L.l_G.overflows++;\n',
    },
    {
      find: 'const stackerror = function(L) {\n',
      replace: 'const stackerror = function(L) {\n    L.l_G.overflows++;\n',
    },
    {
      find: '        return resume_error(L, "C stack overflow", nargs);',
      replace: '        return L.l_G.overflows++, resume_error(L, "C stack overflow", nargs);',
    },
    // A protected call that fails ends the handlers that ran within it.
    {
      find: '    let old_nny = L.nny;\n    let old_errfunc',
      replace: '    let old_nny = L.nny;\n    let old_handlers = L.handlers;\n    let old_errfunc',
    },
    {
      find: '        L.nny = old_nny;\n',
      replace: '        L.nny = old_nny;\n        L.handlers = old_handlers;\n',
    },
    {
      find: '    L.nny = 0;  /* should be zero to be yieldable */\n',
      replace: '    L.nny = 0;  /* should be zero to be yieldable */\n    L.handlers = 0;\n',
    },
    // What is called in place of a table may be a table that is called as well.
    {
      find: 'const luaD_precall = function(L, off, nresults) {',
      replace: 'const MAXCALLCHAIN = 15;\n\nconst luaD_precall = function(L, off, nresults, chain = 0) {',
    },
    {
      find: `            tryfuncTM(L, off, func);
            return luaD_precall(L, off, nresults);`,
      replace: `            tryfuncTM(L, off, func);
            if (chain === MAXCALLCHAIN) ldebug.luaG_runerror(L, to_luastring("'__call' chain too long", true));
            return luaD_precall(L, off, nresults, chain + 1);`,
    },
    {
      find: '    if (!tm.ttisfunction(tm))\n',
      replace: '    if (L.l_G.conforms ? tm.ttisnil() : !tm.ttisfunction(tm))\n',
    },
  ],
  'lstrlib.js': [
    // Nothing is made of nothing at once; what no text can hold is refused before anything else is said of it.
    {
      find: '    else if (l + lsep < l)',
      replace: `    else if (L.l_G.conforms && l + lsep === 0) lua_pushliteral(L, "");
    else if (L.l_G.conforms && l + lsep > MAXSIZE / n)`,
    },
    {
      find: 'digit(fmt.s[fmt.off]) && a <= (MAXSIZE - 9)/10);',
      replace: 'digit(fmt.s[fmt.off]) && a <= (maxSize(L) - 9)/10);',
    },
    {
      find: 'const getnum = function(fmt, df) {',
      replace: `const maxSize = (L) => L.l_G.conforms ? 9007199254740991 : MAXSIZE;

const getnum = function(L, fmt, df) {`,
    },
    { find: 'r.size = getnum(fmt, -1);', replace: 'r.size = getnum(h.L, fmt, -1);' },
    { find: 'let sz = getnum(fmt, df);', replace: 'let sz = getnum(h.L, fmt, df);' },
    {
      find: 'r.size = getnumlimit(h, fmt, 4); r.opt = Kstring;',
      replace: 'r.size = getnumlimit(h, fmt, h.L.l_G.conforms ? 8 : 4); r.opt = Kstring;',
    },
    // A position before the text is its first, as elsewhere.
    {
      find: '    luaL_argcheck(L, pos <= ld && pos >= 0, 3, "initial position out of string");',
      replace:
        '    if (L.l_G.conforms && pos < 0) pos = 0;\n    luaL_argcheck(L, pos <= ld && pos >= 0, 3, "initial position out of string");',
    },
    { find: 'totalsize <= MAXSIZE - size, 1', replace: 'totalsize <= maxSize(L) - size, 1' },
  ],
  'ltablib.js': [
    {
      find: '        lstate.work(L, 12 * n);',
      replace: '        if (!L.l_G.conforms) lstate.work(L, 12 * n);',
    },
    {
      find: '        luaL_argcheck(L, t <= LUA_MAXINTEGER - n + 1, 4, "destination wrap around");\n',
      replace:
        '        luaL_argcheck(L, t <= LUA_MAXINTEGER - n + 1, 4, "destination wrap around");\n        if (L.l_G.conforms) lstate.work(L, 12 * n);\n',
    },
  ],
};
