// Functions in functions, of all kinds that compilers put into others: node put_in.js TRUTH. js_inlined.sh compares what plume says of
// each instruction with what the compiler says of it. Each function has a name of its own; some have a number of their own, too,
// by which their instructions are known: on standard error it says which.
'use strict';
const { takeTurns } = require('./turns.js');

let sink = 1, float = 1.5;
const numbers = Array.from({ length: 1024 }, (_, i) => i), floats = Array.from({ length: 1024 }, (_, i) => i + 0.5);
const words = Array.from({ length: 64 }, (_, i) => `word ${i} of a text that is ${i * i} long`);

// Inner loops of a few rounds, which are unrolled inside of their caller's.
function fourOf(list, at) {
  let sum = 7;
  for (let k = 0; k < 4; k++) sum = Math.imul(sum ^ list[at + k], 0x2c1b3c6d);
  return sum;
}
function threeTimes(n) {
  for (let k = 0; k < 3; k++) n = Math.imul(n, 0x297a2d39) + k | 0;
  return n;
}
function twiceThree(n) {
  for (let k = 0; k < 2; k++) n = threeTimes(n) ^ 0x5a7f3d11;
  return n;
}
function unrolled(rounds) {
  let n = sink;
  for (let i = 0; i < rounds; i++) for (let at = 0; at < 1000; at++) n ^= twiceThree(fourOf(numbers, at) + n) & 0x3fe7d5b3;
  sink = n;
}

// Getters, methods and closures, three deep, with state in objects.
class Meter {
  constructor(scale) { this.scale = scale; this.total = 0; }
  get factor() { return this.scale + 1; }
  set count(n) { this.total = n & 0xffff; }
  get count() { return this.total; }
  scaled(n) { return Math.imul(n, this.factor) ^ 0x1b873593; }
  add(n) { this.count = this.count + this.scaled(n) | 0; return this; }
}
const shifter = (by) => { const shifted = (n) => (n << by) ^ (n & 0x19660d3f); return shifted; };
const shiftBy5 = shifter(5);
function throughThree(meter, n) { return meter.add(shiftBy5(n)).count; }
function methods(rounds) {
  const meter = new Meter(3);
  let n = sink;
  for (let i = 0; i < rounds; i++) for (let k = 0; k < 1000; k++) n = throughThree(meter, n + k);
  sink = n;
}

// Builtins with callbacks.
function squares(list) { return list.map(function square(x) { return Math.imul(x, x ^ 0x12345ef7); }); }
function totals(list) { return list.reduce(function total(a, x) { return (a + x) | 0; }, 0); }
function eachOf(list) { let last = 0; list.forEach(function each(x) { last = last ^ (x | 0x2a65a1c3); }); return last; }
function oddOnes(list) { return list.filter(function isOdd(x) { return x & 1; }).length; }
function firstLarge(list) { return list.find(function isLarge(x) { return x > 900; }) | 0; }
function anyNegative(list) { return list.some(function isNegative(x) { return x < 0; }) ? 1 : 0; }
function callbacks(rounds) {
  for (let i = 0; i < rounds; i++)
    sink ^= totals(squares(numbers)) + eachOf(numbers) + oddOnes(numbers) + firstLarge(numbers) + anyNegative(numbers);
}

// Constructors, of classes that extend others; objects that stay, and such that are never made.
class Base { constructor(x) { this.x = x; this.y = x + 1; } sum() { return this.x + this.y; } }
class Derived extends Base { constructor(x, z) { super(x ^ 0x3c6ef35f); this.z = z; } sum() { return super.sum() + this.z; } }
class Pair { constructor(a, b) { this.a = a; this.b = b; } product() { return this.a * this.b; } }
let kept = null;
function derive(n) { return new Derived(n & 255, n & 7); }
function pairs(n) { return new Pair(n & 15, 3).product(); }
function constructors(rounds) {
  let n = sink;
  for (let i = 0; i < rounds; i++)
    for (let k = 0; k < 500; k++) {
      const made = derive(n + k);
      n = (n + made.sum() + pairs(k)) | 0;
      if ((k & 31) === 0) kept = made;
    }
  sink = n;
}

// Two callees of one call, in one loop.
class Circle { constructor(r) { this.r = r; } area() { return this.r * this.r & 0x1fd3a9c7; } }
class Box { constructor(w, h) { this.w = w; this.h = h; } area() { return Math.imul(this.w, this.h) + this.edge(); } edge() { return (this.w + this.h) ^ 0x2e1b2139; } }
const shapes = Array.from({ length: 256 }, (_, i) => i % 3 ? new Circle(i & 15) : new Box(i & 7, i & 31));
function areaOf(shape) { return shape.area() | 0; }
function polymorphic(rounds) {
  let n = sink;
  for (let i = 0; i < rounds; i++) for (let k = 0; k < shapes.length; k++) n = (n + areaOf(shapes[k])) | 0;
  sink = n;
}

// Strings.
function hashOf(text) {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 0x1000193) + codeAt(text, i)) | 0;
  return hash;
}
function codeAt(text, i) { return text.charCodeAt(i); }
function isVowel(code) { return code === 97 || code === 101 || code === 105 || code === 111 || code === 117; }
function vowels(text) {
  let count = 0;
  for (let i = 0; i < text.length; i++) if (isVowel(text.charCodeAt(i))) count++;
  return count;
}
function strings(rounds) {
  for (let i = 0; i < rounds; i++) for (let k = 0; k < words.length; k++) sink ^= hashOf(words[k]) + vowels(words[k]);
}

// The same function at two calls, a function in itself, a choice by number, and what is thrown.
function mixed(n, by) { return Math.imul(n ^ by, 0x45d9f3b) ^ (n >>> 16); }
function fib(n) { return n < 2 ? n : (fib(n - 1) + fib(n - 2)) | 0; }
function chosen(what, n) {
  switch (what & 7) {
    case 0: return n + 1;
    case 1: return mixed(n, 3);
    case 2: return n * 3 | 0;
    case 3: return n ^ 0x55d5a5b7;
    case 4: return n - 7 | 0;
    case 5: return mixed(n, 9);
    case 6: return n << 1;
    default: return n >>> 1;
  }
}
function checked(n) {
  if ((n & 1023) === 1023) throw new RangeError('too much');
  return n + 1;
}
function caught(n) {
  try {
    return checked(n);
  } catch (e) {
    return e.message.length;
  } finally {
    sink ^= 1;
  }
}
function sundry(rounds) {
  let n = sink;
  for (let i = 0; i < rounds; i++) {
    for (let k = 0; k < 300; k++) n = (mixed(n, k) + chosen(k, n)) | 0;
    for (let k = 0; k < 100; k++) n = caught(n & 0xffff | 0) + n | 0;
    n = (n + fib(9)) | 0;
  }
  sink = n;
}

// Floats, arrays that are written, arguments of any number.
function blend(a, b, t) { return a + (b - a) * t; }
function smooth(list, k) { list[k] = blend(list[k - 1], list[k + 1], 0.5) * 0.999 + 0.001; }
function largest(...all) { let most = all[0]; for (let i = 1; i < all.length; i++) if (all[i] > most) most = all[i]; return most; }
function floating(rounds) {
  for (let i = 0; i < rounds; i++) {
    for (let k = 1; k < 1000; k++) smooth(floats, k);
    for (let k = 0; k < 200; k++) float = Math.sqrt(largest(float, k, floats[k])) + 1;
  }
}

const numbered = {
  fourOf: 0x2c1b3c6d, threeTimes: 0x297a2d39, twiceThree: 0x5a7f3d11, unrolled: 0x3fe7d5b3, scaled: 0x1b873593, shifted: 0x19660d3f,
  square: 0x12345ef7, each: 0x2a65a1c3, Derived: 0x3c6ef35f, area: 0x1fd3a9c7, edge: 0x2e1b2139, hashOf: 0x1000193, mixed: 0x45d9f3b,
  chosen: 0x55d5a5b7,
};
process.stderr.write(Object.entries(numbered).map(([name, number]) => `${name} ${number}\n`).join(''));
takeTurns([unrolled, methods, callbacks, constructors, polymorphic, strings, sundry, floating].map((run) =>
  ({ name: `${run.name}@put_in.js`, run })), process.argv[2], { warmUp: Number(process.argv[3]) || 1.5 });
