export { Program, type ProgramOptions, type Turn } from './program.js';
