// Functions in all the forms that JavaScript has: node forms.js TRUTH.
'use strict';
const { takeTurns } = require('./turns.js');
const twin = require('./twin.js');

let sink = 1;

class Account {
  #sum = 0;
  static #count = 0;
  #add(rounds) {
    for (let i = 0; i < rounds; i++) this.#sum = (this.#sum + (i ^ (this.#sum << 1))) | 0;
  }
  get total() {
    let sum = this.#sum;
    for (let i = 0; i < this.rounds; i++) sum = (sum * 31 + i) | 0;
    return sum;
  }
  static tally(rounds) {
    for (let i = 0; i < rounds; i++) Account.#count = (Account.#count ^ (i * 7)) | 0;
  }
  add(rounds) { this.#add(rounds); }
}
const account = new Account();
function getTotal(rounds) {
  account.rounds = rounds;
  sink ^= account.total;
}

async function later(rounds) {
  await null;
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = (sum + (i ^ (sum << 2))) | 0;
  sink = sum;
}

function* numbers(count) {
  for (let i = 0; i < count; i++) yield i ^ sink;
}
function consume(rounds) {
  let sum = 0;
  for (const n of numbers(rounds)) sum = (sum + n) | 0;
  sink ^= sum;
}

const words = Array.from({ length: 60 }, (_, i) => `word${i * 7919 % 100} <b>${i}</b> & more`).join(' ');
function matches(rounds) {
  for (let i = 0; i < rounds; i++) {
    const expression = /(\w+)\s<b>(\d+)<\/b>(?:\s&)?/g;
    while (expression.exec(words)) sink++;
  }
}

const rows = Array.from({ length: 40 }, (_, i) => ({ key: `key ${i}`, value: i * 7919 % 101, list: [i, i + 1] }));
function texts(rounds) {
  for (let i = 0; i < rounds; i++) sink ^= JSON.parse(JSON.stringify(rows)).length;
}

const unsorted = rows.map((row) => row.value);
function byValue(a, b) {
  return a - b || sink;
}
function sorted(rounds) {
  for (let i = 0; i < rounds; i++) sink ^= unsorted.slice().sort(byValue)[3];
}

function bottom(rounds) {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = (sum ^ (sum << 3) ^ i) | 0;
  return sum;
}
function descend(depth, rounds) {
  return depth ? descend(depth - 1, rounds) + 1 : bottom(rounds);
}
function descends(rounds) {
  sink = descend(60, rounds) | 0;
}

function nameless(rounds) { // the functions that it calls have no name at all
  [1, 2, 3].forEach((function () {
    return (step) => {
      let sum = sink;
      for (let i = 0; i < rounds; i++) sum = (sum + i * step) | 0;
      sink = sum;
    };
  })());
}

takeTurns([
  { name: '#add@forms.js', weight: 2, run: (rounds) => account.add(rounds) },
  { name: 'getTotal@forms.js', weight: 2, run: getTotal },
  { name: 'tally@forms.js', run: Account.tally },
  { name: 'later@forms.js', weight: 2, run: later },
  { name: 'consume@forms.js', weight: 3, run: consume },
  { name: 'matches@forms.js', weight: 3, run: matches },
  { name: 'texts@forms.js', weight: 3, run: texts },
  { name: 'sorted@forms.js', weight: 4, run: sorted },
  { name: 'bottom@forms.js', weight: 2, run: descends },
  { name: 'nameless@forms.js', weight: 2, run: nameless },
  { name: 'work@twin.js', weight: 2, run: twin.work },
  { name: 'work@forms.js', run: work },
], process.argv[2]);

function work(rounds) {
  let sum = sink;
  for (let i = 0; i < rounds; i++) sum = (sum * 17 + i) | 0;
  sink = sum;
}
