// The pictures of `plume flame` and `plume diff` in a browser, used as a reader would.
//   node test/browser/flame_test.mjs PLUME

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Chromium } from './chromium.mjs';
import { compare, draw, Page } from './picture.mjs';
import { equal, finish, note, ok, test } from './tap.mjs';

const plume = resolve(process.argv[2] || 'build/plume');
const dir = mkdtempSync(join(tmpdir(), 'plume-browser-'));
const make = (name, lines, options) => draw(plume, dir, name, lines, options);

const LINES = [
	'main;parse;lex;read 30', 'main;parse;lex 10', 'main;parse;Reader::read 5', 'main;parse 5', 'main;emit;write;read 20',
	'main;emit;read 10', 'main;emit 5', 'idle 15',
];
const FRAMES = 11;

/** Percent of the samples below `root` whose stack has a frame that matches, by the folded lines alone. */
function matchedPercent(lines, root, pattern) {
	let inside = 0;
	let matched = 0;
	for (const line of lines) {
		const at = line.lastIndexOf(' ');
		const frames = line.slice(0, at).split(';');
		const count = Number(line.slice(at + 1));
		const from = root.length;
		if (root.some((name, i) => frames[i] !== name))
			continue;
		inside += count;
		if (frames.slice(Math.max(0, from - 1)).some((name) => pattern.test(name)))
			matched += count;
	}
	return (100 * matched / inside).toFixed(2) + '%';
}

/** Of WCAG 2, for `rgb(r, g, b)`. */
function contrast(one, other) {
	const luminance = (colour) => {
		const [r, g, b] = colour.match(/[\d.]+/g).map(Number).map((c) => c / 255)
			.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
	return (high + 0.05) / (low + 0.05);
}

/** Distinct stacks over a deep tree, the same on every run. */
function* manyStacks(n) {
	let seed = 12345;
	const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 2 ** 32;
	for (let i = 0; i < n; i++) {
		let node = 1;
		let stack = 'server;run';
		const depth = 8 + Math.floor(random() * 18);
		for (let d = 0; d < depth; d++) {
			const branches = 1 + (node >>> 7) % 3;
			node = (Math.imul(node, 1664525) + Math.floor(random() ** 2 * branches * 1.3) * 1013904223 + 12345) >>> 0;
			stack += ';m' + (node >>> 20) % 16 + '::f' + (node >>> 8) % 5000;
		}
		yield stack + ';leaf' + i + ' ' + (1 + i % 9);
	}
}

const browser = await Chromium.start(1200, 800);
const page = new Page(browser);

async function zooming(url) {
	await test('a picture begins whole, with a hint and no error', async () => {
		await page.visit(url);
		const frames = await page.see('frames');
		equal(frames.length, FRAMES);
		equal(frames[0].width, 1180);
		ok(/Click a frame/.test(await page.see('details')), 'the hint is in the details');
	});
	await test('a click zooms: the frame has the width, its callers fade, the rest is gone', async () => {
		await page.clickFrame('emit');
		const frames = await page.see('frames');
		equal(frames.map((frame) => frame.name), ['all', 'main', 'emit', 'read', 'write', 'read']);
		equal(frames.map((frame) => frame.isFaded), [true, true, false, false, false, false]);
		equal(frames.map((frame) => frame.width).slice(0, 3), [1180, 1180, 1180]);
		equal(frames[3].width, Math.round(1180 * 10 / 35));
		equal(await page.see('hash'), '#zoom=2:15');
	});
	await test('a click on a caller zooms out to it', async () => {
		await page.clickFrame('main');
		equal((await page.frame('main')).width, 1180);
		equal((await page.names()).includes('parse'), true);
		equal((await page.names()).includes('idle'), false);
	});
	await test('the browser\'s back and forward walk through the zooms', async () => {
		await browser.evaluate('history.back()');
		await browser.until(`location.hash === '#zoom=2:15'`);
		equal((await page.frame('emit')).width, 1180);
		await browser.evaluate('history.back()');
		await browser.until(`location.hash === ''`);
		equal((await page.names()).includes('idle'), true);
		await browser.evaluate('history.forward()');
		await browser.until(`location.hash === '#zoom=2:15'`);
		equal((await page.frame('emit')).width, 1180);
	});
	await test('Backspace goes back, and where there is no back, out', async () => {
		await page.keys('Backspace');
		await browser.until(`location.hash === ''`);
		equal((await page.names()).length, FRAMES);
		await page.visit(url + '#zoom=2:15');
		await page.keys('Backspace');
		equal((await page.frame('main')).width, 1180);
	});
	for (const [how, reset] of [
		['the button', () => page.clickOn('reset-zoom')],
		['Escape', () => page.keys('Escape')],
		['f', () => page.keys('f')],
		['a click on the background', () => browser.click(600, 600)],
	]) {
		await test(how + ' resets the zoom', async () => {
			await page.visit(url + '#zoom=2:15');
			equal((await page.names()).length, 6);
			await reset();
			equal((await page.names()).length, FRAMES);
			equal(await page.see('hash'), '');
		});
	}
	await test('0 resets zoom, search and its switches', async () => {
		await page.visit(url + '#zoom=2:15&search=READ&plain=1&case=1');
		await page.keys('0');
		equal(await page.see('hash'), '');
		equal(await browser.evaluate(`document.getElementById('search').value`), '');
		equal(await browser.evaluate(`document.getElementById('regex').getAttribute('aria-pressed')`), 'true');
		equal((await page.names()).length, FRAMES);
	});
}

async function details(url) {
	await test('details have exact counts, shares of all and of the view', async () => {
		await page.visit(url + '#zoom=2:15');
		await page.pointAt('write');
		equal(await page.see('details'), 'Function: write\n20 samples (20.00%), 57.14% of view | self 0 (0%)');
		await page.pointAt('main');
		equal(await page.see('details'), 'Function: main\n85 samples (85.00%) | self 0 (0%)');
	});
	await test('counts of 2^53 and more are exact', async () => {
		await page.visit(make('large.svg', ['a;b 9007199254740993', 'a;c 9007199254740995', 'd 3']));
		await page.pointAt('a');
		ok((await page.see('details')).includes('18,014,398,509,481,988 samples'), await page.see('details'));
		await page.pointAt('b');
		ok((await page.see('details')).includes('9,007,199,254,740,993 samples'), await page.see('details'));
	});
	await test('the factor and the name of counts are honoured', async () => {
		await page.visit(make('factor.svg', ['a 1500', 'b 250'], ['--factor', '0.001', '--countname', 'ms']));
		await page.pointAt('a');
		ok((await page.see('details')).includes('\n1.5 ms ('), await page.see('details'));
	});
	await test('what lies in frames too narrow for the file is said', async () => {
		const lines = Array.from({ length: 50 }, (_, i) => `a;tiny${i} 1`);
		await page.visit(make('narrow.svg', ['a;b 99950', ...lines], ['--minwidth', '0.5']));
		await page.pointAt('a');
		ok((await page.see('details')).includes('50 in frames too narrow for this file'), await page.see('details'));
	});
	await test('a comparison says both counts, both shares, the change, and what is noise', async () => {
		const before = ['main;same 400', 'main;more 100', 'main;gone 100', 'idle 400'];
		const after = ['main;same 410', 'main;more 400', 'idle 390'];
		await page.visit(compare(plume, dir, 'diff.svg', before, after, ['--scale-by', 'total']));
		const words = async (name) => {
			await page.browser.move(...await page.see('middleOf', name));
			return (await page.see('details')).split('\n')[1];
		};
		ok((await words('more')).startsWith('before 100 samples (10.00%), after 400 samples (33.33%) | +23.33 points'), await words('more'));
		ok(!(await words('more')).includes('noise'), 'a change of four times is none');
		ok((await words('gone')).includes('after 0 samples (0%) | -10.00 points'), await words('gone'));
		await page.visit(compare(plume, dir, 'diff.svg', before, before.map((line) => line.replace('same 400', 'same 401')), ['--absolute']));
		ok((await words('same')).includes('| +1 sample, within sampling noise'), await words('same'));
	});
	await test('frames too narrow at this zoom are a strip that says so and zooms in', async () => {
		const lines = Array.from({ length: 5000 }, (_, i) => `a;b;f${String(i).padStart(4, '0')} 1`);
		await page.visit(make('strip.svg', ['a;wide 5000', ...lines, 'c 10000'], ['--minwidth', '0.01']));
		const at = await browser.evaluate(`(() => {
			const box = document.getElementById('strips').getBoundingClientRect();
			return [box.left + box.width / 2, box.top + box.height / 2];
		})()`);
		await browser.move(...at);
		ok(/^5,000 frames, 5,000 samples too narrow at this zoom: zoom in/.test(await page.see('details')), await page.see('details'));
		await browser.click(...at);
		equal((await page.frame('b')).width, 1180);
	});
}

/** Whether a tooltip is whole in the window and beside the frame that it is about. */
async function tooltipIsBeside(name) {
	const [width, height] = browser.size;
	const tip = await page.see('tooltip');
	ok(tip, 'no tooltip for ' + name);
	ok(tip.lines[0] === name, `${name} has the tooltip of ${tip.lines[0]}`);
	ok(tip.left >= 0 && tip.top >= 0 && tip.right <= width && tip.bottom <= height, `${name}: cut off at ${JSON.stringify(tip)}`);
	const [top, bottom] = await page.see('row', name);
	ok(tip.bottom <= top || tip.top >= bottom, `${name}: ${JSON.stringify(tip)} covers ${top} to ${bottom}`);
}

async function tooltips(url) {
	await test('a tooltip beside the pointer has name, samples and shares', async () => {
		await page.visit(url);
		equal(await page.see('tooltip'), null);
		await page.pointAt('write');
		equal((await page.see('tooltip')).lines, ['write', '20 samples (20.00%)', 'self 0 (0%)']);
		equal(await browser.evaluate(`document.querySelectorAll('#frames title').length`), 0, 'tooltips of the browser');
	});
	await test('... follows the pointer, and goes with it, with a click, and when the frames scroll', async () => {
		const [x, y] = await page.see('middle', 'main');
		const left = async (at) => (await browser.move(at, y), (await page.see('tooltip')).left);
		ok(await left(x - 300) < await left(x + 200), 'to the right');
		await browser.move(x, 5);
		equal(await page.see('tooltip'), null);
		await browser.move(x, y);
		ok(await page.see('tooltip'), 'over a frame');
		await browser.click(x, y);
		equal(await page.see('tooltip'), null);
		await page.visit(make('deep.svg', [Array.from({ length: 120 }, (_, i) => 'f' + i).join(';') + ' 10']));
		await page.pointAt('f5');
		ok(await page.see('tooltip'), 'over a frame');
		await browser.wheel(600, 400, -100);
		equal(await page.see('tooltip'), null);
	});
	await test('... is whole at every edge of the window and hides no frame', async () => {
		const long = 'std::vector<' + 'std::pair<std::string, int>, '.repeat(20) + '>::push_back';
		const lines = [...LINES, `edge;${long} 10`, 'zz;last 10'];
		for (const [width, height] of [[1200, 800], [500, 400], [320, 300]]) {
			await browser.resize(width, height);
			for (const [name, options] of [['tips.svg', []], ['tips-inverted.svg', ['--inverted']]]) {
				await page.visit(make(name, lines, options));
				for (const frame of ['all', 'main', 'emit', 'write', 'idle', 'edge', long, 'zz', 'last']) {
					const [x, y] = await page.see('middle', frame);
					const { x: left, width: wide } = await page.frame(frame);
					for (const at of [left + 1, x, left + wide - 2]) {
						await browser.move(at, y);
						await tooltipIsBeside(frame);
					}
				}
			}
		}
		await browser.resize(1200, 800);
	});
	await test('... is that of the focused frame when the keyboard is used', async () => {
		await page.visit(url);
		await page.keys('Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab');
		await page.keys('ArrowUp', 'ArrowUp');
		const focused = await page.see('focused');
		await tooltipIsBeside(focused);
		await page.keys('Escape');
		equal(await page.see('tooltip'), null);
		await page.keys('ArrowDown');
		await tooltipIsBeside(await page.see('focused'));
		await page.keys('/');
		equal(await page.see('tooltip'), null);
	});
	await test('... has the title that --nameattr gave, and says what a strip is', async () => {
		const attributes = join(dir, 'titles');
		writeFileSync(attributes, 'main\ttitle=the team of main\n');
		await page.visit(make('titles.svg', LINES, ['--nameattr', attributes]));
		const at = await browser.evaluate(`[...document.querySelectorAll('#frames > g')].map((row) => row.querySelector('desc')).filter((desc) =>
			desc && desc.textContent === 'the team of main').map((desc) => { const box = desc.parentNode.querySelector('rect').getBoundingClientRect();
			return [box.left + 5, box.top + 5]; })[0]`);
		await browser.move(...at);
		equal((await page.see('tooltip')).lines.slice(0, 2), ['main', 'the team of main']);
	});
}

async function searching(url) {
	const hits = async () => (await page.see('frames')).filter((frame) => frame.isHit).map((frame) => frame.name);
	await test('a search is an expression that ignores case, live while typing', async () => {
		await page.visit(url);
		await page.search('READ$|idle');
		equal((await hits()).sort(), ['Reader::read', 'idle', 'read', 'read', 'read']);
		equal(await page.see('matched'), '5 hits | ' + matchedPercent(LINES, [], /READ$|idle/i) + ' of view');
		equal(await page.see('hash'), '#search=' + encodeURIComponent('READ$|idle'));
	});
	await test('minding case and plain text are switches, kept in the address', async () => {
		await page.clickOn('mind-case');
		equal(await page.see('matched'), '1 hit | ' + matchedPercent(LINES, [], /idle/) + ' of view');
		await page.clickOn('regex');
		equal(await page.see('matched'), 'no match');
		equal(await page.see('hash'), '#search=' + encodeURIComponent('READ$|idle') + '&plain=1&case=1');
		await page.search('Reader');
		equal(await hits(), ['Reader::read']);
	});
	await test('the matched share is of the view, and counts a match inside a match once', async () => {
		for (const [zoom, root] of [['', []], ['#zoom=1:15', ['main']], ['#zoom=2:15', ['main', 'emit']], ['#zoom=2:50', ['main', 'parse']]]) {
			await page.visit(url + zoom);
			await page.search('^read|^lex|write');
			const words = await page.see('matched');
			ok(words.endsWith('| ' + matchedPercent(LINES, root, /^read|^lex|write/i) + ' of view'), zoom + ' ' + words);
		}
	});
	await test('Enter and n go to the next hit, Shift-Enter and N to the one before, around the ends', async () => {
		await page.visit(url);
		await page.search('read');
		const at = [];
		for (const step of [['Enter'], ['Enter'], ['Enter', 8], ['Enter', 8]]) {
			await browser.key(...step);
			at.push((await page.see('matched')).replace(/ \|.*/, ''));
		}
		equal(at, ['1 of 4', '2 of 4', '1 of 4', '4 of 4']);
		await browser.evaluate(`document.activeElement.blur()`);
		await page.keys('n', 'n', 'N');
		ok((await page.see('matched')).startsWith('1 of 4'), await page.see('matched'));
		equal(await page.see('focused'), 'read');
	});
	await test('a hit outside the view or too narrow is zoomed to', async () => {
		await page.visit(url + '#zoom=1:0');
		await page.search('lex');
		await page.keys('Enter');
		equal(await page.see('focused'), 'lex');
		const lines = Array.from({ length: 5000 }, (_, i) => `a;b;f${String(i).padStart(4, '0')} 1`);
		await page.visit(make('needle.svg', [...lines, 'c 10000'], ['--minwidth', '0.01']));
		await page.search('f0777');
		await page.keys('Enter');
		equal(await page.see('focused'), 'f0777');
		ok((await page.frame('f0777')).width > 3, 'the hit can be seen');
	});
	await test('buttons step from hit to hit, and i and r turn the switches', async () => {
		await page.visit(url);
		await page.search('READ');
		await page.clickOn('next');
		await page.clickOn('next');
		await page.clickOn('previous');
		ok((await page.see('matched')).startsWith('1 of 4'), await page.see('matched'));
		await browser.evaluate(`document.activeElement.blur()`);
		await page.keys('i');
		equal(await page.see('hash'), '#search=READ&case=1');
		await page.keys('i', 'r');
		equal(await page.see('hash'), '#search=READ&plain=1');
	});
	await test('an expression that is none is said to be, and marks nothing', async () => {
		await page.visit(url);
		await page.search('read');
		await page.search('read(');
		equal(await page.see('matched'), 'not a valid expression');
		equal(await hits(), []);
		equal(await browser.evaluate(`document.getElementById('search').getAttribute('aria-invalid')`), 'true');
	});
	await test('going back undoes the zoom and keeps the search', async () => {
		await page.visit(url);
		await page.clickFrame('main');
		await page.search('read');
		equal(await page.see('hash'), '#zoom=1:15&search=read');
		await browser.evaluate('history.back()');
		await browser.until(`location.hash === '#search=read'`);
		ok((await page.see('matched')).startsWith('4 hits'), await page.see('matched'));
		equal((await page.names()).includes('idle'), true);
	});
	await test('hits are those in the view, of all there are', async () => {
		await page.visit(url + '#zoom=2:15&search=read');
		equal(await page.see('matched'), '2 of 4 hits in view | 85.71% of view');
		await page.keys('f');
		ok((await page.see('matched')).startsWith('4 hits | '), await page.see('matched'));
	});
	await test('where frames are missing from the file a share is a least one, and no match says where', async () => {
		await page.visit(make('missing.svg', ['a;needle 5', 'a;big 900000', ...Array.from({ length: 9 }, (_, i) => `b;x${i} 1`)]));
		await page.search('big');
		ok(/^1 hit \| at least /.test(await page.see('matched')), await page.see('matched'));
		await page.search('needle');
		equal(await page.see('matched'), 'no match in the frames of this file');
	});
	await test('an expression that may never end waits for Enter, also one from a link', async () => {
		const slow = make('slow.svg', ['m;' + 'a'.repeat(40) + '! 5']);
		await page.visit(slow + '#search=(a%2B)%2B%24');
		equal(await page.see('matched'), 'press Enter to search');
		await page.visit(url);
		await page.search('(read|lex)+');
		equal(await page.see('matched'), 'press Enter to search');
		await page.keys('Enter');
		ok((await page.see('matched')).startsWith('1 of 5'), await page.see('matched'));
	});
	await test('Escape clears the search', async () => {
		await page.search('read');
		await page.keys('Escape');
		equal(await hits(), []);
		equal(await page.see('hash'), '');
	});
	await test('Escape outside of the box clears the search first, then the zoom', async () => {
		await page.visit(url + '#zoom=2:15&search=read');
		await page.keys('Escape');
		equal([await page.see('hash'), await hits()], ['#zoom=2:15', []]);
		await page.keys('Escape');
		equal(await page.see('hash'), '');
	});
	await test('/, Ctrl-F and F3 go to the search box, and keys typed there are no commands', async () => {
		for (const key of [['/'], ['f', 2], ['F3']]) {
			await page.visit(url);
			await browser.key(...key);
			equal(await browser.evaluate('document.activeElement.id'), 'search');
		}
		await page.search('nfc0?');
		equal(await browser.evaluate(`document.getElementById('search').value`), 'nfc0?');
		ok(!await browser.evaluate(`!!document.getElementById('help')`), 'no help was opened');
	});
}

async function keyboard(url) {
	await test('without a mouse: from the start to a frame, zoom, search and copy', async () => {
		await page.visit(url);
		await page.keys('Tab');
		equal(await page.see('focused'), 'all');
		await page.keys('ArrowUp');
		equal(await page.see('focused'), 'main');
		ok((await page.see('details')).startsWith('Function: main'), 'details follow the focus');
		await page.keys('ArrowUp', 'ArrowLeft');
		equal(await page.see('focused'), 'emit');
		await page.keys('Enter');
		equal((await page.frame('emit')).width, 1180);
		await page.keys('/');
		await browser.type('write');
		await page.keys('Enter');
		equal(await page.see('focused'), 'write');
		await page.keys('Tab', 'Tab');
		await page.keys('c');
		equal(await page.clipboard(), 'write');
		await page.keys('s');
		equal(await page.clipboard(), 'main;emit;write');
		ok((await page.see('details')).includes('stack copied'), await page.see('details'));
	});
	await test('arrows up and down turn around with the root at the top', async () => {
		await page.visit(make('icicle.svg', LINES, ['--inverted']));
		await page.keys('Tab', 'ArrowDown');
		equal(await page.see('focused'), 'main');
		await page.keys('ArrowUp');
		equal(await page.see('focused'), 'all');
	});
	await test('? opens the help, Escape closes it, and nothing else reacts meanwhile', async () => {
		await page.visit(url + '#zoom=2:15');
		await page.keys('?', 'f');
		ok(await browser.evaluate(`!!document.getElementById('help')`), 'help is open');
		equal((await page.names()).length, 6);
		await page.keys('Escape');
		ok(!await browser.evaluate(`!!document.getElementById('help')`), 'help is closed');
		equal((await page.names()).length, 6);
	});
}

async function copying(url) {
	await test('the mouse copies what the details are about: name and stack', async () => {
		await page.visit(url);
		await page.clickFrame('Reader::read');
		await page.clickOn('copy-name');
		equal(await page.clipboard(), 'Reader::read');
		await page.clickOn('copy-stack');
		equal(await page.clipboard(), 'main;parse;Reader::read');
	});
	await test('where the clipboard is closed the text is offered, selected', async () => {
		await page.visit(url);
		await browser.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
		await page.clickFrame('lex');
		await page.keys('C');
		equal(await browser.evaluate(`document.activeElement.value.slice(document.activeElement.selectionStart,
			document.activeElement.selectionEnd)`), 'main;parse;lex');
		await page.keys('Escape');
		ok(!await browser.evaluate(`!!document.getElementById('copy')`), 'it is gone');
	});
}

async function links(url) {
	await test('an address brings back zoom and search in a new page, and when it changes', async () => {
		await page.visit(url + '#zoom=2:15&search=READ&plain=1&case=1');
		equal((await page.frame('emit')).width, 1180);
		equal(await browser.evaluate(`document.getElementById('search').value`), 'READ');
		equal(await page.see('matched'), 'no match');
		await browser.evaluate(`location.hash = '#zoom=1:0&search=idle'`);
		await browser.until(`document.getElementById('search').value === 'idle'`);
		equal((await page.frame('idle')).width, 1180);
		equal(await page.see('matched'), '1 hit | 100% of view');
	});
	await test('an address that makes no sense shows the whole picture', async () => {
		for (const hash of ['#zoom=99:1', '#zoom=a', '#search=%', '#x=y&&', '#%00']) {
			await page.visit(url + hash);
			equal((await page.names()).length, FRAMES);
		}
	});
	await test('a frame that is a link: a click follows it, Ctrl-click zooms', async () => {
		const attributes = join(dir, 'attributes');
		writeFileSync(attributes, 'main\thref=#search=lex\ttarget=_self\n');
		await page.visit(make('link.svg', LINES, ['--nameattr', attributes]));
		await page.clickFrame('main', 2);
		equal((await page.frame('main')).width, 1180);
		await page.clickFrame('main');
		await browser.until(`document.getElementById('search').value === 'lex'`);
	});
}

async function widths(url) {
	await test('the picture has the width of the window, also after it changes', async () => {
		await page.visit(url);
		await browser.resize(800, 600);
		equal((await page.frame('all')).width, 780);
		await page.clickFrame('emit');
		await browser.resize(1440, 900);
		equal((await page.frame('emit')).width, 1420);
		equal((await page.frame('write')).width, Math.round(1420 * 20 / 35));
		await browser.resize(1200, 800);
	});
	await test('a width that was asked for stays', async () => {
		await page.visit(make('fixed.svg', LINES, ['--width', '900']));
		await browser.resize(1440, 900);
		equal((await page.frame('all')).width, 880);
		await page.clickFrame('emit');
		equal((await page.frame('emit')).width, 880);
		await browser.resize(1200, 800);
	});
	for (const [width, title] of [[420, 'Short'], [640, 'T'.repeat(80)], [800, 'A title of words '.repeat(5)], [3840, 'Short']]) {
		await test(`nothing overlaps or leaves the window at ${width} px`, async () => {
			await browser.resize(width, 700);
			await page.visit(make('titled.svg', LINES, ['--title', title, '--subtitle', 'second '.repeat(20)]));
			const overlaps = await browser.evaluate(`(() => {
				const box = (id) => document.getElementById(id).getBoundingClientRect();
				const parts = ['title', 'ledger', 'subtitle', 'controls'].map((id) => [id, box(id)]);
				parts.push(['frames', document.querySelector('#frames rect').getBoundingClientRect()]);
				const found = [];
				for (const [a, p] of parts) {
					if (p.right > innerWidth + 1 || p.left < -1)
						found.push(a + ' leaves the window');
					for (const [b, q] of parts)
						if (a < b && p.left < q.right && q.left < p.right && p.top < q.bottom - 3 && q.top < p.bottom - 3)
							found.push(a + ' and ' + b);
				}
				return found;
			})()`);
			equal(overlaps, []);
			await browser.resize(1200, 800);
		});
	}
	await test('the ledger breaks between its parts where it has no room', async () => {
		const narrow = Array.from({ length: 30 }, (_, i) => 'main;leaf' + i + ' 1');
		await page.visit(make('narrow.svg', [...narrow, 'main 100000'], ['--minwidth', '1']));
		const lines = () => browser.evaluate(`[...document.querySelectorAll('#ledger tspan')].map((line) => line.textContent)`);
		equal(await lines(), ['100,030 samples in 31 stacks \u00b7 30 frames too narrow to draw']);
		await browser.resize(320, 800);
		equal(await lines(), ['100,030 samples in 31 stacks', '30 frames too narrow to draw']);
		await browser.resize(1200, 800);
	});
	await test('a width that was asked for: title and controls are at the left of the picture', async () => {
		await browser.resize(1440, 900);
		for (const width of ['500', '900', '1200']) {
			await page.visit(make('fixed.svg', LINES, ['--width', width]));
			const lefts = await browser.evaluate(`['title', 'ledger', 'search'].map((id) =>
				Math.round(document.getElementById(id).getBoundingClientRect().left))`);
			equal(lefts.map((left) => left <= 12), [true, true, true], width + ' px wide: left edges ' + lefts);
		}
		await browser.resize(1200, 800);
	});
}

/** Stacks as perf script prints them: 60 frames of a runtime, 30 of a program, 200 of a library, and one of the runtime alone. */
function tallStacks() {
	const frames = (n, name, module) => Array.from({ length: n }, (_, i) => `\t${(4096 + i).toString(16)} ${name}${i} (${module})`);
	const loop = frames(60, 'loop', '/usr/bin/node');
	const all = [...loop, ...frames(30, 'mine', '/srv/app/program'), ...frames(200, 'far', '/usr/lib/libfar.so.1')];
	const sample = (lines) => ['node 1 [000] 1.000: 1 cpu-clock:', ...lines.reverse(), ''];
	return [...sample(all), ...sample(loop)];
}

/** What can be seen of the frames between the bars, without a look at the rest of the page. */
const SEEN = `(() => {
	const box = (element) => element.getBoundingClientRect();
	const [head, foot] = [...document.querySelectorAll('#plume .bar')].map(box);
	const rows = [...document.querySelectorAll('#frames > g')].filter((row) => row.querySelector('desc'));
	const isAcross = ({ top, bottom }) => [head.bottom, foot.top].some((edge) => top < edge - 0.1 && bottom > edge + 0.1);
	const isCut = (row) => isAcross(box(row.querySelector('rect')));
	const isSeen = (row) => box(row).top >= head.bottom - 3 && box(row).bottom <= foot.top + 3;
	return {
		cut: rows.filter(isCut).map((row) => row.querySelector('desc').textContent),
		names: rows.filter(isSeen).map((row) => row.querySelector('desc').textContent.replace(/ .*/, '')),
		scrolled: [scrollX, scrollY], bars: [head.top, innerHeight - foot.bottom].map(Math.round),
		page: document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth,
	};
})()`;

async function tall() {
	const deep = Array.from({ length: 120 }, (_, i) => 'f' + i).join(';');
	const seen = () => browser.evaluate(SEEN);
	await test('a picture taller than the window scrolls inside, and begins at the root', async () => {
		await page.visit(make('deep.svg', [deep + ' 10']));
		let { names, cut: _, ...rest } = await seen();
		equal(rest, { scrolled: [0, 0], bars: [0, 0], page: true });
		ok(names.includes('all') && names.includes('f20') && !names.includes('f119'), names.join(' '));
		await page.keys('Home');
		({ names, cut: _, ...rest } = await seen());
		equal(rest, { scrolled: [0, 0], bars: [0, 0], page: true });
		ok(names.includes('f119') && !names.includes('all'), names.join(' '));
		await page.keys('PageDown');
		ok(!(await seen()).names.includes('f119'), 'a page further down');
		await page.keys('End');
		ok((await seen()).names.includes('all'), 'the root');
		await browser.wheel(600, 400, -300);
		ok(!(await seen()).names.includes('all'), 'the wheel scrolls');
		await page.keys('Tab', 'ArrowUp');
		ok((await seen()).names.includes('f0'), 'the focused frame is scrolled into sight');
	});
	await test('the first look and a page further show whole rows', async () => {
		for (const [height, options] of [[800, []], [805, []], [811, ['--inverted']], [797, ['--inverted']]]) {
			await browser.resize(1200, height);
			await page.visit(make('deep.svg', [deep + ' 10'], options));
			equal((await seen()).cut, [], `${height} px ${options}`);
			await page.keys(options.length ? 'PageDown' : 'PageUp');
			equal((await seen()).cut, [], `${height} px ${options}, a page further`);
		}
		await browser.resize(1200, 800);
	});
	await test('with the root at the top a tall picture begins there', async () => {
		await page.visit(make('deep.svg', [deep + ' 10'], ['--inverted']));
		const { names } = await seen();
		ok(names.includes('all') && !names.includes('f119'), names.join(' '));
	});
	await test('a tall picture begins where most of the program\'s own code is', async () => {
		for (const [width, height] of [[1200, 800], [800, 600], [1920, 1080]]) {
			await browser.resize(width, height);
			await page.visit(make('mine.svg', tallStacks()));
			const own = (await seen()).names.filter((name) => name.startsWith('mine'));
			ok(own.length >= 20 && own.includes('mine0'), `${width}x${height}: ${own.join(' ')}`);
		}
		await browser.resize(1200, 800);
		ok((await seen()).names.includes('mine0'), 'also after the window changed');
		await page.keys('Home', '0');
		ok((await seen()).names.includes('mine0'), 'and after a new start');
	});
	await test('a link to a zoom shows the zoomed frame', async () => {
		await page.visit(make('mine.svg', tallStacks()) + '#zoom=262:1');
		ok((await seen()).names.includes('far170'), (await seen()).names.join(' '));
	});
	await test('a tall picture is printed whole', async () => {
		await page.visit(make('deep.svg', [deep + ' 10']));
		const height = () => browser.evaluate(`Number(document.getElementById('plume').getAttribute('height'))`);
		await browser.evaluate(`dispatchEvent(new Event('beforeprint'))`);
		ok(await height() > 120 * 16, await height() + ' px');
		await browser.evaluate(`dispatchEvent(new Event('afterprint'))`);
		equal(await height(), 800);
	});
}

async function hostile() {
	const rtl = '\u05e9\u05dc\u05d5\u05dd\u202e\u0645\u0631\u062d\u0628\u0627';
	const names = ['<script>alert(1)</script>', ']]>', '"onload="alert(2)', '<img src=x onerror=alert(3)>', '&amp&#60', rtl,
		'\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'.repeat(30), '__proto__', 'x'.repeat(100000), '-->', '<!--', '${alert(4)}'];
	await test('names that look like code are text', async () => {
		const before = browser.dialogs.length;
		const title = '</title></text><script>alert(5)</script>';
		await page.visit(make('hostile.svg', names.map((name) => `root;${name} 10`), ['--title', title]));
		equal((await page.names()).length, names.length + 2);
		for (const name of names.slice(0, 5)) {
			await page.pointAt(name);
			ok((await page.see('details')).startsWith('Function: ' + name), await page.see('details'));
		}
		await page.clickFrame('<script>alert(1)</script>');
		equal((await page.frame('<script>alert(1)</script>')).label, '<script>alert(1)</script>');
		await page.keys('c');
		equal(await page.clipboard(), '<script>alert(1)</script>');
		equal(browser.dialogs.slice(before), []);
		equal(await browser.evaluate(`document.getElementById('title').textContent`), title);
	});
	await test('no label is wider than its frame, whatever the script or length of the name', async () => {
		await page.visit(make('hostile.svg', names.map((name) => `root;${name} 10`)));
		const wide = await browser.evaluate(`[...document.querySelectorAll('#frames text')].filter((text) =>
			text.getComputedTextLength() > text.parentNode.querySelector('rect').getBoundingClientRect().width)
			.map((text) => text.textContent)`);
		equal(wide, []);
	});
}

async function colours(url) {
	for (const scheme of ['light', 'dark']) {
		await test(`text can be read in the ${scheme}`, async () => {
			await browser.newPage();
			await browser.scheme(scheme);
			await browser.open(url + '#search=read');
			const found = await browser.evaluate(`(() => {
				const fill = (element) => getComputedStyle(element).fill;
				const [top, bottom] = [...document.querySelectorAll('#plume .bar')].map(fill);
				const get = (id) => document.getElementById(id);
				return {
					title: [fill(get('title')), top], ledger: [fill(get('ledger')), top],
					details: [fill(document.querySelector('#details tspan')), bottom],
					muted: [fill(document.querySelector('#details .muted')), bottom],
					result: [getComputedStyle(get('matched')).color, top],
					hit: [fill(document.querySelector('.hit text')), fill(document.querySelector('.hit rect'))],
				};
			})()`);
			for (const name of Object.keys(found)) {
				const ratio = contrast(...found[name]);
				ok(ratio >= 4.5, `${name}: ${found[name]} has contrast ${ratio.toFixed(2)}`);
			}
			const isDark = contrast(found.title[1], 'rgb(0,0,0)') < 3;
			equal(isDark, scheme === 'dark', 'background is dark');
		});
	}
	await browser.scheme('light');
}

async function large() {
	const name = '500000.svg';
	const url = make(name, [...manyStacks(500000)]);
	await test('500,000 stacks: few elements, each zoom well within a second', async () => {
		await page.visit(url);
		const { times, most } = await browser.evaluate(`(async () => {
			const group = document.getElementById('frames');
			const picture = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
			const times = [];
			let most = group.childElementCount;
			const click = async (element) => {
				await picture();
				const start = performance.now();
				element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
				group.getBBox(); // the layout is part of it
				times.push(performance.now() - start);
				most = Math.max(most, group.childElementCount);
			};
			for (let k = 1; k <= 10; k++) {
				const frames = [...group.children].filter((child) => child.querySelector('desc'));
				await click(frames[Math.min(3 * k, frames.length - 1)]);
				await click(document.getElementById('background'));
			}
			return { times, most };
		})()`);
		times.sort((a, b) => a - b);
		note(`zoom with layout: median ${times[10].toFixed(0)} ms, max ${times[19].toFixed(0)} ms; at most ${most} elements`);
		ok(most < 10000, most + ' elements');
		ok(times[19] < 1000, times[19] + ' ms');
	});
	await test('500,000 stacks: a search is answered', async () => {
		await page.search('m1::f1');
		ok(/ hits \| /.test(await page.see('matched')), await page.see('matched'));
	});
}

/** As perf script prints it: `names` side by side on top of one caller, `counts` samples each. */
function sideBySide(names, counts) {
	return names.flatMap((name, i) => Array.from({ length: counts[i] }, () =>
		['node 1 [000] 1.000: 1 cpu-clock:', `\t2000 ${name} (/tmp/perf-1.map)`, '\t1000 main (/usr/bin/node)', ''])).flat();
}

async function staticLabels() {
	await test('without scripts labels are as short as their frames, and keep the function', async () => {
		const place = ' /srv/app/node_modules/some-package/lib/deep/down/index.js:576:24';
		const names = ['JS:*processParams' + place, 'JS:*mmmmWWWWmmmmWWWW' + place, 'JS:~Socket._writeGeneric' + place, 'JS:^iiiiillllliiiii' + place];
		await browser.newPage();
		await browser.scripts(false);
		for (const [width, wanted] of [[200, []], [300, []], [400, ['processParams', '_writeGeneric']], [500, ['processParams']],
			[1200, ['processParams index.js:576', 'Socket._writeGeneric index.js:576']]]) {
			const file = make('labels.svg', sideBySide(names, [5, 3, 6, 4]), ['--width', String(width)]);
			await browser.open(file);
			const labels = await browser.evaluate(`[...document.querySelectorAll('#frames text')].map((text) => [text.textContent,
				text.getComputedTextLength(), Number(text.parentNode.querySelector('rect').getAttribute('width'))])`);
			equal(labels.filter(([, length, room]) => length + 3 > room), [], 'labels that leave their frames');
			for (const want of wanted)
				ok(labels.some(([label]) => label.includes(want)), `${want} among ${labels.map(([label]) => label).join(' | ')}`);
			equal(labels.some(([label]) => label.includes('/srv/app')), false, 'a whole path');
		}
		await browser.scripts(true);
	});
}

async function withoutScripts(url) {
	await test('without scripts the picture is there, with labels and no controls', async () => {
		await browser.newPage();
		await browser.scripts(false);
		await browser.open(url);
		const found = await browser.evaluate(`(() => {
			const frames = [...document.querySelectorAll('#frames > *')];
			const wide = (element) => element.getBoundingClientRect().width > 1;
			return [frames.length, frames.every(wide), [...document.querySelectorAll('#frames text')].filter(wide).length > 8,
				!!document.getElementById('controls'), document.getElementById('title').textContent];
		})()`);
		equal(found, [FRAMES, true, true, false, 'Flame Graph']);
		await browser.scripts(true);
	});
}

try {
	await browser.allowClipboard();
	const svg = make('small.svg', LINES);
	await zooming(svg);
	await tooltips(svg);
	await searching(svg);
	await keyboard(svg);
	await copying(svg);
	await colours(svg);
	await withoutScripts(svg);
	await details(svg);
	await links(svg);
	await widths(svg);
	await tall();
	await staticLabels();
	await hostile();
	await large();
	await test('no page had an error or a dialog', () => equal([browser.errors, browser.dialogs], [[], []]));
} finally {
	await browser.close();
	rmSync(dir, { recursive: true });
}
process.exitCode = finish();
