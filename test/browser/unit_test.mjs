// The viewer's modules that need no document: numbers, the model, layout, labels, search, links.
//   node test/browser/unit_test.mjs

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { equal, finish, note, ok, test } from './tap.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'plume-unit-'));
const names = ['numbers', 'model', 'layout', 'label', 'search', 'url', 'walk', 'words', 'first_look'];
execFileSync('esbuild', [
	...names.map((name) => join(here, '../../web/flame', name + '.ts')),
	'--bundle', '--format=esm', '--platform=neutral', '--log-level=warning', '--outdir=' + dir, '--out-extension:.js=.mjs',
]);
const load = (name) => import(pathToFileURL(join(dir, name + '.mjs')));
const [numbers, model, layout, label, search, url, walk, words, firstLook] = await Promise.all(names.map(load));

/** A model of folded lines, as the program would write it. */
function modelOf(lines, options = {}) {
	const root = { name: 'all', value: 0n, self: 0n, kids: new Map() };
	for (const line of lines) {
		const at = line.lastIndexOf(' ');
		const count = BigInt(line.slice(at + 1));
		let node = root;
		node.value += count;
		for (const name of line.slice(0, at).split(';')) {
			if (!node.kids.has(name))
				node.kids.set(name, { name, value: 0n, self: 0n, kids: new Map() });
			node = node.kids.get(name);
			node.value += count;
		}
		node.self += count;
	}
	const columns = { name: [], depth: [], start: [], value: [], self: [] };
	const list = [];
	const add = (node, depth, start) => {
		if (!list.includes(node.name))
			list.push(node.name);
		columns.name.push(list.indexOf(node.name));
		columns.depth.push(depth);
		columns.start.push(start);
		columns.value.push(node.value);
		columns.self.push(node.self);
		for (const kid of node.kids.values()) {
			add(kid, depth + 1, start);
			start += kid.value;
		}
	};
	add(root, 0, 0n);
	const raw = {
		version: 1, kind: 'flame', fluid: true, inverted: false, frame_height: 16, font_size: 12, pad: 10, top: 36, bottom: 34,
		count_name: 'samples', name_type: 'Function:', factor: 1, decimals: 0, total: String(root.value),
		narrow: { frames: 0, min: 0 }, names: list, notes: list.map(() => ''),
	};
	for (const key of Object.keys(columns))
		raw[key] = columns[key].join(' ');
	Object.assign(raw, options);
	return model.parse(JSON.stringify(raw), columns.name.length);
}

const SMALL = ['a;b;c 6', 'a;b;d 2', 'a;e 1', 'f 1']; // all a b c d e f
const samples = { factor: 1, decimals: 0, name: 'samples' };
const wide = () => 6;

await test('counts are grouped by three digits', () => {
	equal(numbers.count(1234567n, samples), '1,234,567');
	equal(numbers.count(123n, samples), '123');
	equal(numbers.count(-1234n, samples), '-1,234');
});
await test('counts above 2^53 are exact', () => {
	equal(numbers.count(9007199254740993n, samples), '9,007,199,254,740,993');
	equal(numbers.count(123456789012345678901234567890n, samples), '123,456,789,012,345,678,901,234,567,890');
});
await test('decimals and the factor are exact, in any notation of the factor', () => {
	equal(numbers.count(12345n, { ...samples, decimals: 2 }), '123.45');
	equal(numbers.count(12300n, { ...samples, decimals: 2 }), '123');
	equal(numbers.count(3n, { ...samples, factor: 0.1 }), '0.3');
	equal(numbers.count(1500000000n, { ...samples, factor: 1e-9 }), '1.5');
	equal(numbers.count(2n, { ...samples, factor: 1e21 }), '2,000,000,000,000,000,000,000');
	equal(numbers.count(7n, { ...samples, factor: 2.5, decimals: 1 }), '1.75');
});
await test('one sample is no plural', () => {
	equal(numbers.counted(1n, samples), '1 sample');
	equal(numbers.counted(2n, samples), '2 samples');
	equal(numbers.counted(1n, { ...samples, name: 'us' }), '1 us');
});
await test('a share is never 0% of something nor 100% of less than all', () => {
	equal(numbers.share(1n, 1000000n), '<0.01%');
	equal(numbers.share(999999n, 1000000n), '>99.99%');
	equal(numbers.share(1234n, 10000n), '12.34%');
	equal(numbers.share(5n, 5n), '100%');
	equal(numbers.share(0n, 5n), '0%');
	equal(numbers.share(0n, 0n), '0%');
});
await test('points say the direction of a change', () => {
	equal(numbers.points(0.0251), '+2.51');
	equal(numbers.points(-0.25), '-25.00');
	equal(numbers.points(-0.00000001), '0.00');
});

await test('the model knows parents, ends and folded stacks', () => {
	const m = modelOf(SMALL);
	equal(Array.from(m.parent), [-1, 0, 1, 2, 2, 1, 0]);
	equal(Array.from(m.end), [7, 6, 5, 4, 5, 6, 7]);
	equal(model.folded(m, 4), 'a;b;d');
	equal(model.folded(m, 0), 'all');
});
await test('a model shorter or longer than the picture is cut to what both have', () => {
	const raw = { depth: '0 1 1', name: '0 1 2', value: '3 2 1', start: '0 0 2', self: '0 2 1', names: ['all', 'a', 'b'],
		notes: ['', '', ''], total: '3', narrow: { frames: 0 } };
	equal(model.parse(JSON.stringify(raw), 2).size, 2);
	equal(model.parse(JSON.stringify(raw), 9).size, 3);
	equal(model.parse(JSON.stringify({ ...raw, depth: '' }), 0).size, 0);
});

await test('unzoomed, frames lie by their start and value', () => {
	const view = layout.layout(modelOf(SMALL), 0, 1000);
	equal(view.frames, [0, 1, 2, 3, 4, 5, 6]);
	equal(Array.from(view.left), [10, 10, 10, 10, 610, 810, 910]);
	equal(Array.from(view.widths), [1000, 900, 800, 600, 200, 100, 100]);
});
await test('zoomed, callers are as wide as the view and only what is below the frame is left', () => {
	const view = layout.layout(modelOf(SMALL), 2, 1000);
	equal(view.frames, [0, 1, 2, 3, 4]);
	equal(Array.from(view.widths), [1000, 1000, 1000, 750, 250]);
	equal(view.left[4], 760);
});
await test('frames below half a pixel are left to strips, which know how many they are', () => {
	const lines = Array.from({ length: 4000 }, (_, i) => `f${i};g${i} 1`);
	const m = modelOf(lines);
	const view = layout.layout(m, 0, 1000);
	equal(view.frames, [0]);
	equal(view.strips.length, 2); // a row of f, a row of g
	equal(layout.framesOf(m, view, view.strips[0]).length, 4000);
	equal(Math.round(view.strips[0].right - view.strips[0].left), 1000);
	ok(layout.stripAt(view, 1, 500) === view.strips[0], 'the strip under the pointer');
	ok(layout.stripAt(view, 3, 500) === null, 'no strip where there is none');
});
await test('however many frames a file has, few are drawn', () => {
	const lines = [];
	for (let i = 0; i < 700; i++)
		lines.push(Array.from({ length: 40 }, (_, d) => `f${i}_${d}`).join(';') + ' ' + (i + 1));
	const view = layout.layout(modelOf(lines), 0, 3800);
	ok(view.frames.length > 1000 && view.frames.length <= 5001, view.frames.length + ' frames');
});
await test('hits too narrow to be drawn have strips of their own', () => {
	const m = modelOf(Array.from({ length: 4000 }, (_, i) => `f${i} 1`));
	const view = layout.layout(m, 0, 1000);
	const strips = layout.hitStrips(m, view, [5, 6, 3000]);
	equal(strips.map((strip) => [strip.first, strip.last]), [[5, 6], [3000, 3000]]);
});

await test('arrows go to the caller, the widest callee and the neighbours of a row', () => {
	const m = modelOf(SMALL);
	const view = layout.layout(m, 0, 1000);
	const go = (frame, to) => walk.neighbour(m, view, frame, to);
	equal([go(3, 'shallower'), go(0, 'shallower')], [2, 0]);
	equal([go(0, 'deeper'), go(2, 'deeper'), go(3, 'deeper')], [1, 3, 3]);
	equal([go(1, 'right'), go(6, 'left'), go(6, 'right')], [6, 1, 6]);
});

await test('a search ignores case and is an expression, unless told', () => {
	const m = modelOf(['Foo;bar 1', 'foo.c 1', 'fooXc 1']);
	const found = (text, isPlain = false, mindsCase = false) =>
		search.search(m, { text, isPlain, mindsCase }).hits.map((i) => model.nameOf(m, i));
	equal(found('foo.c'), ['foo.c', 'fooXc']); // equally wide: from left to right
	equal(found('foo.c', true), ['foo.c']);
	equal(found('^foo$'), ['Foo']);
	equal(found('Foo', false, true), ['Foo']);
	equal(found(''), []);
});
await test('hits come the widest first, and the first step stays in view', () => {
	const m = modelOf(['a;x 1', 'b;x 5', 'b;y 5', 'x 3']); // all a x b x y x
	const { hits } = search.search(m, { text: 'x', isPlain: true, mindsCase: false });
	equal(hits, [4, 6, 2]);
	equal([search.firstHit(m, hits, 0, 1), search.firstHit(m, hits, 0, -1)], [0, 2]);
	equal([search.firstHit(m, hits, 1, 1), search.firstHit(m, hits, 5, 1)], [2, 0]);
});
await test('an expression that is none is said to be, and finds nothing', () => {
	const result = search.search(modelOf(SMALL), { text: '(', isPlain: false, mindsCase: false });
	equal([result.isValid, result.hits.length, result.matches], [false, 0, null]);
	equal(search.search(modelOf(SMALL), { text: '(', isPlain: true, mindsCase: false }).isValid, true);
});
await test('the matched share counts a match inside a match once, and only what is in view', () => {
	const m = modelOf(['a;x;x;b 4', 'a;c;x 2', 'x 10', 'a;d 4']);
	const { matches } = search.search(m, { text: '^x$', isPlain: false, mindsCase: false });
	equal(search.matchedValue(m, matches, 0), 16n);
	equal(search.matchedValue(m, matches, 1), 6n); // in a
});
await test('the matched share is exact above 2^53', () => {
	const m = modelOf(['a;x 9007199254740993', 'b;x 9007199254740993', 'c 1']);
	const { matches } = search.search(m, { text: 'x', isPlain: true, mindsCase: false });
	equal(search.matchedValue(m, matches, 0), 18014398509481986n);
});
await test('only the first 10,000 characters of a name are searched', () => {
	const m = modelOf(['a'.repeat(10000) + 'needle 1']);
	equal(search.search(m, { text: 'needle', isPlain: true, mindsCase: false }).hits.length, 0);
});

await test('a link brings back zoom and search', () => {
	const m = modelOf(SMALL);
	for (const place of [
		{ zoom: 0, query: { text: '', isPlain: false, mindsCase: false } },
		{ zoom: 4, query: { text: 'a&b=c#d%20 \u00e9', isPlain: true, mindsCase: true } },
	])
		equal(url.parse(m, url.format(m, place)), place);
	equal(url.format(m, { zoom: 4, query: { text: 'a b', isPlain: true, mindsCase: false } }), '#zoom=3:6&search=a%20b&plain=1');
});
await test('a link that is broken is the start', () => {
	const start = { zoom: 0, query: { text: '', isPlain: false, mindsCase: false } };
	for (const hash of ['', '#', '#zoom=9:9', '#zoom=x', '#zoom=1:-1', '#zoom=1e0:0', '#search=%', '#nonsense', '#=&&=', '#case=yes'])
		equal(url.parse(modelOf(SMALL), hash), start, hash);
});
await test('a link finds frames that begin above 2^53', () => {
	const m = modelOf(['a 9007199254740993', 'b 5', 'c 7']);
	const query = { text: '', isPlain: false, mindsCase: false };
	equal(url.parse(m, '#zoom=1:9007199254740998').zoom, 3);
	equal(url.format(m, { zoom: 2, query }), '#zoom=1:9007199254740993');
});

const fit = (name, chars) => label.shorten(name, chars * 6, wide);
await test('a label that fits is left alone', () => {
	equal(fit('main', 4), 'main');
	equal(fit('gc', 2), 'gc');
});
await test('a path loses its middle directories, then all of them', () => {
	const name = '/home/me/project/lib/deep/file.js:10:3';
	equal(fit(name, 30), '/home/\u2026/lib/deep/file.js:10:3');
	equal(fit(name, 19), '\u2026/file.js:10:3');
	equal(fit('java/util/concurrent/ThreadPool.run', 30), 'java/\u2026/ThreadPool.run');
});
await test('a function keeps its name and loses its file', () => {
	const name = 'JS:*handle /srv/app/node_modules/express/lib/router.js:12:5';
	equal(fit(name, 40), 'JS:*handle /srv/\u2026/lib/router.js:12:5');
	equal(fit(name, 12), 'JS:*handle');
	equal(fit('JS:~ /srv/app/lib/router.js:12:5', 16), 'router.js:12:5');
});
await test('a function of Python keeps its name and loses its file', () => {
	equal(fit('App.run web/wsgi/app.py', 17), 'App.run \u2026/app.py');
	equal(fit('JSONEncoder.encode json/encoder.py', 18), 'JSONEncoder.encode');
	equal(fit('collatz t.py', 8), 'collatz');
	equal(fit('_find_and_load <frozen importlib._bootstrap>', 20), '_find_and_load');
});
await test('the file of an offset is shortened before the offset', () => {
	const name = '[libx264.so.164]+0x522d0';
	equal(fit(name, 18), '[libx264\u2026]+0x522d0');
	equal(fit(name, 11), '[\u2026]+0x522d0');
	equal(fit(name, 10), '+0x522d0');
	equal(fit(name, 6), '+0x52\u2026');
});
await test('arguments are shortened before template parameters, and those before the name', () => {
	const name = 'std::vector<int, std::allocator<int> >::push_back(int const&, char)';
	equal(fit(name, 60), name.slice(0, 58) + '\u2026)');
	equal(fit(name, 52), 'std::vector<int, std::allocator<int> >::push_back(\u2026)');
	equal(fit(name, 30), 'std::vector<\u2026>::push_back(\u2026)');
	equal(fit(name, 25), 'std::vector<\u2026>::push_back');
	equal(fit(name, 12), '\u2026::push_back');
	equal(fit(name, 9), 'push_back');
	equal(fit(name, 6), 'push_\u2026');
});
await test('a lambda is a name, and what stands inside of brackets is no qualifier', () => {
	equal(fit('phase_fn(int)::{lambda(long)#1}', 20), '\u2026::{lambda(long)#1}');
	equal(fit('phase_fn(int)::{lambda(long)#1}', 17), '{lambda(long)#1}');
	equal(fit('std::_Function_handler<long (long), f(int)::{lambda(long)#1}>::_M_invoke', 40), 'std::_Function_handler<\u2026>::_M_invoke');
	equal(fit('(anonymous namespace)::walk(tree::node*)', 33), '(anonymous namespace)::walk(tre\u2026)');
	equal(fit('(anonymous namespace)::walk(tree::node*)', 10), '\u2026::walk');
	equal(fit('<alloc::vec::Vec<T> as core::ops::Drop>::drop', 10), '<\u2026>::drop');
});
await test('the function of Go and JavaScript goes last, its package and class before', () => {
	equal(fit('fmt.(*pp).doPrintf', 18), 'fmt.(*pp).doPrintf');
	equal(fit('fmt.(*pp).doPrintf', 14), '(*pp).doPrintf');
	equal(fit('fmt.(*pp).doPrintf', 8), 'doPrintf');
	equal(fit('runtime.gcWriteBarrier', 8), 'gcWrite\u2026');
	equal(fit('Socket._writeGeneric node:net:941', 14), '_writeGeneric');
	equal(fit('main.main.func1', 10), 'main.func1');
	equal(fit('merge_sort.part.0', 9), 'merge_so\u2026');
	equal(fit('libc_feholdsetround.constprop.0.isra.1', 9), 'libc_feh\u2026');
	equal(fit('server.js:12', 9), 'server.j\u2026');
});
await test('operators and arrows are no template parameters', () => {
	equal(fit('operator<<(std::ostream&, int)', 13), 'operator<<(\u2026)');
	equal(fit('Ptr<T>::operator->() const', 26), 'Ptr<T>::operator->() const');
	equal(fit('<script>alert(1)</script>', 11).length <= 11, true);
});
await test('fewer than three characters are no label', () => {
	equal(fit('function', 2), '');
	equal(fit('function', 3), 'fu\u2026');
});
await test('a cut never splits a character', () => {
	for (let chars = 1; chars < 12; chars++) {
		const cut = fit('ab\u{1f600}\u{1f468}\u200d\u{1f469}\u200d\u{1f467}e\u0301\u0302xyz0123456789', chars);
		ok(!/[\ud800-\udbff](?![\udc00-\udfff])/.test(cut), JSON.stringify(cut));
		ok(!/\u200d\u2026$/.test(cut), JSON.stringify(cut));
	}
	equal(label.cutEnd('e\u0301e\u0301', '\u2026', 24, wide), 'e\u0301\u2026');
});
await test('a name of 100 kB is cut before it is measured', () => {
	let measured = 0;
	const counting = () => (measured++, 6);
	const cut = label.shorten('x'.repeat(100000), 600, counting);
	equal(cut.length, 100);
	ok(measured < 10000, measured + ' characters measured');
});
await test('names of brackets only cost little', () => {
	const started = Date.now();
	for (const name of ['('.repeat(1000), ')'.repeat(1000), '<'.repeat(1000), 'a<'.repeat(500), '/'.repeat(1000), '::'.repeat(500)])
		ok(fit(name, 20).length <= 20, name.slice(0, 5));
	ok(Date.now() - started < 1000, 'more than a second');
});

await test('a length of time has three digits', () => {
	const spans = [[1, '1.00 ns'], [25e3, '25.0 \u00b5s'], [10101010, '10.1 ms'], [350e6, '350 ms'], [999.6e6, '1.00 s'], [1.236e9, '1.24 s'],
		[99.96e9, '100 s'], [1234e9, '1,234 s'], [0, '0 s']];
	equal(spans.map(([ns]) => numbers.span(ns)), spans.map(([, text]) => text));
});
await test('details have the time where counts are of a clock', () => {
	const m = modelOf(SMALL, { count_ns: 10101010 });
	equal(words.describe(m, 3, 2).facts, ['6 samples (60.00%, 60.6 ms), 75.00% of view', 'self 6 (60.00%, 60.6 ms)']);
});
await test('details have shares of all and of the view, and what is missing', () => {
	const m = modelOf(SMALL);
	equal(words.describe(m, 3, 2).facts, ['6 samples (60.00%), 75.00% of view', 'self 6 (60.00%)']);
	equal(words.describe(m, 1, 2).facts, ['9 samples (90.00%)', 'self 0 (0%)']);
	const less = modelOf(SMALL, { narrow: { frames: 1, min: 2 }, value: '10 9 8 5 2 1 1' }); // c was 6
	equal(words.describe(less, 2, 0).facts[2], '1 in frames too narrow for this file');
});
await test('a comparison says both sides, the change and whether it is noise', () => {
	const sides = { kind: 'diff', before: '10 5 5', before_self: '0 5 5', after: '20 15 5', after_self: '0 15 5',
		before_total: '10', after_total: '20', noise: '1 0 1', scale: 2, absolute: false };
	const m = modelOf(['a 15', 'b 5'], sides);
	equal(words.describe(m, 1, 0).facts, ['before 5 samples (50.00%), after 15 samples (75.00%)', '+25.00 points',
		'self 5 to 15, +25.00 points']);
	equal(words.describe(m, 2, 0).facts[1], '-25.00 points, within sampling noise');
	const scaled = modelOf(['a 15', 'b 5'], { ...sides, scale: 1 });
	equal(words.describe(scaled, 1, 0).facts[1], '+50.00 points (before scaled by 1)');
	const absolute = modelOf(['a 15', 'b 5'], { ...sides, absolute: true });
	equal(words.describe(absolute, 1, 0).facts[1], '+10 samples');
});

await test('the bundle and the style can stand in an SVG and in a page', () => {
	const bundle = String(execFileSync('esbuild', [join(here, '../../web/flame/main.ts'), '--bundle', '--minify', '--format=iife',
		'--target=es2018', '--log-level=warning']));
	const style = readFileSync(join(here, '../../web/flame/flame.css'), 'utf8');
	note(`bundle ${bundle.length} bytes, style ${style.length} bytes`);
	for (const end of [']]>', '</script', '<!--'])
		ok(!bundle.includes(end), 'the bundle has ' + end);
	for (const end of [']]>', '<', '&'])
		ok(!style.includes(end), 'the style has ' + end);
	ok(bundle.length < 48000, bundle.length + ' bytes');
});

// --- where a tall picture begins ---

/** Rows of one frame each: `{ runtime: 20, app: 5 }` from the root on. */
function rowsOf(rows) {
	const kinds = ['process', ...Object.entries(rows).flatMap(([kind, n]) => Array(n).fill(kind.replace(/\d/, '')))];
	const stack = kinds.slice(1).map((_, i) => 'f' + i).join(';');
	const words = [...new Set(kinds)];
	return modelOf([stack + ' 10'], { categories: words, category: kinds.map((kind) => words.indexOf(kind)).join(' ') });
}

await test('a tall picture begins at the root when there is enough of the program to see', () => {
	equal(firstLook.firstRow(rowsOf({ runtime: 20, app: 10, native: 60 }), 40), 0);
	equal(firstLook.firstRow(rowsOf({ app: 300 }), 40), 0);
});
await test('... higher up when the program is', () => {
	equal(firstLook.firstRow(rowsOf({ runtime: 60, app: 10, native: 60 }), 40), 40); // its middle at two thirds
	equal(firstLook.firstRow(rowsOf({ runtime: 60, app: 300 }), 40), 53);
	equal(firstLook.firstRow(rowsOf({ runtime: 60, app: 5 }), 40), 26);
});
await test('... where the program is, not the packages it uses, if there is something of it', () => {
	equal(firstLook.firstRow(rowsOf({ runtime: 10, dependency: 80, app: 10, native: 50 }), 40), 70);
	equal(firstLook.firstRow(rowsOf({ runtime: 60, dependency: 80, native: 50 }), 40), 53);
});
await test('... and at the root where nothing is known of the frames', () => {
	equal(firstLook.firstRow(modelOf([Array.from({ length: 99 }, (_, i) => 'f' + i).join(';') + ' 5']), 40), 0);
	equal(firstLook.firstRow(rowsOf({ native: 99 }), 40), 0);
});

rmSync(dir, { recursive: true });
process.exitCode = finish();
