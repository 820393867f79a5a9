// Mouse and touch.

import { Viewer } from './viewer';

export function listen(viewer: Viewer, group: SVGElement): void {
	let lastX = -1;
	let lastY = -1;
	group.addEventListener('mousemove', (event) => {
		// A browser also says "moved" when the frames did, beneath a pointer that rests.
		if (event.screenX === lastX && event.screenY === lastY)
			return;
		lastX = event.screenX;
		lastY = event.screenY;
		if (viewer.isStrip(event.target)) {
			const origin = (group as SVGGElement).getScreenCTM();
			viewer.pointAtStrip(event.clientX - (origin ? origin.e : 0), event.clientY - (origin ? origin.f : 0));
			return;
		}
		viewer.pointAt(viewer.indexOf(event.target), event.clientX);
	});
	group.addEventListener('mouseleave', () => viewer.pointAt(-1));
	group.addEventListener('click', (event) => {
		const frame = viewer.indexOf(event.target);
		const isLink = frame >= 0 && !!(event.target as Element).closest('a');
		if (isLink && !event.ctrlKey && !event.metaKey)
			return;
		event.preventDefault();
		if (frame >= 0)
			viewer.pick(frame);
		else if (viewer.isStrip(event.target))
			viewer.pickStrip();
	});
}
