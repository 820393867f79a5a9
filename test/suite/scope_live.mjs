// node scope_live.mjs PLUME FOLDER: see scope_live.sh. Prints TAP.

import { spawn } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Chromium } from '../browser/chromium.mjs';
import { Scope } from '../browser/scope.mjs';
import { finish, equal, ok, test } from '../browser/tap.mjs';

const plume = resolve(process.argv[2]);
process.chdir(process.argv[3]);
process.on('exit', () => rmSync(process.argv[3], { recursive: true, force: true }));

/** Work is measured in CPU time, so that a busy machine changes only how long it takes. */
const COMMON = `
function used() { const { user, system } = process.cpuUsage(); return (user + system) / 1000; }
function handleRequest() { const end = used() + 10; let n = 0; while (used() < end) n += JSON.stringify({ n, list: [1, 2, 3] }).length; return n; }
setInterval(handleRequest, 100);
`;
const METRICS = COMMON + `
function aggregateMetrics() { const end = used() + 1200; const sums = {}; while (used() < end) for (let i = 0; i < 999; i++) sums['m' + i % 97] = (sums['m' + i % 97] || 0) + i; return sums; }
setInterval(aggregateMetrics, 6000);
`;
const SWEEPS = COMMON + `
require('v8').setFlagsFromString('--expose-gc');
const sweep = require('vm').runInNewContext('gc');
const kept = []; for (let i = 0; i < 600000; i++) kept.push({ i, text: 'x' + i });
setInterval(() => sweep(), 2500);
`;

const browser = await Chromium.start(1440, 900);
const read = (expression) => browser.evaluate(`JSON.stringify(${expression})`).then(JSON.parse);
const isReady = '!!(window.plume && plume.ledger() && plume.heat().grid && window.plumeWhere && plumeWhere.isIdle())';

/** Records a program for a time and leaves the page open on it. */
async function watch(name, program, seconds) {
	writeFileSync(name + '.js', program);
	const child = spawn('node', [name + '.js'], { stdio: 'ignore' });
	process.once('exit', () => child.kill('SIGKILL'));
	const scope = await Scope.start(plume, '-q', '-F', '199', '-d', String(seconds), '-p', String(child.pid));
	await browser.newPage();
	await browser.open(scope.url);
	return { scope, child, async end() { child.kill('SIGKILL'); await scope.stop(); } };
}

/** The column of the heat map with the most samples. */
const busiest = `(() => { const { grid, geometry: g } = plume.heat(); let best = 0, at = 0;
	for (let c = 0; c < g.columns; c++) { let sum = 0; for (let r = 0; r < g.rows; r++) sum += grid.value[c * g.rows + r] || 0;
		if (sum > best) { best = sum; at = c; } }
	return [at, g.columns]; })()`;

/** One action: a double click takes the whole column. */
async function takeColumn(column, columns) {
	const box = await read(`(({ left, top, width, height }) => ({ left, top, width, height }))(document.querySelector('.overlay').getBoundingClientRect())`);
	const x = box.left + (column + 0.5) * box.width / columns;
	const y = box.top + box.height / 2;
	for (const clickCount of [1, 2])
		for (const type of ['mousePressed', 'mouseReleased'])
			await browser.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount });
	await browser.until('plume.state().selection.times.length === 1');
	await browser.until(isReady, 20000);
	await browser.settle();
}

/** The share of the shown samples in functions whose name matches, callees included. */
const shareOf = (pattern) => read(`(() => { const all = plumeWhere.total(); let most = 0;
	for (const f of plumeWhere.frames()) if (${pattern}.test(f.name)) most += f.total;
	return most / all; })()`);

await test('a job that blocks is seen while it is recorded, and one action names it', async () => {
	const one = await watch('metrics', METRICS, 14);
	await browser.until('!!(window.plume && plume.ledger() && plume.ledger().samples > 20)', 30000);
	const early = await read('plume.ledger().samples');
	await browser.until(`plume.ledger().samples > ${early}`, 30000);
	ok((await read('plume.files().files[0].state')) === 'live', 'the file is live');
	await browser.until('plume.files().files[0].state === "ready"', 60000);
	await browser.until(isReady, 20000);
	const [column, columns] = await read(busiest);
	await takeColumn(column, columns);
	const share = await shareOf('/aggregateMetrics/');
	ok(share > 0.6, `aggregateMetrics has ${share} of the busiest second`);
	const samples = await read('plume.ledger().samples');
	equal(await read('plumeWhere.total() <= ' + samples), true, 'the range is part of the whole');
	await one.end();
	ok(readdirSync('.').some((name) => /^node-.*\.plume$/.test(name)), 'the recording is saved');
});

await test('sweeps of the heap are marked, and a range around one is garbage collection', async () => {
	const one = await watch('sweeps', SWEEPS, 12);
	await browser.until('!!(window.plume && plume.files() && plume.files().files[0] && plume.files().files[0].state === "ready")', 60000);
	await browser.until(isReady, 20000);
	const gc = await read(`plume.ledger().marks.filter((m) => m.kind === 'gc').sort((a, b) => b.duration_ns - a.duration_ns)`);
	ok(gc.length >= 2, `${gc.length} collections are marked`);
	const from = gc[0].time_ns / 1e9;
	const until = from + Math.max(gc[0].duration_ns / 1e9, 0.006);
	await browser.evaluate(`location.hash = location.hash.replace(/^#?/, '#time=${from.toFixed(6)},${until.toFixed(6)}&where=tid=${gc[0].tid}&')`);
	await browser.until('plume.state().selection.times.length === 1');
	await browser.until(isReady, 20000);
	await browser.settle();
	const share = await shareOf('/garbage collection/');
	ok(share > 0.5, `garbage collection has ${share} of its own range, ${JSON.stringify(gc.slice(0, 3))}`);
	await one.end();
});

await test('the pages had no errors', async () => {
	equal(browser.errors.filter((error) => !error.includes('Failed to load resource')), [], 'errors'); // stopped servers do not answer
});

await browser.close();
process.exit(finish());
