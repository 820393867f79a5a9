// A shop: pages from templates, a JSON interface, carts, a search and sessions, with nothing but what Node.js brings:
// node server.js [PORT]. It is what README's picture of a Node.js server shows; load.js keeps it busy.
'use strict';
const http = require('node:http');
const zlib = require('node:zlib');
const { promisify } = require('node:util');
const { Template } = require('./template.js');
const { products, searchProducts, priceOf } = require('./catalogue.js');
const { addUser, logIn, checkSession } = require('./sessions.js');

const gzip = promisify(zlib.gzip);
const page = new Template(`<!doctype html><title>{{title}}</title><h1>{{title}}</h1>{{#if user}}<p>Hello {{user.name}}</p>{{/if}}
<ul>{{#each products}}<li id="p{{id}}"><b>{{name}}</b> {{price}} {{#if stock}}<i>{{stock}} left</i>{{/if}}
<p>{{text}}</p>{{#each tags}}<a href="/search?q={{word}}">{{word}}</a> {{/each}}</li>{{/each}}</ul>`);

function renderPage(title, list, user) {
  const shown = list.map((product) => ({ ...product, price: product.price.toFixed(2), tags: product.tags.map((word) => ({ word })) }));
  return page.render({ title, user, products: shown });
}
async function readJson(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks));
}
async function sendPage(response, text) {
  response.setHeader('content-encoding', 'gzip');
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(await gzip(text));
}
function sendJson(response, value) {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
}

async function showHome({ request, response }) {
  await sendPage(response, renderPage('Shop', products.slice(0, 60), checkSession(request.headers.cookie)));
}
async function showSearch({ response, url }) {
  const query = url.searchParams.get('q') ?? '';
  await sendPage(response, renderPage(`Shop: ${query}`, searchProducts(query)));
}
async function listProducts({ response, url }) {
  const from = Number(url.searchParams.get('from') ?? 0);
  sendJson(response, { count: products.length, products: products.slice(from, from + 200) });
}
async function takeOrder({ request, response }) {
  const { cart } = await readJson(request);
  sendJson(response, { ...priceOf(cart), lines: cart.map(({ id, count }) => ({ ...products[id], count })) });
}
async function openSession({ request, response }) {
  const { name, password } = await readJson(request);
  const cookie = logIn(name, password);
  response.statusCode = cookie ? 200 : 403;
  if (cookie) response.setHeader('set-cookie', `session=${cookie}; HttpOnly`);
  sendJson(response, { welcome: cookie !== null });
}
async function notFound({ response }) {
  response.statusCode = 404;
  sendJson(response, { error: 'no such page' });
}

const routes = new Map([
  ['GET /', showHome], ['GET /search', showSearch], ['GET /api/products', listProducts],
  ['POST /api/order', takeOrder], ['POST /login', openSession],
]);
async function handleRequest(request, response) {
  const url = new URL(request.url, 'http://shop');
  const route = routes.get(`${request.method} ${url.pathname}`) ?? notFound;
  try {
    await route({ request, response, url });
  } catch (error) {
    response.statusCode = 400;
    sendJson(response, { error: error.message });
  }
}

addUser('ada', 'lovelace');
http.createServer(handleRequest).listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => console.log('ready'));
