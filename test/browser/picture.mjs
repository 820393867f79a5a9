// Pictures made with the program under test, and what a reader sees of one in the browser.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Draws folded lines; returns the file's address. */
export function draw(plume, dir, name, lines, options = []) {
	const input = join(dir, name + '.folded');
	const output = join(dir, name);
	writeFileSync(input, lines.join('\n') + '\n');
	execFileSync(plume, ['flame', ...options, input, '-o', output], { stdio: ['ignore', 'ignore', 'inherit'] });
	return pathToFileURL(output).href;
}

/** Draws the difference of two lists of folded lines. */
export function compare(plume, dir, name, before, after, options = []) {
	const inputs = [before, after].map((lines, side) => {
		const input = join(dir, name + (side ? '.after' : '.before') + '.folded');
		writeFileSync(input, lines.join('\n') + '\n');
		return input;
	});
	const output = join(dir, name);
	execFileSync(plume, ['diff', ...options, ...inputs, '-o', output], { stdio: ['ignore', 'ignore', 'inherit'] });
	return pathToFileURL(output).href;
}

// What is below runs in the page.
function inPage() {
	const plain = (text) => text.replace(/[\u2066-\u2069]/g, '').trim();
	const rows = () => [...document.getElementById('frames').children].filter((child) => child.querySelector('desc'));
	const nameOf = (row) => row.querySelector('desc').textContent.replace(/ \([^(]*\)$/, '');
	const box = (row) => row.querySelector('rect').getBoundingClientRect();
	window.seen = {
		hash: () => location.hash,
		details: () => [...document.getElementById('details').children].map((line) => plain(line.textContent)).join('\n'),
		matched: () => document.getElementById('matched').textContent,
		frames: () => rows().map((row) => ({
			name: nameOf(row),
			x: Math.round(box(row).left),
			width: Math.round(box(row).width),
			label: row.querySelector('text') ? row.querySelector('text').textContent : '',
			isFaded: row.classList.contains('faded'),
			isHit: row.classList.contains('hit'),
		})),
		/** The middle of a frame in the window; `nth` when several have the name. */
		middle: (name, nth = 0) => {
			const at = box(rows().filter((row) => nameOf(row) === name)[nth]);
			return [at.left + at.width / 2, at.top + at.height / 2];
		},
		/** The same, by the label: titles of comparisons say more than the name. */
		middleOf: (label) => {
			const at = box(rows().find((row) => row.querySelector('text') && row.querySelector('text').textContent === label));
			return [at.left + at.width / 2, at.top + at.height / 2];
		},
		/** The tooltip's lines, its box and that of the outlined or pointed row; null without one. */
		tooltip: () => {
			const card = document.getElementById('tooltip');
			if (!card)
				return null;
			const { left, top, right, bottom } = card.getBoundingClientRect();
			return { lines: [...card.children].map((line) => plain(line.textContent)), left, top, right, bottom };
		},
		/** Top and bottom of a frame in the window. */
		row: (name) => {
			const { top, bottom } = box(rows().find((row) => nameOf(row) === name));
			return [top, bottom];
		},
		focused: () => {
			const at = document.querySelector('#focus rect').getBoundingClientRect();
			if (!at.width)
				return null;
			const found = rows().find((row) => Math.abs(box(row).left - at.left) < 3 && Math.abs(box(row).top - at.top) < 3);
			return found ? nameOf(found) : null;
		},
	};
}

export class Page {
	constructor(browser) {
		this.browser = browser;
	}

	/** Opens an address in a page of its own. */
	async visit(url) {
		await this.browser.newPage();
		await this.browser.open(url);
		await this.browser.evaluate(`(${inPage})()`);
	}

	see(what, ...args) {
		return this.browser.evaluate(`seen.${what}(...${JSON.stringify(args)})`);
	}

	async names() {
		return (await this.see('frames')).map((frame) => frame.name);
	}

	async frame(name) {
		return (await this.see('frames')).find((frame) => frame.name === name);
	}

	async clickFrame(name, modifiers = 0, nth = 0) {
		await this.browser.click(...await this.see('middle', name, nth), modifiers);
	}

	async pointAt(name, nth = 0) {
		await this.browser.move(...await this.see('middle', name, nth));
	}

	async clickOn(id) {
		const [x, y] = await this.browser.evaluate(`(() => {
			const box = document.getElementById(${JSON.stringify(id)}).getBoundingClientRect();
			return [box.left + box.width / 2, box.top + box.height / 2];
		})()`);
		await this.browser.click(x, y);
	}

	async keys(...keys) {
		for (const key of keys)
			await this.browser.key(key);
	}

	/** Types into the search box and waits for the answer to the whole of it. */
	async search(text) {
		await this.browser.evaluate(`document.getElementById('search').focus(), document.getElementById('search').select()`);
		await this.browser.type(text);
		const part = JSON.stringify('search=' + encodeURIComponent(text));
		await this.browser.until(`location.hash.slice(1).split('&').includes(${part})`);
	}

	async clipboard() {
		return this.browser.evaluate('navigator.clipboard.readText()');
	}
}
