// A recording read by plume against the text that perf prints of it, sample by sample: the same samples at the same times,
// of the same threads and events, with the same stacks; and every kind of difference, with counts and examples.
//   perf_data_compare.mjs [options] PLUME FILE.data [OPTION OF PLUME...]
//     --script TEXT    what perf printed of FILE.data, .zst or not (default: perf is run now)
//     --floor PERCENT  of samples that must have the same stack (default 99.9)
//     --allow N        samples that may differ whatever the floor says, for short recordings (default 0)
//     --leaf-part      where perf's stack is the leaf part of ours, it counts as the same
//     --examples N     of each kind of difference (default 3)
//     --brief          one line
// Differences that doc/formats/perf-data.md explains count as the same for the floor; both figures are printed.
// Exit: 0, or 1 when the floor is missed, a sample is on one side only, or more frames have no name than in perf's text.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const options = { floor: 99.9, allow: 0, examples: 3 };
const words = process.argv.slice(2);
while (words[0]?.startsWith('--')) {
	const key = words.shift().slice(2);
	options[key] = ['brief', 'leaf-part'].includes(key) ? true : key === 'script' ? words.shift() : Number(words.shift());
}
const [plume, file, ...plumeOptions] = words;
const work = mkdtempSync(join(tmpdir(), 'perf-data-compare-'));
process.on('exit', () => rmSync(work, { recursive: true }));

// perf refuses fields that a recording does not have, one after the other; they are left out until it prints.
function perfScript(target) {
	let fields = ['comm', 'pid', 'tid', 'cpu', 'time', 'event', 'period', 'ip', 'sym', 'symoff', 'dso'];
	for (;;) {
		const command = `perf script --ns --no-inline -F ${fields} -i "$0" >"$1"`;
		const { stderr, status } = spawnSync('sh', ['-c', command, file, target], { encoding: 'utf8' });
		const refused = /Cannot print '(\w+)' field/.exec(stderr)?.[1];
		if (!refused) {
			if (status)
				throw new Error(`perf script: ${stderr}`);
			return;
		}
		fields = fields.filter((field) => field !== refused);
	}
}

// The tables that plume writes of a profile: rows of samples, and stacks of which each is made text once.
function read(name, input, extra) {
	const json = join(work, `${name}.json`);
	const args = ['convert', '-q', '--where', 'event=all', ...extra, input, '--format', 'json-flat', '-o', json];
	const { stderr, status } = spawnSync(plume, args, { encoding: 'utf8' });
	if (status !== 0 && status !== 3)
		throw new Error(`plume ${args.join(' ')}: ${stderr}`);
	const tables = JSON.parse(readFileSync(json));
	const at = (table, column, row) => (Array.isArray(table[column]) ? table[column][row] : table[column]);
	const text = (table, column, row) => tables.strings[at(table, column, row) ?? 0];
	const { frames, threads, events, kinds } = { ...tables };
	const frame = frames.name.map((_, i) => {
		const source = text(frames, 'file', i);
		const place = source && `${source}:${at(frames, 'line', i) ?? 0}:${at(frames, 'column', i) ?? 0}`;
		const module = text(frames, 'module', i);
		return {
			name: text(frames, 'name', i),
			shown: text(frames, 'name', i) || `[${basename(module) || 'unknown'}]`,
			rest: `${place || ''}${String.fromCharCode(at(frames, 'tier', i) || 32)}`,
			module,
			kind: kinds[at(frames, 'kind', i) ?? 0],
		};
	});
	const stacks = tables.stacks;
	const made = new Map([[0, []]]);
	const stack = (id) => {
		if (!made.has(id)) {
			const list = [];
			for (let i = id; i; i = stacks.parent[i])
				list.push(frame[at(stacks, 'frame', i) ?? 0]);
			made.set(id, list.reverse());
		}
		return made.get(id);
	};
	const rows = [];
	for (const block of tables.samples) {
		let time = 0;
		block.stack.forEach((id, i) => {
			const delta = at(block, 'time_delta', i);
			time = delta === null || delta === undefined ? null : i ? time + delta : delta;
			const thread = at(block, 'thread', i) ?? 0;
			rows.push({
				time,
				stack: id,
				comm: text(threads, 'comm', thread),
				pid: at(threads, 'pid', thread),
				tid: at(threads, 'tid', thread),
				event: text(events, 'name', at(block, 'event', i) ?? 0),
				period: at(block, 'period', i),
				cpu: at(block, 'cpu', i),
				count: at(block, 'count', i) ?? 1,
			});
		});
	}
	return { rows, stack, ledger: tables.ledger };
}

// Pairs of rows: those of one time, thread and event first, then of one time and thread; in order where there is no time.
function pair(ours, theirs) {
	const pairs = [];
	let left = ours, right = theirs;
	if (!theirs.some((row) => row.time)) {
		const n = Math.min(ours.length, theirs.length);
		return { pairs: ours.slice(0, n).map((row, i) => [row, theirs[i]]), left: ours.slice(n), right: theirs.slice(n) };
	}
	for (const key of [(r) => `${r.time} ${r.tid} ${r.event}`, (r) => `${r.time} ${r.tid}`, (r) => `${r.time}`]) {
		const waiting = new Map();
		for (const row of right)
			waiting.set(key(row), [...(waiting.get(key(row)) ?? []), row]);
		left = left.filter((row) => {
			const other = waiting.get(key(row))?.shift();
			if (other)
				pairs.push([row, other]);
			return !other;
		});
		right = [...waiting.values()].flat();
	}
	return { pairs, left, right };
}

// Of each sample in perf's text, from the root: the address of each frame, how far in its function it is, and whether that is the first byte.
function perfAddresses(file) {
	const packed = readFileSync(file);
	const bytes = file.endsWith('.zst') ? spawnSync('zstd', ['-dcq'], { input: packed, maxBuffer: 2 ** 32 }).stdout : packed;
	const samples = [];
	for (let at = 0, end; at < bytes.length; at = end + 1) {
		end = bytes.indexOf(10, at);
		end = end < 0 ? bytes.length : end;
		if (bytes[at] !== 9) {
			if (/ -?\d+\/-?\d+ /.test(bytes.latin1Slice(at, end))) // a comm may have line ends
				samples.push([]);
			continue;
		}
		const line = bytes.latin1Slice(at, end);
		const offset = /\+0x([0-9a-f]+) \([^(]*\)$/.exec(line)?.[1];
		samples.at(-1).unshift({ address: BigInt(`0x${line.trimStart().split(' ', 1)[0]}`), isStart: offset === '0', offset: offset && parseInt(offset, 16) });
	}
	return samples;
}

// Rows of a map that hold an address, the newest first.
const maps = new Map(), asked = new Map();
function mapRows(path, address) {
	const key = `${path} ${address}`;
	if (!asked.has(key))
		asked.set(key, findMapRows(path, address));
	return asked.get(key);
}

function findMapRows(path, address) {
	if (!maps.has(path)) {
		const beside = join(dirname(file), basename(path));
		const found = [beside, path].find((name) => existsSync(name));
		const rows = found ? readFileSync(found, 'latin1').split('\n') : [];
		maps.set(path, rows.map((row) => /^([0-9a-f]+) ([0-9a-f]+) (.*)/.exec(row)).filter(Boolean)
			.map(([, start, size, name]) => ({ start: BigInt(`0x${start}`), end: BigInt(`0x${start}`) + BigInt(`0x${size}`), name })).reverse());
	}
	return maps.get(path).filter((row) => row.start <= address && address < row.end);
}

// Of a file: its symbols without a size, name to address, and the ranges of .eh_frame.
const labels = new Map(), ranges = new Map();
const readelf = (...words) => spawnSync('readelf', words, { encoding: 'utf8', maxBuffer: 2 ** 30 }).stdout;
function labelsOf(path) {
	if (!labels.has(path))
		labels.set(path, new Map([...readelf('-W', '--syms', path).matchAll(/^ *\d+: ([0-9a-f]+) +0 \w+ +\w+ +\w+ +\d+ ([^@\n]+)/gm)]
			.map(([, value, name]) => [name, parseInt(value, 16)])));
	return labels.get(path);
}
function rangeOf(path, address) {
	if (!ranges.has(path))
		ranges.set(path, [...readelf('-W', '--debug-dump=frames', path).matchAll(/ pc=([0-9a-f]+)\.\.([0-9a-f]+)$/gm)]
			.map(([, start, end]) => [parseInt(start, 16), parseInt(end, 16)]));
	return ranges.get(path).find(([start, end]) => start <= address && address < end);
}

// perf has a symbol without a size reach to the next one, over other functions: those of other entries of .eh_frame, or in
// assembly that has none. The call is the byte before its return address.
function isBeyondLabel(a, b, address, isLeaf) {
	const start = address?.offset && !a.name && a.module === b.module ? labelsOf(a.module).get(b.name) : undefined;
	if (start === undefined)
		return false;
	const own = rangeOf(a.module, start), other = rangeOf(a.module, start + address.offset - !isLeaf);
	return (!own && !other) || own !== other;
}

// perf reads neither Go's own table of functions nor a jitdump, unless `perf inject` made files of it.
const goTables = new Map();
function hasGoTable(path) {
	if (!goTables.has(path))
		goTables.set(path, / \.gopclntab /.test(readelf('-W', '-S', path)));
	return goTables.get(path);
}
const isInJitdump = (a, b) => /^jit-\d+\.dump$/.test(basename(a.module)) && /^perf-\d+\.map$/.test(basename(b.module));

const same = (a, b) => a.shown === b.shown && a.rest === b.rest;
const line = (stack) => stack.map((f) => f.shown + f.rest.trimEnd()).join(';') || '(no frames)';
const place = (f) => `${f.shown}${f.rest.trimEnd() && ` ${f.rest.trimEnd()}`} (${f.module})`;
const olderRow = 'perf shows an older row of the map, which a newer one replaced';
const lostRow = 'perf does not find a row of the map, which overlaps others';
const startOfNext = 'perf names the function that begins at the return address';
const noFrames = 'perf threw the stack away';
const endOfLast = 'perf has no name behind the call at the end of a function';
const otherPlt = 'perf has no name for an entry of the PLT, or that of another';
const leftOut = 'perf leaves a caller out and goes on';
const minusOne = 'perf has a frame at -1 above a stack that was cut';
const otherFunction = 'perf has a label without a size name the functions behind it';
const goTable = 'perf does not read the table of functions of a stripped Go program';
const jitdump = 'perf does not read a jitdump';
const goAbi = "perf shows the ABI in the name of a Go function"; // runtime.goexit.abi0
const noTable = 'perf ends a stack in code without unwind tables'; // crti.S and crtn.S have none
const explained = new Set([noTable, goAbi, goTable, jitdump, otherFunction, olderRow, lostRow, startOfNext, noFrames, endOfLast, otherPlt, minusOne]);

function frameDifference(a, b, address, isLeaf) {
	const detail = `${place(a)} is ${place(b)} in perf's${address ? `, at ${address.address.toString(16)}` : ''}`;
	if (address && /perf-\d+\.map$/.test(b.module)) {
		const rows = mapRows(b.module, address.address); // perf's are those of the return address, ours of the call
		const [newest] = isLeaf ? rows : mapRows(b.module, address.address - 1n);
		if (newest?.name === a.name && (!b.name || rows.some((row) => row.name === b.name)))
			return [b.name ? olderRow : lostRow, detail];
	}
	if (address?.isStart && !isLeaf && a.name && b.name)
		return [startOfNext, detail];
	if (a.name.endsWith('@plt') && (!b.name || b.name.endsWith('@plt')))
		return [otherPlt, detail];
	if (a.name && !b.name && a.module === b.module && hasGoTable(a.module))
		return [goTable, detail];
	if (a.name && /^\.abi\w+$/.test(b.name.slice(a.name.length)) && b.name.startsWith(a.name))
		return [goAbi, detail];
	if (a.name && !b.name && isInJitdump(a, b))
		return [jitdump, detail];
	if (a.name && !b.name && !isLeaf && a.module === b.module)
		return [endOfLast, detail];
	if (isBeyondLabel(a, b, address, isLeaf))
		return [otherFunction, detail];
	if (!a.name && b.name)
		return ['a name is missing', detail];
	if (a.name && !b.name)
		return ['a name that perf has not', detail];
	if (!a.name && !b.name)
		return ['the module of an unknown frame differs', detail];
	return [a.name === b.name ? 'source or tier differs' : 'the name differs', detail];
}

// Stacks of the same depth: the first difference that is not explained, or else the first.
function inPlace(a, b, addresses) {
	let first = null;
	for (let i = 0; i < a.length; i++) {
		if (same(a[i], b[i]))
			continue;
		const found = frameDifference(a[i], b[i], addresses?.[i], i === a.length - 1);
		first ??= found;
		if (!explained.has(found[0]))
			return found;
	}
	if (first)
		return first;
	const m = a.findIndex((f, i) => f.module !== b[i].module);
	if (m >= 0)
		return ['only a module differs', `${place(a[m])} is ${place(b[m])} in perf's`];
	const k = a.findIndex((f, i) => f.kind !== b[i].kind);
	return k < 0 ? null : ['only a kind differs', `${place(a[k])} is ${a[k].kind}, ${b[k].kind} in perf's`];
}

// What tells two stacks apart: [kind, detail], or null. perf takes a return address of 0, which it reads behind the end of
// a copy, for a caller at -1; and where it has lost its way, any number for a caller.
function difference(a, b, addresses) {
	const isLost = options['leaf-part'] && b.length > 1 && !b[0].name && !b[0].module;
	if (addresses?.[0]?.address !== 0xffffffffffffffffn && !isLost)
		return differenceOf(a, b, addresses);
	const found = differenceOf(a, b.slice(1), addresses.slice(1));
	if (found?.[0] === 'more frames at the root') // perf takes no address from the last eight bytes of a copy
		return [minusOne, `ours goes on: ${found[1]}`];
	return found ?? [minusOne, 'the rest is the same'];
}

// One or two frames of ours are not in perf's; what is above them is there again.
function isLeafPartWithGap(a, b, leaf) {
	const rest = b.slice(0, b.length - leaf);
	return [1, 2].some((gap) => {
		const mine = a.slice(0, a.length - leaf - gap).slice(-rest.length);
		return mine.length === rest.length && mine.every((f, i) => same(f, rest[i]));
	});
}

function differenceOf(a, b, addresses) {
	let root = 0, leaf = 0;
	const short = Math.min(a.length, b.length), more = a.length - b.length;
	while (root < short && same(a[root], b[root]))
		root++;
	while (leaf < short && same(a[a.length - 1 - leaf], b[b.length - 1 - leaf]))
		leaf++;
	if (!more)
		return inPlace(a, b, addresses);
	if (!b.length)
		return [noFrames, `${more} frames here: ${place(a[0])}`];
	if (leaf === b.length && ['_init', '_fini'].includes(b[0].name))
		return [noTable, `below ${place(b[0])}`];
	if (leaf === b.length)
		return ['more frames at the root', `${more} more, the first above perf's: ${place(a[more - 1])}`];
	if (root === b.length)
		return ['more frames at the leaf', `${more} more: ${place(a[a.length - 1])}`];
	if (leaf === a.length)
		return ['fewer frames at the root', `${-more} fewer, the first missing: ${place(b[-more - 1])}`];
	if (root === a.length)
		return ['fewer frames at the leaf', `${-more} fewer: ${place(b[b.length - 1])}`];
	if (root + leaf >= short)
		return more > 0 ? ['more frames in the middle', `${more} more: ${place(a[root])}`]
			: ['fewer frames in the middle', `${-more} fewer: ${place(b[root])}`];
	if (more > 0) { // the leaf part, but for names
		const found = inPlace(a.slice(more), b, addresses);
		if (!found || explained.has(found[0]))
			return ['more frames at the root', `${more} more${found ? `; ${found[1]}` : ''}`];
		if (isLeafPartWithGap(a, b, leaf))
			return [leftOut, `${place(a[a.length - 1 - leaf])} below ${place(b[b.length - 1 - leaf])}`];
		if (a.slice(more).filter((f, i) => same(f, b[i])).length * 2 >= b.length)
			return found;
	}
	return ['other frames', `behind ${root} from the root, ${place(a[root])} is ${place(b[root])} in perf's`];
}

const text = options.script ?? join(work, 'script.txt');
if (!options.script)
	perfScript(text);
const ours = read('ours', file, ['--no-inline', ...plumeOptions]);
const theirs = read('theirs', text, ['--input', 'perf-script']);
const addresses = perfAddresses(text);
if (addresses.length === theirs.rows.length)
	theirs.rows.forEach((row, i) => (row.addresses = addresses[i]));
const { pairs, left, right } = pair(ours.rows, theirs.rows);

const kinds = new Map(); // kind of difference -> { samples, details: Map(detail -> [samples, ours, theirs]) }
const harmless = new Set(['only a module differs', 'only a kind differs']);
if (options['leaf-part'])
	explained.add('more frames at the root').add(leftOut).add('more frames in the middle');
let equal = 0, excused = 0;
for (const [a, b] of pairs) {
	const found = a.stack || b.stack ? difference(ours.stack(a.stack), theirs.stack(b.stack), b.addresses) : null;
	equal += !found || harmless.has(found[0]);
	if (!found)
		continue;
	excused += explained.has(found[0]);
	const entry = kinds.get(found[0]) ?? { samples: 0, details: new Map() };
	kinds.set(found[0], entry);
	entry.samples++;
	const detail = entry.details.get(found[1]) ?? { samples: 0, a, b };
	detail.samples++;
	entry.details.set(found[1], detail);
}
const show = ({ addresses: _, ...row }) => JSON.stringify(row);
// Text does not keep blanks at the ends of a comm, and of one with a line end only what is behind it.
const isSame = (a, b) => a === b || (typeof a === 'string' && (a.trim() === b.trim() || a.endsWith(` ${b}`)));
const fields = ['comm', 'pid', 'tid', 'event', 'period', 'cpu', 'count'].filter((field) => field === 'count' || theirs.rows.some((row) => (row[field] ?? -1) !== -1));
const wrong = fields.map((field) => [field, pairs.filter(([a, b]) => !isSame(a[field], b[field]))]).filter(([, list]) => list.length);
// Frames without a name are compared where perf has frames: not those behind which it has lost its way.
const kept = pairs.filter(([, b]) => theirs.stack(b.stack).length);
const leafPart = (a, b) => (a.length > b.length ? a.slice(-b.length) : a);
const sum = (side, k, of) => kept.reduce((total, pair) => total +
	of(leafPart(side.stack(pair[k].stack), theirs.stack(pair[1].stack))), 0);
const unnamed = (stack) => stack.filter((f) => !f.name).length, depth = (stack) => stack.length;
const beyond = kept.reduce((total, [a, b]) => {
	const perfStack = theirs.stack(b.stack), stack = leafPart(ours.stack(a.stack), perfStack);
	return total + (stack.length < perfStack.length ? 0
		: stack.filter((f, i) => isBeyondLabel(f, perfStack[i], b.addresses?.[i], i === stack.length - 1)).length);
}, 0);
const [mine, perfs] = [sum(ours, 0, unnamed), sum(theirs, 1, unnamed)];
const percent = (n) => (pairs.length ? (100 * n) / pairs.length : 0);
const missed = [];
if (percent(equal + excused) < options.floor && pairs.length - equal - excused > options.allow)
	missed.push(`the floor is ${options.floor} %`);
if (left.length || right.length)
	missed.push(`${left.length} samples are only here, ${right.length} only in perf's`);
if (wrong.length)
	missed.push(wrong.map(([field, list]) => `${field} differs in ${list.length} (${list[0][0][field]} is ${list[0][1][field]} in perf's)`).join(', '));
if (mine > perfs + beyond)
	missed.push(`${mine} frames have no name, ${perfs} in perf's`);
console.log(`${percent(equal).toFixed(3)} % of ${pairs.length} samples have the same stack, ` +
	`${percent(equal + excused).toFixed(3)} % with explained differences; ` +
	`frames without a name ${mine} of ${sum(ours, 0, depth)}, perf ${perfs} of ${sum(theirs, 1, depth)}` +
	(missed.length ? `; NOT MET: ${missed.join('; ')}` : ''));
if (!options.brief) {
	for (const [kind, entry] of [...kinds].sort((x, y) => y[1].samples - x[1].samples)) {
		console.log(`\n${kind}: ${entry.samples} samples${explained.has(kind) ? ' (explained)' : harmless.has(kind) ? ' (counted as the same)' : ''}`);
		for (const [detail, { samples, a, b }] of [...entry.details].sort((x, y) => y[1].samples - x[1].samples).slice(0, options.examples))
			console.log(`  ${samples}x ${detail}\n     at ${a.time} tid ${a.tid}\n     ours ${line(ours.stack(a.stack))}\n     perf ${line(theirs.stack(b.stack))}`);
	}
	for (const [field, list] of wrong)
		for (const [a, b] of list.slice(0, options.examples))
			console.log(`${field} differs: ours ${show(a)}\n  perf ${show(b)}`);
	for (const row of left.slice(0, options.examples))
		console.log(`only here: ${show(row)}`);
	for (const row of right.slice(0, options.examples))
		console.log(`only in perf's: ${show(row)}`);
}
process.exitCode = missed.length ? 1 : 0; // exit() would cut what is still to be printed
