// Who is who: passwords are kept as pbkdf2 makes them, and a session is a cookie that the shop has signed.
'use strict';
const crypto = require('node:crypto');

const secret = crypto.randomBytes(32);
const users = new Map();

function hashPassword(password, salt) {
  return crypto.pbkdf2Sync(password, salt, 1000, 32, 'sha256');
}
function addUser(name, password) {
  const salt = crypto.randomBytes(16);
  users.set(name, { salt, hash: hashPassword(password, salt) });
}
function sign(text) {
  return crypto.createHmac('sha256', secret).update(text).digest('base64url');
}
function logIn(name, password) {
  const user = users.get(name);
  if (!user || !crypto.timingSafeEqual(hashPassword(password, user.salt), user.hash)) return null;
  const session = Buffer.from(JSON.stringify({ name, at: Date.now() })).toString('base64url');
  return `${session}.${sign(session)}`;
}
function checkSession(cookie = '') {
  const [session, signature] = cookie.replace(/^session=/, '').split('.');
  if (!signature || signature !== sign(session)) return null;
  return JSON.parse(Buffer.from(session, 'base64url'));
}
module.exports = { addUser, logIn, checkSession };
