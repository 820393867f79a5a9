// The modules of the page's graph that need no document: trees, layout, rows, colours, labels, search, the table, words.
//   node test/browser/page_graph_test.mjs

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { equal, finish, ok, test } from './tap.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'plume-page-graph-'));
const names = ['tree', 'flame_layout', 'rows', 'colours', 'fit', 'matches', 'function_table', 'words', 'answers', 'empty', 'source_lines', 'state', 'time_order'];
execFileSync('esbuild', [
	...names.map((name) => join(here, '../../web/page', name + '.ts')),
	'--bundle', '--format=esm', '--platform=neutral', '--log-level=warning', '--outdir=' + dir, '--out-extension:.js=.mjs',
]);
const load = (name) => import(pathToFileURL(join(dir, name + '.mjs')));
const [tree, layout, rows, colours, fit, matches, table, words, answers, empty, sourceLines, state, timeOrder] = await Promise.all(names.map(load));

/** Preorder of folded lines `a;b;c 6` or, with two sides, `a;b;c 6 2`. */
function columnsOf(lines) {
	const make = (name) => ({ name, self: [0, 0], kids: new Map() });
	const root = make('all');
	for (const line of lines) {
		const [stack, ...values] = line.split(' ');
		let node = root;
		for (const name of stack.split(';')) {
			if (!node.kids.has(name))
				node.kids.set(name, make(name));
			node = node.kids.get(name);
		}
		values.forEach((value, i) => (node.self[i] += Number(value)));
	}
	const list = [];
	const out = { label: [], depth: [], self0: [], self1: [] };
	const walk = (node, depth) => {
		if (!list.includes(node.name))
			list.push(node.name);
		out.label.push(list.indexOf(node.name));
		out.depth.push(depth);
		out.self0.push(node.self[0]);
		out.self1.push(node.self[1]);
		for (const kid of node.kids.values())
			walk(kid, depth + 1);
	};
	walk(root, 0);
	return { list, ...out };
}

function namesOf(list, flags = {}) {
	const each = (value) => list.map(() => value);
	return {
		name: list, function: list, place: each(''), module: each(''), kind: each(''), category: each(0), tiers: each(0),
		flags: list.map((name) => flags[name] || 0),
	};
}

const unit = { name: 'samples', decimals: 0, ns: 1e7 };

function treeOf(lines, flags) {
	const { list, label, depth, self0 } = columnsOf(lines);
	const answer = { header: { values: 1, unit }, columns: { label: Uint8Array.from(label), depth: Uint8Array.from(depth), self: Uint16Array.from(self0) } };
	return tree.treeFrom(answer, tree.labelsFrom('1', namesOf(list, flags)));
}

function diffOf(lines, more = {}) {
	const { list, label, depth, self0, self1 } = columnsOf(lines);
	const answer = { header: { values: 2, unit, scale: 1, ...more.header }, columns: { label, depth, self0, self1, ...more.columns } };
	return tree.treeFrom(answer, tree.labelsFrom('1', namesOf(list)));
}

const SMALL = ['a;b;c 6', 'a;b;d 2', 'a;e 1', 'f 1']; // all a b c d e f
const at = (t, ...path) => tree.follow(t, path).pop();
const look = (t, more = {}) => layout.layOut(t, { zoom: 0, width: 100, firstRow: 0, lastRow: 99, ...more });
/** A made-up tree, the same in every run. */
function randomLines(n) {
	let seed = 1;
	const next = (below) => (seed = (Math.imul(seed, 48271) >>> 0) % 0x7fffffff) % below;
	return Array.from({ length: n }, () =>
		Array.from({ length: 1 + next(9) }, () => 'f' + next(12)).join(';') + ' ' + (1 + next(50)));
}

await test('a total is the sum of the node and what is below it', () => {
	const t = treeOf(SMALL);
	equal([...t.total], [10, 9, 8, 6, 2, 1, 1]);
	equal([...t.parent], [-1, 0, 1, 2, 2, 1, 0]);
	equal([...t.end], [7, 6, 5, 4, 5, 6, 7]);
	equal(t.maxDepth, 3);
});
await test('totals of a large tree equal the sum of its lines', () => {
	const lines = randomLines(400);
	const t = treeOf(lines);
	equal(t.total[0], lines.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0));
	for (let i = 0; i < t.size; i++)
		equal(t.total[i], t.self[i] + tree.childrenOf(t, i).reduce((sum, child) => sum + t.total[child], 0), 'node ' + i);
});
await test('a script function is of its package, of node, or of its file', () => {
	equal(tree.scriptModule('JS:f /srv/node_modules/express/lib/a.js:1:2', 'express/lib/a.js:1'), 'express');
	equal(tree.scriptModule('JS:f /srv/node_modules/a/node_modules/@x/y/z.js:1:2', '@x/y/z.js:1'), '@x/y');
	equal(tree.scriptModule('JS:emit node:events:471:44', 'node:events:471'), 'node');
	equal(tree.scriptModule('JS:f /srv/app/lib/a.js:12:3', 'lib/a.js:12'), 'lib/a.js');
});
await test('an empty tree has nothing and breaks nothing', () => {
	const t = tree.treeFrom({ header: { values: 1, unit, empty: 'Nothing.' }, columns: { label: [], depth: [], self: [] } }, tree.labelsFrom('', namesOf([])));
	equal(t.size, 0);
	equal(look(t).node, []);
	equal(table.functionRows(t, false), []);
	equal(rows.rowsOf(rows.thinRows(t), 18).height, 18);
});
await test('siblings lie side by side, right of the own part of their parent', () => {
	const t = treeOf(['a 2', 'a;b 3', 'a;c 4', 'd 1']);
	equal([...t.start], [0, 0, 2, 5, 9]);
});
await test('left heavy puts the heaviest sibling first and keeps totals', () => {
	const t = treeOf(['a;b 1', 'a;c 5', 'd 8']);
	const heavy = tree.leftHeavy(t);
	equal([...heavy.total], [...t.total]);
	equal(heavy.start[at(t, 'd')], 0);
	equal(heavy.start[at(t, 'a')], 8);
	equal(heavy.start[at(t, 'a', 'c')], 8);
	equal(heavy.start[at(t, 'a', 'b')], 13);
});
await test('left heavy leaves every frame within its parent', () => {
	const t = tree.leftHeavy(treeOf(randomLines(300)));
	for (let i = 1; i < t.size; i++) {
		const p = t.parent[i];
		ok(t.start[i] >= t.start[p] && t.start[i] + t.total[i] <= t.start[p] + t.total[p], 'node ' + i);
	}
});
await test('in time order each thread is by itself, and what goes on is one frame', () => {
	const { label, depth, self0 } = { label: [0, 1, 3, 2, 3, 1, 3, 4, 1, 3], depth: [0, 1, 2, 1, 2, 1, 2, 3, 1, 2], self0: [0, 0, 2, 0, 1, 0, 1, 4, 1, 3] };
	const start = [0, 0, 0, 2, 2, 3, 3, 4, 8, 9];
	const answer = { header: { values: 1, unit }, columns: { label, depth, self: self0, start } };
	const t = timeOrder.threadByThread(tree.treeFrom(answer, tree.labelsFrom('1', namesOf(['all', 't1', 't2', 'f', 'g']))));
	const seen = Array.from({ length: t.size }, (_, i) => [t.depth[i], tree.nameOf(t, i), t.start[i], t.total[i]]);
	equal(seen, [
		[0, 'all', 0, 12], [1, 't1', 0, 11], [2, 'f', 0, 7], [3, 'g', 3, 4], [2, 'f', 8, 3], [1, 't2', 11, 1], [2, 'f', 11, 1],
	]);
});
await test('a path of names leads to its node, and as far as it is there', () => {
	const t = treeOf(SMALL);
	const node = at(t, 'a', 'b', 'd');
	equal(tree.pathOf(t, node), ['a', 'b', 'd']);
	equal(tree.follow(t, ['a', 'x', 'y']), [0, 1]);
	equal(tree.folded(t, node), 'a;b;d');
	equal(tree.folded(t, 0), 'all');
});
await test('the subject of a tree of callers is its root, or the only frame below', () => {
	equal(tree.subjectOf(treeOf(['x;a 1', 'x;b 2']), 'x'), 1);
	equal(tree.subjectOf(treeOf(['a 1', 'b 2']), 'x'), 0);
});

await test('a layout has the frames that are wide enough, in preorder', () => {
	const t = treeOf(SMALL);
	const seen = look(t);
	equal(seen.node, [0, 1, 2, 3, 4, 5, 6]);
	equal(seen.width, [100, 90, 80, 60, 20, 10, 10]);
	equal(seen.left[6], 90);
});
await test('a layout culls what is narrower than half a pixel, into strips', () => {
	const t = treeOf(['a 997', 'b 1', 'c 1', 'd 1']);
	const seen = look(t);
	equal(seen.node, [0, 1]);
	equal(seen.strips.reduce((sum, strip) => sum + strip.count, 0), 3);
	equal(look(t, { width: 1000 }).node.length, 5);
});
await test('a layout skips narrow subtrees and rows out of sight', () => {
	const deep = Array.from({ length: 200 }, (_, i) => 'n' + i).join(';');
	const t = treeOf(['a 1000000', 'b;' + deep + ' 1']);
	ok(look(t).steps < 5, 'steps of a narrow subtree');
	const seen = look(treeOf([deep + ' 1']), { firstRow: 10, lastRow: 12 });
	equal(seen.node.length, 3);
	ok(seen.steps <= 12, 'rows beyond the last are not visited');
});
await test('a zoomed frame fills the width, below it its callers do', () => {
	const t = treeOf(SMALL);
	const zoom = at(t, 'a', 'b');
	const seen = look(t, { zoom });
	equal(seen.node, [0, 1, 2, 3, 4]);
	equal(seen.width, [100, 100, 100, 75, 25]);
});
await test('a frame is found at its place, and a strip near its', () => {
	const t = treeOf(['a 997', 'b 3']);
	const seen = look(t);
	equal(layout.frameAt(t, seen, 1, 50), 1);
	equal(layout.frameAt(t, seen, 2, 50), -1);
	equal(layout.stripAt(seen, 1, 99).widest, 2);
	equal(layout.stripAt(seen, 1, 50), null);
});
await test('strips tell whether they hide a hit', () => {
	const t = treeOf(['a 997', 'b 1', 'c 2']);
	const found = Uint8Array.from([0, 0, 0, 1]);
	equal(layout.layOut(t, { zoom: 0, width: 100, firstRow: 0, lastRow: 9 }, found).strips.map((strip) => strip.isHit), [true]);
});
await test('arrows go to the widest callee, the caller, and the neighbours of a row', () => {
	const t = treeOf(SMALL);
	const sight = { zoom: 0, width: 100, firstRow: 0, lastRow: 9 };
	const go = (from, to) => tree.nameOf(t, layout.neighbour(t, at(t, ...from), to, sight));
	equal(go(['a', 'b'], 'deeper'), 'c');
	equal(go(['a', 'b'], 'shallower'), 'a');
	equal(go(['a', 'b'], 'right'), 'e');
	equal(go(['a', 'e'], 'right'), 'e');
	equal(go(['a', 'e'], 'left'), 'b');
	equal(go(['a', 'b', 'c'], 'deeper'), 'c');
});
await test('left heavy neighbours are those one sees', () => {
	const t = tree.leftHeavy(treeOf(['a 1', 'b 5']));
	equal(tree.nameOf(t, layout.neighbour(t, at(t, 'b'), 'right', { zoom: 0, width: 100, firstRow: 0, lastRow: 9 })), 'a');
});

await test('a row of nothing but folded runs and processes is thin', () => {
	const t = treeOf(['p;[r];a 5', 'p;[s];b 4', 'p;[r];c 3'], { p: tree.PROCESS, '[r]': tree.FOLDED, '[s]': tree.FOLDED });
	equal([...rows.thinRows(t)], [0, 0, 1, 0]);
	const mixed = treeOf(['[r];a 5', 'q;b 4'], { '[r]': tree.FOLDED });
	equal([...rows.thinRows(mixed)], [0, 0, 0]);
});
await test('rows are found again by their height', () => {
	const r = rows.rowsOf(Uint8Array.from([0, 1, 0]), 20);
	equal(r.height, 48);
	equal([0, 19.9, 20, 27.9, 28, 47.9, 48, -1].map((y) => rows.rowAt(r, y)), [0, 0, 1, 1, 2, 2, -1, -1]);
	const cut = rows.rowsOf(Uint8Array.from([0, 0, 0]), 20, 2);
	equal(cut.height, 20);
	equal(rows.rowAt(cut, 5), 2);
});

const CATEGORIES = ['process', 'app', 'dependency', 'runtime', 'builtin', 'gc', 'native', 'kernel', 'unknown'].map((name) => ({ name, text: name }));
await test('black text can be read on the colour of every kind, tier, module and change, in both schemes', () => {
	const rgb = (css) => css.match(/\d+/g).map(Number);
	const list = CATEGORIES.map(({ name }) => name);
	for (const by of ['kind', 'tier', 'module', 'thread', 'change']) {
		for (const isDark of [false, true]) {
			const t = diffOf(list.map((name, i) => `${name};${name}2 ${i + 1} ${20 - 2 * i}`));
			t.labels.category = t.labels.name.map((_, i) => i % 9);
			t.labels.tiers = t.labels.name.map((_, i) => [0, 1, 2, 4, 8][i % 5]);
			t.labels.module = t.labels.name;
			const paints = colours.paintsFor(t, { by, bySelf: true, isDark, categories: CATEGORIES });
			for (let i = 0; i < t.size; i++) {
				const contrast = colours.contrastWithBlack(rgb(paints.css[paints.of(i)]));
				ok(contrast >= 4.5, `${by} ${isDark ? 'dark' : 'light'} ${t.labels.name[t.label[i]]}: ${contrast}`);
			}
		}
	}
});
await test('modules of any name have readable colours', () => {
	for (let i = 0; i < 2000; i++)
		ok(colours.contrastWithBlack(colours.colourOfName('lib' + i).map((c) => c * 0.9)) >= 4.5, 'lib' + i);
});
await test('shades are those of the pictures', () => {
	// drand48 seeded with the sum of the characters, as flamegraph.pl and palette.c do it.
	const exact = (sum) => Number(((((BigInt(sum) << 16n) + 0x330En) * 0x5DEECE66Dn + 0xBn) & ((1n << 48n) - 1n))) / 2 ** 48;
	for (const [name, sum] of [['a', 97], ['parse', 112 + 97 + 114 + 115 + 101], ['\u{1f600}', 0x1f600], ['', 0]])
		equal(colours.shadeOf(name), exact(sum), name);
});
await test('a change is orange or blue, noise is grey, and the cause stands out from its callers', () => {
	const t = diffOf(['a;b 10 40', 'c 20 10', 'd 5 6'], { columns: { noise: [0, 0, 0, 0, 1], own_noise: [0, 1, 0, 0, 1] } });
	const paints = colours.paintsFor(t, { by: 'change', bySelf: true, isDark: false, categories: [] });
	const css = (...path) => paints.css[paints.of(at(t, ...path))];
	equal(css('d'), 'rgb(217,217,217)');
	equal(css('a'), 'rgb(217,217,217)');
	equal(css('a', 'b'), 'rgb(236,102,18)');
	const [r, , b] = css('c').match(/\d+/g).map(Number);
	ok(b > r, 'what shrank is blue');
	ok(paints.outlineOf(at(t, 'a')) !== '' && paints.outlineOf(at(t, 'a', 'b')) === '', 'the caller has the outline');
	const byTotal = colours.paintsFor(t, { by: 'change', bySelf: false, isDark: false, categories: [] });
	ok(byTotal.outlineOf(at(t, 'a')) === '' && byTotal.outlineOf(at(t, 'a', 'b')) !== '', 'by totals the cause has it');
});
await test('a diff keeps frames that only the baseline has', () => {
	const t = diffOf(['a 10 0', 'b 5 15']);
	const union = tree.withWidths(t, 'union');
	equal([...union.total], [25, 10, 15]);
	equal([...tree.withWidths(t, 'before').total], [15, 10, 5]);
	equal([...tree.withWidths(t, 'after').total], [15, 0, 15]);
	ok(colours.paintsFor(t, { by: 'change', bySelf: false, isDark: false, categories: [] }).isGone(at(t, 'a')), 'hatched');
});
await test('the baseline is scaled', () => {
	const t = diffOf(['a 10 30', 'b 20 30'], { header: { scale: 2 } });
	equal([...tree.withWidths(t, 'before').total], [60, 20, 40]);
	equal(table.functionRows(t, false).map((row) => row.change), [10, -10]);
});

const wide = () => 6;
await test('a label has the function first, then its place', () => {
	const whole = fit.fitLabel('processParams', 'router/index.js:576', 300, wide);
	equal([whole.name, whole.place], ['processParams', 'router/index.js:576']);
});
await test('a label loses its place before any of its function', () => {
	const room = 'processParams'.length * 6 + 10;
	const short = fit.fitLabel('processParams', 'router/index.js:576', room, wide);
	equal([short.name, short.place], ['processParams', '']);
	ok(fit.fitLabel('processParams', '', 40, wide).name.endsWith('\u2026'), 'then the function');
});
await test('a place is shortened in the middle, and keeps its line', () => {
	const { place } = fit.fitLabel('f', 'packages/server/lib/router/index.js:576', 6 + 8 + 22 * 6, wide);
	ok(place.endsWith('index.js:576') && place.includes('\u2026'), place);
});
await test('names with control or direction characters stay what they are: text in one line', () => {
	equal(words.clean('a\u202eb\nc\u0000'), 'a\ufffdb\ufffdc\ufffd');
	equal(words.clean('\u0645\u0631\u062d\u0628\u0627'), '\u0645\u0631\u062d\u0628\u0627');
	ok(words.clean('x'.repeat(100000)).length < 5000, 'long names are cut');
});

await test('matches inside matches are counted once', () => {
	const t = treeOf(['a;x;b;x 5', 'a;x 2', 'y 3']);
	const { labels } = matches.match(t.labels, { text: '^x$', isPlain: false, matchesCase: false });
	equal(matches.measureHits(t, labels, 0), { value: 7, count: 2 });
	equal(matches.measureHits(t, labels, at(t, 'a', 'x', 'b')), { value: 5, count: 2 });
	equal(matches.hitsByFunction(t, labels).map(({ value, frames }) => [value, frames]), [[7, 2]]);
	equal([...matches.hitsOf(t, labels)], [2, 4]);
});
await test('a search is plain or an expression, and matches case or not', () => {
	const t = treeOf(['Parse 1', 'parse(int) 2', 'other 3']);
	const found = (search) => {
		const { labels } = matches.match(t.labels, { text: '', isPlain: false, matchesCase: false, ...search });
		return t.labels.name.filter((_, i) => labels[i]);
	};
	equal(found({ text: 'parse' }), ['Parse', 'parse(int)']);
	equal(found({ text: 'parse', matchesCase: true }), ['parse(int)']);
	equal(found({ text: '(int)', isPlain: true }), ['parse(int)']);
	equal(found({ text: '^o|e$' }), ['Parse', 'other']);
});
await test('an expression that is none is said to be none', () => {
	const t = treeOf(['a 1']);
	equal(matches.match(t.labels, { text: '(', isPlain: false, matchesCase: false }), { isValid: false, isComplete: true, labels: null });
	equal(matches.match(t.labels, { text: '', isPlain: false, matchesCase: false }).labels, null);
});
await test('expressions that may take for ever are told from those that do not', () => {
	const risky = (text) => matches.isRisky({ text, isPlain: false, matchesCase: false });
	equal(['(a+)+$', '(a|aa)*b', '(.*)*', 'a*b*c*d*e', '(a)\\1', '.*.*.*z', '(a\\\\)+', '(a?){30}a', 'a?a?a?a?a?a?a?a?a?a?aaaaa'].map(risky), Array(9).fill(true));
	equal(['parse|render', 'v8::.*::Run', '^a.*b.*c$', '\\(anonymous\\)', 'a?(?:b|c)', 'f\\(\\)'].map(risky), Array(6).fill(false));
	ok(!matches.isRisky({ text: '(a+)+$', isPlain: true, matchesCase: false }), 'plain text is never risky');
});

await test('recursion counts once in the table', () => {
	const t = treeOf(['a;b;a;b 4', 'a 1', 'c;b 2']);
	const list = table.sortRows(table.functionRows(t, false), 'total', t.labels);
	equal(list.map(({ label, self, total }) => [t.labels.name[label], self, total]), [['b', 6, 6], ['a', 1, 5], ['c', 0, 2]]);
});
await test('labels of one name are one function', () => {
	const t = treeOf(['a 1', 'b 2']);
	t.labels = tree.labelsFrom('2', namesOf(['all', 'same', 'same']));
	equal(table.functionRows(t, false).map(({ self, total }) => [self, total]), [[3, 3]]);
});
await test('in a tree of callers self values are those of the rows below the root', () => {
	const t = treeOf(['leaf;mid;main 3', 'mid;main 2']);
	const self = Object.fromEntries(table.functionRows(t, true).map((row) => [t.labels.name[row.label], row.self]));
	equal(self, { leaf: 3, mid: 2, main: 0 });
});
await test('the self values of a table add up to the total, whatever the tree', () => {
	const t = treeOf(randomLines(500));
	equal(table.functionRows(t, false).reduce((sum, row) => sum + row.self, 0), t.total[0]);
});
await test('a table is sorted by any column, both ways, and filtered by the search', () => {
	const t = treeOf(['b 1', 'a;c 5', 'a 2']);
	const sorted = (order) => table.sortRows(table.functionRows(t, false), order, t.labels).map((row) => t.labels.name[row.label]);
	equal(sorted('self'), ['c', 'a', 'b']);
	equal(sorted('-self'), ['b', 'a', 'c']);
	equal(sorted('name'), ['a', 'b', 'c']);
	equal(sorted('-name'), ['c', 'b', 'a']);
	const { labels } = matches.match(t.labels, { text: 'c', isPlain: true, matchesCase: false });
	equal(table.filterRows(table.functionRows(t, false), labels).length, 1);
});

await test('numbers are told in counts, time and shares', () => {
	const t = treeOf(SMALL);
	const [self, total] = words.measures(t, at(t, 'a', 'b'), { zoom: at(t, 'a'), all: 100 });
	equal([self.count, self.time], ['0 samples', '0 s']);
	equal([total.count, total.time], ['8 samples', '80.0 ms']);
	equal(total.shares.map(({ of, text }) => `${text} of ${of}`), ['88.89% of view', '80.00% of range', '8.00% of all']);
});
await test('counts with decimals and without time are told as they are', () => {
	const plain = { name: 'cycles', decimals: 2, ns: 0 };
	equal(words.amount(12345, plain), '123.45');
	equal(words.time(12345, plain), '');
	equal(words.signed(-300, plain), '-3');
});
await test('hits are told with their share, and an expression that was too slow says so', () => {
	equal(words.hitWords({ at: 2, all: 12, share: '45.60%', isComplete: true }), '3 of 12 | 45.60% of view');
	equal(words.hitWords({ at: -1, all: 1, share: '1%', isComplete: true }), '1 hit | 1% of view');
	equal(words.hitWords({ at: -1, all: 0, share: '0%', isComplete: true }), 'no match');
	ok(words.hitWords({ at: -1, all: 3, share: '1%', isComplete: false }).includes('takes too long'), 'incomplete');
});

await test('the question has the words of the view', () => {
	const question = (part) => answers.questionOf({ ...state.START, ...part });
	equal(question({}).main, []);
	equal(question({ view: 'callers' }).main, [['reverse', null]]);
	equal(question({ view: 'time' }).main, [['tid', null], ['view', 'time']]);
	equal(question({ colour: 'thread' }).main, [['tid', null]]);
	equal(question({ view: 'sandwich', subject: 'f' }).callers, [['callers', 'f']]);
	equal(question({ view: 'sandwich' }).callers, null);
	const baseline = { ...state.EVERYTHING, times: [{ from: 1, until: 2 }] };
	equal(question({ view: 'diff', baseline, bySelf: true, isAbsolute: true }), {
		name: 'diff', main: [['base.time', '1,2'], ['delta', 'self'], ['scale', 'none']], callers: null, callees: null, isReversed: false,
	});
	equal(question({ view: 'time', baseline }), { name: 'tree', main: [['tid', null], ['view', 'time']], callers: null, callees: null, isReversed: false });
});
await test('of jobs that come while one runs only the newest is done', async () => {
	const latest = new answers.Latest();
	const done = [];
	let release;
	latest.run(() => new Promise((resolve) => (release = resolve)));
	for (const name of ['a', 'b', 'c'])
		latest.run(async () => void done.push(name));
	release();
	await new Promise((resolve) => setTimeout(resolve));
	equal(done, ['c']);
});
await test('labels are not sent again, and asked for when they are not known', async () => {
	const asked = [];
	const { list, label, depth, self0 } = columnsOf(SMALL);
	const engine = {
		binary: async (name, parameters) => {
			asked.push(parameters);
			const has = parameters.some(([word, value]) => word === 'labels' && value === 'L1');
			const header = { values: 1, unit, labels_id: asked.length === 3 ? 'L2' : 'L1', ...(has ? {} : { labels: namesOf(list) }) };
			return { header, columns: { label, depth, self: self0 } };
		},
	};
	const all = new answers.Answers(engine);
	const question = answers.questionOf(state.START);
	const first = await all.ask(question);
	const second = await all.ask(question);
	ok(first.main.labels === second.main.labels, 'the same labels');
	await all.ask(question); // says L2, which is not known
	equal(asked.map((parameters) => parameters.length), [0, 1, 1, 0]);
});
await test('what is in the way of a selection can be taken away', () => {
	const selection = { ...state.EVERYTHING, times: [{ from: 1, until: 2 }], where: ['tid=4'] };
	const found = empty.blockers({ ...state.START, selection }, { by_time: 0, by_where: 7 });
	equal(found.map(({ text }) => text), ['Remove tid=4']);
	equal(found[0].part.selection, { ...selection, where: [] });
});
await test('a line of a file belongs to the function that begins last before it', () => {
	const labels = tree.labelsFrom('', namesOf(['all', 'JS:f /a/b.js:10:2', 'JS:g /a/b.js:20:1', 'JS:h /a/c.js:12:1']));
	equal([5, 10, 15, 30].map((line) => sourceLines.functionAtLine(labels, '/a/b.js', line)), ['', 'JS:f /a/b.js:10:2', 'JS:f /a/b.js:10:2', 'JS:g /a/b.js:20:1']);
});

rmSync(dir, { recursive: true, force: true });
process.exit(finish());
