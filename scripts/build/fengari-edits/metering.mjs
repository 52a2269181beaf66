/** Work and memory are charged to the run, and what is long is bounded. */

/** @type {Record<string, import('../fengari-edits.mjs').Edit[]>} */
export const metering = {
  'lstate.js': [
    {
      find: '        this.tmname = new Array(ltm.TMS.TM_N);',
      replace: `        this.tmname = new Array(ltm.TMS.TM_N);
        this.fuel = Infinity; /* instructions left in this slice */
        this.fuelLimit = 0; /* where the instruction loop asks 'meter.outOfFuel' */
        this.fuelFloor = -Infinity; /* where work outside of the loop asks it */
        this.heap = Infinity; /* bytes that may be allocated before 'meter.outOfHeap' is asked */
        this.maxString = Infinity; /* longest string, in bytes */
        this.meter = null;
        this.host = null;
        this.running = null; /* the thread that runs, also while an error unwinds */`,
    },
    // Threads know the frame of checkpoints that they stand in and who resumed them.
    {
      find: '        this.status = LUA_OK;\n        this.errfunc = 0;',
      replace:
        '        this.status = LUA_OK;\n        this.errfunc = 0;\n        this.frame = null; /* the frame of checkpoints that it opened last */\n        this.isTask = false; /* run by the scheduler, not by the author */\n        this.resumer = null; /* the thread that resumed it */\n        this.blocked = false; /* resumed from where Lua cannot be suspended */',
    },
    {
      find: '    let L1 = new lua_State(g);\n    L.stack',
      replace: '    let L1 = new lua_State(g);\n    g.fuel -= 200;\n    charge(L, 5000);\n    L.stack',
    },
    {
      find: 'const luaE_extendCI = function(L) {',
      replace: `/* Charges bytes of memory. What costs memory costs time too. */
const charge = function(L, bytes) {
    let g = L.l_G;
    g.fuel -= bytes >> 4;
    if ((g.heap -= bytes) < 0) g.meter.outOfHeap(L, bytes);
};
/* Charges work done outside of the instruction loop, which can't be suspended there. */
const work = function(L, units) {
    let g = L.l_G;
    if ((g.fuel -= units) < g.fuelFloor) g.meter.outOfFuel(L, false);
};
/* Refuses a string before its bytes are allocated. */
const checkString = function(L, length) {
    if (length > L.l_G.maxString) L.l_G.meter.stringTooLong(L, length);
};
const luaE_extendCI = function(L) {`,
    },
    {
      find: 'module.exports.lua_State       = lua_State;',
      replace:
        'module.exports.lua_State       = lua_State;\nmodule.exports.charge = charge;\nmodule.exports.work = work;\nmodule.exports.checkString = checkString;',
    },
  ],
  // A function that is stopped before its first instruction stands at that.
  'ldebug.js': [
    { find: '    return ci.l_savedpc - 1;', replace: '    return Math.max(0, ci.l_savedpc - 1);' },
  ],
  'lstring.js': [
    {
      find: `    lua_assert(str instanceof Uint8Array);
    return new TString(L, str);`,
      replace: `    let g = L.l_G;
    g.fuel -= str.length >> 4;
    if ((g.heap -= str.length + 260) < 0) g.meter.outOfHeap(L, str.length);
    return new TString(L, str);`,
    },
  ],
  'ltable.js': [
    {
      find: '        this.strong = new Map();',
      replace:
        '        this.g = L.l_G;\n        this.sealed = null; /* the message that a change gets */\n        this.own = null; /* the only keys that are sealed; null: all */\n        if ((this.g.heap -= 450) < 0) this.g.meter.outOfHeap(L, 450);\n        this.strong = new Map();',
    },
    {
      find: '    t.dead_strong.clear();\n',
      replace:
        '    if ((t.g.heap -= 300) < 0) t.g.meter.outOfHeap(t.g.running, 300);\n    t.dead_strong.clear();\n',
    },
    {
      find: '    let hash = table_hash(L, key);\n    if (value.ttisnil()) { /* delete */',
      replace:
        '    let hash = table_hash(L, key);\n    if (t.sealed !== null && (t.own === null || t.own.has(hash)))\n        ldebug.luaG_runerror(L, to_luastring("%s"), to_luastring(t.sealed));\n    if (value.ttisnil()) { /* delete */',
    },
  ],
  'lobject.js': [
    {
      find: '        this.p = null;\n        this.nupvalues = n;',
      replace: '        lstate.charge(L, 250);\n        this.p = null;\n        this.nupvalues = n;',
    },
    {
      find: '        this.len = size;\n',
      replace: '        lstate.charge(L, 300);\n        this.len = size;\n',
    },
  ],
  'ldo.js': [
    {
      find: '    lua_assert(L.stack_last == L.stack.length - lstate.EXTRA_STACK);\n',
      replace: '    if (newsize > L.stack.length) lstate.charge(L, (newsize - L.stack.length) * 48);\n',
    },
    // Shrinking after each of many errors would only make the stack grow again.
    { find: '&& goodsize < L.stack.length)', replace: '&& goodsize * 4 < L.stack.length)' },
    // An error looks at every frame of the stack.
    {
      find: '        if (lim < ci.top) lim = ci.top;\n',
      replace: '        if (lim < ci.top) lim = ci.top;\n        L.l_G.fuel--;\n',
    },
    // Only errors that Lua raised are Lua's to catch: everything else passes through every pcall.
    {
      from: '        if (lj.status === LUA_OK) {\n            /* error was not thrown',
      to: '    L.errorJmp = lj.previous;\n    L.nCcalls',
      replace: '        if (lj.status === LUA_OK) throw e;\n    }\n\n',
    },
    {
      find: '    let oldnny = L.nny;  /* save "number of non-yieldable" calls */',
      replace:
        '    let oldnny = L.nny;  /* save "number of non-yieldable" calls */\n    let resumer = L.l_G.running;',
    },
    {
      find: '    L.nny = 0;  /* allow yields */',
      replace: '    L.nny = 0;  /* allow yields */\n    L.l_G.running = L;',
    },
    {
      find: "    L.nny = oldnny;  /* restore 'nny' */\n    L.nCcalls--;",
      replace: "    L.nny = oldnny;  /* restore 'nny' */\n    L.l_G.running = resumer;\n    L.nCcalls--;",
    },
    // A call from JavaScript (a metamethod, an iterator, a callback) costs more than one from Lua, and values that are moved cost as well.
    {
      find: '        stackerror(L);\n    if (!luaD_precall(L, off, nResults))\n        lvm.luaV_execute(L);\n    L.nCcalls--;',
      replace:
        '        stackerror(L);\n    L.l_G.fuel -= 15;\n    if (!luaD_precall(L, off, nResults))\n        lvm.luaV_execute(L);\n    L.nCcalls--;',
    },
    {
      find: '    let nfixargs = p.numparams;\n',
      replace: '    L.l_G.fuel -= actual;\n    let nfixargs = p.numparams;\n',
    },
    {
      find: 'const moveresults = function(L, firstResult, res, nres, wanted) {',
      replace:
        'const moveresults = function(L, firstResult, res, nres, wanted) {\n    L.l_G.fuel -= (L.top - res) >> 1;',
    },
    {
      find: 'return resume_error(L, "JS stack overflow", nargs);',
      replace: 'return resume_error(L, "C stack overflow", nargs);',
    },
    { find: 'to_luastring("JS stack overflow", true)', replace: 'to_luastring("C stack overflow", true)' },
  ],
  'lvm.js': [
    {
      find: '    let ci = L.ci;\n\n    ci.callstatus |= lstate.CIST_FRESH;',
      replace: '    let ci = L.ci;\n    let g = L.l_G;\n\n    ci.callstatus |= lstate.CIST_FRESH;',
    },
    {
      find: `        let i = ci.l_code[ci.l_savedpc++];

        if (L.hookmask & (LUA_MASKLINE | LUA_MASKCOUNT)) {
            ldebug.luaG_traceexec(L);
        }
`,
      // A slice ends between two instructions: the thread yields as a hook would, and the same instruction runs next.
      replace: `        if (--g.fuel < g.fuelLimit && g.meter.outOfFuel(L, true)) {
            g.fuel++;
            L.status = LUA_YIELD;
            ci.extra = ci.funcOff;
            ci.funcOff = L.top - 1;
            ci.func = L.stack[ci.funcOff];
            ldo.luaD_throw(L, LUA_YIELD);
        }
        let i = ci.l_code[ci.l_savedpc++];
`,
    },
    {
      find: '    LUA_MASKLINE,\n    LUA_MASKCOUNT,\n    LUA_MULTRET,',
      replace: '    thread_status: { LUA_YIELD },\n    LUA_MULTRET,',
    },
    {
      find: '            return luaS_eqlngstr(t1.tsvalue(), t2.tsvalue()) ? 1 : 0;',
      replace:
        '            if (L !== null) L.l_G.fuel -= t1.vslen() >> 3;\n            return luaS_eqlngstr(t1.tsvalue(), t2.tsvalue()) ? 1 : 0;',
    },
    {
      find: '        return l_strcmp(l.tsvalue(), r.tsvalue()) < 0 ? 1 : 0;',
      replace: '        return L.l_G.fuel -= l.vslen() >> 3, l_strcmp(l.tsvalue(), r.tsvalue()) < 0 ? 1 : 0;',
    },
    {
      find: '        return l_strcmp(l.tsvalue(), r.tsvalue()) <= 0 ? 1 : 0;',
      replace:
        '        return L.l_G.fuel -= l.vslen() >> 3, l_strcmp(l.tsvalue(), r.tsvalue()) <= 0 ? 1 : 0;',
    },
    {
      find: '                if (n < 0) /* less arguments than parameters? */',
      replace:
        '                g.fuel -= n;\n                if (n < 0) /* less arguments than parameters? */',
    },
    {
      find: '            let buff = new Uint8Array(tl);\n',
      replace: '            lstate.checkString(L, tl);\n            let buff = new Uint8Array(tl);\n',
    },
    // Each step along a chain of __index tables is work as well.
    {
      find: "        t = tm;  /* else try to access 'tm[key]' */",
      replace: "        g_step(L);\n        t = tm;  /* else try to access 'tm[key]' */",
    },
    {
      find: "        t = tm;  /* else repeat assignment over 'tm' */",
      replace: "        g_step(L);\n        t = tm;  /* else repeat assignment over 'tm' */",
    },
    {
      find: 'const MAXTAGLOOP = 2000;',
      replace: 'const MAXTAGLOOP = 2000;\nconst g_step = function(L) { L.l_G.fuel -= 2; };',
    },
  ],
  'lapi.js': [
    {
      find: '    return isvalid(o1) && isvalid(o2) ? lvm.luaV_equalobj(null, o1, o2) : 0;',
      replace:
        '    if (o1.ttisstring()) L.l_G.fuel -= o1.vslen() >> 3;\n    return isvalid(o1) && isvalid(o2) ? lvm.luaV_equalobj(null, o1, o2) : 0;',
    },
    {
      find: '    if (from === to) return;\n    api_checknelems(from, n);',
      replace: '    if (from === to) return;\n    from.l_G.fuel -= n;\n    api_checknelems(from, n);',
    },
  ],
  'lcode.js': [
    {
      find: '            list = next;\n            next = getjump(fs, list);',
      replace:
        '            lstate.work(fs.ls.L, 1);\n            list = next;\n            next = getjump(fs, list);',
    },
    {
      find: 'const getjump = function(fs, pc) {',
      replace: 'const lstate = require("./lstate.js");\nconst getjump = function(fs, pc) {',
    },
  ],
  'lparser.js': [
    {
      find: 'const eqstr = function(a, b) {',
      replace: 'const lstate = require("./lstate.js");\nconst eqstr = function(a, b) {',
    },
    {
      find: '    let gt = dyd.gt.arr[g];\n    /* check labels',
      replace:
        '    let gt = dyd.gt.arr[g];\n    lstate.work(ls.L, dyd.label.n - bl.firstlabel);\n    /* check labels',
    },
    {
      find: '    let i = ls.fs.bl.firstgoto;\n',
      replace: '    let i = ls.fs.bl.firstgoto;\n    lstate.work(ls.L, gl.n - i);\n',
    },
    {
      find: 'const checkrepeated = function(fs, ll, label) {',
      replace:
        'const checkrepeated = function(fs, ll, label) {\n    lstate.work(fs.ls.L, ll.n - fs.bl.firstlabel);',
    },
  ],
};
