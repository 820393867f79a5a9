// Asks server.js without end, eight questions at a time, as people in a shop do: node load.js [PORT [COUNT]]. It says `ready` after
// COUNT answers, when the server is warm, and ends with it.
'use strict';
const http = require('node:http');

const port = Number(process.argv[2] ?? 8080);
const warm = Number(process.argv[3] ?? 2000);
const agent = new http.Agent({ keepAlive: true });
const cart = Array.from({ length: 150 }, (_, i) => ({ id: i * 7 % 400, count: i % 3 + 1 }));
const questions = [
  { path: '/' }, { path: '/search?q=lamp' }, { path: '/api/products?from=100' }, { path: '/search?q=red+home' },
  { method: 'POST', path: '/api/order', body: JSON.stringify({ cart }) }, { path: '/api/products' },
  { method: 'POST', path: '/login', body: JSON.stringify({ name: 'ada', password: 'lovelace' }) },
];
let answered = 0;
let cookie = '';

function ask(n) {
  const { body, ...question } = questions[n % questions.length];
  const request = http.request({ host: '127.0.0.1', port, agent, headers: { cookie }, ...question }, (response) => {
    if (response.headers['set-cookie']) cookie = response.headers['set-cookie'][0].split(';')[0];
    response.resume();
    response.on('end', () => {
      if (++answered === warm) console.log('ready');
      ask(n + 1);
    });
  });
  request.on('error', () => (answered > 0 ? process.exit(0) : setTimeout(ask, 100, n))); // it ended, or does not listen yet
  request.end(body);
}
for (let i = 0; i < 8; i++) ask(i);
