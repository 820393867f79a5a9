// The page's modules that need no document: the URL, times, ranges, the heat map's geometry and colours, lanes, chips.
//   node test/browser/page_unit_test.mjs

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { equal, finish, ok, test } from './tap.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'plume-page-unit-'));
const names = [
	'url', 'state', 'store', 'times', 'ranges', 'heat_layout', 'heat_grid', 'heat_scale', 'heat_keys', 'lanes_layout', 'mark_layout', 'chip_list',
	'presets', 'keys', 'header', 'day_layout', 'asking', 'when_questions', 'edges', 'search_gate', 'refused',
];
execFileSync('esbuild', [
	...names.map((name) => join(here, '../../web/page', name + '.ts')),
	'--bundle', '--format=esm', '--platform=neutral', '--log-level=warning', '--outdir=' + dir, '--out-extension:.js=.mjs',
]);
const load = (name) => import(pathToFileURL(join(dir, name + '.mjs')));
const [url, { START, EVERYTHING }, { UrlStore }, times, ranges, layout, grids, scale, keys, lanes, marks, chips, presets, { namesOf }, header, day, { Latest }, questions, edges, { SearchGate }, refused] =
	await Promise.all(names.map(load));

const SECOND = 1e9;

// --- the URL ---

const FULL = {
	selection: { files: ['1', '2', '3', '4', '9'], times: [{ from: 1.2, until: 3.4 }, { from: 5, until: 5.000000001 }], where: ['tid=12,13', 'comm=a b'], only: ['^node;.*x=y&z'], without: ['100%'], noIdle: true },
	baseline: { ...EVERYTHING, times: [{ from: 0, until: 1 }] },
	transforms: [{ word: 'fold', value: 'runtime,builtin' }, { word: 'your-code', value: null }, { word: 'hide', value: 'a|b (c) #1' }],
	weight: 'period', search: { text: 'päth/näme + %41', isPlain: true, matchesCase: true },
	rows: 'thread', column_ns: 1e6, window: { from: 0.5, until: 60 }, isLog: true, align: 'wall', showsIdleThreads: true,
	view: 'diff', isIcicle: true, colour: 'tier', zoom: ['a;b', 'c d', '(anonymous) x.js:1:2'], subject: 'f<T>', panel: 'source', order: '-total',
	isAbsolute: true, bySelf: false, bands: { when: 40, why: 12.5 }, scheme: 'dark',
};

await test('the whole state survives the URL', () => {
	const parsed = url.parseHash('#' + url.formatHash(FULL));
	equal(parsed.state, FULL, 'state');
	equal(parsed.unknown, [], 'unknown words');
	equal(url.parseHash(url.formatHash(START)).state, START, 'the state at first');
});

await test('the URL is in the words of the command line', () => {
	const state = { ...START, selection: { ...EVERYTHING, times: [{ from: 1.2, until: 3.4 }], where: ['tid=12'] }, transforms: [{ word: 'your-code', value: null }] };
	equal(url.formatHash(state), 'time=1.2,3.4&where=tid=12&your-code&view=flame', 'hash');
});

await test('unknown and broken words are ignored and told', () => {
	const parsed = url.parseHash('#time=1,2&nonsense=4&view=upside-down&time=7&window=3,1&where=tid&%E0%A4%A&constructor=1&__proto__=2');
	equal(parsed.state.selection.times, [{ from: 1, until: 2 }], 'times');
	equal(parsed.state.view, 'flame', 'view');
	equal(parsed.unknown, ['nonsense=4', 'view=upside-down', 'time=7', 'window=3,1', 'where=tid', '%E0%A4%A', 'constructor=1', '__proto__=2'], 'unknown');
});

await test('a hash without a view or a transform is a first look', () => {
	ok(url.parseHash('').isFirstLook && url.parseHash('#time=1,2').isFirstLook, 'first looks');
	ok(!url.parseHash('#view=flame').isFirstLook && !url.parseHash('#your-code').isFirstLook, 'later looks');
});

await test('file ids are written as runs', () => {
	equal(url.idList(['1', '2', '3', '5', '6', '9']), '1-3,5,6,9', 'list');
	equal(url.idsOf('1-3,5,6,9'), ['1', '2', '3', '5', '6', '9'], 'ids');
	ok(url.idsOf('1-999999999').length <= 100000, 'bounded');
	equal(url.idsOf('x,-1,,2'), ['2'], 'what is no id');
});

await test('a baseline of the whole profile is kept', () => {
	equal(url.parseHash(url.formatHash({ ...START, baseline: { ...EVERYTHING } })).state.baseline, EVERYTHING, 'baseline');
});

// --- the store ---

/** A window's history without a window. */
function browser(hash = '') {
	const entries = [{ data: null, hash }];
	let at = 0;
	const listeners = [];
	const go = (by) => {
		at += by;
		listeners.forEach((listener) => listener());
	};
	return {
		entries,
		location: { get hash() { return entries[at].hash; } },
		history: {
			get state() { return entries[at].data; },
			pushState(data, _, hash) { entries.splice(at + 1, Infinity, { data, hash }); at++; },
			replaceState(data, _, hash) { entries[at] = { data, hash }; },
			back: () => go(-1), forward: () => go(1),
		},
		addEventListener: (_, listener) => listeners.push(listener),
		type(hash) { entries.splice(at + 1, Infinity, { data: null, hash }); go(1); },
	};
}

await test('passing changes are not in the history, kept ones are', () => {
	const window = browser();
	const store = new UrlStore(window);
	for (let i = 1; i <= 5; i++)
		store.change({ window: { from: 0, until: i } }, 'passing');
	equal(window.entries.length, 1, 'entries while dragging');
	store.change({}, 'kept');
	equal(window.entries.length, 2, 'entries');
	equal(window.entries[1].hash, '#window=0,5&view=flame', 'hash');
	store.change({ window: { from: 0, until: 5 } });
	equal(window.entries.length, 2, 'entries after a change to the same');
});

await test('undo, redo and a typed hash restore the state', () => {
	const window = browser('#view=flame');
	const store = new UrlStore(window);
	const seen = [];
	store.watch((state, before) => seen.push([before.rows, state.rows]));
	ok(!store.canUndo && !store.canRedo, 'nothing to undo');
	store.change({ rows: 'cpu' });
	store.change({ rows: 'thread' });
	store.undo();
	equal([store.state.rows, store.canUndo, store.canRedo], ['cpu', true, true], 'after undo');
	store.undo();
	equal([store.state.rows, store.canUndo, store.canRedo], ['offset', false, true], 'after undo of all');
	store.redo();
	store.redo();
	equal([store.state.rows, store.canUndo, store.canRedo], ['thread', true, false], 'after redo');
	window.type('#rows=event');
	equal([store.state.rows, store.canUndo, store.canRedo], ['event', true, false], 'after typing');
	equal(seen, [['offset', 'cpu'], ['cpu', 'thread'], ['thread', 'cpu'], ['cpu', 'offset'], ['offset', 'cpu'], ['cpu', 'thread'], ['thread', 'event']], 'changes told');
});

await test('what is dragged can be given up, and the first look is no step of undo', () => {
	const store = new UrlStore(browser());
	store.settle({ transforms: [{ word: 'your-code', value: null }] });
	ok(!store.canUndo, 'nothing to undo');
	store.change({ rows: 'cpu' }, 'passing');
	store.cancel();
	equal(store.state.rows, 'offset', 'rows');
	equal(store.state.transforms.length, 1, 'transforms');
});

await test('of questions that wait only the latest is asked, one at a time', async () => {
	const asked = [];
	let open = 0;
	let done;
	const ended = new Promise((resolve) => done = resolve);
	const latest = new Latest(() => done(asked.push('failed')));
	const ask = (name, fails = false) => latest.ask(async () => {
		ok(++open === 1, 'one at a time');
		await null;
		open--;
		asked.push(name);
		if (fails)
			throw new Error(name);
	});
	['a', 'b', 'c'].forEach((name) => ask(name, name === 'c'));
	await ended;
	equal(asked, ['a', 'c', 'failed'], 'asked');
});

// --- times ---

await test('times are as exact as their step', () => {
	equal([[12.4e9, 1e7], [0, 1e9], [62.5e9, 1e8], [7200e9, 1e9], [59.9996e9, 1e6], [59.9996e9, 1e8], [-1.5e9, 1e8]].map((args) => times.clock(...args)),
		['12.40', '0', '1:02.5', '2:00:00', '1:00.000', '1:00.0', '\u22121.5'], 'clock');
});

await test('a range says both ends so that they can be told apart', () => {
	equal(times.rangeText({ from: 12.4, until: 13.95 }), '12.40\u201313.95 s', 'seconds');
	equal(times.rangeText({ from: 2.025, until: 3.075 }), '2.025\u20133.075 s', 'a cell of 25 ms');
	equal(times.rangeText({ from: 0.001, until: 0.0015 }), '0.0010\u20130.0015 s', 'less than a ms');
	equal(times.rangeText({ from: 59, until: 125 }), '59.00\u20132:05.00', 'minutes');
});

await test('times are read as they are written on the command line', () => {
	equal(['12.5', '200ms', '1.5m', '1:02.5', '1h', '.5', ' 3 s'].map(times.parseTime), [12.5, 0.2, 90, 62.5, 3600, 0.5, 3], 'times');
	equal(['', 'x', '1:2:3:4', '5 apples', '1:x', '5 constructor'].map(times.parseTime), [null, null, null, null, null, null], 'no times');
	equal(times.parseRange('12.4, 13.9'), { from: 12.4, until: 13.9 }, 'range');
	equal(times.parseRange('200ms-1.5s'), { from: 0.2, until: 1.5 }, 'range with units');
	equal([times.parseRange('3,2'), times.parseRange('3'), times.parseRange('1,2,3')], [null, null, null], 'no ranges');
});

await test('labels of an axis are round and have room', () => {
	for (const [from, until] of [[0, 30e9], [0.2e9, 0.25e9], [0, 86400e9 * 3], [5e9, 5.001e9]]) {
		const ticks = times.ticksOf(from, until, 8, 0, times.clock);
		ok(ticks.length >= 2 && ticks.length <= 9, `${ticks.length} labels from ${from} to ${until}`);
		equal(new Set(ticks.map((tick) => tick.text)).size, ticks.length, 'different labels');
		ok(ticks.every((tick) => tick.at_ns >= from && tick.at_ns <= until), 'inside');
	}
});

await test('lengths of time are in the units that people use', () => {
	equal([30e9, 31.2e9, 2e8, 1.25e9, 60e9, 90e9, 120e9, 740e9, 3600e9, 3900e9, 7199.9e9, 86400e9, 3.5 * 86400e9, 1e6, 3599.99e9, 86399.9e9].map(times.spanText),
		['30 s', '31.2 s', '200 ms', '1.25 s', '1 min', '90 s', '2 min', '12 min 20 s', '1 h', '1 h 5 min', '2 h', '1 d', '3 d 12 h', '1 ms', '1 h', '1 d'], 'texts');
});

// --- ranges ---

await test('ranges that touch become one, and the rest is what is between', () => {
	const list = [{ from: 5, until: 6 }, { from: 1, until: 2 }, { from: 2, until: 3 }, { from: 5.5, until: 5.6 }];
	equal(ranges.merged(list), [{ from: 1, until: 3 }, { from: 5, until: 6 }], 'merged');
	equal(ranges.rest(list, 10), [{ from: 0, until: 1 }, { from: 3, until: 5 }, { from: 6, until: 10.001 }], 'rest');
	equal(ranges.rest([{ from: 0, until: 11 }], 10), [], 'no rest');
	equal(list[0], { from: 5, until: 6 }, 'the list itself');
});

await test('a click chooses one thread, Shift one more, and again none', () => {
	const one = ranges.chosen(['comm=node'], 'tid=12', false);
	equal(one, ['comm=node', 'tid=12'], 'one');
	const two = ranges.chosen(one, 'tid=13', true);
	equal(two, ['comm=node', 'tid=12,13'], 'two');
	equal(ranges.chosen(two, 'tid=12', true), ['comm=node', 'tid=13'], 'less one');
	equal(ranges.chosen(two, 'tid=12', false), ['comm=node', 'tid=12'], 'only one of two');
	equal(ranges.chosen(one, 'tid=12', false), ['comm=node'], 'again');
	equal(ranges.chosen(one, 'tid=12', true), ['comm=node'], 'less the last');
});

await test('a baseline of another time keeps the same filters, one of another filter does not', () => {
	const range = { from: 1, until: 2 };
	const state = { ...START, ...ranges.withRange({ ...START }, range, 'baseline') };
	equal([state.view, state.baseline.times], ['diff', [range]], 'a baseline');
	const filtered = ranges.withFilter(state, { where: ['tid=1'] });
	equal(filtered.baseline, { ...EVERYTHING, times: [range], where: ['tid=1'] }, 'both sides');
	const other = { ...state, baseline: { ...EVERYTHING, where: ['tid=7'] } };
	equal(ranges.withFilter(other, { where: ['tid=1'] }).baseline, undefined, 'only this side');
});

await test('clearing the ranges ends the comparison that they made', () => {
	const range = { from: 1, until: 2 };
	const made = { ...START, ...ranges.withRange({ ...START }, range, 'baseline') };
	equal([ranges.withoutRanges(made).baseline, ranges.withoutRanges(made).view], [null, 'flame'], 'cleared');
	const files = { ...START, view: 'diff', baseline: { ...EVERYTHING, files: ['2'], times: [range] } };
	equal(ranges.withoutRanges(files).baseline, { ...EVERYTHING, files: ['2'] }, 'a file as the baseline stays');
});

// --- the heat map's geometry ---

const frame = (part = {}) => ({
	duration_ns: 30 * SECOND, clock_ns: 0, rows: 'offset', align: 'start', window: null, column_ns: 0, width_px: 1200, height_px: 240, ...part,
});

await test('columns are seconds where they can be seen, and cells are never below 4 pixels', () => {
	equal(layout.planOf(frame()).column_ns, SECOND, '30 s');
	for (const seconds of [0.005, 0.3, 3, 30, 250, 3600, 86400, 30 * 86400]) {
		for (const width_px of [300, 850, 1200, 3600]) {
			for (const rows of ['offset', 'cpu', 'total']) {
				const f = frame({ duration_ns: seconds * SECOND, width_px, rows });
				const plan = layout.planOf(f);
				const what = `${rows} of ${seconds} s in ${width_px} px: ${plan.columns} columns of ${plan.column_ns} ns`;
				ok(width_px / plan.columns >= 3.9, what);
				ok(plan.from_ns <= 0 && plan.from_ns + layout.spanOf(plan) > f.duration_ns, what + ' hold all samples, the last too');
				ok(f.height_px / plan.parts >= 4 && plan.column_ns % plan.parts === 0, what + `, ${plan.parts} parts`);
				ok(plan.column_ns / plan.parts >= 1e6, what + ': cells of a ms and more');
			}
		}
	}
});

await test('a width that was asked for stays, and the rest of the time is out of sight', () => {
	const plan = layout.planOf(frame({ duration_ns: 3600 * SECOND, column_ns: SECOND }));
	equal([plan.column_ns, plan.columns], [SECOND, 300], 'plan');
});

await test('aligned to the clock, columns begin at its seconds', () => {
	const plan = layout.planOf(frame({ align: 'wall', clock_ns: 3600e9 + 0.25 * SECOND }));
	equal([plan.from_ns, plan.columns], [-0.25 * SECOND, 31], 'plan');
});

await test('cells are found again where they are drawn', () => {
	for (const rows of ['offset', 'cpu']) {
		const g = { ...layout.planOf(frame({ rows })), rows: rows === 'offset' ? 50 : 7, isOffset: rows === 'offset', width_px: 1203, height_px: 247 };
		for (const cell of [{ column: 0, row: 0 }, { column: 17, row: 3 }, { column: g.columns - 1, row: g.rows - 1 }]) {
			const x = (layout.columnEdge(g, cell.column) + layout.columnEdge(g, cell.column + 1)) / 2;
			const fromTop = layout.rowFromTop(g, cell.row);
			equal(layout.cellAt(g, x, (layout.rowEdge(g, fromTop) + layout.rowEdge(g, fromTop + 1)) / 2), cell, 'cell');
		}
		equal(layout.cellAt(g, -50, 9999).column, 0, 'outside');
	}
});

await test('the last offset is at the top and the first at the bottom', () => {
	const g = { ...layout.planOf(frame()), rows: 50, isOffset: true, width_px: 1240, height_px: 250 };
	equal(layout.cellRange(g, layout.cellAt(g, 5, 249)), { from: 0, until: 0.02 }, 'at the bottom');
	equal(layout.cellRange(g, layout.cellAt(g, 5, 0)), { from: 0.98, until: 1 }, 'at the top');
	equal(layout.columnRange(g, 3), { from: 3, until: 4 }, 'a column');
});

/** Of a polygon, by the shoelace formula. */
function area(polygon) {
	let sum = 0;
	polygon.forEach(([x, y], i) => {
		const [nx, ny] = polygon[(i + 1) % polygon.length];
		sum += x * ny - nx * y;
	});
	return Math.abs(sum) / 2;
}

await test('the outline of a range encloses as much of the map as the range is of the time', () => {
	const g = { ...layout.planOf(frame({ duration_ns: 29.9 * SECOND })), rows: 50, isOffset: true, width_px: 1200, height_px: 250 };
	const whole = g.width_px * g.height_px;
	for (const [from, until] of [[3.2, 3.4], [3.2, 5.6], [3, 5], [3.2, 5], [3, 5.2], [3.8, 4.2], [3.8, 4.8], [3.8, 4.9], [0, 30], [-4, 2], [29, 40]]) {
		const sum = layout.outlinesOf(g, { from, until }).reduce((all, one) => all + area(one), 0);
		const share = (Math.min(until, 30) - Math.max(from, 0)) / 30;
		ok(Math.abs(sum / whole - share) < 1e-9, `${from} to ${until}: ${sum / whole} is not ${share}`);
	}
	equal(layout.outlinesOf(g, { from: 3.8, until: 4.2 }).length, 2, 'parts of two columns that do not touch');
	equal(layout.outlinesOf(g, { from: 31, until: 32 }), [], 'out of sight');
});

await test('zooming keeps the time under the pointer and stays inside', () => {
	const nearer = layout.zoomed([0, 30e9], 30e9, 10e9, 0.5);
	equal(nearer, { from: 5, until: 20 }, 'nearer');
	equal(layout.zoomed([5e9, 20e9], 30e9, 10e9, 4), null, 'all');
	equal(layout.zoomed([0, 1e9], 30e9, 0, 0.5), { from: 0, until: 0.5 }, 'at the start');
	equal(layout.moved([5e9, 20e9], 30e9, 100e9), { from: 15, until: 30 }, 'to the end');
	const least = layout.zoomed([0, 21e6], 30e9, 1e6, 0.1);
	ok(least.until - least.from >= 0.0199, 'no nearer than cells of a ms');
});

await test('the keyboard moves through time: up from the last offset is the next column', () => {
	const g = { ...layout.planOf(frame()), rows: 50, isOffset: true, width_px: 1200, height_px: 250 };
	equal(keys.movedCell('ArrowUp', { column: 2, row: 49 }, g), { column: 3, row: 0 }, 'up');
	equal(keys.movedCell('ArrowDown', { column: 2, row: 0 }, g), { column: 1, row: 49 }, 'down');
	equal(keys.movedCell('ArrowDown', { column: 0, row: 0 }, g), { column: 0, row: 0 }, 'at the start');
	equal(keys.movedCell('End', { column: 2, row: 7 }, g).column, g.columns - 1, 'end');
	equal(keys.movedCell('x', { column: 2, row: 7 }, g), null, 'another key');
	equal(keys.movedCell('ArrowUp', { column: 2, row: 1 }, { ...g, isOffset: false }), { column: 2, row: 0 }, 'up in rows of threads');
});

await test('the heat map is asked for all times, the lanes for all threads', () => {
	const state = { ...START, ...FULL, rows: 'offset' };
	const plan = layout.planOf(frame());
	const heat = questions.heatQuestion(state, plan);
	const valuesOf = (parameters, name) => parameters.filter(([one]) => one === name).map(([, value]) => value);
	equal([valuesOf(heat, 'time'), valuesOf(heat, 'where'), valuesOf(heat, 'parts')], [[], FULL.selection.where, [String(plan.parts)]], 'heat map');
	equal([valuesOf(heat, 'search'), valuesOf(heat, 'plain'), valuesOf(heat, 'case')], [[FULL.search.text], [null], [null]], 'search');
	const lane = questions.laneQuestion(state, plan, 1200, 99);
	equal([valuesOf(lane, 'time'), valuesOf(lane, 'where'), valuesOf(lane, 'rows')], [[], ['comm=a b'], ['thread']], 'lanes');
});

await test('the nearest end of a range is dragged, and the other ranges stay', () => {
	const g = { from_ns: 0, column_ns: SECOND, columns: 10, parts: 1, rows: 1, isOffset: false, width_px: 1000, height_px: 10 };
	const a = { from: 1, until: 2 };
	const b = { from: 2.02, until: 5 };
	const state = { ...START, selection: { ...EVERYTHING, times: [a, b] }, baseline: { ...EVERYTHING, times: [{ from: 7, until: 8 }] } };
	equal(edges.edgeAt(g, state, 203), { range: b, end: 'from', isBaseline: false }, 'the nearer one');
	equal(edges.edgeAt(g, state, 150), null, 'in a range');
	equal(edges.withoutEdge(state, edges.edgeAt(g, state, 203)).selection.times, [a], 'the others');
	equal(edges.withoutEdge(state, edges.edgeAt(g, state, 800)).baseline.times, [], 'of the baseline');
});

// --- the heat map's colours ---

await test('one sample is seen however large the top is, and the top is the strongest', () => {
	for (const isLog of [false, true]) {
		for (const top of [1, 2, 7, 1000, 1e9]) {
			ok(scale.shareOf(1, top, isLog) > 0.1, `1 of ${top}`);
			equal([scale.shareOf(0, top, isLog), scale.shareOf(top, top, isLog), scale.shareOf(50 * top, top, isLog)], [0, 1, 1], `bounds of ${top}`);
			ok(scale.shareOf(top / 2, top, isLog) < 1 && scale.shareOf(top / 2, top, isLog) >= scale.shareOf(top / 4, top, isLog), 'more is stronger');
		}
	}
	equal([scale.shareOf(NaN, 5, false), scale.shareOf(3, 0, false)], [0, 1], 'odd values');
	ok(scale.shareOf(10, 1000, true) > scale.shareOf(10, 1000, false), 'log lifts what is small');
});

await test('colours of a ramp are between its ends', () => {
	const ramp = [[0, 0, 0], [100, 0, 0], [100, 200, 0]];
	equal([0, 0.25, 0.5, 1, 7, -1].map((at) => scale.onRamp(ramp, at)), [[0, 0, 0], [50, 0, 0], [100, 0, 0], [100, 200, 0], [100, 200, 0], [0, 0, 0]], 'ramp');
	equal([scale.parseColour('#fff'), scale.parseColour(' #0a0B0c '), scale.parseColour('rgb(1, 2, 3)'), scale.parseColour('x')], [[255, 255, 255], [10, 11, 12], [1, 2, 3], [0, 0, 0]], 'parsed');
});

await test('legends say the smallest, a middle and the top', () => {
	equal([scale.legendValues(0), scale.legendValues(1), scale.legendValues(2), scale.legendValues(9)], [[], [1], [1, 2], [1, 5, 9]], 'values');
});

/** The colours of both schemes, as page.css has them. */
function tokens() {
	const css = readFileSync(join(here, '../../web/page/page.css'), 'utf8');
	const of = (start) => Object.fromEntries([...css.slice(css.indexOf(start), css.indexOf('}', css.indexOf(start))).matchAll(/--([a-z0-9-]+): (#[0-9a-f]+)/g)]
		.map(([, name, colour]) => [name, luminance(scale.parseColour(colour))]));
	return [of(':root {'), of(':root[data-scheme=dark]')];
}

/** WCAG 2: relative luminance. */
function luminance(colour) {
	const [r, g, b] = colour.map((channel) => (channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4));
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

await test('text can be read in both schemes', () => {
	const pairs = [
		['ink', 'ground'], ['ink', 'band'], ['ink', 'raised'], ['muted', 'ground'], ['muted', 'band'], ['muted', 'raised'], ['pressed-ink', 'pressed'],
		['on-strong', 'accent'], ['on-strong', 'baseline'], ['warning', 'warning-soft'], ['warning', 'band'], ['warning', 'raised'],
		['baseline', 'baseline-soft'], ['ink', 'accent-soft'], ['ink', 'baseline-soft'],
	];
	for (const scheme of tokens())
		for (const [text, ground] of pairs)
			ok(contrast(scheme[text], scheme[ground]) >= 4.5, `${text} on ${ground}: ${contrast(scheme[text], scheme[ground])}`);
});

await test('the heat map goes one way from its ground, and its weakest colour is seen', () => {
	for (const scheme of tokens()) {
		const ramp = [scheme['heat-ground'], ...[0, 1, 2, 3, 4].map((i) => scheme[`heat-${i}`])];
		const sign = Math.sign(ramp[5] - ramp[0]);
		for (let i = 1; i < ramp.length; i++)
			ok(sign * (ramp[i] - ramp[i - 1]) > 0, `step ${i}: ${ramp[i - 1]} to ${ramp[i]}`);
		ok(contrast(ramp[0], ramp[1]) > 1.18, `the weakest has a contrast of ${contrast(ramp[0], ramp[1])}`);
	}
});

const gridOf = (part) => ({ from_ns: 0, column_ns: SECOND, columns: 2, rowCount: 2, rows: [], value: new Uint8Array([1, 0, 2, 9]), hits: null, max: 9, top: 9, total: 12, unit: 'samples', per_cpu: 0, ...part });
const COLOURS = { ramp: [[1, 1, 1], [255, 255, 255]], hits: [[9, 0, 9], [9, 0, 9]], rest: [[7, 7, 7], [7, 7, 7]], isLog: false };

await test('each sample is painted: cells that are not 0 have a colour, in their place', () => {
	const grid = gridOf({});
	const colours = grids.cellColours(grid, COLOURS);
	equal(Array.from(colours, (colour) => colour !== 0), [true, false, true, true], 'coloured');
	const g = { from_ns: 0, column_ns: SECOND, columns: 2, parts: 2, rows: 2, isOffset: true, width_px: 4, height_px: 4 };
	const pixels = new Uint32Array(16);
	grids.paintCells(pixels, 4, 0, grid, g, colours);
	equal(Array.from(pixels, (pixel) => [...colours].indexOf(pixel)), [1, 1, 3, 3, 1, 1, 3, 3, 0, 0, 2, 2, 0, 0, 2, 2], 'offset 0 is at the bottom');
	grids.paintCells(pixels.fill(0), 4, 2, grid, g, colours);
	equal(Array.from(pixels.subarray(0, 8), (pixel) => [...colours].indexOf(pixel)), [0, 0, 2, 2, 0, 0, 2, 2], 'scrolled');
});

await test('a search paints the cells where it matches, and mutes the others', () => {
	const colours = grids.cellColours(gridOf({ hits: new Uint8Array([0, 0, 1, 0]) }), COLOURS);
	equal(Array.from(colours, (colour) => colour & 255), [7, 0, 9, 7], 'red parts');
});

await test('an older grid is drawn where its times are until the new one is there', () => {
	const g = { from_ns: SECOND, column_ns: SECOND / 2, columns: 2, parts: 1, rows: 2, isOffset: true, width_px: 4, height_px: 4 };
	const grid = gridOf({});
	const colours = grids.cellColours(grid, COLOURS);
	const pixels = new Uint32Array(16);
	grids.paintCells(pixels, 4, 0, grid, g, colours);
	equal(Array.from(pixels.subarray(0, 4), (pixel) => [...colours].indexOf(pixel)), [3, 3, 3, 3], 'the second column alone');
	equal(grids.valueAt(grid, g, 1, 1), 9, 'value');
	equal(grids.valueAt(grid, { ...g, from_ns: 90 * SECOND }, 1, 1), 0, 'value out of sight');
});

// --- lanes ---

const laneGrid = {
	rows: [{ text: 'idle', where: ['tid=3'], samples: 0 }, { text: 'b', where: ['tid=2'], samples: 5 }, { text: 'main', where: ['tid=1'], samples: 15 }],
	from_ns: 0, column_ns: SECOND, columns: 2, value: new Uint8Array([0, 5, 10, 0, 0, 5]), per_cpu: 10 / SECOND, total: 20, max: 10,
};

await test('lanes are sorted by use, with the share of a CPU', () => {
	const list = lanes.lanesOf(laneGrid, 2 * SECOND, []);
	equal(list.map((lane) => [lane.text, lane.share, lane.isChosen]), [['main', 0.75, true], ['b', 0.25, true]], 'lanes');
	equal(Array.from(lanes.levelsOf(laneGrid, 2)), [1, 0.5], 'levels');
	equal(lanes.lanesOf({ ...laneGrid, per_cpu: 0 }, 2 * SECOND, []).map((lane) => lane.share), [0.75, 0.25], 'shares of all samples');
});

await test('a filter mutes lanes but does not hide them', () => {
	equal(lanes.lanesOf(laneGrid, 2 * SECOND, ['tid=2', 'comm=x']).map((lane) => lane.isChosen), [false, true], 'chosen');
	equal(lanes.laneFilters(['tid=2', 'pid=1', 'comm=x']), ['pid=1', 'comm=x'], 'filters of the lanes');
});

await test('threads that never ran are folded away', () => {
	const threads = [{ pid: 1, tid: 1, comm: 'main', samples: 15 }, { pid: 1, tid: 9, comm: 'pool', samples: 0 }];
	equal(lanes.idleLanes(threads, lanes.lanesOf(laneGrid, SECOND, []), []).map((lane) => lane.text), ['pool 9'], 'idle');
});

await test('shares are never 0 if there is something', () => {
	equal([0, 0.00001, 0.001, 0.043, 0.0996, 0.5, 1].map(lanes.shareText), ['0%', '<0.1%', '0.1%', '4.3%', '10%', '50%', '100%'], 'texts');
});

// --- searches that may run ---

await test('an expression that may take very long is asked by nobody before Enter and a trial', () => {
	const gate = new SearchGate();
	const search = (text, part = {}) => ({ text, isPlain: false, matchesCase: false, ...part });
	const bomb = search('z(.*.*.*.*.*.*)z');
	let told = 0;
	gate.watch(() => told++);
	equal(gate.allowed(search('parse')), search('parse'), 'a harmless one');
	equal(gate.allowed(search(bomb.text, { isPlain: true })).text, bomb.text, 'plain text');
	equal([gate.isHeld(bomb), gate.allowed(bomb).text], [true, ''], 'at first');
	gate.confirm(bomb);
	equal([gate.isHeld(bomb), gate.allowed(bomb).text], [false, ''], 'after Enter');
	gate.pass(bomb);
	equal([gate.allowed(bomb).text, told], [bomb.text, 1], 'after the trial');
	equal(gate.isHeld(search('(a+)+$')), true, 'another one');
});

await test('of the words of a link those that plume refuses are found and can be removed', async () => {
	const state = { ...START, selection: { ...EVERYTHING, files: ['2'], where: ['colour=red', 'tid=1'] }, baseline: { ...EVERYTHING, only: ['('] },
		transforms: [{ word: 'fold', value: 'nonsense' }, { word: 'your-code', value: null }] };
	const asked = [];
	const words = await refused.refusedWords(state, async (parameters) => {
		asked.push(parameters);
		if (/red|nonsense|\(/.test(JSON.stringify(parameters)))
			throw new refused.EngineError(400, 'no');
		if (/tid/.test(JSON.stringify(parameters)))
			throw new refused.EngineError(409, 'still being read');
	});
	equal(words.map(({ text }) => text), ['where=colour=red', 'base.only=(', 'fold=nonsense'], 'words');
	equal(asked[0], [['file', '2'], ['where', 'colour=red']], 'asked alone');
	const left = words.reduce((one, word) => word.without(one), state);
	equal([left.selection.where, left.baseline.only, left.transforms], [['tid=1'], [], [{ word: 'your-code', value: null }]], 'left');
});

// --- marks, chips, the header, the day ---

await test('marks of one kind that touch are one, those of another are not', () => {
	const g = { from_ns: 0, column_ns: SECOND, columns: 10, parts: 1, rows: 1, isOffset: true, width_px: 100, height_px: 10 };
	const mark = (time, kind, duration_ns = 0) => ({ time_ns: time * SECOND, duration_ns, kind, text: '', pid: 1, tid: 1 });
	const list = [mark(1, 'gc'), mark(1.1, 'gc'), mark(1.2, 'lost'), mark(5, 'gc', SECOND), mark(40, 'gc')];
	equal(marks.placeMarks(list, g, 3).map((one) => [one.kind, one.x, one.width, one.marks.length]), [['gc', 10, 4, 2], ['lost', 12, 3, 1], ['gc', 50, 10, 1]], 'placed');
	equal(marks.summaryOf(list), '4 gc, 1 lost', 'summary');
});

const NAMES = (key, value) => (key === 'tid' ? 'worker ' + value : value);
const YOURS = { name: 'your code', text: '', words: [{ word: 'fold', value: 'runtime' }] };

await test('every selection and transform has a chip that removes just it', () => {
	const list = chips.chipsOf({ ...START, ...FULL }, YOURS, NAMES, (id) => 'file ' + id);
	const texts = list.map((chip) => chip.text);
	for (const part of ['1.20\u20133.40 s', 'thread: worker 12, worker 13', 'only ^node;.*x=y&z', 'without 100%', 'no idle', 'fold: runtime,builtin', 'charge all else to your code', 'hide: a|b (c) #1'])
		ok(texts.includes(part), `${part} is not in ${texts.join(' / ')}`);
	ok(texts.some((text) => text.startsWith('baseline: 0.00\u20131.00 s')), 'baseline');
	for (const chip of list) {
		const after = chips.chipsOf({ ...START, ...FULL, ...chip.remove }, YOURS, NAMES, (id) => 'file ' + id);
		equal(after.length, list.length - 1, `chips without ${chip.text}`);
	}
});

await test('your code has a button and no chip', () => {
	const on = presets.toggled(START, YOURS, null);
	equal(chips.chipsOf({ ...START, ...on }, YOURS, NAMES, String), [], 'chips');
	ok(presets.isOn({ ...START, ...on }, YOURS), 'on');
	equal(presets.toggled({ ...START, ...on }, YOURS, null).transforms, [], 'off');
});

await test('the ledger says what your code is, and folding presets replace each other', () => {
	const ledger = { preset: 'node', presets: [{ name: 'none', text: '', words: [] }, { name: 'node', text: 'n', words: [['fold', 'runtime']] }, { name: 'program', text: 'p', words: [['fold', 'dependency,runtime']] }] };
	equal(presets.yourCodeOf(ledger).words, [{ word: 'fold', value: 'runtime' }], 'your code');
	equal(presets.yourCodeOf({ preset: 'none', presets: ledger.presets }).words, [{ word: 'your-code', value: null }], 'without one');
	const program = presets.presetsOf(ledger).find((preset) => preset.name === 'program');
	const hide = { word: 'hide', value: 'x' };
	equal(presets.toggled({ ...START, transforms: [hide, { word: 'fold', value: 'runtime' }] }, program, ledger).transforms, [hide, { word: 'fold', value: 'dependency,runtime' }], 'replaced');
});

await test('the header is a sentence', () => {
	const ledger = { host: 'web-1', title: 'node server.js', duration_ns: 30e9, rate: 99, date: '2026-11-16 14:02', samples: 2970, cpus_busy: 0.99 };
	equal(header.sentenceOf(ledger), 'web-1: node server.js, 30 s at 99 Hz, 2026-11-16 14:02, 2,970 samples, 0.99 CPUs busy', 'sentence');
	equal(header.sentenceOf({ ...ledger, host: '', title: 'a.folded', duration_ns: 0, rate: 0, date: '', samples: 1, cpus_busy: 0 }), 'a.folded, 1 sample', 'with less');
});

await test('keys are told apart by what is held with them', () => {
	const event = (key, part = {}) => namesOf({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...part });
	equal(event('y'), ['y'], 'y');
	ok(event('?', { shiftKey: true }).includes('?'), '? needs Shift on most keyboards');
	ok(!event('y', { ctrlKey: true }).includes('y'), 'Ctrl+y is not y');
	ok(event('Z', { ctrlKey: true, shiftKey: true }).includes('Ctrl+Shift+z'), 'Ctrl+Shift+z');
	equal(event('y', { altKey: true }), [], 'Alt is the browser\u2019s');
});

await test('files of a day are in the order of their starts, and a drag takes all in it', () => {
	const file = (id, start, seconds = 60) => ({ id, name: id + '.plume', state: 'ready', start_unix_ns: String(BigInt(start) * BigInt(SECOND)), duration_ns: seconds * SECOND });
	const files = [file('3', 1200), file('1', 1000), file('2', 1060), { ...file('4', 0), start_unix_ns: '0' }, { ...file('5', 1120), state: 'failed' }];
	const strip = day.dayOf(files, 260);
	equal(strip.files.map((one) => [one.file.id, Math.round(one.x), Math.round(one.width)]), [['1', 0, 60], ['2', 60, 60], ['5', 120, 60], ['3', 200, 60]], 'places');
	equal(day.filesBetween(strip, 30, 250).map((one) => one.id), ['1', '2', '3'], 'those that can be shown');
	equal(day.filesBetween(strip, 190, 191).map((one) => one.id), ['3'], 'a click in a gap takes the nearest');
	equal(day.dayOf([file('1', 5)], 260), null, 'one file is no day');
});

rmSync(dir, { recursive: true });
process.exit(finish());
