// The query engine of pages, in node, beside the same code in plume: equal answers, byte by byte.
//   node test/browser/engine_test.mjs PLUME API_ASK

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { engineModules, pageParts } from './offline_parts.mjs';
import { equal, finish, ok, test } from './tap.mjs';

process.env.TZ = 'Asia/Kathmandu'; // 5:45 east: offsets of dates count
const [plume, apiAsk] = process.argv.slice(2).map((path) => resolve(path));
const fixtures = join(dirname(fileURLToPath(import.meta.url)), '../fixtures');
const dir = mkdtempSync(join(tmpdir(), 'plume-engine-test-'));
const [{ openPacked }, { compileExpression, textOfBytes }] = await engineModules('packed', 'expression');

const SELECTIONS = ['', 'time=0.1,0.9', 'time=0,0.2&time=0.5,', 'where=comm=node', 'your-code', 'split-tiers&no-inline', 'pid&kernel', 'tid&jit', 'reverse', 'no-idle&weight=period',
	'hide=^_', 'root=main', 'skip-after=main', 'collapse-recursion', 'fold=runtime,kernel', 'srcline'];
const QUESTIONS = [
	...SELECTIONS.flatMap((words) => ['tree', 'ledger', 'tree'].map((name, i) => `${name} ${words}${words && '&'}${i < 2 ? 'format=json' : ''}`)),
	'tree view=time&format=json', 'tree least=0.01&format=json', 'tree callers=main&format=json', 'tree callees=nobody',
	'heatmap format=json', 'heatmap rows=thread&format=json', 'heatmap rows=cpu&column=100000000&align=wall', 'heatmap rows=event&search=a&format=json',
	'table', 'table by=module&limit=5', 'diff time=0,0.5&base.time=0.5,1&format=json', 'diff time=0,0.5&base.time=0.5,1&delta=total&scale=total', 'diff base.where=comm=nobody',
	'source function=main', 'source function=nobody',
	...['folded', 'speedscope', 'firefox', 'cpuprofile', 'json', 'csv', 'svg'].map((as) => 'export as=' + as),
	'nothing', 'tree where=nonsense', 'tree time=2,1', 'tree %00=', 'tree a=%', 'heatmap column=-1',
];

/** What api_ask prints, as one answer for each question. */
function askNative(files, questions) {
	const { stdout, status } = spawnSync(apiAsk, files, { input: questions.join('\n') + '\n', maxBuffer: 1 << 30 });
	equal(status, 0, 'the status of api_ask');
	let at = 0;
	return questions.map(() => {
		const end = stdout.indexOf(10, at);
		const [code, bytes] = stdout.subarray(at, end).toString().split(' ').map(Number);
		at = end + 2 + bytes;
		return { status: code, body: stdout.subarray(end + 1, end + 1 + bytes) };
	});
}

function pageOf(...files) {
	const path = join(dir, 'page.html');
	execFileSync(plume, ['scope', '-q', ...files, '-o', path]);
	return pageParts(path);
}

const open = (parts) => openPacked(parts.packed, () => undefined);

function ask(engine, question) {
	const [name, query = ''] = question.split(' ');
	const { status, body } = engine.ask(name, query);
	return { status, body: Buffer.from(body) };
}

/** Shows where the answers part. */
function same(got, wanted, question) {
	if (question.startsWith('source ')) // only the reason differs
		[got, wanted] = [got, wanted].map((one) => ({ ...one, body: Buffer.from(one.body.toString().replace(/"reason":"[^"]*source text[^"]*"/, '')) }));
	equal(got.status, wanted.status, question + ': the status');
	if (got.body.equals(wanted.body))
		return;
	let at = 0;
	while (got.body[at] === wanted.body[at])
		at++;
	const part = (bytes) => bytes.subarray(Math.max(0, at - 60), at + 60).toString();
	throw new Error(`${question}: at byte ${at} the page has ${part(got.body)}, plume has ${part(wanted.body)}`);
}

// --- the same answers ---

const FILES = [
	'perf-script/comm-pid-tid-cpu-time-event.perf', 'perf-script/java.perf', 'perf-script/dwarf-inline-full-source-path.perf', 'perf-script/event-group.perf',
	'plume/version-1.1.plume', 'perf-data/jit.data', 'perf-data/inlined.data', 'recordings/node-prettier.perf.zst',
];
for (const name of FILES)
	await test(`${name}: ${QUESTIONS.length} equal answers`, async () => {
		const file = join(fixtures, name);
		const engine = await open(pageOf(file));
		const native = askNative([file], QUESTIONS);
		QUESTIONS.forEach((question, i) => same(ask(engine, question), native[i], question));
	});

await test('damaged input: the page says what plume says', async () => {
	for (const name of ['csv-bad-lines/in.csv', 'folded-rules/in.folded']) {
		const file = join(fixtures, '../golden/fold', name);
		const [native] = askNative([file], ['ledger']);
		ok(/lines not understood: \d, the first in/.test(native.body), 'a note: ' + native.body);
		same(ask(await open(pageOf(file)), 'ledger'), native, name);
	}
});

await test('two files: a diff has equal answers', async () => {
	const files = ['perf-script/java.perf', 'perf-script/machine-wide.perf'].map((name) => join(fixtures, name));
	const engine = await open(pageOf(...files));
	const questions = ['diff file=1&base.file=2&format=json', 'tree file=1&file=2&format=json', 'tree file=2', 'tree file=3'];
	const native = askNative(files, questions);
	questions.forEach((question, i) => same(ask(engine, question), native[i], question));
});

// --- expressions ---

const SUBJECTS = ['a', 'A', 'main', 'Main', 'std::vector<int>::push_back(int&&)', 'foo.bar', 'foo bar', 'foo-bar', 'fo\\o', 'a{2}', '[unknown]', 'caf\u00e9', '\u5f20\u4e09', 'x+y', '_start',
	'read;write', 'tab\there', 'a1b2', '$t0', '^up', 'node:internal/x', 'Builtins_LoadIC', 'e\u0301', 'aaa', 'abab', '9lives', 'end.'];
const EXPRESSIONS = [
	'a', '^a', 'a$', '.', '^.$', '^..$', '^...$', '\\Aa\\z', 'a\\Z', '(?i)MAIN', '(?i)caf\u00c9', 'caf.$', '^caf..$', '[\u00e9]', '[^\\x00-\\x7f]', '\\xe9', '\\xc3\\xa9', '\\x{e5}', '\u5f20', '\\.', '[.]',
	'\\-', '[a-c]', '[^a-z]', '[]x]', '[^]x]', '[a\\]]', '[\\w-]+\\.', '\\d', '\\D\\d', '\\s', '\\S\\s\\S', '[\\s\\d]', '\\h', '\\bmain\\b', '\\Bain', '(a|b)+', '(?:ab){2}', '(ab)\\1',
	'a{2}', 'a{2,}', 'a{,2}', 'a\\{2}', '{', '}', 'x{', '\\[unknown\\]', '\\Q[unknown]\\E', '\\Qx+y', 'x\\+y', '(?=m)main', '(?!m)ain', '(?<=m)ain', '(?<!m)ain', '(?<n>a)', 'a*?$', 'a+?b',
	'[[:alpha:]]+\\d', '[[:upper:]]', '[[:punct:]]', '[[:space:]x]', '\\t', '[\\t]', '\\\\', '\\/', '/', '\\R', '\\N', '\\$', '\\^up', '::.*<', 'read;write', 'foo[ -.]bar', '(?s)a.b', '(?m)^a$',
	'a|^$', '', '[\\x41-\\x43]', '\\x41', '\\0', '(?i)[a-c]\\d', '(?i)\\x6Dain', '[^\\W\\d]',
];
const REFUSED = ['a++', '(?>a)', '(?R)', '\\K', '\\G', '\\pL', '(?i:a)', 'a(?i)b', '(?|a|b)', '\\g1', '(*COMMIT)a', '(?x) a', '\\X', '\\y', '\\c[', '(?#x)a', '\\10', '[[.a.]]', '[[:^alpha:]]', '\\101'];
const WRONG = ['(', ')', '[', '[b-a]', '*a', 'a{3,2}', '\\', '(?<=a+)b', '(?<n'];

const subjectsFile = join(dir, 'subjects.folded');
writeFileSync(subjectsFile, SUBJECTS.map((name, i) => `${name} ${2 ** i}\n`).join(''));

await test(`${EXPRESSIONS.length} expressions match the same ${SUBJECTS.length} names as PCRE2`, async () => {
	const engine = await open(pageOf(subjectsFile));
	const questions = EXPRESSIONS.flatMap((re) => ['hide', 'without', 'only'].map((word) => `tree ${word}=${encodeURIComponent(re)}&format=json`));
	const native = askNative([subjectsFile], questions);
	questions.forEach((question, i) => {
		equal(native[i].status, 200, question);
		same(ask(engine, question), native[i], decodeURIComponent(question));
	});
});
await test('what the browser cannot match in the same way is refused', async () => {
	const engine = await open(pageOf(subjectsFile));
	for (const re of REFUSED) {
		const { status, body } = ask(engine, 'tree only=' + encodeURIComponent(re));
		equal(status, 400, re);
		ok(/not supported on an offline page/.test(body), `${re}: ${body}`);
	}
});
await test('what is wrong is wrong in both', async () => {
	const engine = await open(pageOf(subjectsFile));
	const questions = WRONG.filter((re) => re !== '(?<=a+)b').map((re) => 'tree only=' + encodeURIComponent(re));
	askNative([subjectsFile], questions).forEach(({ status }, i) => {
		equal(status, 400, questions[i]);
		equal(ask(engine, questions[i]).status, 400, questions[i]);
	});
});
await test('random expressions never match otherwise', async () => {
	const parts = ['a', 'b', '.', '\\w', '[a-z]', '[^a]', '(a|b)', '(?:x|main)', '\\.', '\\d', '^', '$', '\\b', 'M', '_', '::', '\\(', '{', '-', '\u00e9'];
	let seed = 4711;
	const random = (n) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0, Math.floor(seed / 2 ** 32 * n));
	const expressions = Array.from({ length: 300 }, () => (random(4) ? '' : '(?i)') +
		Array.from({ length: 1 + random(5) }, () => parts[random(parts.length)] + ['', '', '', '?', '*', '+'][random(6)]).join(''));
	const questions = expressions.map((re) => `tree hide=${encodeURIComponent(re)}&format=json`);
	const engine = await open(pageOf(subjectsFile));
	const native = askNative([subjectsFile], questions);
	let equalCount = 0;
	questions.forEach((question, i) => {
		const got = ask(engine, question);
		if (got.status === 400) // quantified anchors, which JavaScript does not know
			return;
		same(got, native[i], expressions[i]);
		equalCount++;
	});
	ok(equalCount > 200, `${equalCount} of 300 were compared`);
});
await test('bytes that are no UTF-8 are characters of their own', () => {
	equal([...textOfBytes(new Uint8Array([0x61, 0xff, 0x80]))].length, 3);
	ok(compileExpression(new TextEncoder().encode('a\\xff')).test(textOfBytes(new Uint8Array([0x61, 0xff]))), 'matches');
});
await test('the page hears when matching begins and ends', async () => {
	const told = [];
	const engine = await openPacked(pageOf(subjectsFile).packed, (isMatching) => told.push(isMatching));
	ask(engine, 'tree only=main');
	equal(told[0], true);
	equal(told[told.length - 1], false, 'the last word');
});

// --- what is inside ---

const small = join(dir, 'small.folded');
writeFileSync(small, 'main;a 3\nmain;b 4\n');

/** The sentence that a damaged page opens with. */
async function faultOf(change) {
	const parts = pageOf(small);
	change(parts.packed);
	try {
		await open(parts);
	} catch (e) {
		return e.message;
	}
	return 'opened';
}
const repack = (packed, change) => gzipSync(change(gunzipSync(Buffer.from(packed, 'base64')))).toString('base64');

await test('a damaged profile says so', async () => {
	const cases = {
		'a missing part': (f) => f.packed = f.packed.slice(0, 100),
		'nothing': (f) => f.packed = '',
		'no base64': (f) => f.packed = '<' + f.packed,
		'another byte': (f) => f.packed = f.packed.slice(0, 60) + (f.packed[60] === 'A' ? 'B' : 'A') + f.packed.slice(61),
		'a changed block': (f) => f.packed = repack(f.packed, (bytes) => Buffer.from(bytes).fill(0x55, 60, 64)),
		'no end': (f) => f.packed = repack(f.packed, (bytes) => bytes.subarray(0, bytes.length - 20)),
		'another format': (f) => f.packed = repack(f.packed, () => Buffer.from('main;a 3\n')),
	};
	for (const [name, change] of Object.entries(cases)) {
		const fault = await faultOf((packed) => change(packed.files[0]));
		ok(/^the profile in this page (cannot be unpacked: the file is damaged or incomplete|is damaged: .+)$/.test(fault), `${name}: ${fault}`);
	}
	ok(/^the query engine in this page cannot be unpacked/.test(await faultOf((packed) => packed.engine = packed.engine.slice(9))), 'the engine');
});
await test('any damage is either found or harmless', async () => {
	let seed = 1;
	const parts = pageOf(small);
	const plain = gunzipSync(Buffer.from(parts.packed.files[0].packed, 'base64'));
	for (let i = 0; i < 60; i++) {
		const bytes = Buffer.from(plain);
		seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
		bytes[seed % bytes.length] ^= 1 + (seed >>> 24) % 255;
		parts.packed.files[0].packed = gzipSync(bytes).toString('base64');
		try {
			equal(ask(await open(parts), 'tree').status, 200, 'the status');
		} catch (e) {
			ok(/damaged/.test(e.message), e.message);
		}
	}
});
await test('source text comes with the page, if it was asked for', async () => {
	const code = join(dir, 'hot.c');
	const file = join(dir, 'hot.perf');
	writeFileSync(code, 'int main(void)\n{\n\treturn "<\/script>";\n}\n');
	writeFileSync(file, `hot 1 1.000000: 1 cpu-clock:\n\t401010 main+0x10 (/bin/hot)\n  ${code}:3\n\t401000 _start+0x0 (/bin/hot)\n  ${dir}/missing.c:9\n\n`);
	const path = join(dir, 'hot.html');
	const ask1 = async (...words) => {
		execFileSync(plume, ['flame', '-q', file, '-o', path, ...words], { stdio: 'ignore' });
		return JSON.parse(ask(await open(pageParts(path)), 'source function=main').body);
	};
	const source = await ask1('--with-source');
	equal([source.file, source.origin, source.text], [code, 'disk', ['int main(void)', '{', '\treturn "</script>";', '}']]);
	equal(source.places.map(({ line, self }) => [line, self]), [[3, 1]]);
	const none = await ask1();
	equal([none.text, none.reason], [[], 'this page was written without source text (--with-source adds it)']);
});
await test('names cannot end an element of the page', async () => {
	const name = '</script><script>alert(1)</script><!--';
	const file = join(dir, name.replace(/\//g, '\u2215') + '.folded');
	writeFileSync(file, `main;${name};\u2028;${'&quot;'} 5\n`);
	const path = join(dir, 'hostile.html');
	execFileSync(plume, ['flame', '-q', file, '--title', name, '--only', '<!--|' + name, '-o', path]);
	const parts = pageParts(path);
	equal(parts.contents.title, name);
	equal(parts.contents.files[0].name, basename(file));
	equal(parts.html.match(/<script/g).length, 5, 'script elements');
	equal(parts.html.match(/<\/script/g).length, 5, 'their ends');
	ok(!parts.html.includes('alert(1)</title') || parts.html.includes('&lt;script>alert(1)&lt;/script></title'), 'the title is text');
	const tree = JSON.parse(ask(await open(parts), 'tree format=json').body);
	ok(tree.labels.name.includes(name), 'the name is in the tree');
});
await test('the policy names the hash of each script and style', async () => {
	const { createHash } = await import('node:crypto');
	const { html } = pageOf(small);
	const hash = (text) => createHash('sha256').update(text).digest('base64');
	const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html);
	const [, style] = /<style>([^]*?)<\/style>/.exec(html);
	const script = html.slice(html.lastIndexOf('<script>') + 8, html.lastIndexOf('</script>'));
	ok(policy.startsWith("default-src 'none';"), policy);
	ok(policy.includes(`script-src 'sha256-${hash(script)}' 'wasm-unsafe-eval'`), 'the script');
	ok(policy.includes(`style-src 'sha256-${hash(style)}'`), 'the style');
	ok(!/https?:/.test(policy), 'no address');
});

rmSync(dir, { recursive: true });
process.exitCode = finish();
