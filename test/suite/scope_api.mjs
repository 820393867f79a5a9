// node scope_api.mjs PLUME FIXTURES: see scope_api.sh. Prints TAP.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync, copyFileSync, unlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Scope } from '../browser/scope.mjs';
import { equal, finish, ok, test } from '../browser/tap.mjs';

const [plume, fixtures] = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), 'plume-api-'));
process.setMaxListeners(50);
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));

const run = (...words) => execFileSync(plume, words, { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });

async function ask(scope, question) {
	for (;;) {
		const response = await fetch(scope.url + 'api/' + question);
		if (response.status !== 409)
			return response;
		await new Promise((done) => setTimeout(done, 20));
	}
}

const json = async (scope, question) => (await ask(scope, question)).json();
const bytes = async (scope, question) => Buffer.from(await (await ask(scope, question)).arrayBuffer());

/** The header and columns of a binary answer. */
function parse(buffer) {
	equal(buffer.subarray(0, 8).toString(), 'plume-1\n', 'the start');
	const length = buffer.readUInt32LE(8);
	const header = JSON.parse(buffer.subarray(16, 16 + length).toString());
	const columns = {};
	let at = 16 + length;
	const read = { u8: [1, 'readUInt8'], u16: [2, 'readUInt16LE'], u32: [4, 'readUInt32LE'], f64: [8, 'readDoubleLE'] };
	for (const { name, type, n } of header.columns) {
		const [width, method] = read[type];
		columns[name] = Array.from({ length: n }, (_, i) => buffer[method](at + i * width));
		at += Math.ceil(n * width / 8) * 8;
	}
	equal(at, buffer.length, 'the end of the columns');
	return { header, columns };
}

const sum = (list) => list.reduce((a, b) => a + b, 0);

/** Words of the command line as those of a URL. */
function query(words) {
	return words.map((word) => {
		const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word);
		return encodeURIComponent(name) + (value === undefined ? '' : '=' + encodeURIComponent(value));
	}).join('&');
}

const FILTERS = [
	[], ['--time=0,0.5'], ['--time=0.2,0.4', '--time=0.3,0.6'], ['--time=,0.1'], ['--where=cpu=0'], ['--where=cpu=99'], ['--only=main'],
	['--without=a'], ['--no-idle'], ['--root=main|start'], ['--hide=a', '--collapse-recursion'], ['--your-code'], ['--reverse'],
	['--fold=native,kernel,unknown'], ['--charge=kernel', '--fold=runtime'], ['--time=0,0.3', '--only=e', '--without=zzz', '--reverse'],
	['--weight=period'], ['--weight=samples', '--where=event=all'], ['--split-tiers', '--no-inline'], ['--pid', '--tid'],
];

const COUNTS = ['shown', 'by_time', 'by_where', 'by_text', 'idle', 'other_events', 'not_under_root'];

async function accounted(scope, words) {
	const answer = await ask(scope, 'tree?' + query(words));
	if (!answer.ok) { // a profile without times, say: the command refuses it too
		let refused = false;
		try {
			run('fold', '-q', ...words, scope.file);
		} catch {
			refused = true;
		}
		return ok(refused, `${words.join(' ')}: ${await answer.text()}, but plume fold accepts it`);
	}
	const { header, columns } = parse(Buffer.from(await answer.arrayBuffer()));
	const { samples } = header;
	equal(sum(COUNTS.map((name) => samples[name])), samples.in, `${words.join(' ')}: the samples`);
	equal(sum(columns.self || columns.self1), header.total[header.values - 1], `${words.join(' ')}: the sum of self`);
	equal(header.empty === '', samples.shown > 0, `${words.join(' ')}: the reason`);
	ok(columns.depth.every((depth, i) => (i ? depth > 0 && depth <= columns.depth[i - 1] + 1 : depth === 0)), 'depths are of a preorder');
}

async function sameAsFold(scope, words) {
	const got = (await bytes(scope, 'export?as=folded&' + query(words))).toString();
	let want = '';
	try {
		want = run('fold', '-q', ...words, scope.file).toString();
	} catch {
		return ok(/^{"error"/.test(got), `${words.join(' ')}: plume fold fails, the API does not`);
	}
	return ok(got === want, `${words.join(' ')}: other stacks than plume fold`);
}

const PROFILES = [
	'perf-script/node.perf', 'perf-script/machine-wide.perf', 'perf-script/several-events.perf', 'perf-script/java.perf', 'perf-script/dwarf-inline-srcline.perf',
].map((name) => join(fixtures, name)).filter(existsSync);
ok(PROFILES.length >= 3, 'the fixtures are there');

for (const file of PROFILES) {
	const scope = await Scope.start(plume, '-q', file);
	const name = file.slice(fixtures.length + 1);
	scope.file = file;
	await test(`${name}: every sample is accounted for, whatever the filters`, async () => {
		for (const words of FILTERS)
			await accounted(scope, words);
	});
	await test(`${name}: folded stacks are those of plume fold`, async () => {
		for (const words of FILTERS)
			await sameAsFold(scope, words);
	});
	await test(`${name}: tables are what plume report --json prints`, async () => {
		for (const words of [[], ['--where=cpu=0'], ['--your-code'], ['--limit=3'], ['--by=thread'], ['--by=category', '--no-idle']]) {
			const got = (await bytes(scope, 'table?' + query(words))).toString();
			let want;
			try {
				want = run('report', '-q', '--json', ...words, file).toString();
			} catch {
				continue;
			}
			ok(got === want, `${words.join(' ')}: the JSON differs`);
		}
	});
	await test(`${name}: heat maps hold all samples, whatever the rows and columns`, async () => {
		const { has } = await json(scope, 'ledger');
		for (const rows of ['offset', 'cpu', 'thread', 'process', 'event', 'total'])
			for (const column of [1e6, 33333333, 1e9, 60e9]) {
				const answer = await ask(scope, `heatmap?rows=${rows}&column=${column}&search=a`);
				if (!has.time || (rows === 'cpu' && !has.cpu)) {
					equal(answer.status, 400, 'the status');
					continue;
				}
				const { header, columns } = parse(Buffer.from(await answer.arrayBuffer()));
				equal(sum(columns.value), header.total, `the cells of ${rows}, ${column} ns`);
				ok(header.samples.shown === header.samples.in - header.samples.other_events, 'only other events are missing');
				ok(columns.hits.every((hits, i) => hits <= columns.value[i]), 'hits are part of the cells');
			}
	});
	await test(`${name}: exports are those of the commands`, async () => {
		for (const format of ['speedscope', 'cpuprofile', 'json-flat', 'csv']) {
			const got = await bytes(scope, 'export?as=' + format);
			ok(got.equals(run('convert', '-q', '--format', format, '-o', '-', file)), `${format} differs`);
		}
		const pprof = await bytes(scope, 'export?as=pprof');
		ok(gunzipSync(pprof).equals(gunzipSync(run('convert', '-q', '--format', 'pprof', '-o', '-', file))), 'pprof differs');
		ok((await bytes(scope, 'export?as=svg')).equals(run('flame', '-q', '-o', '-', file)), 'the picture differs');
	});
	await scope.stop();
}

await test('a diff is what plume diff --json prints', async () => {
	const file = PROFILES[0];
	const scope = await Scope.start(plume, '-q', file);
	const middle = ((await json(scope, 'ledger')).duration_ns / 2e9).toFixed(3);
	const got = (await bytes(scope, `diff?format=json&time=${middle},&base.time=0,${middle}`)).toString();
	const want = run('diff', '-q', '--json', file, '--time', '0,' + middle, '--time', middle + ',').toString();
	ok(got === want.replaceAll(file, file.replace(/.*\//, '')), 'the JSON differs');
	const { header, columns } = parse(await bytes(scope, `diff?time=${middle},&base.time=0,${middle}`));
	equal([sum(columns.self0), sum(columns.self1)], header.total, 'the totals of both sides');
	ok(header.total[0] > 0 && header.total[1] > 0, 'both sides have samples');
	await scope.stop();
});

await test('questions that make no sense are refused with a sentence', async () => {
	const scope = await Scope.start(plume, '-q', PROFILES[0]);
	const bad = [
		['nothing', 404], ['tree?file=99', 404], ['tree?time=x', 400], ['tree?only=(', 400], ['tree?where=colour=red', 400],
		['tree?nonsense=1', 400], ['tree?base.hide=a', 400], ['heatmap?rows=sideways', 400], ['heatmap?parts=0', 400],
		['heatmap?column=-1', 400], ['heatmap?from=5&until=1', 400], ['tree?callers=no%20such%20function', 404], ['export', 400],
		['export?as=exe', 400], ['source?function=nothing', 404], ['diff?scale=sideways', 400], ['tree?hide=%00', 400],
		['tree?' + 'hide=a&'.repeat(1200), 400], ['heatmap?column=1e300', 400], ['tree?time=5,1', 400], ['tree?least=7', 400],
	];
	for (const [question, status] of bad) {
		const answer = await ask(scope, question);
		equal(answer.status, status, `the status of ${question.slice(0, 40)}`);
		ok((await answer.json()).error.length > 5, `${question.slice(0, 40)}: a sentence`);
	}
	equal((await ask(scope, 'tree?only=' + encodeURIComponent('(a+)+$'))).status, 200, 'an expression that could run for ever');
	equal((await ask(scope, 'tree?%zz=%&hide=%')).status, 400, 'broken escapes');
	await scope.stop();
});

await test('what did not change is not sent again', async () => {
	const scope = await Scope.start(plume, '-q', PROFILES[0]);
	const first = await ask(scope, 'tree');
	const etag = first.headers.get('etag');
	const again = await fetch(scope.url + 'api/tree', { headers: { 'If-None-Match': etag } });
	equal([again.status, (await again.arrayBuffer()).byteLength], [304, 0], 'the second answer');
	const { header } = parse(Buffer.from(await first.arrayBuffer()));
	const known = parse(await bytes(scope, `tree?time=0,0.5&labels=${header.labels_id}`)).header;
	equal([known.labels_id, known.labels], [header.labels_id, undefined], 'labels that are known');
	await scope.stop();
});

await test('a folder shows its profiles, new ones as they come, bad ones with their reason, and nothing outside', async () => {
	const folder = join(dir, 'folder');
	mkdirSync(folder);
	copyFileSync(PROFILES[0], join(folder, 'one.perf'));
	writeFileSync(join(folder, 'bad.plume'), 'this is no profile at all\n');
	symlinkSync('/etc/hostname', join(folder, 'link.perf'));
	const scope = await Scope.start(plume, '-q', folder);
	const names = async () => (await json(scope, 'files')).files.map((f) => f.name).sort();
	const until = async (wanted) => {
		const end = Date.now() + 20000;
		while (!(await wanted())) {
			ok(Date.now() < end, 'waited in vain for ' + wanted);
			await new Promise((done) => setTimeout(done, 50));
		}
	};
	equal(await names(), ['bad.plume', 'one.perf'], 'the files');
	await until(async () => (await json(scope, 'files')).files.find((f) => f.name === 'bad.plume').state === 'failed');
	const { files } = await json(scope, 'files');
	ok(files.find((f) => f.name === 'bad.plume').reason.length > 10, 'the reason');
	equal((await ask(scope, 'tree')).status, 200, 'the good one is shown');
	copyFileSync(PROFILES[1], join(folder, 'two.perf'));
	await until(async () => (await names()).includes('two.perf'));
	unlinkSync(join(folder, 'one.perf'));
	await until(async () => !(await names()).includes('one.perf'));
	await scope.stop();
});

await test('several files are one profile', async () => {
	const scope = await Scope.start(plume, '-q', PROFILES[0], PROFILES[0]);
	const one = parse(await bytes(scope, 'tree?file=1')).header.samples.in;
	equal(parse(await bytes(scope, 'tree')).header.samples.in, 2 * one, 'the samples');
	await scope.stop();
});

await test('a file that became a link out of its folder, or a pipe, is not opened', async () => {
	const folder = join(dir, 'swapped');
	mkdirSync(folder);
	copyFileSync(PROFILES[0], join(folder, 'new.perf'));
	for (const name of ['link.perf', 'pipe.perf', 'pipe2.perf', 'pipe3.perf']) {
		copyFileSync(PROFILES[0], join(folder, name));
		utimesSync(join(folder, name), 1e9, 1e9); // of long ago: not read before it is asked for
	}
	const scope = await Scope.start(plume, '-q', folder);
	const { files } = await json(scope, 'files');
	for (const { id, name, state } of files.filter((f) => f.name !== 'new.perf')) {
		equal(state, 'waiting', name);
		unlinkSync(join(folder, name));
		if (name === 'link.perf')
			symlinkSync(PROFILES[1], join(folder, name));
		else
			execFileSync('mkfifo', [join(folder, name)]);
		equal((await ask(scope, 'ledger?file=' + id)).status, 404, `the answer about ${name}`);
	}
	const { id } = files.find((f) => f.name === 'new.perf');
	equal((await ask(scope, 'tree?file=' + id)).status, 200, 'others are still read');
	await scope.stop();
});

await test('an expression that could run for ever ends', async () => {
	const file = join(dir, 'names.folded');
	writeFileSync(file, Array.from({ length: 3000 }, (_, i) => `main;${'a'.repeat(60)}!${i} 1`).join('\n') + '\n');
	const scope = await Scope.start(plume, '-q', file);
	for (const word of ['only', 'hide', 'root', 'without']) {
		const answer = await ask(scope, `tree?${word}=${encodeURIComponent('(a+)+$|(?=(.*)*z)')}`);
		equal(answer.status, 200, word);
	}
	ok((await json(scope, 'ledger?only=' + encodeURIComponent('(a+)+$'))).notes.some((note) => /too long/.test(note)), 'it is said');
	await scope.stop();
});

await test('of merged files the event with the most samples is shown', async () => {
	const file = join(dir, 'few.folded');
	writeFileSync(file, 'main;few 2\n');
	const scope = await Scope.start(plume, '-q', file, PROFILES[1]);
	const few = parse(await bytes(scope, 'tree?file=1')).header.samples.shown;
	const many = parse(await bytes(scope, 'tree?file=2')).header.samples.shown;
	ok(few < many && parse(await bytes(scope, 'tree')).header.samples.shown >= many, 'the large file is shown');
	await scope.stop();
});

await test('the sides of a diff stay themselves, whatever was asked before', async () => {
	const scope = await Scope.start(plume, '-q', ...PROFILES);
	const totals = async (a, b) => parse(await bytes(scope, `diff?file=${a}&base.file=${b}&where=event=all&base.where=event=all`)).header.total;
	const alone = {};
	const known = {};
	for (let id = 1; id <= PROFILES.length; id++)
		alone[id] = parse(await bytes(scope, `tree?file=${id}&where=event=all`)).header.total[0];
	for (let round = 0; round < 8; round++)
		for (let a = 1; a <= PROFILES.length; a++)
			for (let b = 1; b <= PROFILES.length; b++) {
				await ask(scope, `tree?file=${1 + (a + b + round) % PROFILES.length}`);
				const text = (await bytes(scope, `diff?format=json&file=${a}&base.file=${b}`)).toString();
				known[`${a} ${b}`] ||= text;
				ok(known[`${a} ${b}`] === text, `${b} against ${a}: another answer than before`);
				equal(await totals(a, b), [alone[b], alone[a]], `${b} against ${a}`);
			}
	await scope.stop();
});

await test('an upload is a file like others, and is not written', async () => {
	const scope = await Scope.start(plume, '-q', PROFILES[0]);
	const body = 'main;parse 7\nmain;write 3\n';
	const answer = await fetch(scope.url + 'api/upload?name=dropped%20%3Cb%3E.folded', { method: 'POST', body });
	const { id } = await answer.json();
	equal(parse(await bytes(scope, `tree?file=${id}`)).header.total, [10], 'its samples');
	equal((await json(scope, 'files')).files.find((f) => f.id === id).name, 'dropped <b>.folded', 'its name');
	await scope.stop();
});

process.exit(finish());
