export { tactus } from './tactus.js';
