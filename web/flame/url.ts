// The part of the state that a link carries, as doc/formats/flame-svg.md has it.

import { Model } from './model';
import { Query } from './search';

export interface Place {
	zoom: number;
	query: Query;
}

export function format(model: Model, place: Place): string {
	const parts = [];
	if (place.zoom > 0)
		parts.push('zoom=' + model.depth[place.zoom] + ':' + model.start.text(place.zoom));
	if (place.query.text)
		parts.push('search=' + encodeURIComponent(place.query.text));
	if (place.query.isPlain)
		parts.push('plain=1');
	if (place.query.mindsCase)
		parts.push('case=1');
	return parts.length ? '#' + parts.join('&') : '';
}

function findFrame(model: Model, zoom: string): number {
	const parts = /^(\d+):(\d+)$/.exec(zoom);
	if (!parts)
		return 0;
	const depth = Number(parts[1]);
	const start = parts[2].replace(/^0+(?=\d)/, '');
	for (let i = 0; i < model.size; i++) {
		if (model.depth[i] === depth && model.start.text(i) === start)
			return i;
	}
	return 0;
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch (e) {
		return '';
	}
}

/** What cannot be understood is left at its start value. */
export function parse(model: Model, hash: string): Place {
	const fields = new Map<string, string>();
	for (const part of hash.replace(/^#/, '').split('&')) {
		const at = part.indexOf('=');
		if (at > 0)
			fields.set(part.slice(0, at), decode(part.slice(at + 1)));
	}
	return {
		zoom: findFrame(model, fields.get('zoom') || ''),
		query: {
			text: fields.get('search') || '',
			isPlain: fields.get('plain') === '1',
			mindsCase: fields.get('case') === '1',
		},
	};
}
