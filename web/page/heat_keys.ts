// Moving the heat map's cursor with the keyboard. No DOM here.

import { Cell, Geometry } from './heat_layout';

const FAR = 10;

/** The cell that a key moves to; null if it is not a movement key. */
export function movedCell(key: string, cell: Cell, g: Geometry): Cell | null {
	const up = g.isOffset ? 1 : -1;
	const steps: { [key: string]: [number, number] } = {
		ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, up], ArrowDown: [0, -up], PageUp: [-FAR, 0], PageDown: [FAR, 0],
		Home: [-g.columns, 0], End: [g.columns, 0],
	};
	const step = steps[key];
	if (!step)
		return null;
	const bounded = (value: number, count: number): number => Math.min(Math.max(0, value), count - 1);
	// Moving up from the last offset of a column leads to the first of the next one: time continues there.
	const over = g.isOffset && step[1] ? cell.row + step[1] : 0;
	const turn = over >= g.rows && g.isOffset && cell.column < g.columns - 1 ? 1 : over < 0 && cell.column > 0 ? -1 : 0;
	if (turn)
		return { column: cell.column + turn, row: turn > 0 ? 0 : g.rows - 1 };
	return { column: bounded(cell.column + step[0], g.columns), row: bounded(cell.row + step[1], g.rows) };
}
