// Copies to the clipboard or, where a page may not write to it, shows a field with the text selected.

import { html } from '../flame/dom';

function offer(text: string): void {
	const field = html('textarea', { readonly: '', 'aria-label': 'Text to copy', rows: 6 });
	const close = html('button', { type: 'submit' }, 'Close');
	const dialog = html('dialog', { class: 'copy-dialog' },
		html('form', { method: 'dialog' }, html('p', {}, 'Press Ctrl-C to copy, Esc to close.'), field, close));
	dialog.addEventListener('close', () => dialog.remove());
	document.body.append(dialog);
	field.value = text;
	dialog.showModal();
	field.select();
}

export function copyText(text: string, what: string, remark: (sentence: string) => void): void {
	if (!navigator.clipboard) {
		offer(text);
		return;
	}
	navigator.clipboard.writeText(text).then(() => remark(`Copied the ${what}.`), () => offer(text));
}

/** Offers bytes as a download. */
export function download(name: string, blob: Blob): void {
	const url = URL.createObjectURL(blob);
	const link = html('a', { href: url, download: name });
	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}
