// An HTTP server with pages, JSON, checks of signatures and a search, and a process that asks it without end, over loopback:
// node shop.js TRUTH [churn]. It knows how much CPU time each kind of request took in its handler. With `churn`, functions
// are made and forgotten all the time, and garbage is collected often.
'use strict';
const fs = require('fs'), http = require('http'), crypto = require('crypto'), vm = require('vm');
const { fork } = require('child_process');
const { used, truthOf, onSignals, tell } = require('./turns.js');

const goods = Array.from({ length: 200 }, (_, i) => ({ id: i, name: `thing ${i * 7919 % 1000}`, price: i * 37 % 500, tags: [`t${i % 7}`, `u${i % 11}`] }));

const templates = { row: '<tr><td>{{id}}<td>{{name}}<td>{{price}}</tr>', page: '<h1>{{title}}</h1><table>{{rows}}</table>' };
function fill(template, values) {
  return template.replace(/\{\{(\w+)\}\}/g, (_, key) => String(values[key]));
}
function showPage() {
  return fill(templates.page, { title: 'Shop', rows: goods.slice(0, 60).map((row) => fill(templates.row, row)).join('') });
}

class Index {
  #words = new Map();
  constructor(rows) {
    for (const row of rows) for (const tag of row.tags) this.#put(tag, row);
  }
  #put(word, row) {
    if (!this.#words.has(word)) this.#words.set(word, []);
    this.#words.get(word).push(row);
  }
  * find(word) {
    for (const row of this.#words.get(word) || []) yield row;
  }
}
function search() {
  const index = new Index(goods), found = [];
  for (const row of index.find('t3')) found.push(row);
  return JSON.stringify(found.sort((a, b) => a.price - b.price || a.id - b.id));
}

function listAll() {
  return JSON.stringify(JSON.parse(JSON.stringify({ goods })).goods.map(({ id, price }) => [id, price]));
}

function checkSignature() {
  let digest = 'seed';
  for (let i = 0; i < 12; i++) digest = crypto.createHmac('sha256', 'key').update(digest).digest('hex');
  return digest;
}

const isChurning = process.argv[3] === 'churn';
let made = 0;
function churn() {
  const f = vm.runInThisContext(`(function made${++made}(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + (i ^ ${made})) | 0; return s; })`,
    { filename: `/made/${made}.js` });
  let sum = 0;
  for (let i = 0; i < 30; i++) sum ^= f(2000);
  if (global.gc && made % 50 === 0) global.gc();
  return String(sum);
}

// So often that the clock, which takes microseconds, is nothing beside it.
const parts = [[showPage, 5], [search, 10], [listAll, 2], [checkSignature, 5]].map(([run, times]) => ({ name: `${run.name}@shop.js`, run, times, used: 0 }));
if (isChurning) parts.push({ name: 'churn@shop.js', run: churn, times: 1, used: 0 });
let answered = 0;
async function handle(request, response) {
  const part = parts[Number(request.url.slice(1)) % parts.length];
  await null;
  const start = used();
  let text = '';
  for (let i = 0; i < part.times; i++) text = part.run();
  part.used += used() - start;
  response.end(text);
  if (++answered === 2000) fs.writeSync(1, 'ready\n');
}
function serve() {
  const server = http.createServer(handle);
  server.listen(0, '127.0.0.1', () => {
    const child = fork(__filename, ['', 'ask', String(server.address().port)], { execArgv: [] });
    const end = () => {
      child.kill('SIGKILL');
      tell(process.argv[2], truthOf(parts));
    };
    onSignals(() => { for (const part of parts) part.used = 0; }, end);
    setTimeout(end, 120000);
  });
}
function ask(port, agent, n) {
  http.get({ port, agent, host: '127.0.0.1', path: `/${n}` }, (response) => {
    response.resume();
    response.on('end', () => ask(port, agent, n + 1));
  }).on('error', () => process.exit(0));
}
if (process.argv[3] === 'ask') {
  process.on('disconnect', () => process.exit(0)); // the server is gone
  const agent = new http.Agent({ keepAlive: true });
  for (let i = 0; i < 4; i++) ask(Number(process.argv[4]), agent, i);
} else {
  serve();
}
