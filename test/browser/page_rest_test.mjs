// What belongs to no band alone, on a page of `plume scope` in a headless Chromium: source text, your code, export, schemes.
//   node test/browser/page_rest_test.mjs PLUME

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.mjs';
import { Scope } from './scope.mjs';
import { equal, finish, ok, test } from './tap.mjs';

const [plume] = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), 'plume-page-rest-'));
const node = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/recordings/node-prettier.perf.zst');
const browser = await Chromium.start(1440, 900);
const read = (expression) => browser.evaluate(`JSON.stringify(${expression})`).then(JSON.parse);

async function show(scope, hash) {
	await browser.newPage();
	await browser.open(scope.url + hash);
	await browser.until('window.plume && plume.ledger() && window.plumeWhere && plumeWhere.isIdle() && plumeWhere.total()', 20000);
	await browser.settle();
}

/** A button or menu item by its text. */
async function press(text) {
	const at = await read(`(() => { const e = [...document.querySelectorAll('button, [role=menuitem], [role=tab]')]
		.find((one) => one.textContent.trim() === ${JSON.stringify(text)} && one.getClientRects().length);
		if (!e) return null; const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`);
	ok(at, 'there is no button: ' + text);
	await browser.click(...at);
}

const file = join(dir, 'server.js');
writeFileSync(file, 'function hot() {\n  one();\n  two();\n}\nhot();\n');
writeFileSync(join(dir, 'lines.speedscope.json'), JSON.stringify({
	$schema: 'https://www.speedscope.app/file-format-schema.json',
	shared: { frames: [{ name: 'main', file, line: 5 }, { name: 'hot', file, line: 2 }, { name: 'one', file: '/nowhere/lib.js', line: 1 }] },
	profiles: [{ type: 'sampled', name: 'server', unit: 'none', startValue: 0, endValue: 10,
		samples: [[0, 1], [0, 1, 2], [0]], weights: [5, 3, 2] }],
}));

await test('the source of a function is shown with the share of its lines', async () => {
	const scope = await Scope.start(plume, join(dir, 'lines.speedscope.json'));
	await show(scope, '#view=flame');
	const name = (await read('plumeWhere.frames()')).find((frame) => frame.name.startsWith('hot')).name;
	await show(scope, `#view=flame&panel=source&subject=${encodeURIComponent(name)}`);
	await browser.until('document.querySelector("#where").innerText.includes("two();")', 10000);
	const text = await read('document.querySelector("#where").innerText');
	ok(text.includes('server.js') && text.includes('one();'), 'the file and its lines');
	ok(/50(\.0+)? ?%/.test(text) && /80(\.0+)? ?%/.test(text), 'line 2 has 50 % itself and 80 % in all: ' + text.slice(-400));
	const lib = (await read('plumeWhere.frames()')).find((frame) => frame.name.startsWith('one')).name;
	await show(scope, `#view=flame&panel=source&subject=${encodeURIComponent(lib)}`);
	await browser.until('document.querySelector("#where").innerText.includes("lib.js")', 10000);
	ok(/No such file|cannot|not/i.test(await read('document.querySelector("#where").innerText')), 'a reason where there is no text');
	await scope.stop();
});

const scope = await Scope.start(plume, node);

await test('a first look shows your code, one key shows everything', async () => {
	await show(scope, '');
	const folds = 'plume.state().transforms.filter((one) => one.word === "fold").length';
	equal(await read(folds), 1, 'folded at first');
	const few = await read('plumeWhere.frames().length');
	await browser.key('y');
	await browser.until(folds + ' === 0 && plumeWhere.isIdle()', 10000);
	await browser.settle();
	ok(await read('plumeWhere.frames().length') > few, 'more frames without it');
	await browser.key('y');
	await browser.until(folds + ' === 1 && plumeWhere.isIdle()', 10000);
	equal(await read('plumeWhere.total()'), await read('plume.ledger().samples'), 'all samples are shown');
});

await test('what is on the screen is exported', async () => {
	await show(scope, '#view=flame');
	await browser.evaluate(`window.saved = []; URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return 'blob:none'; };
		HTMLAnchorElement.prototype.click = () => {};`);
	await press('Export');
	const items = await read('[...document.querySelectorAll("[role=menuitem]")].map((one) => one.textContent.trim())');
	ok(['png', 'svg', 'folded', 'pprof', 'speedscope'].every((name) => items.some((item) => item.toLowerCase().includes(name))), items.join());
	await press(items.find((item) => /^folded/i.test(item)) || items.find((item) => /folded/i.test(item)));
	await browser.until('saved.length > 0', 10000);
	const wanted = execFileSync(plume, ['fold', '-q', node], { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }).toString();
	ok(await read('saved[0]') === wanted, 'the stacks of plume fold');
});

await test('dark and light follow the system, and the button', async () => {
	const background = 'getComputedStyle(document.body).backgroundColor';
	await browser.scheme('light');
	await show(scope, '#view=flame');
	const light = await read(background);
	await browser.scheme('dark');
	await browser.until(background + ' !== ' + JSON.stringify(light), 5000);
	const dark = await read(background);
	await show(scope, '#view=flame&scheme=light');
	equal([await read(background), light === dark], [light, false], 'the link decides');
	await browser.scheme('light');
});

await browser.close();
await scope.stop();
rmSync(dir, { recursive: true });
process.exit(finish());
