// What the graph of the page costs in a browser that draws without a GPU, for a tree of 300,000 frames.
//   node bench/page/graph.mjs [FRAMES]

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Chromium } from '../../test/browser/chromium.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const frames = Number(process.argv[2]) || 300000;
const REDRAWS = 40;
const dir = mkdtempSync(join(tmpdir(), 'plume-bench-page-'));

const PAGE = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="where.css">
<style>body { margin: 0; height: 100vh; display: grid; grid-template-rows: auto minmax(0, 1fr) auto; font: 13px/1.35 sans-serif }</style>
<div id="search"></div><div id="where"></div><div id="why"></div><script src="graph_page.js"></script>`;

/** Runs in the page: the first picture, from the bytes of the answer to the pixels. */
const FIRST = `(async () => {
	const { store, times } = bench.start(${frames});
	window.store = store;
	while (!plumeWhere.total() || !plumeWhere.cost())
		await new Promise((done) => requestAnimationFrame(done));
	document.querySelector('.flame canvas').getContext('2d').getImageData(0, 0, 1, 1);
	return performance.now() - times.asked;
})()`;

/** Zooms and scrolls, each with its raster: reading a pixel waits for it. */
const REDRAW = `(async () => {
	const canvas = document.querySelector('.flame canvas');
	const scroll = document.querySelector('.flame-scroll');
	const costs = [];
	for (let i = 0; i < ${REDRAWS}; i++) {
		if (i % 2) {
			const seen = plumeWhere.frames().filter((frame) => frame.w > 20);
			const { name } = seen[i * 31 % seen.length];
			store.change({ zoom: i % 4 === 1 ? [name] : [], subject: name });
		} else {
			scroll.scrollTop = (i * 97) % Math.max(1, scroll.scrollHeight - scroll.clientHeight);
		}
		const begun = performance.now();
		plumeWhere.drawNow();
		canvas.getContext('2d').getImageData(0, 0, 1, 1);
		costs.push(performance.now() - begun);
		await new Promise((done) => requestAnimationFrame(done));
	}
	return costs.sort((a, b) => a - b);
})()`;

/** From the typed text to its words on the page. */
const SEARCH = `(async () => {
	const costs = [];
	for (const text of ['render', 'f1', 'par.*7_', 'nothing of the kind', 'e']) {
		store.change({ search: { text: '', isPlain: false, matchesCase: false } });
		await new Promise((done) => requestAnimationFrame(done));
		const begun = performance.now();
		store.change({ search: { text, isPlain: false, matchesCase: false } });
		plumeWhere.drawNow();
		costs.push(performance.now() - begun);
	}
	return costs;
})()`;

const ms = (value) => value.toFixed(1) + ' ms';

try {
	execFileSync('esbuild', [join(here, 'graph_page.ts'), '--bundle', '--format=iife', '--target=es2020', '--minify',
		'--log-level=warning', '--outfile=' + join(dir, 'graph_page.js')]);
	execFileSync('esbuild', [join(here, '../../web/page/where.css'), '--log-level=warning', '--outfile=' + join(dir, 'where.css')]);
	writeFileSync(join(dir, 'index.html'), PAGE);
	const browser = await Chromium.start(1440, 900);
	await browser.open(pathToFileURL(join(dir, 'index.html')).href);
	const first = await browser.evaluate(FIRST);
	const drawn = await browser.evaluate('plumeWhere.frames().length');
	await new Promise((done) => setTimeout(done, 500)); // the table is filled
	const redraws = await browser.evaluate(REDRAW);
	await browser.evaluate('store.change({ zoom: [], subject: "" })');
	const searches = await browser.evaluate(SEARCH);
	console.log(`${frames} frames at 1440x900, ${drawn} drawn`);
	console.log(`first draw   ${ms(first)}   from the answer's bytes to pixels`);
	console.log(`redraw       ${ms(redraws[redraws.length >> 1])}   median of ${redraws.length}, largest ${ms(redraws[redraws.length - 1])}`);
	console.log(`search       ${ms(Math.max(...searches))}   slowest of ${searches.map(ms).join(', ')}`);
	browser.errors.forEach((error) => console.log('error: ' + error));
	await browser.close();
} finally {
	rmSync(dir, { recursive: true, force: true });
}
