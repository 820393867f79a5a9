// An HTTP server that has something to do, and a process that asks it without end, over loopback: node server.js. It
// says `ready` when it is warm, and ends when it is told to (SIGTERM) or after 60 seconds.
'use strict';
const http = require('http');
const { fork } = require('child_process');

const rows = Array.from({ length: 120 }, (_, i) => ({ id: i * 7919 % 1000, name: `row ${i}`, tags: ['a', 'b', String(i)] }));
function escapeText(text) {
  return text.replace(/[<>&]/g, (c) => `&#${c.charCodeAt(0)};`);
}
function renderRow(row) {
  return `<tr><td>${row.id}<td>${escapeText(row.name)}<td>${row.tags.map(escapeText).join(', ')}</tr>`;
}
function renderPage(list) {
  return '<table>' + list.map(renderRow).join('\n') + '</table>';
}
function handleRequest(request, response) {
  const list = JSON.parse(JSON.stringify(rows)).sort((a, b) => a.id - b.id);
  response.end(renderPage(list));
  if (++answered === 3000) process.stdout.write('ready\n');
}
let answered = 0;

function serve() {
  const server = http.createServer(handleRequest);
  server.listen(0, '127.0.0.1', () => {
    const child = fork(__filename, ['ask', String(server.address().port)]);
    const end = () => { child.kill('SIGKILL'); process.exit(0); };
    process.on('SIGTERM', end);
    setTimeout(end, 60000);
  });
}
function ask(port, agent) {
  http.get({ port, agent, host: '127.0.0.1' }, (response) => {
    response.resume();
    response.on('end', () => ask(port, agent));
  }).on('error', () => process.exit(0));
}
if (process.argv[2] === 'ask') {
  process.on('disconnect', () => process.exit(0)); // the server is gone
  const agent = new http.Agent({ keepAlive: true });
  for (let i = 0; i < 4; i++) ask(Number(process.argv[3]), agent);
} else {
  serve();
}
