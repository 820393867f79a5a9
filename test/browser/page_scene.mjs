// A recording whose every number is known, and plume scope serving it, for page_test.mjs.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The program: 10 s at 100 Hz on one thread, and a worker that runs for two of them. */
export const SCRIPT = 'server.js';
export const SOURCE = ['// a server', 'function handle() {', '  return parse();', '}', '', 'function parse() {', '  work();',
	'}', 'function aggregate() {', '  sum();', '}', 'function sweep() {}', ''];

function frames(file, list) {
	// perf prints the leaf first. V8's names come from a perf map.
	return list.map((name, i) => {
		const [fn, where] = name.split('@');
		const address = (0x1000 + 16 * i).toString(16);
		return where === undefined ? `\t${address} ${fn} (/usr/bin/node)`
			: `\t${address} JS:*${fn} ${file}:${where} (/tmp/perf-100.map)`;
	}).reverse().join('\n');
}

const ROOT = ['_start', 'node::Start', 'uv_run'];
const STACKS = {
	handle: [...ROOT, 'handle@2:16', 'parse@6:15'],
	aggregate: [...ROOT, 'aggregate@9:19'],
	gc: [...ROOT, 'handle@2:16', 'v8::internal::Heap::CollectGarbage', 'v8::internal::MarkCompactCollector::CollectGarbage'],
	worker: ['_start', 'worker_main', 'compress'],
};

/** What the main thread does at a time: a block of 1.5 s at 4 s, a collection at 7 s, else 30 ms of work in every 100. */
function at(ms) {
	if (ms >= 4000 && ms < 5500)
		return 'aggregate';
	if (ms >= 7000 && ms < 7200)
		return 'gc';
	return ms % 100 < 30 ? 'handle' : '';
}

export function samples() {
	const list = [];
	for (let ms = 0; ms < 10000; ms += 10) {
		if (at(ms))
			list.push({ ms, tid: 100, comm: 'node', what: at(ms), cpu: 0 });
		if (ms >= 2000 && ms < 4000)
			list.push({ ms, tid: 101, comm: 'worker', what: 'worker', cpu: 1 });
	}
	return list;
}

export function countIn(from_ms, until_ms, wanted = () => true) {
	return samples().filter((s) => s.ms >= from_ms && s.ms < until_ms && wanted(s)).length;
}

export function record(dir) {
	const file = join(dir, SCRIPT);
	const path = join(dir, 'web.perf');
	writeFileSync(file, SOURCE.join('\n'));
	writeFileSync(path, samples().map((s) =>
		`${s.comm} 100/${s.tid} [00${s.cpu}] ${(1000 + s.ms / 1000).toFixed(6)}: 10000000 cpu-clock: \n${frames(file, STACKS[s.what])}\n\n`).join(''));
	return path;
}

export class Scope {
	static async start(plume, words) {
		const scope = new Scope();
		scope.child = spawn(plume, ['scope', '-q', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
		process.once('exit', () => scope.child.kill('SIGKILL'));
		scope.said = '';
		scope.child.stderr.on('data', (data) => { scope.said += data; });
		scope.ended = new Promise((done) => scope.child.once('exit', (code) => done(code)));
		scope.url = await new Promise((done, fail) => {
			let text = '';
			scope.child.stdout.on('data', (data) => {
				text += data;
				if (text.includes('\n'))
					done(text.split('\n')[0]);
			});
			scope.child.once('exit', () => fail(new Error('plume scope ended: ' + scope.said)));
		});
		return scope;
	}

	/** The answer to a question, once its file was read. */
	async ask(question) {
		for (;;) {
			const response = await fetch(this.url + 'api/' + question);
			if (response.status !== 409)
				return response;
			await new Promise((done) => setTimeout(done, 20));
		}
	}

	async json(question) {
		return (await this.ask(question)).json();
	}

	async stop() {
		this.child.kill('SIGINT');
		return this.ended;
	}
}

/** The page as a user has it before them: in pixels of the window. */
export class View {
	constructor(browser) {
		this.browser = browser;
	}

	async open(url) {
		await this.browser.newPage();
		await this.browser.resize(1440, 900);
		await this.browser.open(url);
		await this.ready();
	}

	/** Nothing is being asked or drawn any more. */
	async ready() {
		await this.browser.until(`!!(window.plume && plume.ledger() && plume.heat().grid && window.plumeWhere && plumeWhere.isIdle()
			&& plumeWhere.total())`, 20000);
		await this.browser.settle();
		await this.browser.until('plumeWhere.isIdle()');
	}

	get(expression) {
		return this.browser.evaluate(expression);
	}

	state() {
		return this.get('plume.state()');
	}

	total() {
		return this.get('plumeWhere.total()');
	}

	async names() {
		return (await this.get('plumeWhere.frames()')).map((f) => f.name.replace(/^JS:[*~^+]?/, '').split(' ')[0]);
	}

	async until(expression) {
		await this.browser.until(expression, 20000);
		await this.browser.settle();
	}

	box(selector) {
		return this.get(`(() => { const b = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect();
			return { x: b.left, y: b.top, w: b.width, h: b.height }; })()`);
	}

	/** The pixel of a time and a part of its column (0 at the bottom) in the heat map. */
	async cell(seconds) {
		const map = await this.box('[data-part="heat"]');
		const g = await this.get('plume.heat().geometry');
		const ns = seconds * 1e9 - g.from_ns;
		const column = Math.floor(ns / g.column_ns);
		const part = Math.floor((ns % g.column_ns) / g.column_ns * g.rows);
		return {
			x: map.x + (column + 0.5) / g.columns * map.w,
			y: map.y + map.h - (part + 0.5) / g.rows * map.h,
		};
	}

	/** From the cell of one time to that of another. */
	async drag(from, until, modifiers = 0) {
		const [a, b] = [await this.cell(from), await this.cell(until)];
		const mouse = (type, p, buttons) => this.browser.send('Input.dispatchMouseEvent',
			{ type, x: p.x, y: p.y, modifiers, button: 'left', buttons, clickCount: 1 });
		await mouse('mouseMoved', a, 0);
		await mouse('mousePressed', a, 1);
		for (let i = 1; i <= 4; i++)
			await mouse('mouseMoved', { x: a.x + (b.x - a.x) * i / 4, y: a.y + (b.y - a.y) * i / 4 }, 1);
		await mouse('mouseReleased', b, 0);
		await this.ready();
	}

	async press(text, selector = 'button, [role=tab], [role=radio], label') {
		const at = await this.get(`(() => { const e = [...document.querySelectorAll(${JSON.stringify(selector)})]
			.find((one) => one.textContent.trim() === ${JSON.stringify(text)} && one.getClientRects().length);
			if (!e) return null; const b = e.getBoundingClientRect(); return { x: b.left + b.width / 2, y: b.top + b.height / 2 }; })()`);
		if (!at)
			throw new Error('there is no button: ' + text);
		await this.browser.click(at.x, at.y);
	}

	/** The middle of a frame on the screen. */
	async frame(name) {
		const map = await this.box('[data-part="flame"]');
		const frame = (await this.get('plumeWhere.frames()')).find((f) => f.name.includes(name));
		if (!frame)
			throw new Error('there is no frame: ' + name);
		return { x: map.x + frame.x + frame.w / 2, y: map.y + frame.y + frame.h / 2 };
	}
}
