// A `plume scope` for tests: starts it on a profile and says where its page is.

import { spawn } from 'node:child_process';

export class Scope {
	/** Waits until it has printed the page's address. */
	static async start(plume, ...args) {
		const scope = new Scope();
		scope.errors = '';
		scope.child = spawn(plume, ['scope', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
		process.once('exit', () => scope.child.kill('SIGKILL')); // also when a test broke off
		scope.child.stderr.on('data', (chunk) => scope.errors += chunk);
		scope.ended = new Promise((done) => scope.child.once('close', done));
		let text = '';
		scope.url = await new Promise((found, failed) => {
			scope.child.stdout.on('data', (chunk) => {
				text += chunk;
				const match = /http:\/\/\S+/.exec(text);
				if (match)
					found(match[0]);
			});
			scope.child.once('error', failed);
			scope.ended.then(() => failed(new Error('plume scope ended: ' + scope.errors)));
		});
		return scope;
	}

	/** Ends it as Ctrl-C does, or as nobody should. */
	async stop(signal = 'SIGINT') {
		this.child.kill(signal);
		await this.ended;
	}
}
