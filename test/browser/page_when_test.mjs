// The page's first band in a headless Chromium, on a page of `plume scope`: ranges by the pointer and by the keyboard,
// threads, the URL, undo, states without a picture.
//   node test/browser/page_when_test.mjs PLUME

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chromium } from './chromium.mjs';
import { Scope } from './scope.mjs';
import { equal, finish, note, ok, test } from './tap.mjs';

const [plume] = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), 'plume-page-when-'));
const CTRL = 2;
const SHIFT = 8;

/** As perf prints it: the main thread runs `aggregate` from 4 s to 5.5 s and `serve` a tenth of the rest, a worker at times. */
function recording() {
	const lines = [];
	const add = (tid, ms, ...functions) => lines.push([ms,
		`node 100/${tid} [00${tid % 2}] ${(1000 + ms / 1000).toFixed(6)}: 10000000 cpu-clock:\n` +
		functions.map((name, i) => `\t${(0x1000 + 16 * i).toString(16)} ${name}+0x1 (/usr/bin/app)\n`).join('') + '\n']);
	for (let ms = 0; ms <= 20000; ms += 10) {
		if (ms >= 4000 && ms < 5500)
			add(100, ms, 'sum', 'aggregate', 'main');
		else if (ms % 100 === 0)
			add(100, ms, 'serve', 'main');
		if (ms % 500 === 250)
			add(101, ms, 'compress', 'worker');
	}
	return lines.sort((a, b) => a[0] - b[0]).map(([, text]) => text).join('');
}

const TOTAL = 150 + 201 - 15 + 40;
writeFileSync(join(dir, 'app.perf'), recording());
writeFileSync(join(dir, 'timeless.folded'), 'main;serve 3\nmain 1\n');
writeFileSync(join(dir, 'bad.perf'), 'no profile at all\n');

const browser = await Chromium.start(1440, 900);

/** The page of a recording, when its heat map is there. */
async function show(scope, hash = '#view=flame') {
	await browser.newPage();
	await browser.open(scope.url + hash);
	await browser.until('window.plume && plume.heat().grid && plume.lanes().length', 20000);
	await standsStill();
}

/** What comes in last (the ledger's lines, lanes) still moves the map: its place and its cells must be what they will be. */
async function standsStill() {
	const look = () => browser.evaluate(`JSON.stringify([document.querySelector('.overlay').getBoundingClientRect(), plume.heat().geometry,
		!window.plumeWhere || plumeWhere.isIdle()])`);
	for (let before = '', same = 0; same < 6;) {
		await browser.settle();
		const now = await look();
		same = now === before && now.endsWith('true]') ? same + 1 : 0;
		before = now;
	}
}

const read = (expression) => browser.evaluate(`JSON.stringify(${expression})`).then(JSON.parse);
const times = () => read('plume.state().selection.times');
const baseline = () => read('plume.state().baseline && plume.state().baseline.times');

async function boxOf(selector) {
	return read(`(({ left, top, width, height }) => ({ left, top, width, height }))(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`);
}

/** The middle of a cell of the heat map: its column and its part, counted from the bottom. */
async function cell(column, part) {
	const { left, top, width, height } = await boxOf('.overlay');
	const { columns, rows } = await read('plume.heat().geometry');
	return [left + (column + 0.5) * width / columns, top + (rows - part - 0.5) * height / rows];
}

const mouse = (type, [x, y], modifiers = 0, more = {}) => browser.send('Input.dispatchMouseEvent',
	{ type, x, y, modifiers, button: 'left', buttons: type === 'mouseReleased' ? 0 : 1, clickCount: 1, ...more });

async function drag(from, to, modifiers = 0, meanwhile = async () => {}) {
	await browser.move(...from);
	await mouse('mousePressed', from, modifiers);
	for (const share of [0.3, 0.7, 1])
		await mouse('mouseMoved', [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share], modifiers);
	await browser.settle();
	await meanwhile();
	await mouse('mouseReleased', to, modifiers);
	await browser.settle();
}

/** The range of cells from one to another, as the page must have it. */
async function span(from, to) {
	const { column_ns, rows } = await read('plume.heat().geometry');
	const part = column_ns / rows;
	const seconds = (ns) => Math.round(ns) / 1e9;
	return { from: seconds(from[0] * column_ns + from[1] * part), until: seconds(to[0] * column_ns + (to[1] + 1) * part) };
}

const scope = await Scope.start(plume, join(dir, 'app.perf'));

await test('the heat map holds every sample, a column a second', async () => {
	await show(scope);
	const { geometry, grid } = await read('({ geometry: plume.heat().geometry, grid: { total: plume.heat().grid.total } })');
	equal([grid.total, geometry.column_ns, geometry.columns], [TOTAL, 1e9, 21], 'grid');
	equal(await read('plume.ledger().samples'), TOTAL, 'samples');
});

await test('threads are lanes, the busiest first', async () => {
	equal(await read('plume.lanes().map((lane) => [lane.where, lane.samples])'), [[['tid=100'], TOTAL - 40], [['tid=101'], 40]], 'lanes');
});

await test('a drag selects from cell to cell through the columns, and the page follows while dragging', async () => {
	await show(scope);
	const wanted = await span([4, 0], [5, 10]);
	await drag(await cell(4, 0), await cell(5, 10), 0, async () => {
		equal(await times(), [wanted], 'range while dragging');
		ok(!(await read('location.hash')).includes('time='), 'nothing is kept yet');
	});
	equal(await times(), [wanted], 'range');
	ok((await read('location.hash')).includes(`time=${wanted.from},${wanted.until}`), 'the range is in the URL');
});

await test('Shift adds a range, Ctrl sets the baseline and shows the difference', async () => {
	await show(scope);
	await drag(await cell(4, 0), await cell(4, 5));
	await drag(await cell(9, 0), await cell(9, 5), SHIFT);
	await drag(await cell(1, 0), await cell(2, 5), CTRL);
	equal(await times(), [await span([4, 0], [4, 5]), await span([9, 0], [9, 5])], 'ranges');
	equal(await baseline(), [await span([1, 0], [2, 5])], 'baseline');
	equal(await read('plume.state().view'), 'diff', 'view');
	equal((await read('[...document.querySelectorAll("#chips .chip")].map((chip) => chip.className)')), ['chip range', 'chip range', 'chip baseline'], 'chips');
});

await test('Esc clears the ranges, undo brings them back, step by step', async () => {
	await show(scope);
	await drag(await cell(4, 0), await cell(4, 5));
	await drag(await cell(9, 0), await cell(9, 5), SHIFT);
	await browser.key('Escape');
	equal(await times(), [], 'cleared');
	for (const [key, modifiers, count] of [['z', CTRL, 2], ['z', CTRL, 1], ['z', CTRL, 0], ['Z', CTRL + SHIFT, 1]]) {
		await browser.key(key, modifiers);
		await browser.until(`plume.state().selection.times.length === ${count}`);
	}
});

await test('a click and another click select, the range follows the pointer between them', async () => {
	await show(scope);
	await browser.click(...await cell(4, 3));
	equal(await times(), [await span([4, 3], [4, 3])], 'one cell');
	await browser.move(...await cell(6, 7));
	equal(await times(), [await span([4, 3], [6, 7])], 'following');
	await browser.click(...await cell(5, 2));
	equal(await times(), [await span([4, 3], [5, 2])], 'both clicks');
});

await test('Esc gives up what has begun and keeps what was', async () => {
	await show(scope, '#time=1,2&view=flame');
	await browser.click(...await cell(4, 3));
	await browser.key('Escape');
	equal(await times(), [{ from: 1, until: 2 }], 'range');
});

await test('a click elsewhere ends what has begun: one cell', async () => {
	await show(scope);
	await browser.click(...await cell(4, 3));
	await browser.click(5, 5);
	ok((await read('location.hash')).includes('time='), 'the range is kept');
	equal(await times(), [await span([4, 3], [4, 3])], 'range');
});

await test('a double click takes the column, a click on the time axis too', async () => {
	await show(scope);
	const at = await cell(7, 4);
	for (const clickCount of [1, 2])
		for (const type of ['mousePressed', 'mouseReleased'])
			await mouse(type, at, 0, { clickCount });
	await browser.settle();
	equal(await times(), [{ from: 7, until: 8 }], 'double click');
	const axis = await boxOf('.axis');
	await browser.click((await cell(3, 0))[0], axis.top + axis.height / 2);
	equal(await times(), [{ from: 3, until: 4 }], 'axis');
});

await test('the keyboard alone selects, adds and compares', async () => {
	await show(scope);
	await browser.evaluate('document.querySelector(".overlay").focus()');
	for (const key of ['ArrowRight', 'ArrowRight', 'ArrowUp', 'Enter', 'ArrowRight', 'Enter'])
		await browser.key(key);
	equal(await times(), [await span([2, 1], [3, 1])], 'Enter');
	for (const [key, modifiers] of [['ArrowRight', 0], ['ArrowRight', 0], ['Enter', SHIFT], ['ArrowUp', 0], ['Enter', SHIFT]])
		await browser.key(key, modifiers);
	equal(await times(), [await span([2, 1], [3, 1]), await span([5, 1], [5, 2])], 'Shift+Enter');
	for (const key of ['Home', 'b', 'ArrowRight', 'b'])
		await browser.key(key);
	equal(await baseline(), [await span([0, 2], [1, 2])], 'b');
	ok((await read('document.querySelector(".speech").textContent')) !== '', 'it is said, too');
});

await test('a click on a thread shows only it, Shift adds one, a second click all', async () => {
	await show(scope);
	const click = async (index, modifiers) => {
		const { left, top, height } = await boxOf(`.lane:nth-child(${index})`);
		await browser.click(left + 20, top + height / 2, modifiers);
		return read('plume.state().selection.where');
	};
	equal(await click(2, 0), ['tid=101'], 'one');
	await browser.until('plume.heat().grid.total === 40');
	equal(await read('plume.lanes().length'), 2, 'the other lane stays');
	equal(await click(1, SHIFT), ['tid=101,100'], 'both');
	equal(await click(1, 0), ['tid=100'], 'the other');
	equal(await click(1, 0), [], 'all');
});

await test('an end of a range is dragged on the lanes', async () => {
	await show(scope, '#time=4,6&view=flame');
	const { left, top, width } = await boxOf('.lane-plot canvas');
	const { columns } = await read('plume.heat().geometry');
	const at = (seconds) => [left + seconds * width / columns, top + 10];
	await drag(at(6), at(9));
	const [range, ...more] = await times();
	equal([range.from, more.length], [4, 0], 'the other end stays');
	ok(Math.abs(range.until - 9) < 0.1, `it ends at ${range.until}`);
});

await test('the range is compared with the rest by one key', async () => {
	await show(scope, '#time=4,5.5&view=flame');
	await browser.key('r');
	equal(await baseline(), [{ from: 0, until: 4 }, { from: 5.5, until: 20.001 }], 'baseline');
	equal(await read('plume.state().view'), 'diff', 'view');
});

await test('zoom keeps the time under the pointer, fit shows all', async () => {
	await show(scope);
	const [x, y] = await cell(4, 5);
	await browser.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX: 0, deltaY: -500, modifiers: CTRL });
	await browser.until('plume.state().window !== null');
	const { from, until } = await read('plume.state().window');
	ok(from < 4.5 && until > 4.5 && until - from < 10, `${from} to ${until}`);
	await browser.until('location.hash.includes("window=")');
	await browser.until('plume.heat().grid.column_ns < 1e9');
	await browser.evaluate('document.activeElement.blur()');
	await browser.key('0');
	equal(await read('plume.state().window'), null, 'window');
});

await test('a width of the columns that was chosen stays, and the rest of the time is a drag away', async () => {
	await show(scope, '#column=0.01&view=flame');
	const { columns, width_px, column_ns } = await read('plume.heat().geometry');
	ok(column_ns === 1e7 && width_px / columns >= 4 && columns < 1000, `${columns} columns of ${column_ns} ns`);
	const { left, top, width, height } = await boxOf('.overview');
	await drag([left + 10, top + height / 2], [left + width - 5, top + height / 2]);
	await browser.until('plume.heat().geometry.from_ns > 10e9');
	equal(await read('plume.heat().geometry.column_ns'), 1e7, 'column');
	await browser.until('plume.heat().grid.from_ns > 10e9');
});

await test('sides of a comparison are swapped', async () => {
	await show(scope, '#time=4,5&base.time=8,9&view=diff');
	await browser.evaluate('[...document.querySelectorAll("#chips button")].find((one) => one.textContent === "swap sides").click()');
	equal([await times(), await baseline()], [[{ from: 8, until: 9 }], [{ from: 4, until: 5 }]], 'sides');
});

await test('search paints the cells where it matches', async () => {
	await show(scope, '#search=aggregate&view=flame');
	const hits = await read('Array.from(plume.heat().grid.hits).reduce((a, b) => a + b)');
	equal(hits, 150, 'hits');
});

await test('rows by CPU, thread and process hold every sample', async () => {
	for (const [rows, count] of [['cpu', 2], ['thread', 2], ['process', 1]]) {
		await show(scope, `#rows=${rows}&view=flame`);
		equal(await read('[plume.heat().grid.total, plume.heat().grid.rowCount]'), [TOTAL, count], rows);
	}
});

await test('a link restores all of it, back and forward go through it', async () => {
	await show(scope, '#time=1,2&time=3,4&base.time=5,6&where=tid=100&rows=cpu&log&view=diff&scheme=dark');
	equal(await times(), [{ from: 1, until: 2 }, { from: 3, until: 4 }], 'ranges');
	equal(await read('[plume.state().rows, plume.state().isLog, document.documentElement.dataset.scheme]'), ['cpu', true, 'dark'], 'state');
	await browser.key('l');
	await browser.evaluate('history.back()');
	await browser.until('plume.state().isLog');
	await browser.evaluate('history.forward()');
	await browser.until('!plume.state().isLog');
});

await test('words of a link that mean nothing are told', async () => {
	await show(scope, '#nonsense&view=flame');
	ok((await read('document.querySelector("#remark").textContent')).includes('nonsense'), 'remark');
});

await test('a link with a value that plume refuses keeps its chips, and a button removes it', async () => {
	await browser.newPage();
	await browser.open(scope.url + '#where=colour=red&where=tid=100&preset=x&view=flame');
	await browser.until('document.querySelector("main").dataset.status === "refused"');
	const card = await read('document.querySelector("#card").innerText');
	ok(card.includes('where=colour=red') && card.includes('preset=x'), card);
	const chips = await read('[...document.querySelectorAll("#chips .chip .text")].filter((one) => one.offsetParent).map((one) => one.textContent)');
	equal(chips.length, 3, `chips ${chips.join(' / ')}`);
	for (const word of ['where=colour=red', 'preset=x']) {
		const button = `[...document.querySelectorAll('#card button')].find((one) => one.textContent === 'Remove ${word}')`;
		await browser.until(`${button} && (${button}.click(), true)`);
	}
	await browser.until('document.querySelector("main").dataset.status === "shown"');
	equal(await read('[plume.state().selection.where, plume.state().transforms, document.querySelector("#problem").hidden]'), [['tid=100'], [], true], 'left');
	browser.errors = browser.errors.filter((error) => !error.includes('400'));
});

await test('a range can be typed, and nonsense changes nothing', async () => {
	await show(scope, '#time=1,2&view=flame');
	const type = async (text) => {
		await browser.evaluate('document.querySelector(".chip.range .text").click()');
		await browser.evaluate(`document.querySelector(".chip.range input").value = ${JSON.stringify(text)}`);
		await browser.key('Enter');
		return times();
	};
	equal(await type('4s, 5500ms'), [{ from: 4, until: 5.5 }], 'typed');
	equal(await type('yesterday'), [{ from: 4, until: 5.5 }], 'nonsense');
});

await test('bands are resized by the keyboard, and the link knows', async () => {
	await show(scope);
	const { height } = await boxOf('#when');
	await browser.evaluate('document.querySelector("#when + .separator").focus()');
	await browser.key('ArrowDown');
	ok((await boxOf('#when')).height > height, 'higher');
	ok((await read('location.hash')).includes('when='), 'in the URL');
});

await test('nothing sticks out of the window at 1024x768 and at 4K', async () => {
	for (const [width, height] of [[1024, 768], [3840, 2160]]) {
		await browser.resize(width, height);
		await show(scope, '#time=1,2&base.time=5,6&where=tid=100&only=main;.*e&view=diff');
		equal(await read('[document.documentElement.scrollWidth <= innerWidth, document.documentElement.scrollHeight <= innerHeight]'), [true, true], `${width}x${height}`);
		const cut = await read(`[...document.querySelectorAll('#head button, #when > .tools button, #chips button')].filter((one) => {
			const box = one.getBoundingClientRect();
			return one.offsetParent && (box.right > innerWidth || box.left < 0 || one.scrollWidth > one.clientWidth + 1);
		}).map((one) => one.textContent)`);
		equal(cut, [], 'buttons that are cut');
	}
	await browser.resize(1440, 900);
});

await test('nothing of the heat map is cut when the header and the tools grow', async () => {
	for (const scheme of ['dark', 'light']) {
		await browser.resize(1024, 768);
		await show(scope, `#time=1,2&base.time=5,6&search=aggregate&view=diff&scheme=${scheme}`);
		await browser.until('plume.heat().grid.hits !== null');
		await browser.evaluate('document.querySelector("#sentence").append(" and more words than fit".repeat(12))');
		await standsStill();
		const [shown, all, drawn] = await read('(({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight, plume.heat().geometry.height_px])(document.querySelector(".heat"))');
		equal([all, drawn], [shown, shown], `heights of the map, its contents and its cells, ${scheme}`);
	}
	await browser.resize(1440, 900);
});

await test('the counts are beside the title where they fit, and the header has two lines at most at 1024x768', async () => {
	const tops = () => read('["#files", "#counts", "#search"].map((one) => { const { top, bottom } = document.querySelector(one).getBoundingClientRect(); return (top + bottom) / 2; })');
	await show(scope);
	const [files, counts] = await tops();
	ok(Math.abs(files - counts) < 6, `${files} and ${counts}`);
	await browser.resize(1024, 768);
	await show(scope, '#time=1,2&base.time=5,6&search=aggregate&view=diff');
	const { height } = await boxOf('#head');
	ok(height < 66, `the header is ${height} px high`);
	await browser.resize(1440, 900);
});

await test('when plume is gone, the page says so and keeps what it shows', async () => {
	await show(scope);
	await scope.stop();
	await drag(await cell(4, 0), await cell(5, 10));
	await browser.until('!document.querySelector("#problem").hidden');
	ok((await read('document.querySelector("#problem").textContent')).includes('stopped'), 'the problem');
	ok(await read('plume.heat().grid !== null'), 'the heat map');
	browser.errors = browser.errors.filter((error) => !error.includes('ERR_CONNECTION_REFUSED'));
});

await test('a profile without times says why there is no heat map', async () => {
	const timeless = await Scope.start(plume, join(dir, 'timeless.folded'));
	await browser.newPage();
	await browser.open(timeless.url);
	await browser.until('window.plume && plume.ledger()');
	await browser.settle();
	const { height } = await boxOf('#when');
	ok(height < 100, `the band is ${height} px high`);
	ok((await read('document.querySelector("#when").innerText')).includes('no times'), 'the sentence');
	await timeless.stop();
});

await test('a file that is no profile is listed with its reason and harms nothing', async () => {
	const several = await Scope.start(plume, dir);
	await browser.newPage();
	await browser.open(several.url);
	await browser.until('window.plume && plume.files().files.some((file) => file.state === "failed")');
	await browser.until('plume.ledger() && plume.ledger().samples > 0');
	await browser.key('o');
	await browser.until('document.querySelector(".file.failed")');
	ok((await read('document.querySelector(".file.failed").textContent')).includes('bad.perf'), 'the row');
	await several.stop();
	browser.errors = browser.errors.filter((error) => !/ERR_CONNECTION_REFUSED|409/.test(error));
});

// A file that is still being read is answered 409, and servers that were stopped do not answer: the browser logs both.
equal(browser.errors.filter((error) => !error.includes('Failed to load resource')), [], 'errors of the pages');
await browser.close();
await scope.stop();
rmSync(dir, { recursive: true });
process.exit(finish());
