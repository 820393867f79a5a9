// The parts of a page without a server, as its scripts find them, for tests in node: the engine and the profiles inside.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** Modules of web/engine, by name. */
export async function engineModules(...names) {
	const dir = mkdtempSync(join(tmpdir(), 'plume-engine-'));
	execFileSync('esbuild', [
		...names.map((name) => join(here, '../../web/engine', name + '.ts')),
		'--bundle', '--format=esm', '--platform=neutral', '--log-level=warning', '--outdir=' + dir, '--out-extension:.js=.mjs',
	]);
	const modules = await Promise.all(names.map((name) => import(pathToFileURL(join(dir, name + '.mjs')))));
	rmSync(dir, { recursive: true });
	return modules;
}

/** The text of a data element; throws if there is not exactly one. */
export function elementOf(html, id) {
	const found = [...html.matchAll(new RegExp(`<script type="[^"]*" id="plume-${id}">(.*?)</script>`, 'gs'))];
	if (found.length !== 1)
		throw new Error(`${found.length} elements plume-${id}`);
	return found[0][1];
}

/** As web/page/offline.ts reads it. */
export function pageParts(path) {
	const html = readFileSync(path, 'utf8');
	const contents = JSON.parse(elementOf(html, 'page'));
	return {
		html, contents,
		packed: {
			engine: elementOf(html, 'engine'),
			files: contents.files.map(({ name, shown }, i) => ({ name, isShown: shown, packed: elementOf(html, 'file-' + (i + 1)) })),
			sources: contents.hasSources ? elementOf(html, 'sources') : '',
		},
	};
}
