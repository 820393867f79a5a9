// The heat map's colours, from page.css.

import { token } from './dom';
import { Colours } from './heat_grid';
import { parseColour, Rgb } from './heat_scale';

function ramp(name: string, steps: number): Rgb[] {
	return Array.from({ length: steps }, (_, i) => parseColour(token(`${name}-${i}`)));
}

export function palette(isLog: boolean): Colours {
	return { ramp: ramp('heat', 5), hits: ramp('hit', 2), rest: ramp('rest', 2), isLog };
}
