// Makes a viewer of the picture it is in. Without it, or where it finds no model, the picture stays what it was.

import { byId, oncePerPicture } from './dom';
import * as keys from './keys';
import { parse } from './model';
import * as pointer from './pointer';
import { Viewer } from './viewer';

function start(): void {
	const picture = byId('plume') as SVGSVGElement | null;
	const group = byId('frames');
	const metadata = byId('model');
	if (!picture || !group || !metadata)
		return;
	const model = parse(metadata.textContent || '', group.children.length);
	if (!model.size)
		return;
	picture.classList.add('live');
	group.setAttribute('tabindex', '0');
	group.setAttribute('role', 'application');
	group.setAttribute('aria-label', 'Flame graph: arrow keys move, Enter zooms, / searches, ? lists all keys');
	const viewer = new Viewer(model, picture, group);
	viewer.begin();
	keys.listen(viewer, model.isInverted, () => viewer.isHelpShown);
	pointer.listen(viewer, group);
	group.addEventListener('focus', () => {
		if (group.matches(':focus-visible'))
			viewer.enter();
	});
	group.addEventListener('blur', () => viewer.leave());
	const background = byId('background');
	if (background)
		background.addEventListener('click', () => viewer.resetZoom());
	addEventListener('scroll', oncePerPicture(() => viewer.scrolled()), { capture: true, passive: true });
	addEventListener('popstate', () => viewer.go());
	addEventListener('hashchange', () => viewer.go());
}

start();
