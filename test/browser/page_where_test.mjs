// The graph, the table, the search and the details of `plume scope` in a browser, used as a reader would.
//   node test/browser/page_where_test.mjs PLUME

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.mjs';
import { equal, finish, note, ok, test } from './tap.mjs';

const plume = resolve(process.argv[2] || 'build/plume');
const recording = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/recordings/node-prettier.perf.zst');
const dir = mkdtempSync(join(tmpdir(), 'plume-page-where-'));
const started = [];

/** Serves a profile, returns the page's address. */
function serve(file) {
	const child = spawn(plume, ['scope', file], { stdio: ['ignore', 'pipe', 'ignore'] });
	started.push(child);
	return new Promise((done, failed) => {
		let text = '';
		child.on('exit', () => failed(new Error('plume scope ended')));
		child.stdout.on('data', (chunk) => {
			text += chunk;
			const url = /http:\/\/\S+\n/.exec(text);
			if (url)
				done(url[0].trim());
		});
	});
}

function write(name, lines) {
	const path = join(dir, name);
	writeFileSync(path, lines.join('\n') + '\n');
	return path;
}

const LINES = ['main;parse;lex;read 30', 'main;parse;lex 10', 'main;parse;Reader::read 5', 'main;emit;write;read 20', 'main;emit 35'];

const browser = await Chromium.start(1440, 900);
const get = (expression) => browser.evaluate(expression);
const frames = (name) => get(`plumeWhere.frames().filter((frame) => frame.name === ${JSON.stringify(name)})`);
const state = (part) => get(`plume.state().${part}`);
const text = (selector) => get(`document.querySelector(${JSON.stringify(selector)}).innerText`);

/** Waits until everything that was asked for has come and is drawn. */
async function settled() {
	await browser.until('plumeWhere.isIdle()');
	await browser.settle();
	await browser.settle();
}

async function open(url, hash = '') {
	await browser.newPage();
	await browser.open(url + '#' + hash);
	await browser.until('window.plumeWhere && (plumeWhere.cost() > 0 && plumeWhere.table().length > 0 || !document.querySelector(".graph-empty").hidden)', 15000);
	await settled();
}

async function clickFrame(name) {
	const [frame] = await frames(name);
	await browser.click(frame.x + frame.w / 2, frame.y + frame.h / 2);
	await settled();
}

const small = await serve(write('small.folded', LINES));
const real = await serve(recording);

await test('the graph has every sample, the table as well', async () => {
	await open(small);
	equal((await frames('all'))[0].total, 100);
	equal(await get('plumeWhere.table().reduce((sum, row) => sum + row.self, 0)'), 100);
	equal((await frames('read')).map((frame) => frame.total).sort(), [20, 30]);
	ok((await text('.crumb-bar')).includes('100 samples'), 'the size is told');
});
await test('a click zooms, Backspace and the browser\'s back undo it', async () => {
	await open(small);
	await clickFrame('parse');
	equal(await state('zoom'), ['main', 'parse']);
	equal((await frames('parse'))[0].w, (await frames('all'))[0].w);
	ok((await get('decodeURIComponent(location.hash)')).includes('zoom'), 'the address has it');
	await browser.key('Backspace');
	await settled();
	equal(await state('zoom'), []);
	await get('history.back()');
	await browser.until('plume.state().zoom.length === 2');
});
await test('an address with a zoom and a view opens there', async () => {
	await open(small);
	await clickFrame('emit');
	await browser.key('3');
	await settled();
	const hash = await get('location.hash.slice(1)');
	await open(small, hash);
	equal([await state('view'), await state('zoom')], ['left', ['main', 'emit']]);
	equal((await frames('emit'))[0].w, (await frames('all'))[0].w);
});
await test('arrows move the focus, Enter zooms', async () => {
	await open(small);
	for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp'])
		await browser.key(key);
	const [emit, parse] = ['emit', 'parse'];
	equal((await text('.why-name')).trim().split(/\s/)[0], emit);
	await browser.key('ArrowRight');
	equal((await text('.why-name')).trim().split(/\s/)[0], parse);
	await browser.key('Enter');
	await settled();
	equal(await state('zoom'), ['main', 'parse']);
	await browser.key('f');
	await settled();
	equal(await state('zoom'), []);
});
await test('the details and the tooltip say what a frame has', async () => {
	await open(small);
	const [frame] = await frames('lex');
	await browser.move(frame.x + 5, frame.y + 5);
	const details = await text('.why-band');
	ok(/self\s+10 samples.*10\.00%/.test(details) && /total\s+40 samples.*40\.00%/.test(details), details);
	ok((await text('.frame-tip')).includes('lex'), 'the tooltip');
	await browser.move(5, 5);
	ok(await get('document.querySelector(".frame-tip").hidden'), 'it goes away');
});
await test('pointing at a frame moves nothing', async () => {
	await open(real);
	const before = await get('document.querySelector(".flame").getBoundingClientRect().toJSON()');
	await browser.move(before.x + before.width / 2, before.y + before.height - 40);
	equal(await get('document.querySelector(".frame-tip").hidden'), false, 'the tooltip');
	equal(await get('document.querySelector(".flame").getBoundingClientRect().toJSON()'), before);
});
await test('the tooltip stays when other samples come under the pointer', async () => {
	await open(real, 'your-code');
	const [frame] = await frames('node');
	await browser.move(frame.x + frame.w / 2, frame.y + 5);
	const before = await text('.frame-tip');
	await get('location.hash += "&time=0,0.3"');
	await browser.until('plume.state().selection.times.length === 1');
	await settled();
	await settled();
	equal((await frames('node'))[0].y, frame.y, 'the row of the same frame');
	ok(!(await get('document.querySelector(".frame-tip").hidden')), 'it is there');
	ok((await text('.frame-tip')) !== before, 'with other numbers');
});
await test('every view has the same samples', async () => {
	await open(real);
	const all = await get('plumeWhere.total()');
	for (const key of ['1', '2', '3', '4']) {
		await browser.key(key);
		await settled();
		equal(await get('plumeWhere.total()'), all, 'view ' + key);
		ok(await get('plumeWhere.frames().length > 20'), 'view ' + key + ' is drawn');
	}
	const self = await get('plumeWhere.table().reduce((sum, row) => sum + row.self, 0)');
	equal(self, all, 'the table of the last view');
});
await test('callers: the leaves are at the root, the heaviest on the left', async () => {
	await open(small, 'view=callers');
	const row = (await get('plumeWhere.frames()')).filter((frame) => frame.depth === 1).sort((a, b) => a.x - b.x);
	equal(row.map(({ name, total }) => [name, total]), [['read', 50], ['emit', 35], ['lex', 10], ['Reader::read', 5]]);
	const table = await get('plumeWhere.table()');
	equal(table.find((entry) => entry.name === 'read'), { name: 'read', self: 50, total: 50, change: 0 });
});
await test('a sandwich has all callers above a function and all callees below', async () => {
	await open(small);
	const at = await get(`(() => { const row = [...document.querySelectorAll('.rows .function-row')].find((row) => row.innerText.includes('lex'));
		const box = row.getBoundingClientRect(); return [box.x + 20, box.y + 5]; })()`);
	await browser.click(...at);
	await settled();
	equal(await state('subject'), 'lex');
	await browser.key('Enter');
	await settled();
	equal(await state('view'), 'sandwich');
	const [lex] = await frames('lex');
	const [parse] = await frames('parse');
	const [read] = await frames('read');
	ok(parse.y < lex.y && lex.y < read.y, 'callers are above, callees below');
	equal([lex.total, parse.total, read.total], [40, 40, 30]);
});
await test('a sandwich of a function that the selection lacks says so, and what to do', async () => {
	await open(small, 'only=emit&view=sandwich&subject=lex');
	equal(await get('document.querySelector(".graph-empty").hidden'), false, 'an empty graph is explained');
	ok((await text('.graph-empty')).includes('lex is not in this selection'), await text('.graph-empty'));
	equal(await get('document.querySelector("#problem").hidden'), true, 'it is no error');
	equal((await get('plumeWhere.table().map((row) => row.name)')).sort(), ['emit', 'main', 'read', 'write'], 'other functions can be chosen');
	const press = (words) => get(`[...document.querySelectorAll('.graph-empty button')].find((one) => one.textContent === '${words}').click()`);
	await press('Show all stacks');
	await settled();
	equal((await frames('lex')).map((frame) => frame.total), [40], 'without the filter');
	await get('history.back()');
	await browser.until('!document.querySelector(".graph-empty").hidden');
	await settled();
	await press('Leave the sandwich');
	await settled();
	equal([await state('view'), (await frames('emit')).length], ['flame', 1], 'the flame graph');
});
await test('a search marks, counts and steps; Escape ends it', async () => {
	await open(small);
	await browser.key('/');
	await browser.type('read');
	await browser.until('document.querySelector(".search-result").textContent.includes("hits")');
	equal(await text('.search-result'), '3 hits | 55.00% of view');
	equal((await get('plumeWhere.table()')).map((row) => row.name).sort(), ['Reader::read', 'read']);
	equal((await get('plumeWhere.hits()')).map(({ name, value }) => [name, value]), [['read', '50.00%'], ['Reader::read', '5.00%']]);
	await browser.key('Enter');
	await settled();
	ok((await text('.search-result')).startsWith('1 of 3'), 'the first hit');
	await browser.key('Escape');
	await settled();
	equal(await state('search.text'), '');
});
await test('an expression that is none is said, a slow one waits for Enter', async () => {
	await open(small);
	await browser.key('/');
	await browser.type('(');
	await browser.until('document.querySelector(".search-result").textContent.includes("not a valid")');
	await browser.type('a+)+$');
	await browser.until('document.querySelector(".search-result").textContent.includes("press Enter")');
	await browser.key('Enter');
	await browser.until('document.querySelector(".search-result").textContent.includes("match")');
});
await test('an expression that never ends is ended, and the page goes on', async () => {
	await open(await serve(write('bomb.folded', Array.from({ length: 200 }, (_, i) => `${'a'.repeat(40)}!${i} 1`))));
	const says = (words) => browser.until(`document.querySelector(".search-result").textContent.includes("${words}")`);
	await browser.key('/');
	await browser.type('(a+)+$');
	await says('press Enter');
	await browser.key('Enter');
	await says('this expression takes too long');
	equal(await get('document.querySelector("#problem").hidden'), true, 'nothing is wrong with the policy');
	await get('document.querySelector(".search-box input").select()');
	await browser.type('(!1)+$');
	await says('press Enter');
	await browser.key('Enter');
	await says('1 hit');
});
await test('a link with such an expression waits for Enter, in the heat map as well', async () => {
	await open(real, 'search=' + encodeURIComponent('(Reader|parse)+.*.*.*'));
	const asked = 'performance.getEntriesByType("resource").filter(({ name }) => /[?&]search=/.test(name)).length';
	ok((await text('.search-result')).includes('press Enter'), await text('.search-result'));
	equal([await get(asked), await get('plume.heat().grid.hits === null')], [0, true], 'requests with the search');
	await browser.key('/');
	await browser.key('Enter');
	await browser.until('plume.heat().grid.hits !== null');
	ok(/hits? \|/.test(await text('.search-result')), await text('.search-result'));
});
await test('the table is sorted by its columns, and by keys', async () => {
	await open(small);
	const names = () => get('plumeWhere.table().map((row) => row.name)');
	equal((await names()).slice(0, 2), ['read', 'emit']);
	await get('document.querySelector(".function-head .total button").click()');
	equal((await names()).slice(0, 2), ['main', 'emit']);
	await get('document.querySelector(".function-head .total button").click()');
	equal((await names()).slice(0, 1), ['Reader::read']);
	equal(await state('order'), '-total');
});
await test('folded runs are a thin row, and a click opens them', async () => {
	await open(real, 'fold=runtime,builtin,native,gc,kernel,unknown');
	const thin = await get('plumeWhere.frames().filter((frame) => frame.h < 12)');
	ok(thin.length > 0, 'a thin row');
	const widest = thin.sort((a, b) => b.w - a.w)[0];
	const all = await get('plumeWhere.total()');
	await browser.click(widest.x + widest.w / 2, widest.y + 2);
	await settled();
	equal(await state('transforms'), []);
	equal(await get('plumeWhere.total()'), all);
});
await test('a diff has both sides, a change in the table and its colours in the legend', async () => {
	await open(real, 'time=0,0.4&base.time=0.4,0.9&view=diff&order=delta');
	ok((await text('.crumb-bar')).includes('before'), 'both sizes');
	ok((await text('.graph-legend')).includes('grew'), 'the legend');
	ok(await get('plumeWhere.table().some((row) => row.change !== 0)'), 'changes');
	await open(real, 'view=diff');
	ok((await text('.graph-empty')).includes('baseline'), 'without a baseline it says how to set one');
});
await test('nothing left is explained, and the filter in the way can be removed', async () => {
	await open(real, 'only=no_such_function_anywhere');
	equal(await get('document.querySelector(".graph-empty").hidden'), false);
	await get('document.querySelector(".graph-empty button").click()');
	await settled();
	equal(await state('selection.only'), []);
	ok(await get('plumeWhere.frames().length > 20'), 'the graph is back');
});
await test('hide, root and only of a function become transforms and selections', async () => {
	for (const [action, check] of [
		['hide', 'plume.state().transforms.some((one) => one.word === "hide" && one.value === "^Reader::read$")'],
		['root', 'plume.state().transforms.some((one) => one.word === "root" && one.value === "^Reader::read$")'],
	]) {
		await open(small);
		await clickFrame('Reader::read');
		await get(`document.querySelector('[data-action=${action}]').click()`);
		await settled();
		ok(await get(check), action);
	}
	equal((await get('plumeWhere.total()')), 5, 'begun at the function');
	await open(small);
	await clickFrame('lex');
	await get('document.querySelector(\'[data-action=only]\').click()');
	await settled();
	equal(await get('plumeWhere.total()'), 40, 'only stacks with the function');
});
await test('name and stack are copied', async () => {
	await browser.allowClipboard();
	await open(small);
	await clickFrame('lex');
	await browser.key('s');
	await browser.until('navigator.clipboard.readText().then((text) => text === "main;parse;lex")');
	await browser.key('c');
	await browser.until('navigator.clipboard.readText().then((text) => text === "lex")');
});
await test('names are text, whatever is in them', async () => {
	const evil = ['<img src=x onerror=alert(1)>', 'a\u202eb\u0007c', '"><script>alert(2)</script>', 'x'.repeat(3000)];
	await open(await serve(write('evil.folded', evil.map((name, i) => `${name.replace(/;/g, ',')} ${10 + i}`))));
	const [frame] = await get('plumeWhere.frames().filter((frame) => frame.name.includes("img"))');
	await browser.click(frame.x + 5, frame.y + 5);
	await settled();
	equal(browser.dialogs, []);
	equal(await get('document.querySelectorAll(".panel img, .why-band img, .panel script").length'), 0);
	ok(!(await text('.rows')).includes('\u202e'), 'direction marks are not shown');
});
await test('nothing is cut or overlaps in small and large windows', async () => {
	for (const [width, height] of [[1024, 768], [1440, 900], [3840, 2160]]) {
		await browser.resize(width, height);
		await open(real, 'time=0,0.4&base.time=0.4,0.9&view=diff');
		for (const selector of ['.graph-bar', '.crumb-bar', '.panel-tabs', '.panel-bar', '.graph-legend', '.why-actions']) {
			const [inner, outer] = await get(`(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('${selector}'))`);
			ok(inner <= outer + 1, `${selector} at ${width}: ${inner} in ${outer}`);
		}
		ok(await get('document.querySelector(".flame").clientHeight > 80'), `room for the graph at ${width}`);
	}
	await browser.resize(1440, 900);
});
await test('pages have no errors', async () => {
	const errors = browser.errors.filter((error) => !/Failed to load resource/.test(error));
	if (errors.length)
		note(errors.join('\n'));
	equal(errors.length, 0);
});

await browser.close();
for (const child of started) {
	child.removeAllListeners('exit');
	child.kill('SIGTERM');
}
rmSync(dir, { recursive: true, force: true });
process.exit(finish());
