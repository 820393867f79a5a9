// A second reader of .plume files, written from doc/formats/plume.md alone: what it and plume agree on is what the page
// says. Every fault is an error with the offset of its block; what stands before it is printed.
//   plume_dump.mjs [--samples|--tables|--frames|--blocks] [--event all] [--weight samples|period] FILE|-...
//     folded stacks   of event 0, by its natural weight, as `plume fold` prints them
//     --samples       a line for each row: time cpu pid tid comm event count period stack
//     --tables        everything that is not a row of samples: facts, marks, modules, unnamed frames, labels, ledger
//     --frames        a line for each frame: name (with its start where it has none), module, place, where the function begins
//     --blocks        a line for each block: offset, kind, bytes stored and unpacked, rows of samples
// Exit: 0, or 3 when the file has no end mark or a fault, or 1 when it is none of this version.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { xxh3 } from './xxh3.mjs';

const mask = (1n << 64n) - 1n;
const unknownId = -2147483648n;

class Fault extends Error {}
const check = (holds, words) => {
	if (!holds)
		throw new Fault(words);
};

// The varints and bytes of one part; numbers are BigInts, since they have up to 64 bits.
class Cursor {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}
	get isAtEnd() {
		return this.at === this.bytes.length;
	}
	varint() {
		let value = 0n;
		for (let i = 0; i < 10; i++) {
			check(!this.isAtEnd, 'a varint beyond its part');
			const byte = this.bytes[this.at++];
			value |= BigInt(byte & 127) << BigInt(7 * i);
			if (byte < 128) {
				check(value <= mask, 'a varint of more than 64 bits');
				return value;
			}
		}
		throw new Fault('a varint of more than 10 bytes');
	}
	zigzag() {
		const value = this.varint();
		return (value >> 1n) ^ -(value & 1n);
	}
	take(length) {
		check(length <= BigInt(this.bytes.length - this.at), 'a length beyond its part');
		const start = this.at;
		this.at += Number(length);
		return this.bytes.subarray(start, this.at);
	}
	count(columns) { // of rows, each of which has a byte in each column at least
		const n = this.varint();
		check(n * BigInt(columns) <= BigInt(this.bytes.length - this.at), 'more rows than bytes');
		return Number(n);
	}
	column(n, read = () => this.varint()) {
		return Array.from({ length: n }, read);
	}
	differences(n, before) {
		return this.column(n, () => before = BigInt.asUintN(64, before + this.zigzag()));
	}
}

class Profile {
	strings = [''];
	frames = [];
	stacks = [{ caller: 0, frame: -1 }];
	threads = [{ pid: unknownId, tid: unknownId, comm: '', container: '' }];
	events = [];
	labels = [];
	labelSets = [[]];
	marks = [];
	facts = [];
	modules = [];
	unnamed = [];
	ledger = new Map();
	rows = [];
	isDifferential = false;
	unknownParts = 0;

	string(id) {
		check(id < BigInt(this.strings.length), `string ${id} of ${this.strings.length}`);
		return this.strings[Number(id)];
	}
	row(table, id, what) {
		check(id < BigInt(table.length), `${what} ${id} of ${table.length}`);
		return Number(id);
	}
}

const rowsOf = (n, columns, make) => Array.from({ length: n }, (_, i) => make(...columns.map(column => column[i])));

function earlier(table, distance, i, what) {
	const own = BigInt(table.length + i);
	check(distance >= 1n && distance <= own, `${what} ${own} is built on one at distance ${distance}`);
	return Number(own - distance);
}

const readTable = {
	1(p, c) {
		const lengths = c.column(c.count(1));
		for (const length of lengths)
			p.strings.push(c.take(length).toString('latin1'));
	},
	2(p, c) {
		const n = c.count(8), more = p.frameColumns;
		check(!more || more.n === n, `columns of ${more?.n} frames before ${n}`);
		p.frameColumns = undefined;
		const of = column => more?.columns[column] ?? Array(n).fill(0n);
		const places = rowsOf(n, [of(0), of(1), of(2)], (file, line, column) => ({ file: p.string(file), line, column }));
		const last = p.frames.at(-1) ?? { nameId: 0n, fileId: 0n };
		const names = c.differences(n, last.nameId), modules = c.column(n), files = c.differences(n, last.fileId);
		const rest = [c.column(n), c.column(n), c.column(n), c.column(n), c.column(n)];
		const columns = [names, modules, files, ...rest, places, of(3)];
		p.frames.push(...rowsOf(n, columns, (name, module, file, line, column, kind, tier, flags, begins, start) => ({
			nameId: name, fileId: file, name: p.string(name), module: p.string(module), file: p.string(file), line, column,
			kind: kind > 7n ? 0 : Number(kind), tier, flags: Number(flags), begins, start,
		})));
	},
	3(p, c) {
		const n = c.count(2), distances = c.column(n), frames = c.column(n);
		p.stacks.push(...rowsOf(n, [distances, frames, [...distances.keys()]], (distance, frame, i) => ({
			caller: earlier(p.stacks, distance, i, 'stack'), frame: p.row(p.frames, frame, 'frame'),
		})));
	},
	4(p, c) {
		const n = c.count(4), pids = c.column(n, () => c.zigzag()), offsets = c.column(n, () => c.zigzag());
		p.threads.push(...rowsOf(n, [pids, offsets, c.column(n), c.column(n)], (pid, offset, comm, container) => {
			for (const id of [pid, pid + offset])
				check(id >= unknownId && id < -unknownId, `a pid or tid of ${id}`);
			return { pid, tid: pid + offset, comm: p.string(comm), container: p.string(container) };
		}));
	},
	5(p, c) {
		const n = c.count(4);
		p.events.push(...rowsOf(n, [c.column(n), c.column(n), c.column(n), c.column(n)], (name, unit, flags, decimals) => {
			check(decimals <= 9n, `${decimals} decimals`);
			return {
				name: p.string(name), unit: p.string(unit), countsPeriods: (flags & 1n) !== 0n,
				hasOnlySums: (flags & 2n) !== 0n, decimals: Number(decimals),
			};
		}));
	},
	7(p, c) {
		const n = c.count(5), columns = [c.column(n), c.column(n), c.column(n), c.column(n), c.column(n, () => c.zigzag())];
		p.labels.push(...rowsOf(n, columns, (key, isNumber, text, unit, number) =>
			({ key: p.string(key), isNumber: isNumber !== 0n, text: p.string(text), unit: p.string(unit), number })));
	},
	8(p, c) {
		const n = c.count(2), distances = c.column(n), labels = c.column(n), start = p.labelSets.length;
		for (let i = 0; i < n; i++) {
			const rest = p.labelSets[earlier({ length: start }, distances[i], i, 'label set')];
			p.labelSets.push([...rest, p.row(p.labels, labels[i], 'label')]);
		}
	},
	10(p, c) {
		const n = c.count(5), columns = [c.differences(n, 0n), c.column(n), c.column(n), c.column(n), c.column(n)];
		p.marks.push(...rowsOf(n, columns, (time, duration, thread, kind, text) =>
			({ time, duration, thread: p.row(p.threads, thread, 'thread'), kind: p.string(kind), text: p.string(text) })));
	},
	11(p, c) {
		const n = c.count(2);
		p.facts.push(...rowsOf(n, [c.column(n), c.column(n)], (key, text) => ({ key: p.string(key), text: p.string(text) })));
	},
	15(p, c) {
		const n = c.count(4);
		p.unnamed.push(...rowsOf(n, [c.column(n), c.column(n), c.column(n), c.column(n)], (module, reason, fix, frames) =>
			({ module: p.string(module), reason: p.string(reason), fix: p.string(fix), frames })));
	},
	17(p, c) {
		const n = c.count(3);
		for (const [id, as] of rowsOf(n, [c.column(n), c.column(n), c.column(n)], (...row) => row)) {
			const at = p.row(p.frames, id, 'frame'), { nameId, fileId } = p.frames[at];
			p.frames[at] = { ...p.frames[p.row(p.frames, as, 'frame')], nameId, fileId };
		}
	},
	12(p, c) {
		const n = c.count(2);
		p.modules.push(...rowsOf(n, [c.column(n), c.column(n)], (path, id) => ({ path: p.string(path), buildId: p.string(id) })));
	},
};

const held = value => value > mask ? mask : value;

function readDecimals(p, c) {
	while (!c.isAtEnd) {
		const event = p.row(p.events, c.varint(), 'event'), decimals = c.varint();
		check(decimals >= p.events[event].decimals && decimals <= 9n, `event ${event} goes to ${decimals} decimals`);
		const factor = 10n ** (decimals - BigInt(p.events[event].decimals));
		p.events[event].decimals = Number(decimals);
		for (const row of p.rows)
			if (row.event === event)
				row.period = held(row.period * factor);
	}
}

const readColumn = [
	(c, n) => Array(n).fill(c.varint()),
	(c, n) => c.column(c.bytes.length - c.at < n ? check(false, 'more rows than bytes') : n),
	(c, n) => c.differences(c.bytes.length - c.at < n ? check(false, 'more rows than bytes') : n, 0n),
];

function readSamples(p, c) {
	const n = Number(c.varint()), columns = [];
	p.blockRows += n;
	check(n >= 1 && p.blockRows <= 1 << 20, `${n} rows of samples`);
	while (!c.isAtEnd) {
		const column = c.varint(), encoding = c.varint();
		check(column <= 7n && !columns[column], `column ${column} again or unknown`);
		check(encoding <= 2n, `column ${column} is written as ${encoding}`);
		columns[column] = readColumn[encoding](c, n);
	}
	for (let column = 0; column < 5; column++)
		check(columns[column], `column ${column} is missing`);
	const [stack, thread, event, count, period, time, cpu, labels] = columns;
	for (let i = 0; i < n; i++)
		p.rows.push({
			stack: p.row(p.stacks, stack[i], 'stack'), thread: p.row(p.threads, thread[i], 'thread'),
			event: p.row(p.events, event[i], 'event'), count: count[i], period: period[i], time: time?.[i],
			cpu: cpu ? (cpu[i] >> 1n) ^ -(cpu[i] & 1n) : -1n, labels: p.row(p.labelSets, labels?.[i] ?? 0n, 'label set'),
		});
}

function readLedger(p, c) {
	while (!c.isAtEnd) {
		const name = c.take(c.varint()).toString('latin1');
		p.ledger.set(name, (p.ledger.get(name) ?? 0n) + c.varint());
	}
}

function readFrameColumns(p, c) {
	const n = Number(c.varint()), columns = [];
	check(n >= 1 && n <= 1 << 20, `columns of ${n} frames`);
	while (!c.isAtEnd) {
		const column = c.varint(), encoding = c.varint();
		check(column < 64n && !columns[column], `column ${column} of frames again or too large`);
		check(encoding <= 2n, `column ${column} of frames is written as ${encoding}`);
		columns[column] = readColumn[encoding](c, n);
	}
	p.frameColumns = { n, columns };
}

const readPart = {
	...readTable, 6: readDecimals, 9: readSamples, 13: readLedger, 16: readFrameColumns,
	14(p, c) {
		p.isDifferential = (c.varint() & 1n) !== 0n;
	},
};

function readContent(p, content) {
	const parts = new Cursor(content);
	p.blockRows = 0;
	while (!parts.isAtEnd) {
		const tag = parts.varint(), part = new Cursor(parts.take(parts.varint()));
		if (!readPart[tag]) {
			p.unknownParts++;
			continue;
		}
		readPart[tag](p, part);
		check(part.isAtEnd, `${part.bytes.length - part.at} bytes too many in a part ${tag}`);
	}
}

function unpack(stored, length) {
	const zstd = spawnSync('zstd', ['-dcq', '--no-sparse'], { input: stored, maxBuffer: 1 << 29 });
	check(zstd.status === 0, `zstd: ${zstd.stderr}`);
	check(zstd.stdout.length === length, `unpacks to ${zstd.stdout.length} bytes, not ${length}`);
	return zstd.stdout;
}

// The block at `at`, or undefined at the end of the bytes.
function readBlock(bytes, at, number) {
	if (at === bytes.length)
		return undefined;
	check(at + 32 <= bytes.length, 'the head of a block is cut off');
	check(bytes.toString('latin1', at, at + 4) === 'PLBK', 'no block begins here');
	const packing = bytes[at + 4], kind = bytes[at + 5];
	const storedBytes = bytes.readUInt32LE(at + 8), rawBytes = bytes.readUInt32LE(at + 12);
	check(bytes.readBigUInt64LE(at + 16) === BigInt(number), `block ${bytes.readBigUInt64LE(at + 16)}, not ${number}`);
	check(storedBytes <= 1 << 27 && rawBytes <= 1 << 27, 'a block of more than 2^27 bytes');
	check(packing <= 1 && kind <= 1, `packing ${packing} and kind ${kind} are not known`);
	const stored = bytes.subarray(at + 32, at + 32 + storedBytes);
	check(stored.length === storedBytes, 'a block is cut off');
	const sum = xxh3(stored, xxh3(bytes.subarray(at, at + 24)));
	check(sum === bytes.readBigUInt64LE(at + 24), 'the checksum is wrong');
	check(packing === 1 || storedBytes === rawBytes, 'two lengths for bytes as they are');
	return { kind, storedBytes, rawBytes, end: at + 32 + storedBytes, content: packing ? unpack(stored, rawBytes) : stored };
}

function readFile(bytes) {
	const p = new Profile(), blocks = [];
	let at = 16, sentence = 'no end mark';
	try {
		for (let block; (block = readBlock(bytes, at, blocks.length)); at = block.end) {
			const before = p.rows.length;
			if (block.kind === 1) {
				const rows = new Cursor(block.content).varint();
				check(rows === BigInt(before), `the end mark says ${rows} rows, ${before} were there`);
				check(block.end === bytes.length, 'bytes behind the end mark');
				sentence = '';
			} else {
				readContent(p, block.content);
			}
			blocks.push({ at, ...block, rows: p.rows.length - before });
		}
	} catch (e) {
		if (!(e instanceof Fault))
			throw e;
		sentence = e.message;
	}
	return { p, blocks, fault: sentence && `at byte ${at}: ${sentence}` };
}

const clean = text => text.replaceAll(';', ':').replaceAll('\n', ' ');
const basename = path => path.slice(path.lastIndexOf('/') + 1);

function frameName(f) {
	let name = clean(f.name);
	if (!name && (f.kind === 7 || f.kind === 1)) {
		const module = clean(basename(f.module));
		name = module.length > 1 && module[0] === '[' ? module : `[${module || 'unknown'}]`;
	}
	const mark = f.flags & 1 ? '_[i]' : f.flags & 2 ? '_[w]' : f.flags & 4 ? { 1: '_[k]', 2: '_[j]' }[f.kind] : '';
	return name + (mark ?? '');
}

const commOf = thread => clean(thread.comm).replace(/[\0- \x7f]/g, '_');

function stackText(p, row) {
	const names = [];
	for (let stack = row.stack; stack; stack = p.stacks[stack].caller)
		names.push(frameName(p.frames[p.stacks[stack].frame]));
	if (p.threads[row.thread].comm)
		names.push(commOf(p.threads[row.thread]));
	return names.reverse().join(';');
}

function decimal(value, decimals) {
	const digits = value.toString().padStart(decimals + 1, '0');
	const whole = digits.slice(0, digits.length - decimals), fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
	return fraction ? `${whole}.${fraction}` : whole;
}

// By the rules of `plume fold`: periods where the event says so or had no samples; samples where events of both kinds
// are added up.
function periodsCount(p, options) {
	const kinds = new Set(p.events.map(event => event.countsPeriods));
	const isMixed = (options.event === 'all' || p.isDifferential) && kinds.size > 1;
	return event => event.hasOnlySums || (options.weight ? options.weight === 'period' : event.countsPeriods && !isMixed);
}

function* foldedLines(p, options) {
	const sums = new Map(), columns = p.isDifferential ? 2 : 1, isInPeriods = periodsCount(p, options);
	const decimals = Math.max(0, ...p.events.filter(isInPeriods).map(event => event.decimals));
	for (const row of p.rows) {
		const stack = stackText(p, row), event = p.events[row.event];
		if (!stack || (row.event !== 0 && options.event !== 'all' && columns === 1))
			continue;
		if (!sums.has(stack))
			sums.set(stack, Array(columns).fill(0n));
		const weight = isInPeriods(event) ? row.period * 10n ** BigInt(decimals - event.decimals) :
			row.count * 10n ** BigInt(decimals);
		const sum = sums.get(stack), column = columns === 2 ? row.event : 0;
		sum[column] = held(sum[column] + held(weight));
	}
	for (const stack of [...sums.keys()].sort((a, b) => Buffer.compare(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'))))
		yield `${stack} ${sums.get(stack).map(sum => decimal(sum, decimals)).join(' ')}`;
}

const idText = id => id === unknownId ? '?' : id;

function* sampleLines(p) {
	for (const row of p.rows) {
		const thread = p.threads[row.thread], event = p.events[row.event];
		yield [row.time ?? '-', row.cpu, idText(thread.pid), idText(thread.tid), commOf(thread) || '-', event.name || '-',
			row.count, decimal(row.period, event.decimals), stackText(p, row)].join(' ');
	}
}

function* tableLines(p) {
	for (const { key, text } of p.facts)
		yield `fact ${key}: ${text}`;
	for (const { path, buildId } of p.modules)
		yield `module ${path} ${buildId}`;
	for (const { module, reason, fix, frames } of p.unnamed)
		yield `unnamed ${module}: ${frames}, ${reason}; ${fix}`;
	for (const event of p.events)
		yield `event ${event.name} in ${event.unit}, ${event.decimals} decimals`;
	for (const mark of p.marks)
		yield `mark ${mark.time} ${mark.duration} ${commOf(p.threads[mark.thread])} ${mark.kind} ${mark.text}`;
	for (const label of p.labels)
		yield `label ${label.key}=${label.isNumber ? `${label.number} ${label.unit}` : label.text}`;
	for (const [name, count] of p.ledger)
		yield `ledger ${name}: ${count}`;
	if (p.unknownParts)
		yield `parts not known: ${p.unknownParts}`;
}

const placeText = ({ file, line, column }) => `${file || '-'}:${line}:${column}`;

function* frameLines(p) {
	for (const f of p.frames)
		yield [frameName(f) + (f.start ? `+0x${f.start.toString(16)}` : ''), f.module || '-', placeText(f), placeText(f.begins)].join('\t');
}

function* blockLines(blocks) {
	for (const { at, kind, storedBytes, rawBytes, rows } of blocks)
		yield `${at} ${kind ? 'end' : 'data'} ${storedBytes} ${rawBytes} ${rows}`;
}

function dump(file, options) {
	const bytes = readFileSync(file === '-' ? 0 : file);
	if (bytes.length < 16 || bytes.toString('latin1', 0, 8) !== '\x89PLUME\r\n' || bytes.readUInt16LE(8) !== 1 ||
		bytes.readUInt32LE(12) !== 0) {
		process.stderr.write(`${file}: not a .plume file of version 1\n`);
		return 1;
	}
	const { p, blocks, fault } = readFile(bytes);
	const lines = options.samples ? sampleLines(p) : options.tables ? tableLines(p) : options.blocks ? blockLines(blocks) :
		options.frames ? frameLines(p) :
		foldedLines(p, options);
	process.stdout.write(Buffer.from([...lines].map(line => `${line}\n`).join(''), 'latin1'));
	if (fault)
		process.stderr.write(`${file}: ${fault}\n`);
	return fault ? 3 : 0;
}

function main(words) {
	const options = {}, files = [];
	for (let i = 0; i < words.length; i++)
		if (words[i] === '--event' || words[i] === '--weight')
			options[words[i].slice(2)] = words[++i];
		else if (words[i].startsWith('--'))
			options[words[i].slice(2)] = true;
		else
			files.push(words[i]);
	return Math.max(...files.map(file => dump(file, options)));
}

process.exitCode = main(process.argv.slice(2));
