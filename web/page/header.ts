// The top of the page: a sentence about the profile, and what happened to its samples.

import { integer } from '../flame/numbers';
import { button, make } from './dom';
import { Ledger } from './page';
import { Popup } from './popup';
import { spanText } from './times';

/**
 * "web-1: node server.js, 30 s at 99 Hz, 2026-11-16 14:02, 2,970 samples, 0.99 CPUs busy"; what is
 * unknown is left out.
 */
export function sentenceOf(ledger: Ledger): string {
	const what = [ledger.host, ledger.title].filter((part) => part).join(': ');
	const length = ledger.duration_ns > 0 ? spanText(ledger.duration_ns) : '';
	const rate = ledger.rate > 0 ? `${+ledger.rate.toFixed(1)} Hz` : '';
	return [
		what, [length, rate].filter((part) => part).join(' at '), ledger.date,
		`${integer(ledger.samples)} ${ledger.samples === 1 ? 'sample' : 'samples'}`,
		ledger.cpus_busy > 0 ? `${ledger.cpus_busy.toFixed(2)} CPUs busy` : '',
	].filter((part) => part).join(', ');
}

/** Sizes that say nothing about missing data; only the full ledger shows them. */
const SIZES = /^(samples|frames|stacks shown|weight shown.*)$/;

/** The counts in the header: samples shown, and whatever is lost, cut or without a name. */
export function countsOf(ledger: Ledger): [string, string][] {
	return ledger.ledger.filter(([count, what]) => /^[<>]?\d/.test(count) && !SIZES.test(what));
}

function table(name: string, rows: [string, string][]): HTMLElement {
	const body = rows.map(([a, b]) => make('tr', {}, make('th', { scope: 'row' }, a), make('td', {}, b)));
	return make('section', {}, make('h3', {}, name), make('table', { class: 'facts' }, make('tbody', {}, ...body)));
}

function fillLedger(panel: HTMLElement, ledger: Ledger): void {
	panel.classList.add('ledger');
	if (ledger.notes.length)
		panel.append(make('section', {}, make('h3', {}, 'Notes'), make('ul', {}, ...ledger.notes.map((note) => make('li', {}, note)))));
	const isCount = ([count]: [string, string]): boolean => /^[<>]?\d/.test(count);
	panel.append(make('div', { class: 'counts' }, table('Samples', ledger.ledger.filter(isCount))));
	const words = ledger.ledger.filter((row) => !isCount(row));
	if (words.length)
		panel.append(table('Stacks', words));
	if (ledger.events.length > 1)
		panel.append(table('Events', ledger.events.map((event) => [event.name, `${integer(event.samples)} samples`])));
	const said = new Set(words.map(([name]) => name));
	panel.append(table('Recording', ledger.facts.filter(([name]) => !said.has(name) && !/_ns$/.test(name))));
}

export class Header {
	readonly search = make('div', { id: 'search' });
	readonly exports = make('div', { id: 'export' });
	readonly files = make('div', { id: 'files' });
	readonly live = make('span', { id: 'live' });
	private readonly sentence = make('h1', { id: 'sentence' });
	private readonly counts = make('button', { type: 'button', id: 'counts', title: 'Show what happened to the samples, and notes' });
	private readonly bar = make('div', { id: 'busy', role: 'progressbar', 'aria-label': 'Loading', hidden: true });
	private readonly popup: Popup;
	private busyTimer = 0;
	private ledger: Ledger | null = null;

	constructor(parent: HTMLElement, help: () => void, scheme: () => void) {
		parent.append(
			make('div', { class: 'tools' }, this.search, this.exports, // floats: text fills the line beside it and those below
				button('?', 'Help: keys and gestures (?)', help), button('\u25d1', 'Colours: dark, light or as the system', scheme)),
			make('div', { class: 'brand' }, 'plume'), this.files, this.sentence, this.live, this.counts,
			this.bar);
		this.popup = new Popup(this.counts, 'Ledger and notes', (panel) => {
			if (this.ledger)
				fillLedger(panel, this.ledger);
		});
	}

	show(ledger: Ledger): void {
		this.ledger = ledger;
		this.sentence.textContent = sentenceOf(ledger);
		document.title = ['plume', ledger.host, ledger.title].filter((part) => part).join(' \u00b7 ');
		this.counts.replaceChildren(...countsOf(ledger).map(([count, what]) =>
			make('span', {}, make('b', {}, count), ' ' + what)));
		if (ledger.notes.length)
			this.counts.append(make('span', { class: 'note' }, ledger.notes.length === 1 ? '1 note' : `${ledger.notes.length} notes`));
		this.popup.refresh();
	}

	/** Shows only waits that are long enough to notice. */
	busy(open: number): void {
		clearTimeout(this.busyTimer);
		if (open === 0)
			this.bar.hidden = true;
		else
			this.busyTimer = window.setTimeout(() => this.bar.hidden = false, 250);
	}
}
