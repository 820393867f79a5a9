// What Node.js stacks look like: parsing, templates, sorting, regular expressions, promises, deep recursion, classes.
'use strict';
const seconds = Number(process.argv[2] || 1), seed = Number(process.argv[3] || 1);
const rounds = Number(process.argv[4] || Infinity); // the same work each time, whatever it takes
const end = Date.now() + seconds * 1000;
let state = seed;
const random = (n) => (state = (state * 1103515245 + 12345) & 0x7fffffff) % n;

class Parser {
  constructor(text) { this.text = text; this.at = 0; }
  peek() { return this.text[this.at]; }
  expression() { let left = this.term(); while (this.peek() === '+' || this.peek() === '-') left = this.apply(this.text[this.at++], left, this.term()); return left; }
  term() { let left = this.factor(); while (this.peek() === '*') { this.at++; left = this.apply('*', left, this.factor()); } return left; }
  factor() { if (this.peek() !== '(') return this.number(); this.at++; const inner = this.expression(); this.at++; return inner; }
  number() { const start = this.at; while (/[0-9]/.test(this.peek() || '')) this.at++; return { type: 'number', value: Number(this.text.slice(start, this.at)) }; }
  apply(op, left, right) { return { type: 'binary', op, left, right }; }
}
const write = (depth) => depth === 0 ? String(random(1000)) : '(' + write(depth - 1) + '+*-'[random(3)] + write(depth - 1 - random(2) * (depth > 1)) + ')';
const visitors = {
  number: (node) => node.value,
  binary: (node) => { const l = visit(node.left), r = visit(node.right); return node.op === '+' ? l + r : node.op === '-' ? l - r : l * r % 1000003; },
};
function visit(node) { return visitors[node.type](node); }
const clone = (value) => JSON.parse(JSON.stringify(value));
const render = (node) => node.type === 'number' ? `<b>${node.value}</b>` : [node.left, node.right].map(render).join(`<i>${node.op}</i>`);
const words = (html) => html.split(/<[^>]*>/).filter(Boolean).map((w) => w.padStart(6, '0')).sort((a, b) => a.localeCompare(b));

async function handle() {
  const tree = new Parser(write(6 + random(3))).expression();
  const sum = visit(tree);
  await null;
  const copy = clone(tree);
  const list = words(render(copy));
  const groups = new Map();
  for (const w of list) groups.set(w.slice(0, 3), (groups.get(w.slice(0, 3)) || 0) + 1);
  return [...groups].reduce((a, [k, v]) => a + k.length * v, sum);
}
// What it used, in ms, where somebody asks.
if (process.env.USED_FILE) process.on('exit', () => { const used = process.cpuUsage(); fs.writeFileSync(process.env.USED_FILE, `${(used.user + used.system) / 1000}\n`); });
// How many rounds it has done, where somebody asks.
const fs = require('fs'), done = new Float64Array(1);
const file = process.env.ROUNDS_FILE && fs.openSync(process.env.ROUNDS_FILE, 'w');
const tellRound = () => { done[0]++; if (file) fs.writeSync(file, done, 0, 8, 0); };
(async () => { let total = 0; for (let i = 0; i < rounds && Date.now() < end; i++) { total += await handle(); tellRound(); } process.exitCode = Number.isNaN(total) ? 1 : 0; })();
