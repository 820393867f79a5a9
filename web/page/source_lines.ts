// Which function contains a line of a file, as far as the names in the profile tell. No DOM here.

import { Labels } from './tree';

/** The function of the file that begins last before the line: its name, or ''. */
export function functionAtLine(labels: Labels, file: string, line: number): string {
	let best = '';
	let begun = 0;
	for (const name of labels.name) {
		const at = file ? name.indexOf(file + ':') : -1;
		const begins = at < 0 ? NaN : parseInt(name.slice(at + file.length + 1), 10);
		if (begins <= line && begins > begun) {
			best = name;
			begun = begins;
		}
	}
	return best;
}
