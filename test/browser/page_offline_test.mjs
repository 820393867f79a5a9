// The page without a server: opened from a file in a browser that has no network, and used.
//   node test/browser/page_offline_test.mjs PLUME

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Chromium } from './chromium.mjs';
import { equal, finish, ok, test } from './tap.mjs';

const plume = resolve(process.argv[2] || 'build/plume');
const fixtures = join(dirname(fileURLToPath(import.meta.url)), '../fixtures');
const dir = mkdtempSync(join(tmpdir(), 'plume-offline-'));
const timed = join(fixtures, 'recordings/node-prettier.perf.zst');

function write(name, command, ...words) {
	const path = join(dir, name + '.html');
	execFileSync(plume, [command, '-q', ...words, '-o', path]);
	return path;
}

const browser = await Chromium.start(1440, 900);
const requests = [];
browser.pipe.listeners.push(({ method, params }) => {
	if (method === 'Network.requestWillBeSent' && !/^(file|data|blob):/.test(params.request.url))
		requests.push(params.request.url);
});

const SHOWN = 'window.plume && plume.ledger() && document.querySelector("main").dataset.status === "shown"';
const FAILED = 'document.querySelector("main").dataset.status === "failed"';

/** In a fresh page, so that nothing of the one before is left. */
async function open(path, hash = '', until = SHOWN) {
	await browser.newPage();
	await browser.send('Network.enable');
	await browser.send('Network.emulateNetworkConditions', { offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0 });
	await browser.open(pathToFileURL(path) + hash);
	await browser.until(until, 20000);
	await browser.settle();
}
const get = (expression) => browser.evaluate(expression);
/** What the page's engine answers: the page asks it as well. */
const samples = () => get('plume.ledger().ledger.filter(([, text]) => text === "samples shown")[0][0]');
const workers = async () => (await browser.pipe.send('Target.getTargets')).targetInfos.filter(({ type }) => type === 'worker').length;
const noErrors = () => equal(browser.errors.splice(0), [], 'errors of the page');

await test('opens from a file, answers in a worker, and asks nobody', async () => {
	await open(write('plain', 'flame', timed));
	ok(await get('plume.ledger().samples') > 0, 'there are samples');
	equal(await get('plume.files().files.map(({ name }) => name)'), ['node-prettier.perf.zst']);
	equal(await get('plume.heat().grid !== null'), true, 'a heat map');
	equal(await workers(), 1, 'workers');
	equal(requests, [], 'requests');
	noErrors();
});

await test('without workers it answers in the page', async () => {
	const path = write('direct', 'flame', timed);
	const html = readFileSync(path, 'utf8').replace('worker-src blob:', "worker-src 'none'");
	writeFileSync(path, html);
	await open(path);
	ok(await get('plume.ledger().samples') > 0, 'there are samples');
	equal(await workers(), 0, 'workers');
	browser.errors.length = 0; // the browser reports its refusal
});

await test('the command line is the first look', async () => {
	await open(write('words', 'flame', timed, '--where', 'comm=node', '--time', '100ms,', '--hide', 'a&b=1', '--your-code', '--kernel', '--inverted', '--colors', 'kind', '--title', 'Q3 <b>'));
	const state = await get('plume.state()');
	equal(state.selection.where, ['comm=node']);
	equal(state.selection.times[0].from, 0.1);
	equal(state.transforms, [{ word: 'hide', value: 'a&b=1' }, { word: 'your-code', value: null }, { word: 'kernel', value: null }]);
	equal([state.isIcicle, state.colour, state.view], [true, 'kind', 'flame']);
	equal(await get('plume.ledger().title'), 'Q3 <b>');
	ok((await get('document.title')).includes('Q3 <b>'), 'the title of the window');
	noErrors();
});

await test('flame chart and reversed stacks are views', async () => {
	await open(write('chart', 'flame', timed, '--flamechart'));
	equal((await get('plume.state()')).view, 'time');
	await open(write('reverse', 'flame', timed, '--reverse'));
	equal((await get('plume.state()')).view, 'callers');
	noErrors();
});

await test('a hash of the reader wins over that of the writer', async () => {
	const path = write('hash', 'flame', timed, '--where', 'comm=node');
	await open(path, '#view=left&only=main');
	const state = await get('plume.state()');
	equal([state.view, state.selection.where, state.selection.only], ['left', [], ['main']]);
	noErrors();
});

await test('a diff of two files', async () => {
	for (const [name, count] of [['before', 30], ['after', 60]])
		writeFileSync(join(dir, name + '.folded'), `main;parse ${count}\nmain;emit 40\n`);
	await open(write('diff', 'diff', join(dir, 'before.folded'), join(dir, 'after.folded')));
	const state = await get('plume.state()');
	equal([state.view, state.baseline.files, state.bySelf], ['diff', ['2'], true]);
	equal(await get('plume.files().files.map(({ name, shown }) => [name, shown])'), [['after.folded', true], ['before.folded', false]]);
	equal(await samples(), '100');
	noErrors();
});

await test('a diff of two times, and of lines with two counts', async () => {
	await open(write('times', 'diff', '--time', '0,0.2', '--time', '0.2,0.4', timed));
	const state = await get('plume.state()');
	equal([state.view, state.baseline.times, state.selection.times], ['diff', [{ from: 0, until: 0.2 }], [{ from: 0.2, until: 0.4 }]]);
	writeFileSync(join(dir, 'two.folded'), 'm;a 40 100\nm;b 60 60\n');
	await open(write('two', 'flame', join(dir, 'two.folded')));
	equal((await get('plume.state()')).view, 'diff');
	equal(await samples(), '160');
	noErrors();
});

await test('names are text', async () => {
	const name = '</script><img src=x onerror=alert(1)><svg onload=alert(2)>';
	writeFileSync(join(dir, 'hostile.folded'), `${name};${name} 5\nmain;b 3\n`);
	await open(write('hostile', 'flame', join(dir, 'hostile.folded'), '--title', name));
	equal(await get('document.querySelectorAll("img, svg[onload]").length'), 0);
	equal(browser.dialogs, [], 'dialogs');
	noErrors();
});

await test('a hostile hash is only words', async () => {
	const path = write('plain', 'flame', timed);
	const hashes = [
		'#view=flame&title=<img src=x onerror=alert(1)>&subject=%3Csvg%20onload%3Dalert(1)%3E', '#' + 'where='.repeat(2000), '#time=1e999,NaN&time=-5,5&zoom=%ff%fe&view=__proto__&constructor=1',
		'#only=%28&view=flame', '#file=77', '#&&&===&%', '#column=1e-30&window=0,1e300&rows=toString',
	];
	for (const hash of hashes)
		await open(path, hash, 'window.plume && document.querySelector("main").dataset.status !== "loading"');
	equal(browser.dialogs, [], 'dialogs');
	ok(browser.errors.every((text) => !/exception|Uncaught/i.test(text)), browser.errors.join('; '));
	browser.errors.length = 0;
});

await test('an expression that never ends is stopped, and the page goes on', async () => {
	writeFileSync(join(dir, 'slow.folded'), `main;${'a'.repeat(40)}! 5\nmain;b 3\n`);
	const path = write('slow', 'flame', join(dir, 'slow.folded'));
	await open(path, '#view=flame&only=' + encodeURIComponent('^(a|a|aa)*$|;(a|a|aa)+$'), FAILED);
	ok(/the expression takes too long/.test(await get('document.body.innerText')), await get('document.body.innerText'));
	await get('location.hash = "view=flame"');
	await browser.until(SHOWN, 20000);
	equal(await samples(), '8');
	browser.errors.length = 0;
});

await test('a damaged profile, engine or page says so', async () => {
	const html = readFileSync(write('damaged', 'flame', timed), 'utf8');
	const cut = (id) => html.replace(new RegExp(`(id="plume-${id}">.{50}).{40}`), '$1');
	const path = join(dir, 'damaged.html');
	for (const [id, words] of [['file-1', /the profile in this page cannot be unpacked: the file is damaged or incomplete/], ['engine', /the query engine in this page cannot be unpacked/]]) {
		writeFileSync(path, cut(id));
		await open(path, '', FAILED);
		ok(words.test(await get('document.body.innerText')), id + ': ' + await get('document.body.innerText'));
	}
	browser.errors.length = 0;
});

await test('of several profiles the damaged one is listed with its reason, the others are shown', async () => {
	const path = join(dir, 'one-of-three.html');
	const files = ['x', 'y', 'z'].map((name, i) => {
		writeFileSync(join(dir, name + '.folded'), `main;${name} ${10 ** i}\n`);
		return join(dir, name + '.folded');
	});
	execFileSync(plume, ['scope', '-q', ...files, '-o', path]);
	writeFileSync(path, readFileSync(path, 'utf8').replace(/(id="plume-file-2">.{50}).{40}/, '$1'));
	await open(path);
	equal(await get('plume.files().files.map(({ name, state }) => [name, state])'), [['x.folded', 'ready'], ['y.folded', 'failed'], ['z.folded', 'ready']]);
	equal(await get('plume.ledger().samples'), 101, 'samples of the others');
	await browser.key('o');
	await browser.until('document.querySelector(".file.failed")');
	ok((await get('document.querySelector(".file.failed").innerText')).includes('damaged or incomplete'), 'the reason');
	noErrors();
});

await test('a file that was cut says so, a whole one does not', async () => {
	const html = readFileSync(write('whole', 'flame', timed), 'utf8');
	const path = join(dir, 'cut.html');
	for (const share of [2 / 3, 0.98]) {
		writeFileSync(path, html.slice(0, html.length * share));
		await open(path, '', 'document.readyState === "complete"');
		ok(/incomplete or needs JavaScript/.test(await get('document.body.innerText')), 'the sentence, cut at ' + share);
	}
	browser.errors.length = 0;
	await open(join(dir, 'whole.html'));
	ok(!/incomplete/.test(await get('document.body.innerText')), 'not in a whole page');
	noErrors();
});

await test('a changed script does not run', async () => {
	const path = join(dir, 'changed.html');
	writeFileSync(path, readFileSync(write('plain', 'flame', timed), 'utf8').replace('</body>', '<script>alert(3)</script></body>'));
	await open(path);
	equal(browser.dialogs, [], 'dialogs');
	browser.errors.length = 0;
});

await test('no request was ever made', () => equal(requests, []));

await browser.close();
rmSync(dir, { recursive: true });
process.exitCode = finish();
