/** Integers are exact to 2^53, bit operations work on 64 bits, and numbers print as Lua 5.5 does. */

/** @type {Record<string, import('../fengari-edits.mjs').Edit[]>} */
export const arithmetic = {
  'luaconf.js': [
    { find: 'const LUA_MAXINTEGER = 2147483647;', replace: 'const LUA_MAXINTEGER = 9007199254740991;' },
    { find: 'const LUA_MININTEGER = -2147483648;', replace: 'const LUA_MININTEGER = -9007199254740991;' },
    {
      find: 'return n >= LUA_MININTEGER && n < -LUA_MININTEGER ? n : false;',
      replace: 'return n >= LUA_MININTEGER && n <= LUA_MAXINTEGER ? n + 0 : false;',
    },
    // Lua 5.5 prints 15 digits where they read back as the same number, else 17.
    {
      find: 'return String(Number(n.toPrecision(14))); /* should match behaviour of LUA_NUMBER_FMT */',
      replace: 'return formatNumber(n);',
    },
    {
      find: 'const lua_number2str = function(n) {',
      replace: `const formatNumber = function(n) {
    if (n !== n) return "-nan";
    if (n === Infinity) return "inf";
    if (n === -Infinity) return "-inf";
    if (n === 0) return Object.is(n, -0) ? "-0" : "0";
    let digits = 15;
    let text = n.toExponential(14);
    if (Number(text) !== n) {
        digits = 17;
        text = n.toExponential(16);
        /* JavaScript rounds what lies halfway up, C to the even digit */
        let exact = n.toExponential(60);
        let kept = text.indexOf("e");
        if (/^50*e/.test(exact.slice(kept)) && /[02468]/.test(exact[kept - 1])) text = exact.slice(0, kept) + text.slice(kept);
    }
    let e = text.indexOf("e");
    let exponent = Number(text.slice(e + 1));
    if (exponent < -4 || exponent >= digits) {
        let mantissa = text.slice(0, e);
        if (mantissa.indexOf(".") >= 0) mantissa = mantissa.replace(/0+$/, "").replace(/\\.$/, "");
        let size = Math.abs(exponent);
        return mantissa + "e" + (exponent < 0 ? "-" : "+") + (size < 10 ? "0" + size : size);
    }
    let sign = n < 0 ? "-" : "";
    let all = text.slice(sign.length, e).replace(".", "");
    let plain = exponent < 0 ? "0." + "0".repeat(-exponent - 1) + all : all.slice(0, exponent + 1) + "." + all.slice(exponent + 1);
    return sign + plain.replace(/0+$/, "").replace(/\\.$/, "");
};
const lua_number2str = function(n) {`,
    },
  ],
  'lobject.js': [
    // What leaves the exact range becomes a float; an integer is never -0.
    {
      find: `    setivalue(x) {
        this.type = LUA_TNUMINT;
        this.value = x;`,
      replace: `    setivalue(x) {
        this.type = x <= 9007199254740991 && x >= -9007199254740991 ? LUA_TNUMINT : LUA_TNUMFLT;
        this.value = x + 0;`,
    },
    {
      find: `        for (; i < s.length && lisxdigit(s[i]); i++) {
            a = (a * 16 + luaO_hexavalue(s[i]))|0;
            empty = false;
        }`,
      replace: `        let from = i;
        for (; i < s.length && lisxdigit(s[i]); i++) {
            a = a * 16 + luaO_hexavalue(s[i]);
            empty = false;
        }
        /* hexadecimal numerals wrap around at 64 bits */
        if (i - from > 13) a = Number(BigInt.asIntN(64, BigInt("0x" + to_jsstring(s.subarray(from, i)))));`,
    },
    {
      find: 'const MAXBY10  = Math.floor(MAX_INT / 10);',
      replace: 'const MAXBY10  = Math.floor(9007199254740991 / 10);',
    },
    { find: 'const MAXLASTD = MAX_INT % 10;', replace: 'const MAXLASTD = 9007199254740991 % 10;' },
    {
      find: 'if (a >= MAXBY10 && (a > MAXBY10 || d > MAXLASTD + neg))',
      replace: 'if (a >= MAXBY10 && (a > MAXBY10 || d > MAXLASTD))',
    },
    { find: 'a = (a * 10 + d)|0;', replace: 'a = a * 10 + d;' },
    { find: 'n: (neg ? -a : a)|0,', replace: 'n: neg ? 0 - a : a,' },
    { find: '/^[-0123456789]+$/.test(str)', replace: '/^-?[0-9]+$/.test(str)' },
    { find: 'case LUA_OPADD:  return (v1 + v2)|0;', replace: 'case LUA_OPADD:  return v1 + v2;' },
    { find: 'case LUA_OPSUB:  return (v1 - v2)|0;', replace: 'case LUA_OPSUB:  return v1 - v2;' },
    {
      find: 'case LUA_OPBAND: return (v1 & v2);',
      replace: 'case LUA_OPBAND: return lvm.luaV_bits(0, v1, v2);',
    },
    {
      find: 'case LUA_OPBOR:  return (v1 | v2);',
      replace: 'case LUA_OPBOR:  return lvm.luaV_bits(1, v1, v2);',
    },
    {
      find: 'case LUA_OPBXOR: return (v1 ^ v2);',
      replace: 'case LUA_OPBXOR: return lvm.luaV_bits(2, v1, v2);',
    },
    { find: 'case LUA_OPUNM:  return (0 - v1)|0;', replace: 'case LUA_OPUNM:  return 0 - v1;' },
    { find: 'case LUA_OPBNOT: return (~0 ^ v1);', replace: 'case LUA_OPBNOT: return -1 - v1;' },
  ],
  'lvm.js': [
    {
      find: 'L.stack[ra].setivalue((op1.value + op2.value)|0);',
      replace: 'L.stack[ra].setivalue(op1.value + op2.value);',
    },
    {
      find: 'L.stack[ra].setivalue((op1.value - op2.value)|0);',
      replace: 'L.stack[ra].setivalue(op1.value - op2.value);',
    },
    {
      find: 'L.stack[ra].setivalue(numberop1 & numberop2);',
      replace: 'L.stack[ra].setivalue(luaV_bits(0, numberop1, numberop2));',
    },
    {
      find: 'L.stack[ra].setivalue(numberop1 | numberop2);',
      replace: 'L.stack[ra].setivalue(luaV_bits(1, numberop1, numberop2));',
    },
    {
      find: 'L.stack[ra].setivalue(numberop1 ^ numberop2);',
      replace: 'L.stack[ra].setivalue(luaV_bits(2, numberop1, numberop2));',
    },
    { find: 'L.stack[ra].setivalue((-op.value)|0);', replace: 'L.stack[ra].setivalue(0 - op.value);' },
    {
      find: `                if (op.ttisinteger()) {
                    L.stack[ra].setivalue(~op.value);`,
      replace: `                let numberop = tointeger(op);
                if (numberop !== false) {
                    L.stack[ra].setivalue(-1 - numberop);`,
    },
    { find: 'let idx = (L.stack[ra].value + step)|0;', replace: 'let idx = L.stack[ra].value + step;' },
    { find: 'init.value = (initv - pstep.value)|0;', replace: 'init.value = initv - pstep.value;' },
    // Strings that hold an integer take part in arithmetic as integers (since Lua 5.4).
    {
      find: 'L.stack[ra].setfltvalue(numberop1 + numberop2);',
      replace: 'setsum(L.stack[ra], op1, op2, numberop1 + numberop2);',
    },
    {
      find: 'L.stack[ra].setfltvalue(numberop1 - numberop2);',
      replace: 'setsum(L.stack[ra], op1, op2, numberop1 - numberop2);',
    },
    {
      find: 'L.stack[ra].setfltvalue(numberop1 * numberop2);',
      replace: 'setsum(L.stack[ra], op1, op2, numberop1 * numberop2);',
    },
    { find: 'L.stack[ra].setfltvalue(-numberop);', replace: 'setsum(L.stack[ra], op, op, -numberop);' },
    {
      find: 'const luaV_execute = function(L) {',
      replace: `const readsinteger = function(o) {
    if (!o.ttisstring()) return o.ttisinteger();
    let v = new lobject.TValue();
    return lobject.luaO_str2num(o.svalue(), v) !== 0 && v.ttisinteger();
};

const setsum = function(target, op1, op2, value) {
    if ((op1.ttisstring() || op2.ttisstring()) && readsinteger(op1) && readsinteger(op2)) target.setivalue(value);
    else target.setfltvalue(value);
};

const luaV_execute = function(L) {`,
    },
    {
      find: 'const luaV_imul = Math.imul || function(a, b) {',
      replace: 'const luaV_imul = function(a, b) { return a * b; };\nconst luaV_imul32 = function(a, b) {',
    },
    // What is subtracted has the sign of `m`, so that the difference stays exact.
    {
      find: 'return Math.floor(m / n)|0;',
      replace: `let r = m % n;
    let q = (m - r) / n;
    return r !== 0 && (r < 0) !== (n < 0) ? q - 1 : q;`,
    },
    {
      find: 'return (m - Math.floor(m / n) * n)|0;',
      replace: `let r = m % n;
    return r !== 0 && (r < 0) !== (n < 0) ? r + n : r;`,
    },
    {
      find: `const luaV_shiftl = function(x, y) {
    if (y < 0) {  /* shift right? */
        if (y <= -NBITS) return 0;
        else return x >>> -y;
    }
    else {  /* shift left */
        if (y >= NBITS) return 0;
        else return x << y;
    }
};`,
      replace: `/* Bit operations work on 64-bit integers, as in Lua, in two halves: the upper one is signed. */
const TWO32 = 4294967296;
const luaV_bits = function(op, a, b) {
    if ((a|0) === a && (b|0) === b)
        return op === 0 ? a & b : op === 1 ? a | b : a ^ b;
    let ah = Math.floor(a / TWO32), bh = Math.floor(b / TWO32);
    let high = op === 0 ? ah & bh : op === 1 ? ah | bh : ah ^ bh;
    let low = op === 0 ? a & b : op === 1 ? a | b : a ^ b;
    return high * TWO32 + (low >>> 0);
};

const luaV_shiftl = function(x, y) {
    if (y <= -NBITS || y >= NBITS) return 0;
    if (y === 0) return x;
    let high = Math.floor(x / TWO32) | 0, low = x >>> 0;
    if (y < 0) {
        if (x >= 0) return Math.floor(x / Math.pow(2, -y));
        let n = -y;
        if (n >= 32) return (high >>> 0) >>> (n - 32);
        return (high >>> n) * TWO32 + (((low >>> n) | (high << (32 - n))) >>> 0);
    }
    let shifted = x * Math.pow(2, y);
    if (Number.isSafeInteger(shifted)) return shifted;
    if (y >= 32) return (low << (y - 32)) * TWO32;
    return ((high << y) | (low >>> (32 - y))) * TWO32 + ((low << y) >>> 0);
};`,
    },
    { find: 'const NBITS = 32;', replace: 'const NBITS = 64;' },
    {
      find: 'module.exports.luaV_imul        = luaV_imul;',
      replace: 'module.exports.luaV_imul        = luaV_imul;\nmodule.exports.luaV_bits        = luaV_bits;',
    },
  ],
  'lapi.js': [
    {
      find: 'fengari_argcheck(typeof n === "number" && (n|0) === n);',
      replace: 'fengari_argcheck(typeof n === "number" && Number.isSafeInteger(n));',
    },
  ],
  'ltable.js': [
    {
      find: 'typeof key == "number" && (key|0) === key',
      replace: 'typeof key == "number" && Number.isSafeInteger(key)',
      count: 2,
    },
    { find: '(key.ttisfloat() && (kv|0) === kv)', replace: '(key.ttisfloat() && Number.isSafeInteger(kv))' },
  ],
  'lbaselib.js': [
    {
      find: `    let v = parseInt(r[1]+r[2], base);
    if (isNaN(v)) return null;
    return v|0;`,
      // parseInt stops at the first foreign digit; Lua refuses the numeral.
      replace: `    let v = 0;
    for (let digit of r[2].toLowerCase()) {
        let d = parseInt(digit, 36);
        if (d >= base) return null;
        v = v * base + d;
    }
    if (!Number.isSafeInteger(v)) return null;
    return r[1] === "-" ? 0 - v : v;`,
    },
  ],
  // Packed integers have up to 64 bits, as in C Lua on the machines of today; what leaves 2^53 is a float.
  'lstrlib.js': [
    { find: 'const SZINT = 4; // Size of lua_Integer', replace: 'const SZINT = 8; // Size of lua_Integer' },
    {
      find: 'r.size = 4; r.opt = Kint;   return r; // sizeof(long)',
      replace: 'r.size = 8; r.opt = Kint;   return r; // sizeof(long)',
    },
    { find: "case 76  /*'L'*/: r.size = 4;", replace: "case 76  /*'L'*/: r.size = 8;" },
    { find: "case 106 /*'j'*/: r.size = 4;", replace: "case 106 /*'j'*/: r.size = 8;" },
    { find: "case 74  /*'J'*/: r.size = 4;", replace: "case 74  /*'J'*/: r.size = 8;" },
    { find: "case 84  /*'T'*/: r.size = 4;", replace: "case 84  /*'T'*/: r.size = 8;" },
    {
      from: '    buff[islittle ? 0 : size - 1] = n & MC;  /* first byte */',
      to: '    luaL_addsize(b, size);  /* add result to buffer */',
      replace: `    let bits = BigInt.asUintN(size * NB, BigInt(n));
    for (let i = 0; i < size; i++) {
        buff[islittle ? i : size - 1 - i] = Number(bits & 255n);
        bits >>= 8n;
    }
`,
    },
    { find: 'let lim = 1 << (size * 8) - 1;', replace: 'let lim = Math.pow(2, size * 8 - 1);' },
    {
      find: 'luaL_argcheck(L, (n>>>0) < (1 << (size * NB)), arg, "unsigned overflow");',
      replace: 'luaL_argcheck(L, n >= 0 && n < Math.pow(2, size * NB), arg, "unsigned overflow");',
    },
    {
      find: 'packint(b, n>>>0, h.islittle, size, false);',
      replace: 'packint(b, n, h.islittle, size, false);',
    },
    {
      from: '    let res = 0;\n    let limit = size <= SZINT ? size : SZINT;',
      to: 'const unpacknum = function',
      replace: `    let bits = 0n;
    for (let i = size - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(str[islittle ? i : size - 1 - i]);
    let res = issigned ? BigInt.asIntN(size * NB, bits) : bits;
    if (size > SZINT && (issigned ? BigInt.asIntN(64, res) : BigInt.asUintN(64, res)) !== res)
        luaL_error(L, to_luastring("%d-byte integer does not fit into Lua Integer"), size);
    return Number(res);
};

`,
    },
    {
      find: `                let res = unpackint(L, data.subarray(pos), h.islittle, size, opt === Kint);
                lua_pushinteger(L, res);`,
      replace: `                let res = unpackint(L, data.subarray(pos), h.islittle, size, opt === Kint || size === SZINT);
                if (Number.isSafeInteger(res)) lua_pushinteger(L, res);
                else lua_pushnumber(L, res);`,
    },
  ],
  'lparser.js': [
    { find: 'to_luastring("JS levels", true)', replace: 'to_luastring("C levels", true)', count: 2 },
  ],
  'lmathlib.js': [
    // The generator is ours: this one is shared by all runs of a worker, and seeded by nothing.
    { from: 'let rand_state;', to: 'const math_abs = ', replace: '' },
    { find: '    "random":     math_random,\n    "randomseed": math_randomseed,\n', replace: '' },
    { find: 'if (n < 0) n = (-n)|0;', replace: 'if (n < 0) n = 0 - n;' },
    {
      find: 'lua_pushinteger(L, (lua_tointeger(L, 1) % d)|0);',
      replace: 'lua_pushinteger(L, (lua_tointeger(L, 1) % d) + 0);',
    },
  ],
};
