// The source file of a function, with the time of each line next to it.

import { html } from '../flame/dom';
import { Unit } from './tree';
import { VirtualRows } from './virtual';
import { amountOf, clean, percent, time } from './words';

/** api/source, see doc/api.md. */
export interface SourceAnswer {
	file: string;
	origin: string;
	reason: string;
	first: number; // number of the first line of text
	text: string[];
	places: { line: number; self: number; total: number }[];
	function_line: number;
	unit: Unit;
}

interface Line {
	number: number;
	text: string;
	self: number;
	total: number;
}

const ORIGINS: { [origin: string]: string } = {
	disk: 'on disk', container: 'in the container', v8: 'as V8 ran it', 'source map': 'from a source map',
};
/** A line longer than this is cut: bundles have lines of megabytes. */
const LONGEST = 2000;

/** Without text, shows the numbers of lines that have time. */
export function linesOf(answer: SourceAnswer): Line[] {
	const places = new Map(answer.places.map((place) => [place.line, place]));
	const lines = answer.text.map((text, i) => ({ number: answer.first + i, text, self: 0, total: 0, ...places.get(answer.first + i) }));
	return answer.text.length ? lines
		: [...answer.places].sort((a, b) => a.line - b.line).map((place) => ({ number: place.line, text: '', ...place }));
}

/** The index of the line to show first: the hottest. */
export function hottest(lines: Line[], functionLine: number): number {
	let best = -1;
	lines.forEach((line, i) => {
		if (line.self > (best < 0 ? 0 : lines[best].self))
			best = i;
	});
	return best >= 0 ? best : lines.findIndex((line) => line.number === functionLine);
}

export class Source {
	readonly element = html('div', { class: 'source' });
	private readonly title = html('bdi', { dir: 'ltr' });
	private readonly origin = html('span', { class: 'muted' });
	private readonly reason = html('p', { class: 'reason', role: 'status' });
	private readonly list: VirtualRows;
	private lines: Line[] = [];
	private answer: SourceAnswer | null = null;
	private mostSelf = 0;
	private mostTotal = 0;
	private wanted = 0; // requested line

	constructor(private readonly wholeOf: () => number, onLine: (line: number) => void) {
		this.list = new VirtualRows({ make: () => this.makeRow(), fill: (row, i) => this.fillRow(row, i) });
		this.list.element.setAttribute('aria-label', 'Source lines');
		this.list.element.tabIndex = 0;
		this.list.element.addEventListener('click', (event) => {
			const row = (event.target as Element).closest('[data-line]');
			if (row)
				onLine(Number(row.getAttribute('data-line')));
		});
		// The list scrolls with the keys that otherwise move in the graph.
		this.list.element.addEventListener('keydown', (event) => {
			if (/^(Arrow|Page|Home|End)/.test(event.key))
				event.stopPropagation();
		});
		this.element.append(html('div', { class: 'panel-bar' }, html('div', { class: 'source-title' }, this.title), this.origin), this.reason, this.list.element);
	}

	say(sentence: string): void {
		this.answer = null;
		this.lines = [];
		this.title.textContent = this.origin.textContent = '';
		this.reason.textContent = sentence;
		this.reason.hidden = false;
		this.list.show(0);
	}

	/** line: the line to scroll to; 0 for the hottest. */
	show(answer: SourceAnswer, line = 0): void {
		this.answer = answer;
		this.lines = linesOf(answer);
		this.wanted = line;
		this.mostSelf = this.lines.reduce((most, { self }) => Math.max(most, self), 0);
		this.mostTotal = this.lines.reduce((most, { total }) => Math.max(most, total), 0);
		this.title.textContent = clean(answer.file);
		this.title.title = clean(answer.file);
		this.origin.textContent = ORIGINS[answer.origin] || answer.origin;
		this.reason.textContent = clean(answer.reason);
		this.reason.hidden = !answer.reason;
		this.list.show(this.lines.length);
		const at = line ? this.lines.findIndex(({ number }) => number === line) : hottest(this.lines, answer.function_line);
		if (at >= 0)
			this.list.reveal(at, true);
	}

	/** The total that shares refer to has changed. */
	refresh(): void {
		this.list.show(this.lines.length);
	}

	private makeRow(): HTMLElement {
		const value = (className: string) => html('span', { class: className + ' number' }, html('span', { class: 'bar' }), html('span'));
		return html('div', { class: 'line' }, value('self'), value('total'), html('span', { class: 'line-number' }), html('code'));
	}

	private fillValue(box: Element, value: number, most: number): void {
		const [bar, text] = box.children as unknown as HTMLElement[];
		bar.style.width = (most > 0 ? 100 * value / most : 0) + '%';
		text.textContent = value > 0 ? percent(value, this.wholeOf()) : '';
	}

	private fillRow(row: HTMLElement, index: number): void {
		const line = this.lines[index];
		if (!line || !this.answer)
			return;
		const { unit, function_line } = this.answer;
		this.fillValue(row.children[0], line.self, this.mostSelf);
		this.fillValue(row.children[1], line.total, this.mostTotal);
		row.setAttribute('data-line', String(line.number));
		row.children[2].textContent = String(line.number);
		row.children[3].textContent = clean(line.text.slice(0, LONGEST).replace(/\t/g, '    '));
		row.classList.toggle('hot', line.self > 0 && line.self === this.mostSelf);
		row.classList.toggle('begins', line.number === (this.wanted || function_line));
		const words = (what: string, value: number) => `${what} ${amountOf(value, unit)}${unit.ns ? ', ' + time(value, unit) : ''}`;
		row.title = line.total ? words('self', line.self) + '\n' + words('total', line.total) : '';
	}

	/** For tests. */
	source(): { file: string; reason: string; lines: Line[] } {
		return { file: this.answer?.file || '', reason: this.reason.textContent || '', lines: this.lines };
	}
}
