// Our speedscope files as speedscope itself sees them: its schema, and its page in a browser.
//   node test/browser/speedscope_peer.mjs SPEEDSCOPE_DIR FILE.speedscope.json [SCREENSHOT.png]
// SPEEDSCOPE_DIR is the package; ajv beside it checks the schema. Prints TAP.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Chromium } from './chromium.mjs';
import { equal, finish, ok, test } from './tap.mjs';

const [dir, file, screenshot] = process.argv.slice(2);
const release = resolve(dir, 'dist/release');
const bytes = readFileSync(file);
const ours = JSON.parse(bytes);

/** Total weight of each function of a profile, by its name, as speedscope's table adds it up. */
function totals(profile) {
	const sums = new Map();
	profile.samples.forEach((stack, i) => {
		for (const frame of new Set(stack))
			sums.set(frame, (sums.get(frame) || 0) + profile.weights[i]);
	});
	return [...sums].filter(([, sum]) => sum > 0).map(([frame, sum]) => [ours.shared.frames[frame].name, sum])
		.sort((a, b) => b[1] - a[1]);
}

await test('the schema accepts it', () => {
	const Ajv = createRequire(resolve(dir, 'package.json'))('ajv');
	const schema = JSON.parse(readFileSync(join(release, 'file-format-schema.json')));
	const validate = new (Ajv.default || Ajv)({ strict: false }).compile(schema);
	ok(validate(ours), JSON.stringify(validate.errors));
	ours.profiles[0].weights.push('x');
	ok(!validate(ours), 'and can refuse');
	ours.profiles[0].weights.pop();
});

const script = join(tmpdir(), `plume-speedscope-${process.pid}.js`);
writeFileSync(script, `speedscope.loadFileFromBase64("ours.speedscope.json", "${bytes.toString('base64')}")`);
const browser = await Chromium.start(1400, 900);
try {
	await browser.open(`file://${release}/index.html#localProfilePath=${script}&view=sandwich`);
	const rows = `[...document.querySelectorAll('tr')].map((row) =>
		[...row.querySelectorAll('td')].map((cell) => cell.textContent.trim()))`;
	await test('its page opens it', async () => {
		await browser.until(`document.body.innerText.includes('Symbol Name')`, 20000);
		equal(browser.errors.filter((text) => !/favicon/.test(text)), []);
	});
	await test('its table has our names and our weights', async () => {
		const pattern = /^([\d,.]+)\S* \(<?([\d.]+)%\)$/;
		const seen = (await browser.evaluate(rows)).filter((row) => pattern.test(row[0]));
		const { samples, weights } = ours.profiles[0];
		const total = weights.reduce((sum, weight, i) => sum + (samples[i].length ? weight : 0), 0);
		const wanted = totals(ours.profiles[0]);
		ok(seen.length > 0 && (wanted.length > 30 || seen.length === wanted.length),
			`${seen.length} rows of ${wanted.length}`); // of a long table only what can be seen is there
		for (const [shown, , name] of seen) {
			const [, number, percent] = pattern.exec(shown);
			const match = wanted.some(([their, sum]) => name.includes(their) &&
				Math.abs(100 * sum / total - Number(percent)) < 1 &&
				(ours.profiles[0].unit !== 'none' || Number(number.replaceAll(',', '')) === sum));
			ok(match, `${name} ${shown} is none of ${JSON.stringify(wanted.slice(0, 5))}`);
		}
	});
	await test('its list has our profiles and their totals', async () => {
		const text = await browser.evaluate('document.body.innerText');
		ok(text.includes(ours.profiles[0].name), `'${ours.profiles[0].name}' is in the page`);
		if (ours.profiles.length === 1)
			return; // it has no list
		const list = (await browser.evaluate(rows)).filter((row) => /^\d+$/.test(row[0]));
		equal(list.map((row) => row[1]), ours.profiles.map((profile) => profile.name), 'the list');
		list.forEach((row, i) => {
			if (ours.profiles[i].unit === 'none')
				equal(Number(row[2].replaceAll(',', '')), ours.profiles[i].endValue, row[1]);
		});
	});
	if (screenshot) {
		await browser.screenshot(screenshot);
		await browser.key('1');
		await browser.settle();
		await browser.screenshot(screenshot.replace('.png', '-time.png'));
	}
} finally {
	await browser.close();
	rmSync(script, { force: true });
}
process.exitCode = finish();
