// The line between the graph and the panel: dragged, or moved by keys.

import { html } from '../flame/dom';

const LEAST_PANEL = 220;
const LEAST_GRAPH = 320;
const STEP = 16;

export function dividerOf(band: HTMLElement, panel: HTMLElement): HTMLElement {
	const divider = html('div', {
		class: 'panel-divider', role: 'separator', 'aria-orientation': 'vertical', 'aria-label': 'Width of the panel', tabindex: 0,
		title: 'Width of the panel: drag, or press Left or Right; double-click to reset',
	});
	const setWidth = (width: number) =>
		band.style.setProperty('--panel-width', Math.max(LEAST_PANEL, Math.min(width, band.clientWidth - LEAST_GRAPH)) + 'px');
	divider.addEventListener('pointerdown', (event) => {
		divider.setPointerCapture(event.pointerId);
		event.preventDefault();
	});
	divider.addEventListener('pointermove', (event) => {
		if (divider.hasPointerCapture(event.pointerId))
			setWidth(band.getBoundingClientRect().right - event.clientX);
	});
	divider.addEventListener('keydown', (event) => {
		const step = event.key === 'ArrowLeft' ? STEP : event.key === 'ArrowRight' ? -STEP : 0;
		if (!step)
			return;
		setWidth(panel.clientWidth + step);
		event.preventDefault();
		event.stopPropagation();
	});
	divider.addEventListener('dblclick', () => band.style.removeProperty('--panel-width'));
	return divider;
}
