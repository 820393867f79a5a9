import { ServedEngine } from './engine';

new ServedEngine().json('files', []).then((files) => {
	document.body.textContent = JSON.stringify(files);
});
