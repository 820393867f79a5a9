// Drives a headless Chromium over its debugging pipe: a page, its pointer and its keys, for tests that a person could do.
// Nothing but Node and Debian's chromium is needed.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FLAGS = [
	'--headless', '--remote-debugging-pipe', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
	'--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars',
	'--disable-dev-shm-usage', '--force-device-scale-factor=1',
];

const KEY_CODES = {
	Enter: 13, Escape: 27, Backspace: 8, Tab: 9, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, F3: 114,
};

/** Messages are JSON, each ended by a NUL: file descriptor 3 to the browser, 4 from it. */
class Pipe {
	constructor(child) {
		this.out = child.stdio[3];
		this.next = 1;
		this.waiting = new Map();
		this.listeners = [];
		let rest = [];
		child.stdio[4].on('data', (chunk) => {
			let from = 0;
			for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, from)) {
				rest.push(chunk.subarray(from, at));
				this.receive(JSON.parse(Buffer.concat(rest).toString()));
				rest = [];
				from = at + 1;
			}
			rest.push(chunk.subarray(from));
		});
	}

	receive(message) {
		const waiting = this.waiting.get(message.id);
		if (!waiting) {
			this.listeners.forEach((listener) => listener(message));
			return;
		}
		this.waiting.delete(message.id);
		if (message.error)
			waiting.reject(new Error(waiting.method + ': ' + message.error.message));
		else
			waiting.resolve(message.result);
	}

	send(method, params = {}, sessionId = undefined) {
		const id = this.next++;
		this.out.write(JSON.stringify({ id, method, params, sessionId }) + '\0');
		return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, method }));
	}
}

export class Chromium {
	static async start(width = 1200, height = 800) {
		const browser = new Chromium();
		browser.profile = mkdtempSync(join(tmpdir(), 'plume-chromium-'));
		browser.child = spawn('chromium', [...FLAGS, '--user-data-dir=' + browser.profile, 'about:blank'],
			{ stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
		browser.child.on('error', () => {});
		process.once('exit', () => browser.clean()); // also when a test broke off
		browser.pipe = new Pipe(browser.child);
		browser.hasScripts = true;
		browser.errors = []; // exceptions and console errors of all pages
		browser.dialogs = []; // messages of alert() and the like
		browser.pipe.listeners.push((message) => browser.hear(message));
		await browser.newPage();
		await browser.resize(width, height);
		return browser;
	}

	/** A page of its own, with its own history; the page before is closed. */
	async newPage() {
		const { targetId } = await this.pipe.send('Target.createTarget', { url: 'about:blank' });
		const { sessionId } = await this.pipe.send('Target.attachToTarget', { targetId, flatten: true });
		if (this.targetId)
			await this.pipe.send('Target.closeTarget', { targetId: this.targetId });
		this.targetId = targetId;
		this.session = sessionId;
		for (const domain of ['Page', 'Runtime', 'Log'])
			await this.send(domain + '.enable');
		await this.send('Emulation.setFocusEmulationEnabled', { enabled: true }); // as a window in front has it
		if (this.size)
			await this.resize(...this.size);
	}

	send(method, params) {
		return this.pipe.send(method, params, this.session);
	}

	hear({ method, params, sessionId }) {
		if (sessionId !== this.session)
			return;
		if (method === 'Runtime.exceptionThrown') {
			const { text, exception } = params.exceptionDetails;
			this.errors.push(text + ' ' + ((exception && exception.description) || ''));
		} else if (method === 'Runtime.consoleAPICalled' && /^(error|assert)$/.test(params.type)) {
			this.errors.push('console: ' + params.args.map((arg) => arg.value || arg.description).join(' '));
		} else if (method === 'Log.entryAdded' && params.entry.level === 'error') {
			this.errors.push('log: ' + params.entry.text);
		} else if (method === 'Page.javascriptDialogOpening') {
			this.dialogs.push(params.message);
			this.send('Page.handleJavaScriptDialog', { accept: true });
		}
	}

	once(wanted) {
		const { session } = this;
		return new Promise((resolve) => {
			const listener = ({ method, sessionId }) => {
				if (method !== wanted || sessionId !== session)
					return;
				this.pipe.listeners.splice(this.pipe.listeners.indexOf(listener), 1);
				resolve();
			};
			this.pipe.listeners.push(listener);
		});
	}

	/** Opens an address in the page, and waits until it has been loaded and drawn. */
	async open(url) {
		const loaded = this.once('Page.loadEventFired');
		const { errorText } = await this.send('Page.navigate', { url });
		if (errorText)
			throw new Error(url + ': ' + errorText);
		await loaded;
		await this.settle();
	}

	/** Waits until the page has drawn what it was asked to. */
	async settle() {
		if (this.hasScripts)
			await this.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
	}

	async evaluate(expression) {
		const { result, exceptionDetails } = await this.send('Runtime.evaluate',
			{ expression, awaitPromise: true, returnByValue: true });
		if (exceptionDetails)
			throw new Error(exceptionDetails.text + ' ' + (exceptionDetails.exception || {}).description);
		return result.value;
	}

	/** Waits for a condition in the page. */
	async until(expression, limit_ms = 5000) {
		const end = Date.now() + limit_ms;
		while (!(await this.evaluate(expression))) {
			if (Date.now() > end)
				throw new Error('waited in vain for ' + expression);
			await new Promise((done) => setTimeout(done, 20));
		}
	}

	async move(x, y) {
		await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
		await this.settle();
	}

	async click(x, y, modifiers = 0) {
		await this.move(x, y);
		for (const type of ['mousePressed', 'mouseReleased'])
			await this.send('Input.dispatchMouseEvent', { type, x, y, modifiers, button: 'left', clickCount: 1 });
		await this.settle();
	}

	async wheel(x, y, deltaY) {
		await this.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX: 0, deltaY });
		await this.settle();
	}

	/** modifiers: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift. */
	async key(key, modifiers = 0) {
		const code = KEY_CODES[key] || key.toUpperCase().charCodeAt(0);
		const text = key === 'Enter' ? '\r' : key.length === 1 && !(modifiers & 7) ? key : undefined;
		const common = { key, modifiers, windowsVirtualKeyCode: code };
		await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', text, ...common });
		await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...common });
		await this.settle();
	}

	async type(text) {
		for (const char of text) {
			await this.send('Input.dispatchKeyEvent', { type: 'keyDown', text: char, key: char });
			await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key: char });
		}
		await this.settle();
	}

	async screenshot(path) {
		const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
		writeFileSync(path, Buffer.from(data, 'base64'));
	}

	async resize(width, height) {
		this.size = [width, height];
		await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
		await this.until(`innerWidth === ${width} && innerHeight === ${height}`);
		await this.settle();
	}

	/** 'light' or 'dark'. */
	async scheme(value) {
		await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
		await this.settle();
	}

	scripts(areEnabled) {
		this.hasScripts = areEnabled;
		return this.send('Emulation.setScriptExecutionDisabled', { value: !areEnabled });
	}

	allowClipboard() {
		return this.pipe.send('Browser.grantPermissions',
			{ permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] });
	}

	async close() {
		const gone = new Promise((done) => this.child.once('exit', done));
		await Promise.race([this.pipe.send('Browser.close').catch(() => {}), gone]);
		const killer = setTimeout(() => this.child.kill('SIGKILL'), 3000);
		await gone;
		clearTimeout(killer);
		this.clean();
	}

	clean() {
		this.child.kill('SIGKILL');
		rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	}
}
