/** By the same names what stands around a scene. No page's script has it: the build does. */
export { ABOUT as arrivals } from './arrivals';
export { ABOUT as ceilings } from './ceilings';
export { ABOUT as curves } from './curves';
export { ABOUT as deal } from './deal';
export { ABOUT as 'core-hopping' } from './hopping';
export { ABOUT as interleave } from './interleave';
export { ABOUT as journey } from './journey';
export { ABOUT as lanes } from './lanes';
export { ABOUT as little } from './little';
export { ABOUT as pages } from './pages';
export { ABOUT as quota } from './quota';
export { ABOUT as ramp } from './ramp';
export { ABOUT as samples } from './samples';
export { ABOUT as shop } from './shop';
